// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "verify/kernel/laws.h"

namespace rigor::verify::kernel {
namespace {

// sqrt(a) <= sqrt(b) + sqrt(c), all >= 0.
bool rootAtMostSum(const Rational& a, const Rational& b, const Rational& c) {
  const Rational rest = a - b - c;
  return rest <= 0 || rest * rest <= 4 * b * c;
}

Rational3 worldPoint(const Instant& at, const Body& body, const Vector3& vertex) {
  return at.p + at.turn(Rational3(vertex) - Rational3(body.centre));
}

// From the core of a round part to its surface along n; nothing where a cylinder's cap faces n. The root is that of
// doubles, improved once.
Rational3 reach(const Instant& at, const Part& part, const Rational3& n) {
  const Rational3 a = at.turn(Rational3(part.axis)), across = isCylinder(part) ? n - a * (dot(n, a) / dot(a, a)) : n;
  const Rational square = dot(across, across), root(std::sqrt(square.get_d()));
  return root > 0 ? across * (2 * Rational(part.radius) / (root + square / root)) : Rational3();
}

// Where a contact's vertex touches what lies along n.
Rational3 touchingPoint(const Instant& at, const Body& body, const Part& part, int vertex, const Rational3& n) {
  const int count = static_cast<int>(part.vertices.size());
  if (vertex < count) return worldPoint(at, body, part.vertices[vertex]);
  return worldPoint(at, body, part.core[vertex - count]) + reach(at, part, n);
}

Rational3 nearestOnSegment(const Rational3& x, const Rational3& a, const Rational3& b) {
  const Rational3 d = b - a;
  const Rational length = dot(d, d);
  return length == 0 ? a : a + d * std::clamp<Rational>(dot(x - a, d) / length, 0, 1);
}

// A point of the part near x: on the plane of a half-space; else on a segment or inside a triangle of its vertices, the
// nearest of those that touch its highest vertices along n.
Rational3 nearestOfPart(const Rational3& x, const Instant& at, const Body& body, const Part& part, const Rational3& n) {
  if (part.half_space) {
    const Rational3 normal = at.turn(Rational3(part.normal));
    const Rational height = dot(normal, x - at.p + at.turn(Rational3(body.centre))) - Rational(part.offset);
    return x - normal * (height / dot(normal, normal));
  }
  if (!part.core.empty()) {
    const Rational3 a = worldPoint(at, body, part.core.front()), b = worldPoint(at, body, part.core.back());
    return nearestOnSegment(x, a, b) + reach(at, part, n);
  }
  // In the body's frame, where vertices are short numbers.
  const Rational3 centre(body.centre), local = at.turnBack(x - at.p) + centre, up = at.turnBack(n);
  std::vector<Rational> heights;
  for (const Vector3& vertex : part.vertices) heights.push_back(dot(up, Rational3(vertex)));
  const Rational top = *std::max_element(heights.begin(), heights.end()),
                 low = *std::min_element(heights.begin(), heights.end()), face = top - (top - low) / 1024;
  std::vector<Rational3> face_points;
  for (std::size_t i = 0; i < heights.size(); ++i)
    if (heights[i] >= face) face_points.push_back(Rational3(part.vertices[i]));
  Rational3 best = face_points[0];
  Rational least = dot(local - best, local - best);
  const auto consider = [&](const Rational3& y) {
    if (const Rational distance = dot(local - y, local - y); distance < least) best = y, least = distance;
  };
  for (std::size_t i = 0; i < face_points.size(); ++i)
    for (std::size_t j = i + 1; j < face_points.size(); ++j) {
      consider(nearestOnSegment(local, face_points[i], face_points[j]));
      for (std::size_t k = j + 1; k < face_points.size(); ++k) {
        // Barycentric coordinates of x's projection; inside where none is negative.
        const Rational3 u = face_points[j] - face_points[i], v = face_points[k] - face_points[i],
                        w = local - face_points[i];
        const Rational uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), wu = dot(w, u), wv = dot(w, v), det = uu * vv - uv * uv;
        if (det == 0) continue;
        const Rational s = (wu * vv - wv * uv) / det, t = (wv * uu - wu * uv) / det;
        if (s >= 0 && t >= 0 && s + t <= 1) consider(face_points[i] + u * s + v * t);
      }
    }
  return at.p + at.turn(best - centre);
}

// Nearest points of two segments: of the lines where they lie inside, else of an end and the other segment.
void nearestOfSegments(const Rational3& a0, const Rational3& a1, const Rational3& b0, const Rational3& b1, Rational3& x,
                       Rational3& y) {
  const Rational3 a = a1 - a0, b = b1 - b0, d = b0 - a0;
  const Rational aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), det = aa * bb - ab * ab;
  if (det != 0) {
    const Rational s = (dot(d, a) * bb - dot(d, b) * ab) / det, t = (dot(d, a) * ab - dot(d, b) * aa) / det;
    x = a0 + a * s, y = b0 + b * t;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) return;
  }
  x = a0, y = nearestOnSegment(a0, b0, b1);
  const auto consider = [&](const Rational3& p, const Rational3& q) {
    if (dot(p - q, p - q) < dot(x - y, x - y)) x = p, y = q;
  };
  consider(a1, nearestOnSegment(a1, b0, b1));
  consider(nearestOnSegment(b0, a0, a1), b0);
  consider(nearestOnSegment(b1, a0, a1), b1);
}

}  // namespace

