// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "verify/kernel/guess.h"
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

// Where along a segment is rounded to a double: any point of it will do, and short numbers are fast.
Rational3 nearestOnSegment(const Rational3& x, const Rational3& a, const Rational3& b) {
  const Rational3 d = b - a;
  const Rational length = dot(d, d);
  return length == 0 ? a : a + d * std::clamp((dot(x - a, d) / length).get_d(), 0.0, 1.0);
}

// A point of the part near x: on the plane of a half-space; else of its core; else of the face that n points out of,
// which one is a guess.
Rational3 nearestOfPart(const Rational3& x, const Instant& at, const Body& body, const Part& part, const Rational3& n) {
  const Rational3 centre(body.centre), arm = x - at.p;
  if (part.half_space) {
    const Rational3 normal = at.turn(Rational3(part.normal));
    const Rational height = dot(normal, arm + at.turn(centre)) - part.offset;
    return x - normal * (height / dot(normal, normal));
  }
  if (!part.core.empty()) {
    const Rational3 a = worldPoint(at, body, part.core.front()), b = worldPoint(at, body, part.core.back());
    return nearestOnSegment(x, a, b) + reach(at, part, n);
  }
  const Rational3 near = at.turnBack(arm) + centre, out = at.turnBack(n);
  Vector3 local, up;
  for (int k = 0; k < 3; ++k) local[k] = near[k].get_d(), up[k] = out[k].get_d();
  FacePoint y = guessNearest(local, up, part.vertices);
  if (!(y.s >= 0 && y.t >= 0 && y.s <= 1 && y.t <= 1 && Rational(y.s) + y.t <= 1)) y.s = y.t = 0;
  const Rational3 a(part.vertices.at(y.a)), b(part.vertices.at(y.b)), c(part.vertices.at(y.c));
  return at.p + at.turn(a + (b - a) * y.s + (c - a) * y.t - centre);
}

// Nearest points of two segments: of the lines where they lie inside, else of an end and the other segment.
void nearestOfSegments(const Rational3& a0, const Rational3& a1, const Rational3& b0, const Rational3& b1, Rational3& x,
                       Rational3& y) {
  const Rational3 a = a1 - a0, b = b1 - b0, d = b0 - a0;
  const Rational aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), det = aa * bb - ab * ab;
  if (det != 0) {
    const double s = ((dot(d, a) * bb - dot(d, b) * ab) / det).get_d(),
                 t = ((dot(d, a) * ab - dot(d, b) * aa) / det).get_d();
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) return void((x = a0 + a * s, y = b0 + b * t));
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

