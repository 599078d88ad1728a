// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <span>

#include "verify/kernel/polynomial.h"
#include "verify/kernel/run.h"

namespace rigor::verify::kernel {

/// A body's published motion over an interval, as polynomials over [0, 1]: its centre is at p / denominator, and its
/// rotation is matrix / norm.
struct Motion {
  Vector p;
  Polynomial denominator;    ///< A number > 0.
  Polynomial norm;           ///< |q|^2 in some unit: rotations do not depend on q's length.
  Polynomial matrix[3][3];   ///< M(q) in that unit.
};

inline bool finite(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}
Vector vectorOf(const Vector3& v);
/// @pre [from, to] in [piece.t0, piece.t1], from < to unless both degrees are 0.
Motion motionOver(const Piece& piece, double from, double to);
Vector rotate(const Motion& m, const Vector& v);      ///< M v = norm R v
Vector rotateBack(const Motion& m, const Vector& v);  ///< M' v = norm R' v
/// The pose of a fixed body, which holds for ever.
Piece fixedPose(const Body& body);

}  // namespace rigor::verify::kernel
