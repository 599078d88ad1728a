// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <algorithm>

#include "verify/kernel/run.h"

namespace rigor::verify::kernel {

using Rational = mpq_class;

inline Rational square(const Rational& x) { return x * x; }

/// Exact vectors for the laws of motion, which speak of instants. @pre Doubles are finite.
struct Rational3 {
  Rational x[3];
  Rational3() = default;
  Rational3(const double* v) : x{Rational(v[0]), Rational(v[1]), Rational(v[2])} {}
  Rational3(const Vector3& v) : Rational3(v.data()) {}
  Rational& operator[](int i) { return x[i]; }
  const Rational& operator[](int i) const { return x[i]; }
  Rational3& operator+=(const Rational3& b) {
    for (int i = 0; i < 3; ++i) x[i] += b[i];
    return *this;
  }
};
inline Rational3 operator+(Rational3 a, const Rational3& b) { return a += b; }
inline Rational3 operator*(const Rational3& a, const Rational& s) {
  Rational3 out;
  for (int i = 0; i < 3; ++i) out[i] = a[i] * s;
  return out;
}
inline Rational3 operator-(const Rational3& a, const Rational3& b) { return a + b * Rational(-1); }
inline Rational dot(const Rational3& a, const Rational3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Rational3 cross(const Rational3& a, const Rational3& b) {
  Rational3 out;
  for (int i = 0; i < 3; ++i) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  return out;
}

/// Where a body is at an instant, and how it moves: x = p + R (body point - centre).
struct Instant {
  Rational3 p, R[3];  ///< R by its columns.
  Rational3 v, w;     ///< Of the centre, of the published motion.
  Rational3 turn(const Rational3& arm) const { return R[0] * arm[0] + R[1] * arm[1] + R[2] * arm[2]; }
  Rational3 turnBack(const Rational3& u) const {
    Rational3 out;
    for (int i = 0; i < 3; ++i) out[i] = dot(R[i], u);
    return out;
  }
  Rational3 velocityOf(const Rational3& point) const { return v + cross(w, point - p); }
};
/// @pre t in [piece.t0, piece.t1]; the quaternion does not vanish there.
Instant instantOf(const Piece& piece, double t);

}  // namespace rigor::verify::kernel