Laws::Point Laws::pointOf(const Facing& contact, double time, Instants& known, bool with_other) const {
  const Body &A = run_.model.bodies[contact.body_a], &B = run_.model.bodies[contact.body_b];
  const Part &part_a = A.parts[contact.part_a], &part_b = B.parts[contact.part_b];
  const Instant &a = at(contact.body_a, time, known), &b = at(contact.body_b, time, known);
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
Rational Laws::outside(const Facing& contact, const Rational3& P, const Rational3& n) const {
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
Rational3 Laws::velocityAt(const Facing& contact, const Rational3& x, double time, bool starts, Instants& known) const {
  return at(contact.body_b, time, known, starts).velocityOf(x) - at(contact.body_a, time, known, starts).velocityOf(x);
}

// What the slip u would have to be off by for friction to be Coulomb's, squared. It is where it is -mu P_n u / |u|, but
// for less than e; else what is across friction counts, or all of u where there is less friction.
Rational Laws::slipOff(const Facing& contact, const Rational3& P, const Rational3& n, Rational3 u,
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
void Laws::contact(const Action& action, std::size_t number, Findings& open, Residuals& worst, Instants& known) const {
  const Facing& facing = *action.contacts[number].facing;
  const int a = facing.body_a, b = facing.body_b;
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
  for (const Impulse& impulse : action.contacts[number].impulses) {
    const double t = impulse.time;
    if (t > proof_.horizon() || (jump && t == proof_.horizon()))
      continue;  // A jump that ends the branch is its children's.
    const Rational3 P(impulse.P);
    const Piece& piece = pieceAt(lighter, t, t == action.t0);
    const std::pair<double, bool> instants[] = {{t, t == action.t0}, {piece.t0, true}, {piece.t1, false}};
    std::optional<Rational> nearest, least;
    for (int i = 0; i < (jump ? 1 : 3); ++i) {
      const auto [time, starts] = instants[i];
      const Point point = pointOf(facing, time, known);
      const Rational3 gap = point.x - point.other;
      if (i == 0 && dot(gap, gap) > square(scales.length * kFarthest))
        open.push_back({true, -1, a, b, t, "an impulse acts beyond any support"});
      if (sgn(dot(point.n, point.n)) == 0) {
        open.push_back({true, -1, a, b, t, "an impulse acts between parallel edges"});
        break;
      }
      const Rational3 u = velocityAt(facing, point.x, time, starts, known);
      const Rational rising = dot(u, point.n);
      Rational off = 0;  // After a jump, how it approaches.
      if (jump && rising < 0) off = square(rising) / dot(point.n, point.n);
      if (rubs) off = slipOff(facing, P, point.n, u, e_sq);
      nearest = nearest ? std::min<Rational>(*nearest, dot(gap, gap)) : dot(gap, gap);
      least = least ? std::min<Rational>(*least, off) : off;
      if (i == 0) note(hold(Law::kCone, outside(facing, P, point.n), unit, t, a, b, worst));
      if (*nearest <= far_sq && *least <= fast_sq) break;
    }
    if (!least) continue;
    note(hold(Law::kSupport, *nearest, gap_sq, t, a, b, worst));
    note(hold(Law::kSlip, *least, scales.speed_sq, t, a, b, worst));
  }
}

// Where nothing rebounds, what is pushed last by a jump does not rise: not all that is pushed does. Squared, / V^2.
// Where something may, beyondRestitution().
Rational Laws::rebound(const Group& group, Instants& known) const {
  std::optional<Rational> least;
  for (const Stretch* s : group)
    for (const Felt& felt : feltBy(*s)) {
      if (!s->jump || !felt.contact) return 0;
      const Facing& facing = *felt.contact->facing;
      const Point point = pointOf(facing, s->t0, known, false);
      if (run_.model.bodies[facing.body_a].restitution != 0 || run_.model.bodies[facing.body_b].restitution != 0)
        return beyondRestitution(group, known);
      if (dot(Rational3(felt.impulse->P), point.n) <= 0) continue;
      const Rational rising = dot(velocityAt(facing, point.x, s->t0, true, known), point.n);
      if (rising <= 0) return 0;
      const Rational off = square(rising) / dot(point.n, point.n) / scalesOf(s->body).speed_sq;
      least = least ? std::min<Rational>(*least, off) : off;
    }
  return least ? *least : Rational(0);
}

// What a free body's velocity at x changes by where P acts at x; none where its inertia is singular.
std::optional<Rational3> Laws::response(int body, const Instant& at, const Rational3& x, const Rational3& P) const {
  const auto& I = run_.model.bodies[body].inertia;  // xx yy zz xy xz yz
  const Rational m = run_.model.bodies[body].mass;
  const Rational3 rows[] = {Vector3{I[0], I[3], I[4]}, Vector3{I[3], I[1], I[5]}, Vector3{I[4], I[5], I[2]}},
                  arm = x - at.p, K = at.turnBack(cross(arm, P)),
                  adjugate[] = {cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])};
  const Rational det = dot(rows[0], adjugate[0]);
  if (sgn(det) <= 0 || sgn(m) <= 0) return {};
  const Rational3 w = (adjugate[0] * K[0] + adjugate[1] * K[1] + adjugate[2] * K[2]) * (1 / det);
  return P * (1 / m) + cross(at.turn(w), arm);
}

// Of a contact that alone is pushed in a jump of free bodies: by how much it rises faster than its restitution e
// allows, squared, / V^2. Its normal velocity grows with its normal impulse by slopes between low and high, whatever
// friction does. Newton's, Poisson's and Stronge's restitution change it by at most (1 + e) high / low of its approach.
Rational Laws::beyondRestitution(const Group& group, Instants& known) const {
  const std::vector<Body>& bodies = run_.model.bodies;
  const double e = boundOf(Law::kMomentum);
  const Contact* hit = nullptr;
  for (const Stretch* s : group)
    for (const Felt& felt : feltBy(*s)) {
      if (!s->jump || !felt.contact || bodies[s->body].robot >= 0) return 0;
      const Rational3 n = pointOf(*felt.contact->facing, s->t0, known, false).n;
      const Rational along = dot(Rational3(felt.impulse->P), n), noise = std::isfinite(e) ? e : 0.0;
      const Scales& scales = scalesOf(s->body);
      if (along <= 0 || square(along) <= square(noise * scales.mass) * scales.speed_sq * dot(n, n)) continue;
      if (hit && hit != felt.contact) return 0;
      hit = felt.contact;
    }
  const Facing* const only = hit ? hit->facing.get() : nullptr;
  if (!only || bodies[only->body_a].no_slip || bodies[only->body_b].no_slip) return 0;
  const Point point = pointOf(*only, group[0]->t0, known, false);
  Rational before, change, speed_sq;
  Rational3 pushed;
  for (const Stretch* s : group) {
    if (s->body != only->body_a && s->body != only->body_b) continue;
    Rational3 v0, w0, v1, w1;
    velocities(*s, false, v0, w0);
    velocities(*s, true, v1, w1);
    const Instant here = instantOf(*s->last, s->t0);
    const Rational3 arm = point.x - here.p;
    const Rational sign = s->body == only->body_b ? 1 : -1;
    before += sign * dot(v0 + cross(w0, arm), point.n), change += sign * dot(v1 - v0 + cross(w1 - w0, arm), point.n);
    const auto one = response(s->body, here, point.x, point.n);
    if (!one) return 0;
    pushed += *one, speed_sq = std::max(speed_sq, scalesOf(s->body).speed_sq);
  }
  const Body &A = bodies[only->body_a], &B = bodies[only->body_b];
  const Rational nn = dot(point.n, point.n), mean = dot(pushed, point.n);
  const Rational3 across = pushed - point.n * (mean / nn);
  const Rational rubs = rootAbove(Rational(A.friction) * Rational(B.friction) * dot(across, across) * nn);
  if (mean <= rubs) return 0;
  const Rational most = std::max<Rational>(0, -before) * (1 + Rational(std::max(A.restitution, B.restitution))) *
                        (mean + rubs) / (mean - rubs);
  return change > most ? Rational(square(change - most) / nn / speed_sq) : Rational(0);
}

}  // namespace rigor::verify::kernel
