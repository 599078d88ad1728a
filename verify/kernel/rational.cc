// SPDX-License-Identifier: MIT
#include "verify/kernel/rational.h"

namespace rigor::verify::kernel {

bool operator==(const Number& a, const Number& b) {
  return a.size_ == b.size_ && (a.size_ == 0 || (a.low_ == b.low_ && a.negative_ == b.negative_ &&
                                                 mpn_cmp(a.limbs(), b.limbs(), a.size_) == 0));
}

bool Number::divide(const Number& by, int place, Number& quotient) const {
  Number rest = *this;
  quotient = Number();
  const int low = place + by.low_, left_out = std::max(0, low - low_);
  if (size_ > 0 && low < low_) rest.span(low, low_ + size_);
  const int size = rest.size_ - left_out;
  if (size < by.size_) return size_ == 0;
  quotient.span(place, place + size - by.size_ + 1);
  quotient.negative_ = negative_ != by.negative_;
  mp_limb_t* const x = rest.limbs() + left_out;
  mpn_tdiv_qr(quotient.limbs(), x, 0, x, size, by.limbs(), by.size_);
  quotient.trim();
  return left_out == 0 && std::all_of(x, x + by.size_, [](mp_limb_t limb) { return limb == 0; });
}

double Number::fraction(long& exponent) const {
  exponent = 64L * (low_ + size_);
  double sum = 0;
  for (int i = std::min(size_, 3); i > 0; --i) sum = (sum + static_cast<double>(limbs()[size_ - i])) * 0x1p-64;
  return negative_ ? -sum : sum;
}

double ratioOf(const Number& x, const Number& over) {
  long above, below;
  const double fraction = x.fraction(above), divisor = over.fraction(below);
  return std::ldexp(fraction / divisor, static_cast<int>(above - below));
}

Number ceiling(const Rational& x, int place) {
  Number whole;
  const bool exact = x.x.divide(x.over, place, whole);
  return exact || sgn(x) < 0 ? whole : whole + Number(std::ldexp(1.0, 64 * place));
}

namespace {

// A Bezier curve's coordinate and its derivative by u at u = x; y = 1 - x.
void evaluate(const double* control, int stride, int degree, const Number& x, const Number& y, Number& value,
              Number& rate) {
  Number b[4];
  for (int i = 0; i <= degree; ++i) b[i] = control[i * stride];
  rate = 0;
  for (int level = degree; level > 0; --level) {
    if (level == 1) rate = (b[1] - b[0]) * degree;
    for (int i = 0; i < level; ++i) b[i] = (b[i] * y).addProduct(b[i + 1], x);
  }
  value = b[0];
}

}  // namespace

double shareOf(const Piece& piece, double t) {
  return piece.still() ? 0 : std::clamp((t - piece.t0) / (piece.t1 - piece.t0), 0.0, 1.0);
}

Instant instantOf(const Piece& piece, double t) {
  Instant at;
  const Number length = piece.still() ? Number(1) : Number(piece.t1) - piece.t0, x = shareOf(piece, t),
               y = Number(1) - x;
  for (int k = 0; k < 3; ++k) evaluate(piece.p[0] + k, 3, piece.p_degree, x, y, at.p.x[k], at.v.x[k]);
  if (piece.p_degree > 0) at.v.over = length;
  Number w, w_rate;
  Number3 v, v_rate;
  evaluate(piece.q[0], 4, piece.q_degree, x, y, w, w_rate);
  for (int k = 0; k < 3; ++k) evaluate(piece.q[0] + k + 1, 4, piece.q_degree, x, y, v[k], v_rate[k]);
  at.R = {w, v};
  at.w = {(v_rate * w - v * w_rate - cross(v_rate, v)) * Number(4), at.R.norm * length};  // 2 vec(q' q*) / |q|^2
  return at;
}

}  // namespace rigor::verify::kernel
