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
        const Rational uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), wu = dot(w, u), wv = dot(w, v),
                       det = uu * vv - uv * uv;
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
    const Rational3 a0 = worldPoint(a, A, part_a.vertices[contact.a0]),
                    a1 = worldPoint(a, A, part_a.vertices[contact.a1]),
                    b0 = worldPoint(b, B, part_b.vertices[contact.b0]),
                    b1 = worldPoint(b, B, part_b.vertices[contact.b1]);
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

// How far P lies outside of its friction cone, squared and from above: the largest e with |P_t| > mu P_n + e; of what
// pulls |P|, to the cone's apex.
Rational Laws::outside(const Contact& contact, const Rational3& P, const Rational3& n) const {
  const Body &A = run_.model.bodies[contact.body_a], &B = run_.model.bodies[contact.body_b];
  const Rational nn = dot(n, n), normal = dot(P, n), PP = dot(P, P);
  if (sgn(nn) == 0 || normal < 0) return PP;
  const Rational normal_sq = normal * normal / nn, tangent_sq = PP - normal_sq,
                 most_sq = Rational(A.friction) * Rational(B.friction) * normal_sq;
  if (A.no_slip || B.no_slip || tangent_sq <= most_sq) return 0;
  const double off = std::max(0.0, std::sqrt(tangent_sq.get_d()) * (1 + 1e-12) - std::sqrt(most_sq.get_d()));
  const Rational off_sq = std::isfinite(off) ? square(Rational(off)) : tangent_sq;
  return rootAtMostSum(tangent_sq, most_sq, off_sq) ? off_sq : tangent_sq;
}

// Of B relative to A where they touch. Of two velocities, `starts` takes those of the step that starts there.
Rational3 Laws::velocityAt(const Contact& contact, const Rational3& x, double time, bool starts) const {
  return at(contact.body_b, time, starts).velocityOf(x) - at(contact.body_a, time, starts).velocityOf(x);
}

// What the slip u would have to be off by for friction to be Coulomb's, squared. It is where it is -mu P_n u / |u|, but
// for less than e; else what is across friction counts, or all of u where there is less friction.
Rational Laws::slipOff(const Contact& contact, const Rational3& P, const Rational3& n, Rational3 u,
                       const Rational& e_sq) const {
  const Body &A = run_.model.bodies[contact.body_a], &B = run_.model.bodies[contact.body_b];
  const bool no_slip = A.no_slip || B.no_slip;
  u = u - n * (dot(u, n) / dot(n, n));
  const Rational PP = dot(P, P), normal_sq = square(dot(P, n)) / dot(n, n), tangent_sq = PP - normal_sq,
                 most_sq = Rational(A.friction) * Rational(B.friction) * normal_sq, uu = dot(u, u),
                 against = -dot(P, u), both = tangent_sq + most_sq - e_sq;
  if (no_slip ? PP <= e_sq : both <= 0 || (against > 0 && both * both * uu <= 4 * most_sq * against * against))
    return 0;
  const bool opposes = !no_slip && against > 0 && rootAtMostSum(most_sq, tangent_sq, e_sq);
  return opposes ? Rational(uu - against * against / tangent_sq) : uu;
}

// Support, cone and slip of every impulse of a contact; point, normal and slip from the published motion. A contact
// that acts over a step touches, and slips as its friction says, at the impulse's instant or where the piece starts or
// ends: methods know it there.
void Laws::contact(const Contact& contact, const Action& action, Findings& open, Residuals& worst) const {
  const int a = contact.body_a, b = contact.body_b;
  const Body &A = run_.model.bodies[a], &B = run_.model.bodies[b];
  const int lighter = A.fixed || (!B.fixed && scalesOf(b).mass < scalesOf(a).mass) ? b : a;
  const Scales& scales = scalesOf(lighter);
  const Rational unit = scales.mass * scales.mass * scales.speed_sq, gap_sq = square(Rational(run_.gap_nominal));
  const auto most = [&](Law law, const Rational& of) -> Rational {  // The bound's square.
    return std::isfinite(boundOf(law)) ? Rational(square(Rational(boundOf(law))) * of) : Rational(0);
  };
  const Rational e_sq = most(Law::kMomentum, unit), far_sq = most(Law::kSupport, gap_sq),
                 fast_sq = most(Law::kSlip, scales.speed_sq);
  const bool jump = action.t0 == action.t1,
             rubs = !jump && (A.no_slip || B.no_slip || (A.friction > 0 && B.friction > 0));
  const auto note = [&](std::optional<Finding> finding) {
    if (finding) open.push_back(*std::move(finding));
  };
  for (const Impulse& impulse : contact.impulses) {
    const double t = impulse.time;
    if (t > proof_.horizon() || (jump && t == proof_.horizon()))
      continue;  // A jump that ends the branch is its children's.
    const Rational3 P(impulse.P);
    const Piece& piece = pieceAt(lighter, t, t == action.t0);
    const std::pair<double, bool> instants[] = {{t, t == action.t0}, {piece.t0, true}, {piece.t1, false}};
    std::optional<Rational> nearest, least;
    for (int i = 0; i < (jump ? 1 : 3); ++i) {
      const auto [time, starts] = instants[i];
      const Point point = pointOf(contact, time);
      const Rational3 gap = point.x - point.other;
      if (i == 0 && dot(gap, gap) > square(scales.length * kFarthest))
        open.push_back({true, -1, a, b, t, "an impulse acts beyond any support"});
      if (sgn(dot(point.n, point.n)) == 0) {
        open.push_back({true, -1, a, b, t, "an impulse acts between parallel edges"});
        break;
      }
      const Rational3 u = velocityAt(contact, point.x, time, starts);
      const Rational rising = dot(u, point.n);
      Rational off = 0;  // After a jump, how it approaches.
      if (jump && rising < 0) off = square(rising) / dot(point.n, point.n);
      if (rubs) off = slipOff(contact, P, point.n, u, e_sq);
      nearest = nearest ? std::min<Rational>(*nearest, dot(gap, gap)) : dot(gap, gap);
      least = least ? std::min<Rational>(*least, off) : off;
      if (i == 0) note(hold(Law::kCone, outside(contact, P, point.n), unit, t, a, b, worst));
      if (*nearest <= far_sq && *least <= fast_sq) break;
    }
    if (!least) continue;
    note(hold(Law::kSupport, *nearest, gap_sq, t, a, b, worst));
    note(hold(Law::kSlip, *least, scales.speed_sq, t, a, b, worst));
  }
}

// Where nothing rebounds, what is pushed last by a jump does not rise: not all that is pushed does. Squared, / V^2.
Rational Laws::rebound(const std::vector<const Stretch*>& group) const {
  std::optional<Rational> least;
  for (const Stretch* s : group)
    for (const Felt& felt : s->felt) {
      if (!s->jump || !felt.contact) return 0;
      const int a = felt.contact->body_a, b = felt.contact->body_b;
      const Point point = pointOf(*felt.contact, s->t0, false);
      if (run_.model.bodies[a].restitution != 0 || run_.model.bodies[b].restitution != 0) return 0;
      if (dot(Rational3(felt.impulse->P), point.n) <= 0) continue;
      const Rational rising = dot(velocityAt(*felt.contact, point.x, s->t0, true), point.n);
      if (rising <= 0) return 0;
      const Rational off = square(rising) / dot(point.n, point.n) / scalesOf(s->body).speed_sq;
      least = least ? std::min<Rational>(*least, off) : off;
    }
  return least ? *least : Rational(0);
}

}  // namespace rigor::verify::kernel
