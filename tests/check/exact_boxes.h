// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <Eigen/Core>
#include <array>
#include <vector>

#include "advance/motion_piece.h"

/// Rational truth about two moving boxes: the separating-axis test at an instant, with the motion evaluated exactly.
/// Shares no code with the project's geometry.
namespace rigor::check::exact {

using Vector = std::array<mpq_class, 3>;
using Matrix = std::array<Vector, 3>;

inline mpq_class dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// de Casteljau at a rational parameter.
template <int N>
std::array<mpq_class, N> bezier(const Eigen::Matrix<double, N, 1>* control, int degree, const mpq_class& u) {
  std::vector<std::array<mpq_class, N>> points(degree + 1);
  for (int i = 0; i <= degree; ++i)
    for (int k = 0; k < N; ++k) points[i][k] = control[i][k];
  for (int level = degree; level > 0; --level)
    for (int i = 0; i < level; ++i)
      for (int k = 0; k < N; ++k) points[i][k] = (1 - u) * points[i][k] + u * points[i + 1][k];
  return points[0];
}

/// A box of full edge lengths `size` on its motion: the corners and face normals at time t.
struct Box {
  std::vector<Vector> corners;
  Matrix axes;  ///< Columns of the rotation: world directions of the edges, unit.

  Box(const Eigen::Vector3d& size, const advance::MotionPiece& piece, double t) {
    const mpq_class u =
        piece.t1 > piece.t0 && std::isfinite(piece.t1)
            ? mpq_class((mpq_class(t) - mpq_class(piece.t0)) / (mpq_class(piece.t1) - mpq_class(piece.t0)))
            : mpq_class(0);
    const auto p = bezier<3>(piece.p, piece.p_degree, u);
    const auto q = bezier<4>(piece.q, piece.q_degree, u);
    const mpq_class &w = q[0], &x = q[1], &y = q[2], &z = q[3];
    const mpq_class n = w * w + x * x + y * y + z * z;
    const mpq_class M[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) axes[i][k] = M[k][i] / n;
    for (int c = 0; c < 8; ++c) {
      Vector corner = p;
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) corner[k] += (c >> i & 1 ? 1 : -1) * mpq_class(size[i] / 2) * axes[i][k];
      corners.push_back(corner);
    }
  }
};

/// Gap of two boxes along n, from A to B, times |n|.
inline mpq_class gapAlong(const Box& a, const Box& b, const Vector& n) {
  mpq_class high = dot(n, a.corners[0]), low = dot(n, b.corners[0]);
  for (const Vector& x : a.corners) high = std::max(high, dot(n, x));
  for (const Vector& y : b.corners) low = std::min(low, dot(n, y));
  return low - high;
}

/// Whether the boxes overlap by more than `depth` >= 0: along every axis of the separating-axis theorem.
inline bool overlapByMoreThan(const Box& a, const Box& b, double depth) {
  std::vector<Vector> axes(a.axes.begin(), a.axes.end());
  axes.insert(axes.end(), b.axes.begin(), b.axes.end());
  for (const Vector& x : a.axes)
    for (const Vector& y : b.axes) axes.push_back(cross(x, y));
  for (const Vector& axis : axes) {
    const mpq_class square = dot(axis, axis);
    if (square == 0) continue;
    for (const int sign : {1, -1}) {
      const Vector n{sign * axis[0], sign * axis[1], sign * axis[2]};
      const mpq_class gap = gapAlong(a, b, n);
      // gap >= -depth |n|, without a root.
      if (gap >= 0 || gap * gap <= mpq_class(depth) * mpq_class(depth) * square) return false;
    }
  }
  return true;
}

}  // namespace rigor::check::exact
