// SPDX-License-Identifier: MIT
#include <algorithm>

#include "verify/kernel/claims.h"

namespace rigor::verify::kernel {
namespace {

/// low / scale <= every coordinate <= high / scale, each widened by the radius, whose square is exact.
struct Box {
  Polynomial low[3], high[3], scale, radius_sq;
};

void include(Box& box, const Vector& point, bool first) {
  for (int k = 0; k < 3; ++k) {
    if (first || (point[k] - box.low[k]).sign() < 0) box.low[k] = point[k];
    if (first || (point[k] - box.high[k]).sign() > 0) box.high[k] = point[k];
  }
}

Polynomial radiusSquared(const Body& body, const Part& part) {
  Polynomial largest;
  for (const Vector3& v : part.core.empty() ? part.vertices : part.core) {
    const Vector arm = vectorOf(v) - vectorOf(body.centre);
    const Polynomial square = dot(arm, arm);
    if ((square - largest).sign() > 0) largest = square;
  }
  const Polynomial reach = largest.upperRoot() + part.radius;
  return part.core.empty() ? largest : reach * reach;
}

// Of a pose that does not change the vertices themselves; else the position's control points, widened by the radius.
Box boxAround(const Body& body, const Part& part, PieceRange pieces) {
  Box box;
  if (pieces.last - pieces.first == 1 && pieces.first->p_degree == 0 && pieces.first->q_degree == 0) {
    const Motion m = motionOver(*pieces.first, 0, 0);
    box.scale = m.norm;
    const std::vector<Vector3>& points = part.core.empty() ? part.vertices : part.core;
    for (const Vector3& v : points)
      include(box, m.p * m.norm + rotate(m, vectorOf(v) - vectorOf(body.centre)), &v == points.data());
    box.radius_sq = Polynomial(part.radius) * part.radius;
    return box;
  }
  double low[3], high[3];  // Comparisons of doubles are exact.
  for (int k = 0; k < 3; ++k) {
    low[k] = high[k] = pieces.first->p[0][k];
    for (const Piece* piece = pieces.first; piece != pieces.last; ++piece)
      for (int i = 0; i <= piece->p_degree; ++i) {
        low[k] = std::min(low[k], piece->p[i][k]);
        high[k] = std::max(high[k], piece->p[i][k]);
      }
  }
  for (int k = 0; k < 3; ++k) box.low[k] = low[k], box.high[k] = high[k];
  box.scale = 1;
  box.radius_sq = radiusSquared(body, part);
  return box;
}

// d >= sqrt(r) + sqrt(s) of numbers r, s >= 0: d >= 0, e = d^2 - r - s >= 0 and e^2 >= 4 r s.
bool isAtLeastRoots(const Polynomial& d, const Polynomial& r, const Polynomial& s) {
  const Polynomial e = d * d - r - s;
  return d.sign() >= 0 && e.sign() >= 0 && (e * e - Polynomial(4) * r * s).sign() >= 0;
}

bool apartAlongAnAxis(const Box& a, const Box& b, double gap) {
  const Polynomial scale = a.scale * b.scale, square = scale * scale;
  for (int k = 0; k < 3; ++k)
    for (const Polynomial& distance : {b.low[k] * a.scale - a.high[k] * b.scale, a.low[k] * b.scale - b.high[k] * a.scale})
      if (isAtLeastRoots(distance - scale * gap, a.radius_sq * square, b.radius_sq * square)) return true;
  return false;
}

// N.(p - p_A) - (offset - n.c_A) |q|^2 >= (gap + r) |n| |q|^2 at every control point p of B, N = M(q) n.
bool aboveHalfSpace(const Body& body_a, const Part& plane, const Piece& pose, const Body& body_b, const Part& part_b,
                    PieceRange b, double gap) {
  const Motion m = motionOver(pose, 0, 0);
  const Vector n = vectorOf(plane.normal), N = rotate(m, n);
  const Polynomial length_sq = dot(n, n) * m.norm * m.norm, extent = Polynomial(plane.offset) - dot(n, vectorOf(body_a.centre));
  const Polynomial gap_sq = length_sq * gap * gap, radius_sq = radiusSquared(body_b, part_b) * length_sq;
  for (const Piece* piece = b.first; piece != b.last; ++piece)
    for (int i = 0; i <= piece->p_degree; ++i) {
      const Vector p{{piece->p[i][0], piece->p[i][1], piece->p[i][2]}};
      if (!isAtLeastRoots(dot(N, p - m.p) - extent * m.norm, gap_sq, radius_sq)) return false;
    }
  return true;
}

}  // namespace

bool boxesApart(const Body& body_a, const Part& part_a, PieceRange a, const Body& body_b, const Part& part_b,
                PieceRange b, double gap, double& where) {
  if (a.first == a.last || b.first == b.last) return false;
  where = body_a.fixed ? b.first->t0 : a.first->t0;
  if (part_a.half_space ? aboveHalfSpace(body_a, part_a, *a.first, body_b, part_b, b, gap)
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
