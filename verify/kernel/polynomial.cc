// SPDX-License-Identifier: MIT
#include "verify/kernel/polynomial.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rigor::verify::kernel {
namespace {

constexpr int kMaxDepth = 48;        // Bisections of one interval.
constexpr int kMaxIntervals = 2000;  // Intervals looked at for one answer.
constexpr int kRootBits = 64;        // Of a root that is rounded up.

struct Interval {
  std::vector<mpz_class> b;  // Bernstein coefficients.
  double from, to;
  int depth;
};

// All coefficients >= 0; strict: also the ends > 0, which makes f > 0.
bool provesSign(const std::vector<mpz_class>& c, bool strict) {
  for (const mpz_class& x : c)
    if (sgn(x) < 0) return false;
  return !strict || (sgn(c.front()) > 0 && sgn(c.back()) > 0);
}

// De Casteljau at 1/2 without the halvings: everything is scaled by 2^n. `right` keeps the right half.
Interval splitLeft(Interval& right) {
  const int n = static_cast<int>(right.b.size()) - 1;
  Interval left{std::vector<mpz_class>(n + 1), right.from, (right.from + right.to) / 2, ++right.depth};
  for (int k = 0; k <= n; ++k) {
    left.b[k] = right.b[0] << (n - k);
    for (int i = 0; i < n - k; ++i) right.b[i] += right.b[i + 1];
  }
  for (int k = 0; k <= n; ++k) right.b[k] <<= k;  // b_(n-k) of level k stays in its place.
  right.from = left.to;
  return left;
}

}  // namespace

Polynomial::Polynomial(double number) : c_(1) {
  if (number == 0) return;
  int exponent;
  const double fraction = std::frexp(number, &exponent);
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  const int zeros = __builtin_ctzll(static_cast<std::uint64_t>(mantissa));
  c_[0] = static_cast<long>(mantissa >> zeros);
  exponent_ = exponent + zeros - 53;
}

Polynomial Polynomial::bezier(const std::vector<Polynomial>& points) {
  const unsigned long n = points.size() - 1;
  Polynomial f;
  f.c_.resize(n + 1);
  f.exponent_ = points[0].exponent_;
  for (const Polynomial& point : points) f.exponent_ = std::min(f.exponent_, point.exponent_);
  mpz_class binomial;
  for (unsigned long i = 0; i <= n; ++i) {
    mpz_bin_uiui(binomial.get_mpz_t(), n, i);
    f.c_[i] = binomial * points[i].c_[0];
    f.c_[i] <<= points[i].exponent_ - f.exponent_;
  }
  return f;
}

void Polynomial::align(long exponent) {
  for (mpz_class& x : c_) x <<= exponent_ - exponent;
  exponent_ = exponent;
}

void Polynomial::elevate(int degree) {
  // f = f (u + (1 - u)): in this form every coefficient adds its left neighbour.
  while (this->degree() < degree) {
    c_.push_back(c_.back());
    for (std::size_t i = c_.size() - 2; i >= 1; --i) c_[i] += c_[i - 1];
  }
}

Polynomial& Polynomial::add(const Polynomial& a, int sign) {
  if (a.degree() < degree()) {
    Polynomial higher = a;
    higher.elevate(degree());
    return add(higher, sign);
  }
  elevate(a.degree());
  const auto zero = [](const std::vector<mpz_class>& c) {
    return std::all_of(c.begin(), c.end(), [](const mpz_class& x) { return sgn(x) == 0; });
  };
  if (a.exponent_ < exponent_) zero(c_) ? void(exponent_ = a.exponent_) : align(a.exponent_);
  const auto shift = static_cast<unsigned long>(a.exponent_ - exponent_);
  mpz_class shifted;
  for (std::size_t i = 0; i < c_.size(); ++i) {
    if (shift > 0) shifted = a.c_[i] << shift;
    const mpz_class& term = shift > 0 ? shifted : a.c_[i];
    sign > 0 ? c_[i] += term : c_[i] -= term;
  }
  return *this;
}

