// SPDX-License-Identifier: MIT
#pragma once
#include "verify/filter/ball_algebra.h"
#include "verify/kernel/run.h"

/// Vectors of balls, and where a body is at an instant: what the laws of motion are made of.
namespace rigor::verify::filter {

struct BallVector {
  Ball x[3];
  BallVector() = default;
  BallVector(const double* v) : x{v[0], v[1], v[2]} {}
  BallVector(const kernel::Vector3& v) : BallVector(v.data()) {}
  Ball& operator[](int i) { return x[i]; }
  const Ball& operator[](int i) const { return x[i]; }
  BallVector& operator+=(const BallVector& b) {
    for (int i = 0; i < 3; ++i) x[i] += b.x[i];
    return *this;
  }
  BallVector& operator-=(const BallVector& b) {
    for (int i = 0; i < 3; ++i) x[i] -= b.x[i];
    return *this;
  }
  BallVector& operator*=(const Ball& s) {
    for (Ball& entry : x) entry *= s;
    return *this;
  }
};
inline BallVector operator+(BallVector a, const BallVector& b) { return a += b; }
inline BallVector operator-(BallVector a, const BallVector& b) { return a -= b; }
inline BallVector operator*(BallVector a, const Ball& s) { return a *= s; }
inline Ball dot(const BallVector& a, const BallVector& b) {
  Ball out;
  for (int i = 0; i < 3; ++i) addProduct(a[i], b[i], out);
  return out;
}
inline BallVector cross(const BallVector& a, const BallVector& b) {
  BallVector out;
  for (int i = 0; i < 3; ++i) {
    multiply(a[(i + 1) % 3], b[(i + 2) % 3], out[i]);
    subtractProduct(a[(i + 2) % 3], b[(i + 1) % 3], out[i]);
  }
  return out;
}
/// 1 / x; of what may be zero nothing is known.
Ball inverse(const Ball& x);
/// The root of a square; of what may be zero nothing is known.
Ball rootOf(const Ball& square);
/// Bounds of |x| and of the root of what is not negative, for certain.
double upperRootOf(const Ball& square);
double lowerRootOf(const Ball& square);

/// x = p + R (body point - centre)
struct BallPose {
  BallVector p, R[3];  ///< R by its columns.
  BallVector turn(const BallVector& arm) const { return R[0] * arm[0] + R[1] * arm[1] + R[2] * arm[2]; }
  BallVector turnBack(const BallVector& u) const {
    BallVector out;
    for (int i = 0; i < 3; ++i) out[i] = dot(R[i], u);
    return out;
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
