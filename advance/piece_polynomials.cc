// SPDX-License-Identifier: MIT
#include "advance/piece_polynomials.h"

#include <algorithm>
#include <cmath>

#include "advance/scaled_bernstein.h"

namespace rigor::advance {
namespace {

using scaled::kBinomials;

// Error constants, in units of 2^-53 relative to the largest control value of a component.
// A weight (t - t0)/(t1 - t0) has relative error 3; a lerp adds 2; three levels: 15. Writing degree 1 or 2 as degree 3, or
// multiplying by the binomial 3, adds 1. The second-order terms are covered by the next integer.
constexpr double kRestrictedControl = 17, kWholeControl = 1;
// Sums of products of two components: twice the above, 4 for a convolution of 4 terms at most, 3 for the sum of 4 of them.
constexpr double kRestrictedMatrix = 2 * kRestrictedControl + 8, kWholeMatrix = 2 * kWholeControl + 8;
constexpr double kConstantMatrix = 8;

struct Weights {
  double a0, a1, b0, b1;  // ta = a0 t0 + a1 t1, tb = b0 t0 + b1 t1.
};

/// Scaled Bernstein coefficients of degree 3 of one component with control values c[0..n * stride].
void component(const double* c, int stride, int n, const Weights* weights, double* out) {
  double b[4];
  if (weights == nullptr) {
    for (int i = 0; i <= n; ++i) b[i] = c[i * stride];
  } else {
    // Control value j of the restriction is the blossom with j arguments tb and n - j arguments ta.
    for (int j = 0; j <= n; ++j) {
      double w[4];
      for (int i = 0; i <= n; ++i) w[i] = c[i * stride];
      for (int level = 1; level <= n; ++level) {
        const double w0 = level <= j ? weights->b0 : weights->a0, w1 = level <= j ? weights->b1 : weights->a1;
        for (int i = 0; i <= n - level; ++i) w[i] = w0 * w[i] + w1 * w[i + 1];
      }
      b[j] = w[0];
    }
  }
  switch (n) {
    case 0: out[0] = b[0], out[1] = 3 * b[0], out[2] = 3 * b[0], out[3] = b[0]; break;
    case 1: out[0] = b[0], out[1] = 2 * b[0] + b[1], out[2] = b[0] + 2 * b[1], out[3] = b[1]; break;
    case 2: out[0] = b[0], out[1] = b[0] + 2 * b[1], out[2] = 2 * b[1] + b[2], out[3] = b[2]; break;
    default: out[0] = b[0], out[1] = 3 * b[1], out[2] = 3 * b[2], out[3] = b[3];
  }
}

double evaluate(const double* a, int n, double s) {
  double sum = 0;
  for (int k = 0; k <= n; ++k) sum += a[k] * std::pow(s, k) * std::pow(1 - s, n - k);
  return sum;
}

}  // namespace

PiecePolynomials::PiecePolynomials(const MotionPiece& motion, double t_begin, double t_end)
    : piece(&motion), ta(t_begin), tb(t_end), turns(motion.q_degree > 0) {
  const bool whole = ta == motion.t0 && tb == motion.t1;
  Weights weights{};
  if (!whole) {
    const double h = motion.t1 - motion.t0;
    weights = {(motion.t1 - ta) / h, (ta - motion.t0) / h, (motion.t1 - tb) / h, (tb - motion.t0) / h};
  }
  double total = 0;  // A sum, so that NaN and infinities show.
  for (int k = 0; k < 3; ++k) {
    const int n = motion.p_degree;
    double largest = 0;
    for (int i = 0; i <= n; ++i) {
      largest = std::max(largest, std::abs(motion.p[i][k]));
      total += std::abs(motion.p[i][k]);
    }
    const bool exact = whole || n == 0;
    component(&motion.p[0][k], 3, n, exact ? nullptr : &weights, p[k]);
    p_error[k] = (exact ? kWholeControl : kRestrictedControl) * scaled::kUnitRoundoff * largest * scaled::kBoundInflation;
  }
  for (int c = 0; c < 4; ++c) {
    double largest = 0;
    for (int i = 0; i <= motion.q_degree; ++i) {
      largest = std::max(largest, std::abs(motion.q[i][c]));
      total += std::abs(motion.q[i][c]);
    }
    q_magnitude += largest * largest;
  }
  q_magnitude *= scaled::kBoundInflation;
  if (!turns) {
    const Eigen::Matrix3d R = geom::quaternionMatrix(motion.q[0]);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) M[i][j][0] = R(i, j);
    Q[0] = motion.q[0].squaredNorm();
    q_error = kConstantMatrix;
    valid = total < scaled::kHuge && Q[0] > 0 && Q[0] > q_error * scaled::kUnitRoundoff * q_magnitude + scaled::kUnderflow;
    return;
  }
  double q[4][4];
  for (int c = 0; c < 4; ++c) component(&motion.q[0][c], 4, motion.q_degree, whole ? nullptr : &weights, q[c]);
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

Eigen::Vector3d PiecePolynomials::positionAt(double s) const {
  return {evaluate(p[0], 3, s), evaluate(p[1], 3, s), evaluate(p[2], 3, s)};
}

Eigen::Matrix3d PiecePolynomials::rotationAt(double s) const {
  const int n = turns ? 6 : 0;
  Eigen::Matrix3d R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = evaluate(M[i][j], n, s);
  return R / evaluate(Q, n, s);
}

}  // namespace rigor::advance
