// SPDX-License-Identifier: MIT
#include "geom/predicates.h"

#include <Eigen/Geometry>
#include <array>
#include <climits>
#include <cmath>
#include <gmpxx.h>

#include "elementary/require.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

/// det = sum of six products of three differences; each difference, product and sum rounds once: the error is below
/// 8 u times the sum of magnitudes (Shewchuk's bound is 7 u + 56 u^2), u = 2^-53.
constexpr double kFilter = 8 * 0x1p-53;

/// Below this, a product may have lost bits to underflow: the filter abstains.
constexpr double kUnderflow = 0x1p-960;

/// The points as integers, by one common power of two.
std::array<std::array<mpz_class, 3>, 4> integers(const std::array<const Vector3d*, 4>& points) {
  int lowest = INT_MAX;
  for (const Vector3d* p : points) {
    for (double x : *p) {
      int exponent;
      std::frexp(x, &exponent);
      if (x != 0) lowest = std::min(lowest, exponent - 53);
    }
  }
  std::array<std::array<mpz_class, 3>, 4> result;
  for (size_t i = 0; i < result.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const double x = (*points[i])[k];
      if (x == 0) continue;
      int exponent;
      const double mantissa = std::frexp(x, &exponent);
      result[i][k] = mpz_class(std::ldexp(mantissa, 53));
      result[i][k] <<= exponent - 53 - lowest;
    }
  }
  return result;
}

using Integers = std::array<mpz_class, 3>;

Integers difference(const Integers& a, const Integers& b) {
  return {mpz_class(a[0] - b[0]), mpz_class(a[1] - b[1]), mpz_class(a[2] - b[2])};
}

Integers cross(const Integers& a, const Integers& b) {
  return {mpz_class(a[1] * b[2] - a[2] * b[1]), mpz_class(a[2] * b[0] - a[0] * b[2]),
          mpz_class(a[0] * b[1] - a[1] * b[0])};
}

/// Whether four points are coplanar for a plain reason: all at one height along an axis, or two and two on lines that
/// are parallel to one.
bool areLevel(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  using Same = Eigen::Array<bool, 3, 1>;  // Of each coordinate.
  const Same ab = a.array() == b.array(), cd = c.array() == d.array(), ac = a.array() == c.array(),
             bd = b.array() == d.array(), ad = a.array() == d.array(), bc = b.array() == c.array();
  return (ab && ac && ad).any() || (ab && cd).count() > 1 || (ac && bd).count() > 1 || (ad && bc).count() > 1;
}

}  // namespace

int orient3d(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  RIGOR_REQUIRE(a.allFinite() && b.allFinite() && c.allFinite() && d.allFinite());
  const Vector3d u = b - a, v = c - a, w = d - a;
  const double yz = v[1] * w[2], zy = v[2] * w[1], zx = v[2] * w[0], xz = v[0] * w[2], xy = v[0] * w[1],
               yx = v[1] * w[0];
  const double det = u[0] * (yz - zy) + u[1] * (zx - xz) + u[2] * (xy - yx);
  const double magnitude = std::abs(u[0]) * (std::abs(yz) + std::abs(zy)) +
                           std::abs(u[1]) * (std::abs(zx) + std::abs(xz)) +
                           std::abs(u[2]) * (std::abs(xy) + std::abs(yx));
  if (std::abs(det) > kFilter * magnitude && magnitude > kUnderflow) return det > 0 ? 1 : -1;
  if (areLevel(a, b, c, d)) return 0;
  const auto p = integers({&a, &b, &c, &d});
  const Integers n = cross(difference(p[1], p[0]), difference(p[2], p[0])), r = difference(p[3], p[0]);
  return sgn(mpz_class(n[0] * r[0] + n[1] * r[1] + n[2] * r[2]));
}

}  // namespace rigor::geom
