// SPDX-License-Identifier: MIT
#include "advance/piece_polynomials.h"

#include <algorithm>
#include <cmath>

#include "advance/scaled_bernstein.h"
#include "elementary/require.h"

namespace rigor::advance {
namespace {

using scaled::kBinomials;

// Error constants, in units of 2^-53 relative to the largest control value of a component.
// Writing degree 1 or 2 as degree 3 adds 3, the binomial factor 1. A weight (t - t0)/(t1 - t0) has relative error 3; a
// lerp adds
// 2; three levels: 15. The second-order terms are covered by the next integer.
constexpr double kRestrictedControl = 20, kWholeControl = 5;
// Sums of products of two components: twice the above, 4 for a convolution of 4 terms at most, 3 for the sum of 4 of
// them.
constexpr double kRestrictedMatrix = 2 * kRestrictedControl + 8, kWholeMatrix = 2 * kWholeControl + 8;
constexpr double kConstantMatrix = 8;
constexpr double kConstantControl = 1;

// Eight lanes: px, py, pz, unused, qw, qx, qy, qz. All steps are the same for each, so that they vectorise.
constexpr int kLanes = 8, kQ = 4;
using Lanes = double[kLanes];

/// Degree n control values of lanes first .. first + count - 1 written with degree 3.
void elevate(Lanes* c, int n, int first, int count) {
  for (int k = first; k < first + count; ++k) {
    const double a = c[0][k], b = c[1][k], d = c[2][k];
    if (n == 0) {
      c[1][k] = c[2][k] = c[3][k] = a;
    } else if (n == 1) {
      c[1][k] = (2 * a + b) / 3;
      c[2][k] = (a + 2 * b) / 3;
      c[3][k] = b;
    } else if (n == 2) {
      c[1][k] = (a + 2 * b) / 3;
      c[2][k] = (2 * b + d) / 3;
      c[3][k] = d;
    }
  }
}

inline void lerp(const Lanes& a, const Lanes& b, double wa, double wb, Lanes& out) {
  for (int k = 0; k < kLanes; ++k) out[k] = wa * a[k] + wb * b[k];
}

/// Control values of the part from ta = a0 t0 + a1 t1 to tb = b0 t0 + b1 t1: blossoms, at most three levels each.
void restrict(Lanes* c, double a0, double a1, double b0, double b1) {
  Lanes a[3], b[3], aa[2], ab[2], bb[2];
  for (int i = 0; i < 3; ++i) {
    lerp(c[i], c[i + 1], a0, a1, a[i]);
    lerp(c[i], c[i + 1], b0, b1, b[i]);
  }
  for (int i = 0; i < 2; ++i) {
    lerp(a[i], a[i + 1], a0, a1, aa[i]);
    lerp(a[i], a[i + 1], b0, b1, ab[i]);
    lerp(b[i], b[i + 1], b0, b1, bb[i]);
  }
  lerp(aa[0], aa[1], a0, a1, c[0]);
  lerp(aa[0], aa[1], b0, b1, c[1]);
  lerp(ab[0], ab[1], b0, b1, c[2]);
  lerp(bb[0], bb[1], b0, b1, c[3]);
}

/// A power of two that brings quaternions of unusual length near one. M and Q take its square, exactly: no gap depends
/// on it, and no product of them is too large or too small for the bounds here.
double unitOf(const MotionPiece& motion) {
  double largest = 0;
  for (int i = 0; i <= motion.q_degree; ++i) largest = std::max(largest, motion.q[i].cwiseAbs().maxCoeff());
  const bool usual = largest > 0x1p-20 && largest < 0x1p20;
  if (usual || !(largest > 0) || !std::isfinite(largest)) return 1;
  return std::ldexp(1.0, std::min(-std::ilogb(largest), 1000));
}

}  // namespace

PiecePolynomials::PiecePolynomials(const MotionPiece& motion, double t_begin, double t_end)
    : piece(&motion), ta(t_begin), tb(t_end), turns(motion.q_degree > 0) {
  RIGOR_REQUIRE(!(ta < motion.t0) && !(ta >= tb) && !(tb > motion.t1));
  const bool moves = motion.p_degree > 0;
  const bool whole = (ta == motion.t0 && tb == motion.t1) || (!turns && !moves);
  Lanes c[4] = {};
  double total = 0;  // A sum, so that NaN and infinities show.
  for (int k = 0; k < 3; ++k) {
    double largest = 0;
    for (int i = 0; i <= motion.p_degree; ++i) {
      c[i][k] = motion.p[i][k];
      largest = std::max(largest, std::abs(c[i][k]));
      total += std::abs(c[i][k]);
    }
    p_error[k] = (!moves  ? kConstantControl
                  : whole ? kWholeControl
                          : kRestrictedControl) *
                 scaled::kUnitRoundoff * largest * scaled::kBoundInflation;
  }
  const double unit = unitOf(motion);
  for (int k = 0; k < 4; ++k) {
    double largest = 0;
    for (int i = 0; i <= motion.q_degree; ++i) {
      c[i][kQ + k] = unit * motion.q[i][k];
      largest = std::max(largest, std::abs(c[i][kQ + k]));
      total += std::abs(c[i][kQ + k]);
    }
    q_magnitude += largest * largest;
  }
  q_magnitude *= scaled::kBoundInflation;
  elevate(c, motion.p_degree, 0, 3);
  if (turns) elevate(c, motion.q_degree, kQ, 4);
  if (!whole) {
    const double h = motion.t1 - motion.t0;
    restrict(c, (motion.t1 - ta) / h, (ta - motion.t0) / h, (motion.t1 - tb) / h, (tb - motion.t0) / h);
  }
  for (int k = 0; k < 3; ++k)  // Exact where the body only turns.
    for (int i = 0; i < 4; ++i) p[k][i] = kBinomials<3>.c[i] * (moves ? c[i][k] : motion.p[0][k]);
  if (!turns) {
    const Eigen::Matrix3d R = geom::quaternionMatrix(unit * motion.q[0]);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) M[i][j][0] = R(i, j);
    Q[0] = (unit * motion.q[0]).squaredNorm();
    q_error = kConstantMatrix;
    valid =
        total < scaled::kHuge && Q[0] > 0 && Q[0] > q_error * scaled::kUnitRoundoff * q_magnitude + scaled::kUnderflow;
    return;
  }
  double q[4][4];
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 4; ++i) q[k][i] = kBinomials<3>.c[i] * c[i][kQ + k];
  double ww[7], xx[7], yy[7], zz[7], wx[7], wy[7], wz[7], xy[7], xz[7], yz[7];
  scaled::multiply<3, 3>(q[0], q[0], ww);
  scaled::multiply<3, 3>(q[1], q[1], xx);
  scaled::multiply<3, 3>(q[2], q[2], yy);
  scaled::multiply<3, 3>(q[3], q[3], zz);
  scaled::multiply<3, 3>(q[0], q[1], wx);
  scaled::multiply<3, 3>(q[0], q[2], wy);
  scaled::multiply<3, 3>(q[0], q[3], wz);
  scaled::multiply<3, 3>(q[1], q[2], xy);
  scaled::multiply<3, 3>(q[1], q[3], xz);
  scaled::multiply<3, 3>(q[2], q[3], yz);
  q_error = whole ? kWholeMatrix : kRestrictedMatrix;
  const double bound = q_error * scaled::kUnitRoundoff * q_magnitude + scaled::kUnderflow;
  valid = total < scaled::kHuge;
  for (int k = 0; k < 7; ++k) {
    Q[k] = ww[k] + xx[k] + yy[k] + zz[k];
    M[0][0][k] = ww[k] + xx[k] - yy[k] - zz[k];
    M[1][1][k] = ww[k] - xx[k] + yy[k] - zz[k];
    M[2][2][k] = ww[k] - xx[k] - yy[k] + zz[k];
    M[0][1][k] = 2 * (xy[k] - wz[k]);
    M[1][0][k] = 2 * (xy[k] + wz[k]);
    M[0][2][k] = 2 * (xz[k] + wy[k]);
    M[2][0][k] = 2 * (xz[k] - wy[k]);
    M[1][2][k] = 2 * (yz[k] - wx[k]);
    M[2][1][k] = 2 * (yz[k] + wx[k]);
    valid = valid && Q[k] > bound * kBinomials<6>.c[k];
  }
}

}  // namespace rigor::advance
