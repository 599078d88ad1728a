// SPDX-License-Identifier: MIT
#include "verify/kernel/contact_point.h"

#include <algorithm>
#include <cmath>

#include "verify/kernel/claims.h"
#include "verify/kernel/guess.h"

namespace rigor::verify::kernel {
namespace {

// Where along a segment is rounded to a double: any point of it will do, and short numbers are fast.
Rational3 nearestOnSegment(const Rational3& x, const Rational3& a, const Rational3& b) {
  const Rational3 d = b - a;
  const Rational length = dot(d, d);
  return length == 0 ? a : a + d * std::clamp((dot(x - a, d) / length).get_d(), 0.0, 1.0);
}

// A body's part, where it is at an instant.
struct Solid {
  const Instant& at;
  const Body& body;
  const Part& part;

  Rational3 point(const Vector3& vertex) const { return at.p + at.turn(Rational3(vertex) - body.centre); }

  // From the core of a round part to its surface along n; nothing where a cylinder's cap faces n. The root is that of
  // doubles, improved once. Other parts have no radius.
  Rational3 reach(const Rational3& n) const {
    const Rational3 a = at.turn(Rational3(part.axis)), across = isCylinder(part) ? n - a * (dot(n, a) / dot(a, a)) : n;
    const Rational square = dot(across, across), root(std::sqrt(square.get_d()));
    return root > 0 ? across * (2 * Rational(part.radius) / (root + square / root)) : Rational3();
  }

  // Where a contact's vertex touches what lies along n; without n a point of the core.
  Rational3 corner(int vertex, const Rational3& n) const {
    const Rational3 x = point(part.corner(vertex));
    return vertex < static_cast<int>(part.vertices.size()) ? x : x + reach(n);
  }

  // The part's largest n.y, from above.
  Rational extent(const Rational3& n) const {
    const Rational3 up = at.turnBack(n);
    Rational most;
    for (int i = part.core.empty() ? 0 : std::ssize(part.vertices), first = i;
         i < std::ssize(part.vertices) + std::ssize(part.core); ++i)
      if (const Rational along = dot(up, Rational3(part.corner(i))); i == first || along > most) most = along;
    return most + dot(n, at.p) - dot(up, body.centre) + rootAbove(dot(n, n)) * part.radius;
  }

  // A point of the part near x: on the plane of a half-space; else of its core; else of the face that n points out of,
  // which one is a guess.
  Rational3 nearest(const Rational3& x, const Rational3& n) const {
    if (part.half_space) {
      const Rational3 normal = at.turn(Rational3(part.normal));
      return x - normal * ((dot(normal, x - point({})) - part.offset) / dot(normal, normal));
    }
    if (!part.core.empty()) return nearestOnSegment(x, point(part.core.front()), point(part.core.back())) + reach(n);
    const Rational3 near = at.turnBack(x - at.p) + body.centre, out = at.turnBack(n);
    Vector3 local, up;
    for (int k = 0; k < 3; ++k) local[k] = near[k].get_d(), up[k] = out[k].get_d();
    FacePoint y = guessNearest(local, up, part.vertices);
    if (!(y.s >= 0 && y.t >= 0 && y.s <= 1 && y.t <= 1 && Rational(y.s) + y.t <= 1)) y.s = y.t = 0;
    const Rational3 a(part.vertices.at(y.a)), b(part.vertices.at(y.b)), c(part.vertices.at(y.c));
    return at.p + at.turn(a + (b - a) * y.s + (c - a) * y.t - body.centre);
  }
};

}  // namespace

ContactPoint contactPoint(const Facing& contact, const Body& body_a, const Instant& at_a, const Body& body_b,
                          const Instant& at_b) {
  const Solid a{at_a, body_a, body_a.parts[contact.part_a]}, b{at_b, body_b, body_b.parts[contact.part_b]};
  if (contact.kind == 2) {  // Nearest points of two segments: where the lines are nearest, then from edge to edge.
    const Rational3 none, a0 = a.corner(contact.a0, none), a1 = a.corner(contact.a1, none), u = a1 - a0,
                    b0 = b.corner(contact.b0, none), b1 = b.corner(contact.b1, none), v = b1 - b0, d = b0 - a0,
                    n = cross(u, v);
    const Rational uv = dot(u, v), vv = dot(v, v), det = dot(u, u) * vv - square(uv);
    const double s = det == 0 ? 0 : ((dot(d, u) * vv - dot(d, v) * uv) / det).get_d();
    const Rational3 y = nearestOnSegment(a0 + u * std::clamp(s, 0.0, 1.0), b0, b1);
    return {nearestOnSegment(y, a0, a1) + a.reach(n), y - b.reach(n), n, a.extent(n) + b.extent(n * -1)};
  }
  const bool of_a = contact.kind == 0;
  const Solid &face = of_a ? a : b, &vertex = of_a ? b : a;
  const Rational3 n = face.at.turn(Rational3(contact.axis)), out = of_a ? n : n * -1,
                  x = vertex.corner(contact.a0, out * -1);
  return {x, face.nearest(x, out), n, a.part.half_space ? 0 : a.extent(n) + b.extent(n * -1)};
}

}  // namespace rigor::verify::kernel