Laws::Point Laws::pointOf(const Contact& contact, double time, bool with_other) const {
  const Body &A = run_.model.bodies[contact.body_a], &B = run_.model.bodies[contact.body_b];
  const Part &part_a = A.parts[contact.part_a], &part_b = B.parts[contact.part_b];
  const Instant a = at(contact.body_a, time), b = at(contact.body_b, time);
  Point point;
  if (contact.kind == 2) {
    const Rational3 a0 = worldPoint(a, A, part_a.vertices[contact.a0]), a1 = worldPoint(a, A, part_a.vertices[contact.a1]),
                    b0 = worldPoint(b, B, part_b.vertices[contact.b0]), b1 = worldPoint(b, B, part_b.vertices[contact.b1]);
    point.n = cross(a1 - a0, b1 - b0);
    nearestOfSegments(a0, a1, b0, b1, point.x, point.other);
  } else if (contact.kind == 0) {
    point.n = a.turn(Rational3(contact.axis));
    point.x = touchingPoint(b, B, part_b, contact.a0, point.n * Rational(-1));
    if (with_other) point.other = nearestOfPart(point.x, a, A, part_a, point.n);
  } else {
    point.n = b.turn(Rational3(contact.axis));
    point.x = touchingPoint(a, A, part_a, contact.a0, point.n);
    if (with_other) point.other = nearestOfPart(point.x, b, B, part_b, point.n * Rational(-1));
  }
  return point;
}

// Support, cone and slip of every impulse of a contact; x, n and the slip u from the published motion.
void Laws::contact(const Contact& contact, const Action& action, Findings& open, Residuals& worst) const {
  const Body &A = run_.model.bodies[contact.body_a], &B = run_.model.bodies[contact.body_b];
  const Scales &of_a = scalesOf(contact.body_a), &of_b = scalesOf(contact.body_b);
  const Scales& scales = A.fixed || (!B.fixed && of_b.mass < of_a.mass) ? of_b : of_a;  // Of the lighter one that moves.
  const Rational unit = scales.mass * scales.mass * scales.speed_sq, mu_sq = Rational(A.friction) * Rational(B.friction);
  const bool no_slip = A.no_slip || B.no_slip;
  for (const Impulse& impulse : contact.impulses) {
    const double t = impulse.time;
    const bool jump = action.t0 == action.t1;
    if (t > proof_.horizon() || (jump && t == proof_.horizon())) continue;  // A jump that ends the branch is its children's.
    const auto note = [&](std::optional<Finding> finding) { if (finding) open.push_back(*std::move(finding)); };
    const Point point = pointOf(contact, t);
    const Rational3 gap = point.x - point.other, P(impulse.P);
    note(hold(Law::kSupport, dot(gap, gap), Rational(run_.gap_nominal) * Rational(run_.gap_nominal), t, contact.body_a,
              contact.body_b, worst));
    const Rational nn = dot(point.n, point.n);
    if (sgn(nn) == 0) {
      open.push_back({true, -1, contact.body_a, contact.body_b, t, "an impulse acts between parallel edges"});
      continue;
    }
    const Rational normal = dot(P, point.n), normal_sq = normal * normal / nn, PP = dot(P, P),
                   tangent_sq = PP - normal_sq;
    // How far outside of the cone: the largest e with |P_t| > mu P_n + e, or -P_n; from above.
    const auto within = [&](const Rational& e_sq) {
      if (normal < 0) return PP <= e_sq;  // To its apex, no less than to the cone.
      return no_slip || rootAtMostSum(tangent_sq, mu_sq * normal_sq, e_sq);
    };
    Rational outside = 0;
    if (!within(0)) {
      outside = normal < 0 ? PP : tangent_sq;
      const double most = std::sqrt(Rational(mu_sq * normal_sq).get_d());
      const double off = std::max(0.0, std::sqrt(tangent_sq.get_d()) * (1 + 1e-12) - most);
      if (std::isfinite(off) && within(Rational(off) * Rational(off))) outside = Rational(off) * Rational(off);
    }
    note(hold(Law::kCone, outside, unit, t, contact.body_a, contact.body_b, worst));
    // Of two velocities, those of the step that starts there.
    const bool starts = t == action.t0;
    Rational3 u = at(contact.body_b, t, starts).velocityOf(point.x) - at(contact.body_a, t, starts).velocityOf(point.x);
    const Rational off = dot(u, point.n);
    const auto slips = [&](const Rational& by_sq) {
      note(hold(Law::kSlip, by_sq, scales.speed_sq, t, contact.body_a, contact.body_b, worst));
    };
    if (jump) slips(off < 0 ? Rational(off * off / nn) : Rational(0));  // No approach after it.
    if (jump || (mu_sq == 0 && !no_slip)) continue;
    u = u - point.n * (off / nn);
    // Friction that is -mu P_n u / |u|, but for less than what momentum may be off by, is Coulomb's. Else what counts is
    // the velocity that the slip would have to be off by: what is across friction, or the whole where there is less.
    const double e = run_.bounds.momentum;
    const Rational e_sq = std::isnan(e) ? Rational(0) : Rational(e) * Rational(e) * unit, most_sq = mu_sq * normal_sq,
                   uu = dot(u, u), against = -dot(P, u), both = tangent_sq + most_sq - e_sq;
    if (no_slip ? PP <= e_sq : both <= 0 || (against > 0 && both * both * uu <= 4 * most_sq * against * against)) continue;
    const bool opposes = !no_slip && against > 0 && rootAtMostSum(most_sq, tangent_sq, e_sq);
    slips(opposes ? Rational(uu - against * against / tangent_sq) : uu);
  }
}

}  // namespace rigor::verify::kernel
