// SPDX-License-Identifier: MIT
#include "verify/kernel/rational.h"

namespace rigor::verify::kernel {
namespace {

// Value and derivative of a Bezier curve's coordinate at u, by de Casteljau.
void evaluate(const double* control, int stride, int degree, const Rational& u, Rational& value, Rational& rate) {
  Rational b[4];
  for (int i = 0; i <= degree; ++i) b[i] = control[i * stride];
  rate = 0;
  for (int level = degree; level > 0; --level) {
    if (level == 1) rate = (b[1] - b[0]) * degree;
    for (int i = 0; i < level; ++i) b[i] += (b[i + 1] - b[i]) * u;
  }
  value = b[0];
}

}  // namespace

Instant instantOf(const Piece& piece, double t) {
  Instant at;
  const bool still = piece.p_degree == 0 && piece.q_degree == 0;
  const Rational h = still ? Rational(1) : Rational(piece.t1) - Rational(piece.t0),
                 u = still ? Rational(0) : Rational((Rational(t) - Rational(piece.t0)) / h);
  Rational q[4], rate[4];
  for (int k = 0; k < 3; ++k) {
    evaluate(piece.p[0] + k, 3, piece.p_degree, u, at.p[k], at.v[k]);
    at.v[k] /= h;
  }
  for (int k = 0; k < 4; ++k) evaluate(piece.q[0] + k, 4, piece.q_degree, u, q[k], rate[k]);
  const Rational norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    at.R[i][i] = (q[0] * q[0] + q[i + 1] * q[i + 1] - q[j + 1] * q[j + 1] - q[k + 1] * q[k + 1]) / norm;
    at.R[j][i] = 2 * (q[i + 1] * q[j + 1] - q[0] * q[k + 1]) / norm;
    at.R[k][i] = 2 * (q[i + 1] * q[k + 1] + q[0] * q[j + 1]) / norm;
    // w = 2 vec(q' q*) / |q|^2
    at.w[i] =
        2 * (q[0] * rate[i + 1] - rate[0] * q[i + 1] - (rate[j + 1] * q[k + 1] - rate[k + 1] * q[j + 1])) / norm / h;
  }
  return at;
}

}  // namespace rigor::verify::kernel
