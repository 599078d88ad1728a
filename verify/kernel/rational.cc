// SPDX-License-Identifier: MIT
#include "verify/kernel/rational.h"

#include <cmath>

namespace rigor::verify::kernel {
namespace {

// Of denominators, where 0 stands for 1.
void multiply(mpz_class& x, const mpz_class& factor) {
  if (sgn(factor) != 0) sgn(x) == 0 ? x = factor : x *= factor;
}

}  // namespace

Rational::Rational(double number) {
  if (number == 0) return;
  int exponent;
  numerator_ = std::ldexp(std::frexp(number, &exponent), 53);
  const mp_bitcnt_t zeros = mpz_scan1(numerator_.get_mpz_t(), 0);
  numerator_ >>= zeros;
  exponent_ = exponent - 53 + static_cast<long>(zeros);
}

double Rational::get_d() const {
  long above, below = 1;
  const double fraction = mpz_get_d_2exp(&above, numerator_.get_mpz_t()),
               divisor = sgn(denominator_) == 0 ? 0.5 : mpz_get_d_2exp(&below, denominator_.get_mpz_t());
  return std::ldexp(fraction / divisor, static_cast<int>(above - below + exponent_));
}

mpz_class Rational::ceiling() const {
  mpz_class above = numerator_, below = sgn(denominator_) == 0 ? mpz_class(1) : denominator_;
  (exponent_ < 0 ? below : above) <<= static_cast<mp_bitcnt_t>(std::abs(exponent_));
  mpz_cdiv_q(above.get_mpz_t(), above.get_mpz_t(), below.get_mpz_t());
  return above;
}

Rational& Rational::add(const Rational& b, int sign) {
  if (sgn(b.numerator_) == 0) return *this;
  if (sgn(numerator_) == 0) return *this = sign > 0 ? b : -b;
  mpz_class product;
  const mpz_class* term = &b.numerator_;
  if (denominator_ != b.denominator_) {
    mpz_class quotient, rest;
    const auto divides = [&](const mpz_class& small, const mpz_class& large) {
      if (sgn(small) == 0) return quotient = large, true;
      if (mpz_cmpabs(large.get_mpz_t(), small.get_mpz_t()) < 0) return false;
      mpz_tdiv_qr(quotient.get_mpz_t(), rest.get_mpz_t(), large.get_mpz_t(), small.get_mpz_t());
      return sgn(rest) == 0;
    };
    if (divides(b.denominator_, denominator_)) {
      product = b.numerator_ * quotient, term = &product;
    } else if (divides(denominator_, b.denominator_)) {
      numerator_ *= quotient;
      denominator_ = b.denominator_;
    } else {
      product = b.numerator_ * denominator_, term = &product;
      numerator_ *= b.denominator_;
      denominator_ *= b.denominator_;
    }
  }
  if (exponent_ < b.exponent_) {
    product = *term << static_cast<mp_bitcnt_t>(b.exponent_ - exponent_), term = &product;
  } else {
    numerator_ <<= static_cast<mp_bitcnt_t>(exponent_ - b.exponent_);
    exponent_ = b.exponent_;
  }
  sign > 0 ? numerator_ += *term : numerator_ -= *term;
  return *this;
}

Rational operator*(const Rational& a, const Rational& b) {
  Rational product;
  product.numerator_ = a.numerator_ * b.numerator_;
  product.denominator_ = a.denominator_;
  multiply(product.denominator_, b.denominator_);
  product.exponent_ = a.exponent_ + b.exponent_;
  return product;
}

Rational& Rational::operator/=(const Rational& b) {
  if (sgn(b.denominator_) != 0) numerator_ *= b.denominator_;
  multiply(denominator_, abs(b.numerator_));
  if (sgn(b.numerator_) < 0) numerator_ = -numerator_;
  exponent_ -= b.exponent_;
  return *this;
}

Rational Rational::operator-() const {
  Rational out = *this;
  mpz_neg(out.numerator_.get_mpz_t(), out.numerator_.get_mpz_t());
  return out;
}

namespace {

// A Bezier curve's coordinate and its derivative by u at u = x / h, times h^degree and h^(degree - 1); y = h - x.
void evaluate(const double* control, int stride, int degree, const Rational& x, const Rational& y, Rational& value,
              Rational& rate) {
  Rational b[4];
  for (int i = 0; i <= degree; ++i) b[i] = control[i * stride];
  rate = 0;
  for (int level = degree; level > 0; --level) {
    if (level == 1) rate = (b[1] - b[0]) * degree;
    for (int i = 0; i < level; ++i) b[i] = b[i] * y + b[i + 1] * x;
  }
  value = b[0];
}

}  // namespace

Instant instantOf(const Piece& piece, double t) {
  Instant at;
  const bool still = piece.p_degree == 0 && piece.q_degree == 0;
  const Rational length = still ? Rational(1) : Rational(piece.t1) - piece.t0;
  // At ends x and y are 0 and 1, whatever the length: what is a number stays one.
  const bool start = still || t == piece.t0, end = !still && t == piece.t1;
  const Rational x = start ? 0 : end ? 1 : Rational(t) - piece.t0, y = start ? 1 : end ? 0 : Rational(piece.t1) - t,
                 h = start || end ? Rational(1) : length;
  Rational q[4], rate[4];
  for (int k = 0; k < 3; ++k) {
    evaluate(piece.p[0] + k, 3, piece.p_degree, x, y, at.p[k], at.v[k]);
    for (int i = 1; i < piece.p_degree; ++i) at.p[k] /= h, at.v[k] /= h;
    if (piece.p_degree > 0) at.p[k] /= h, at.v[k] /= length;
  }
  for (int k = 0; k < 4; ++k) evaluate(piece.q[0] + k, 4, piece.q_degree, x, y, q[k], rate[k]);
  const Rational norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    at.R[i][i] = (q[0] * q[0] + q[i + 1] * q[i + 1] - q[j + 1] * q[j + 1] - q[k + 1] * q[k + 1]) / norm;
    at.R[j][i] = 2 * (q[i + 1] * q[j + 1] - q[0] * q[k + 1]) / norm;
    at.R[k][i] = 2 * (q[i + 1] * q[k + 1] + q[0] * q[j + 1]) / norm;
    // w = 2 vec(q' q*) / |q|^2, q' the rate over the length; q and the rate are times h^n and h^(n - 1) here.
    at.w[i] = 2 * (q[0] * rate[i + 1] - rate[0] * q[i + 1] - (rate[j + 1] * q[k + 1] - rate[k + 1] * q[j + 1])) * h /
              (norm * length);
  }
  return at;
}

}  // namespace rigor::verify::kernel
