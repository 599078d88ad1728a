// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <span>

#include "verify/kernel/polynomial.h"
#include "verify/kernel/run.h"

namespace rigor::verify::kernel {

/// R(q) = M(q) / |q|^2 of a quaternion q = w + v, of any length but 0; both times two.
template <typename T>
struct Rotation {
  T norm;
  Triple<T> rows[3];  ///< Of M.
  Rotation() = default;
  // M = (w^2 - v.v) 1 + 2 v v' + 2 w [v]x
  Rotation(const T& w, const Triple<T>& v) {
    const Triple<T> two_v = v + v, squares{two_v[0] * v[0], two_v[1] * v[1], two_v[2] * v[2]};
    norm = (w + w) * w + squares[0] + squares[1] + squares[2];
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const T across = squares[j] + squares[k], both = two_v[i] * two_v[j], turned = (w + w) * two_v[k];
      rows[i][i] = norm - across - across;
      rows[i][j] = both - turned;
      rows[j][i] = both + turned;
    }
  }
  template <typename S>
  Triple<T> turn(const Triple<S>& v) const {  ///< M v
    return {dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)};
  }
  template <typename S>
  Triple<T> turnBack(const Triple<S>& v) const {  ///< M' v
    return rows[0] * v[0] + rows[1] * v[1] + rows[2] * v[2];
  }
};
inline Rotation<Number> rotationOf(const double* q) { return {Number(q[0]), Number3(q + 1)}; }

/// A body's published motion over an interval, as polynomials over [0, 1]: its centre is at p / denominator.
struct Motion : Rotation<Polynomial> {
  Vector p;
  Number denominator;  ///< > 0
};

inline bool finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}
/// @pre [from, to] in [piece.t0, piece.t1], from < to unless both degrees are 0.
Motion motionOver(const Piece& piece, double from, double to);
/// Smallest and largest coordinates of some points; comparisons of doubles are exact.
struct Range {
  Vector3 low, high;
  explicit Range(const double* x) : low{x[0], x[1], x[2]}, high(low) {}
  void include(const double* x) {
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], x[k]), high[k] = std::max(high[k], x[k]);
  }
};
/// The pose of a fixed body, which holds for ever.
Piece fixedPose(const Body& body);

}  // namespace rigor::verify::kernel
