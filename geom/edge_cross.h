// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <Eigen/Geometry>

namespace rigor::geom {

/// Below this squared sine, the cross product of two edges needs edgeCross: plain rounding turns it by 2^-53 / sine.
inline constexpr double kNearlyParallelSq = 0.04;

/// a b - c d with about twice the digits (Dekker's products; no overflow below 1e290).
inline double productDifference(double a, double b, double c, double d) {
  const auto split = [](double x, double& high, double& low) {
    const double t = 134217729.0 * x;
    high = t - (t - x);
    low = x - high;
  };
  double ah, al, bh, bl, ch, cl, dh, dl;
  split(a, ah, al), split(b, bh, bl), split(c, ch, cl), split(d, dh, dl);
  const double p = a * b, q = c * d;
  const double ep = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
  const double eq = ((ch * dh - q) + ch * dl + cl * dh) + cl * dl;
  const double s = p - q, v = s - p;
  return s + (((p - (s - v)) - (q + v)) + (ep - eq));
}

/// u x v for the doubles as given, to nearly full relative precision however parallel.
inline Eigen::Vector3d preciseCross(const Eigen::Vector3d& u, const Eigen::Vector3d& v) {
  return {productDifference(u[1], v[2], u[2], v[1]), productDifference(u[2], v[0], u[0], v[2]),
          productDifference(u[0], v[1], u[1], v[0])};
}

/// u x v, precise where plain arithmetic would lose more than a few bits.
inline Eigen::Vector3d edgeCross(const Eigen::Vector3d& u, const Eigen::Vector3d& v) {
  const Eigen::Vector3d plain = u.cross(v);
  if (plain.squaredNorm() < kNearlyParallelSq * (u.squaredNorm() * v.squaredNorm())) return preciseCross(u, v);
  return plain;
}

}  // namespace rigor::geom
