// SPDX-License-Identifier: MIT
#include <algorithm>

#include "verify/kernel/claims.h"

namespace rigor::verify::kernel {
Number radiusOf(const Body& body, const Part& part) {
  Number largest;
  for (const Vector3& v : part.core.empty() ? part.vertices : part.core) {
    const Number3 arm = Number3(v) - body.centre;
    const Number square = dot(arm, arm);
    if (sgn(square - largest) > 0) largest = square;
  }
  return largest.upperRoot() + part.radius;
}

namespace {

/// low / scale <= every coordinate <= high / scale.
struct Box {
  Number low[3], high[3], scale = 1;
};

// Of a pose that does not change the vertices themselves; else the position's control points, widened by the radius.
Box boxAround(const Body& body, const Part& part, PieceRange pieces) {
  Box box;
  bool first = true;
  const auto include = [&](const Number3& point) {
    for (int k = 0; k < 3; ++k) {
      if (first || sgn(point[k] - box.low[k]) < 0) box.low[k] = point[k];
      if (first || sgn(point[k] - box.high[k]) > 0) box.high[k] = point[k];
    }
    first = false;
  };
  const bool still = pieces.last - pieces.first == 1 && pieces.first->still();
  if (still) {
    const Rotation<Number> R = rotationOf(pieces.first->q[0]);
    box.scale = R.norm;
    for (const Vector3& v : part.core.empty() ? part.vertices : part.core)
      include(Number3(pieces.first->p[0]) * R.norm + R.turn(Number3(v) - body.centre));
  } else {
    Range range(pieces.first->p[0]);
    for (const Piece* piece = pieces.first; piece != pieces.last; ++piece)
      for (int i = 0; i <= piece->p_degree; ++i) range.include(piece->p[i]);
    include(range.low), include(range.high);
  }
  const Number radius = (still ? Number(part.radius) : radiusOf(body, part)) * box.scale;
  for (int k = 0; k < 3; ++k) box.low[k].add(radius, -1), box.high[k].add(radius);
  return box;
}

bool apartAlongAnAxis(const Box& a, const Box& b, double gap) {
  for (int k = 0; k < 3; ++k)
    for (const Number& distance : {b.low[k] * a.scale - a.high[k] * b.scale, a.low[k] * b.scale - b.high[k] * a.scale})
      if (sgn(distance - a.scale * b.scale * gap) >= 0) return true;
  return false;
}

}  // namespace

// N.(p - p_A) - (offset - n.c_A) |q|^2 >= apart |n| |q|^2 at every control point p of B, N = M(q) n.
bool aboveHalfSpace(const Body& body_a, const Part& plane, const Piece& pose, PieceRange b, const Number& apart) {
  const Rotation<Number> R = rotationOf(pose.q[0]);
  const Number3 n = plane.normal, N = R.turn(n);
  const Number least = (Number(plane.offset) - dot(n, Number3(body_a.centre)) + apart * dot(n, n).upperRoot()) * R.norm;
  for (const Piece* piece = b.first; piece != b.last; ++piece)
    for (int i = 0; i <= piece->p_degree; ++i)
      if (sgn(dot(N, Number3(piece->p[i]) - pose.p[0]) - least) < 0) return false;
  return true;
}

bool boxesApart(const Body& body_a, const Part& part_a, PieceRange a, const Body& body_b, const Part& part_b,
                PieceRange b, double gap, double& where) {
  if (a.first == a.last || b.first == b.last) return false;
  where = body_a.fixed ? b.first->t0 : a.first->t0;
  if (part_a.half_space ? aboveHalfSpace(body_a, part_a, *a.first, b, radiusOf(body_b, part_b) + gap)
                        : apartAlongAnAxis(boxAround(body_a, part_a, a), boxAround(body_b, part_b, b), gap))
    return true;
  if (a.last - a.first == 1 && b.last - b.first == 1) return false;
  // Halves: the longer list is cut in its middle, the other where that time lies.
  const PieceRange& longer = a.last - a.first > b.last - b.first ? a : b;
  const double split = longer.first[(longer.last - longer.first) / 2].t0;
  const auto before = [&](PieceRange range) {
    return PieceRange{range.first, std::lower_bound(range.first, range.last, split,
                                                    [](const Piece& p, double t) { return p.t0 < t; })};
  };
  const auto after = [&](PieceRange range) {
    return PieceRange{std::upper_bound(range.first, range.last, split,
                                       [](double t, const Piece& p) { return t < p.t1; }),
                      range.last};
  };
  return boxesApart(body_a, part_a, before(a), body_b, part_b, before(b), gap, where) &&
         boxesApart(body_a, part_a, after(a), body_b, part_b, after(b), gap, where);
}

}  // namespace rigor::verify::kernel
