// SPDX-License-Identifier: MIT
#pragma once
#include "verify/filter/ball_algebra.h"
#include "verify/kernel/run.h"

/// Vectors of balls, and where a body is at an instant: what the laws of motion are made of.
namespace rigor::verify::filter {

/// Three numbers, each no farther from its value than radius (1 + kRadiusRounding): one radius for all of them, as they
/// mostly have one size.
struct BallVector {
  double x[3] = {};
  double radius = 0;
  BallVector() = default;
  BallVector(const double* v) : x{v[0], v[1], v[2]} {}
  BallVector(const kernel::Vector3& v) : BallVector(v.data()) {}
  Ball operator[](int i) const { return {x[i], radius}; }
  /// No less than the largest |x|. NaN stays.
  double reach() const { return std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]); }
  BallVector& operator+=(const BallVector& b) { return addMultiple(1, b); }
  BallVector& operator-=(const BallVector& b) { return addMultiple(-1, b); }
  BallVector& operator*=(const Ball& s) {
    radius = reach() * s.radius + radius * (std::abs(s.value) + s.radius);
    for (double& entry : x) entry *= s.value;
    radius += kToNearest * reach() + kBallUnderflow;
    return *this;
  }

 private:
  BallVector& addMultiple(double sign, const BallVector& b) {
    for (int i = 0; i < 3; ++i) x[i] += sign * b.x[i];
    radius += b.radius + kToNearest * reach();
    return *this;
  }
};
inline BallVector operator+(BallVector a, const BallVector& b) { return a += b; }
inline BallVector operator-(BallVector a, const BallVector& b) { return a -= b; }
inline BallVector operator*(BallVector a, const Ball& s) { return a *= s; }
/// Three products are rounded, and their sum twice.
inline Ball dot(const BallVector& a, const BallVector& b) {
  const double first = a.x[0] * b.x[0], second = a.x[1] * b.x[1], third = a.x[2] * b.x[2];
  return {first + second + third,
          a.reach() * b.radius + b.reach() * a.radius + 3 * a.radius * b.radius +
              3 * kToNearest * (std::abs(first) + std::abs(second) + std::abs(third)) + 4 * kBallUnderflow};
}
inline BallVector cross(const BallVector& a, const BallVector& b) {
  BallVector out;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out.x[i] = a.x[j] * b.x[k] - a.x[k] * b.x[j];
  }
  const double size = a.reach(), other = b.reach();
  out.radius = size * b.radius + other * a.radius + 2 * a.radius * b.radius + 2 * kToNearest * (size * other) +
               3 * kBallUnderflow;
  return out;
}
/// rows v
BallVector product(const double (&rows)[3][3], const BallVector& v);
/// 1 / x; of what may be zero nothing is known.
Ball inverse(const Ball& x);
/// The root of a square; of what may be zero nothing is known.
Ball rootOf(const Ball& square);
/// Bounds of |x| and of the root of what is not negative, for certain.
double upperRootOf(const Ball& square);
double lowerRootOf(const Ball& square);

/// x = p + R (body point - centre)
struct BallPose {
  BallVector p;
  double R[3][3] = {};   ///< A rotation by its columns, whose entries
  double R_radius = 0;   ///< are known to this.
  BallVector turn(const BallVector& arm) const;
  BallVector turnBack(const BallVector& u) const;

 private:
  // R' v' - R v = (R' - R) v' + R (v' - v). Entries of a row or column are at most sqrt(3) together.
  double turnedRadius(const BallVector& v) const {
    return 1.74 * v.radius + (R_radius + 4 * kToNearest * (1 + R_radius)) * v.reach() + 4 * kBallUnderflow;
  }
};
/// `v`, `w`: of the published motion.
struct BallInstant : BallPose {
  BallVector v, w;
  BallVector velocityOf(const BallVector& point) const { return v + cross(w, point - p); }
};
/// @pre t in [piece.t0, piece.t1].
BallPose ballPoseOf(const kernel::Piece& piece, double t);
BallInstant ballInstantOf(const kernel::Piece& piece, double t);

}  // namespace rigor::verify::filter
