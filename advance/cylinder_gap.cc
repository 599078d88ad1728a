// SPDX-License-Identifier: MIT
#include "advance/cylinder_gap.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "advance/scaled_bernstein.h"
#include "elementary/require.h"

// Bounds of errors are of unscaled coefficients; u = 2^-53. A convolution of T terms a sum adds (T + 1) u times the
// largest coefficients of both.

namespace rigor::advance {
namespace {

using scaled::kUnitRoundoff;

constexpr int kHeight = 9, kDegree = 2 * kHeight;  // Of f and of its square.
constexpr int kHalvings = 6;

/// Of a polynomial in scaled form: the largest unscaled coefficient.
template <int N>
double largest(const double* a) {
  double most = 0;
  for (int k = 0; k <= N; ++k) most = std::max(most, std::abs(a[k]) / scaled::kBinomials<N>.c[k]);
  return most;
}

/// A polynomial that is not to be negative: unscaled coefficients, with one bound of their errors.
template <int N>
struct Claim {
  std::array<double, N + 1> c;
  double error;
};

template <int N>
CylinderGap prove(const Claim<N>& claim, int halvings) {
  if (claim.c.front() < -claim.error) return CylinderGap::kRefutedAtStart;
  if (claim.c.back() < -claim.error) return CylinderGap::kRefutedAtEnd;
  if (std::all_of(claim.c.begin(), claim.c.end(), [&](double x) { return x >= claim.error; }))
    return CylinderGap::kProved;
  if (halvings == 0 || !(claim.c.front() >= claim.error && claim.c.back() >= claim.error))
    return CylinderGap::kUndecided;
  Claim<N> left = claim, right = claim;
  double most = 0;
  for (const double x : claim.c) most = std::max(most, std::abs(x));
  left.error = right.error = claim.error + (N + 1) * kUnitRoundoff * most;
  for (int level = 1; level <= N; ++level) {
    for (int k = N; k >= level; --k) left.c[k] = 0.5 * (left.c[k - 1] + left.c[k]);
    for (int k = 0; k <= N - level; ++k) right.c[k] = 0.5 * (right.c[k] + right.c[k + 1]);
  }
  return prove(left, halvings - 1) == CylinderGap::kProved && prove(right, halvings - 1) == CylinderGap::kProved
             ? CylinderGap::kProved
             : CylinderGap::kUndecided;
}

/// r^2 |m x a|^2 / |a|^2, scaled. @returns the bound of its errors; `size` bounds its coefficients.
double rimOf(const FaceGap& gap, double (&rim)[kDegree + 1], double& size) {
  const geom::Round& round = *gap.tested->round();
  const double share = round.radius * round.radius / (round.axis.squaredNorm() * (1 - 0x1p-50));
  double squares[kDegree + 1] = {}, error = 0, sum = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    const double aj = round.axis[j], al = round.axis[l];
    double c[kHeight + 1];
    for (int k = 0; k <= kHeight; ++k) c[k] = gap.row[j][k] * al - gap.row[l][k] * aj;
    const double products = std::abs(al) * largest<kHeight>(gap.row[j]) + std::abs(aj) * largest<kHeight>(gap.row[l]);
    const double c_error = (std::abs(al) + std::abs(aj)) * gap.row_error + 3 * kUnitRoundoff * products;
    const double c_size = largest<kHeight>(c);
    scaled::multiplyAdd<kHeight, kHeight>(c, c, squares);
    error += (2 * c_size + c_error) * c_error + 11 * kUnitRoundoff * c_size * c_size;
    sum += c_size * c_size;
  }
  for (int k = 0; k <= kDegree; ++k) rim[k] = share * squares[k];
  size = share * sum;
  return share * error + 8 * kUnitRoundoff * size;
}

}  // namespace

CylinderGap proveCylinderGap(const FaceGap& gap, double level) {
  RIGOR_REQUIRE(gap.hasCylinder() && gap.valid);
  if (gap.degree != kHeight) return CylinderGap::kUndecided;
  double rim[kDegree + 1], rim_size;
  const double rim_error = rimOf(gap, rim, rim_size);
  // N has the radius taken off in all directions.
  const double beyond = (gap.cylinder_radius - level) * gap.axis_norm, scale_size = largest<kHeight>(gap.scale);
  for (Eigen::Index j = 0; j < gap.points().cols(); ++j) {
    const Eigen::Vector3d y = gap.points().col(j) - gap.tested_centre;
    double f[kHeight + 1], ff[kDegree + 1];
    for (int k = 0; k <= kHeight; ++k)
      f[k] = gap.base[k] + (gap.row[0][k] * y[0] + gap.row[1][k] * y[1] + gap.row[2][k] * y[2]) +
             beyond * gap.scale[k];
    const double size = largest<kHeight>(f),
                 error = scaled::kBoundInflation *
                         (gap.numerator_error + std::abs(beyond) * (gap.scale_error + 4 * kUnitRoundoff * scale_size) +
                          2 * kUnitRoundoff * size);
    Claim<kHeight> above{{}, error};
    for (int k = 0; k <= kHeight; ++k) above.c[k] = f[k] / scaled::kBinomials<kHeight>.c[k];
    CylinderGap proof = prove(above, kHalvings);
    if (proof != CylinderGap::kProved) return proof;
    scaled::multiply<kHeight, kHeight>(f, f, ff);
    Claim<kDegree> beyond_rim{{}, scaled::kBoundInflation * ((2 * size + error) * error + rim_error +
                                                             kUnitRoundoff * (13 * size * size + 2 * rim_size)) +
                                      scaled::kUnderflow};
    for (int k = 0; k <= kDegree; ++k) beyond_rim.c[k] = (ff[k] - rim[k]) / scaled::kBinomials<kDegree>.c[k];
    proof = prove(beyond_rim, kHalvings);
    if (proof != CylinderGap::kProved) return proof;
  }
  return CylinderGap::kProved;
}

}  // namespace rigor::advance