Polynomial& Polynomial::addProduct(const Polynomial& a, const Polynomial& b, int sign) {
  if (a.degree() + b.degree() != degree()) return add(a * b, sign);
  const long exponent = a.exponent_ + b.exponent_;
  if (exponent < exponent_) align(exponent);
  mpz_class factor;
  for (int j = 0; j <= b.degree(); ++j) {
    factor = b.c_[j] << (exponent - exponent_);
    for (int i = 0; i <= a.degree(); ++i)
      (sign > 0 ? mpz_addmul : mpz_submul)(c_[i + j].get_mpz_t(), a.c_[i].get_mpz_t(), factor.get_mpz_t());
  }
  return *this;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  product.elevate(a.degree() + b.degree());
  product.exponent_ = a.exponent_ + b.exponent_;
  return product.addProduct(a, b);
}

Polynomial Polynomial::upperRoot() const {
  Polynomial root = *this;
  if (sign() == 0) return root;
  const auto bits = static_cast<long>(mpz_sizeinbase(c_[0].get_mpz_t(), 2));
  long exponent = std::min(exponent_, exponent_ + bits - 2 * kRootBits);
  if (exponent % 2 != 0) --exponent;
  root.align(exponent);
  mpz_class rest;
  mpz_sqrtrem(root.c_[0].get_mpz_t(), rest.get_mpz_t(), root.c_[0].get_mpz_t());
  if (sgn(rest) > 0) ++root.c_[0];
  root.exponent_ = exponent / 2;
  return root;
}

std::vector<mpq_class> Polynomial::values() const {
  std::vector<mpq_class> values;
  const auto shift = static_cast<unsigned long>(std::abs(exponent_));
  for (const mpz_class& c : c_) {
    mpq_class& value = values.emplace_back(c);
    (exponent_ < 0 ? mpq_div_2exp : mpq_mul_2exp)(value.get_mpq_t(), value.get_mpq_t(), shift);
  }
  return values;
}

Polynomial operator+(Polynomial a, const Polynomial& b) { return a.add(b); }
Polynomial operator-(Polynomial a, const Polynomial& b) { return a.add(b, -1); }
Vector operator+(const Vector& a, const Vector& b) { return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}}; }
Vector operator-(const Vector& a, const Vector& b) { return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}}; }
Vector operator*(const Vector& a, const Polynomial& s) { return {{a[0] * s, a[1] * s, a[2] * s}}; }
Polynomial dot(const Vector& a, const Vector& b) {
  Polynomial sum = a[0] * b[0];
  return sum.addProduct(a[1], b[1]).addProduct(a[2], b[2]);
}
Vector cross(const Vector& a, const Vector& b) {
  Vector c;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    c[i] = a[j] * b[k];
    c[i].addProduct(a[k], b[j], -1);
  }
  return c;
}

Answer isNonNegative(const Polynomial& f, double& where, bool strict) {
  if (provesSign(f.coefficients(), strict)) return Answer::kYes;
  const int n = f.degree(), worst = strict ? 0 : -1;  // An end with this sign or less decides.
  mpz_class multiple = 1, binomial;                    // Of all binomials, which turn c into Bernstein coefficients.
  for (int i = 0; i <= n; ++i) {
    mpz_bin_uiui(binomial.get_mpz_t(), n, i);
    mpz_lcm(multiple.get_mpz_t(), multiple.get_mpz_t(), binomial.get_mpz_t());
  }
  std::vector<Interval> stack{{f.coefficients(), 0, 1, 0}};
  for (int i = 0; i <= n; ++i) {
    mpz_bin_uiui(binomial.get_mpz_t(), n, i);
    stack[0].b[i] *= multiple / binomial;
  }
  for (int looked = 0; !stack.empty(); ++looked) {
    Interval& right = stack.back();
    where = right.from;
    if (sgn(right.b[0]) <= worst) return Answer::kNo;
    if (provesSign(right.b, strict)) {
      stack.pop_back();
      continue;
    }
    if (sgn(right.b[n]) <= worst) {
      where = right.to;
      return Answer::kNo;
    }
    if (right.depth >= kMaxDepth || looked >= kMaxIntervals) return Answer::kUndecided;
    stack.push_back(splitLeft(right));
  }
  return Answer::kYes;
}

}  // namespace rigor::verify::kernel
