// SPDX-License-Identifier: MIT
#include "verify/exact.h"

#include <climits>
#include <cmath>
#include <cstdint>

namespace rigor::verify {
namespace {

constexpr unsigned long binomial(int n, int k) {
  unsigned long value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

// Least common multiple of binomial(n, 0..n): lcm(1..n+1) / (n+1).
constexpr unsigned long binomialMultiple(int n) {
  unsigned long multiple = 1;
  for (unsigned long i = 2; i <= static_cast<unsigned long>(n) + 1; ++i) {
    unsigned long a = multiple, b = i;
    while (b != 0) {
      const unsigned long r = a % b;
      a = b;
      b = r;
    }
    multiple = multiple / a * i;
  }
  return multiple / (n + 1);
}

// x = mantissa 2^exponent, mantissa odd or zero.
std::int64_t oddMantissa(double x, int& exponent) {
  if (x == 0) {
    exponent = INT_MAX;
    return 0;
  }
  const double fraction = std::frexp(x, &exponent);
  auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  const int zeros = __builtin_ctzll(static_cast<std::uint64_t>(mantissa));
  exponent += zeros - 53;
  return mantissa >> zeros;
}

// All c_i >= 0; strict: also c_0 and c_n > 0, which makes f > 0.
bool coefficientsProve(const mpz_class* c, int n, bool strict) {
  for (int i = 0; i <= n; ++i)
    if (sgn(c[i]) < 0) return false;
  return !strict || (sgn(c[0]) > 0 && sgn(c[n]) > 0);
}

}  // namespace

int lowestBit(double x) {
  int exponent;
  oddMantissa(x, exponent);
  return exponent;
}

void scaled(double x, int exponent, mpz_class& out) {
  int own;
  const std::int64_t mantissa = oddMantissa(x, own);
  mpz_set_si(out.get_mpz_t(), mantissa);
  if (mantissa != 0 && own != exponent) mpz_mul_2exp(out.get_mpz_t(), out.get_mpz_t(), own - exponent);
}

void Polynomial::setZero(int new_degree) {
  degree = new_degree;
  for (int i = 0; i <= degree; ++i) mpz_set_ui(c[i].get_mpz_t(), 0);
}

void Polynomial::setConstant(const mpz_class& value) {
  degree = 0;
  c[0] = value;
}

void Polynomial::fromControlPoints(const mpz_class* control, int n) {
  degree = n;
  for (int i = 0; i <= n; ++i) mpz_mul_ui(c[i].get_mpz_t(), control[i].get_mpz_t(), binomial(n, i));
}

void Polynomial::elevate(int new_degree) {
  // f = f (u + (1 - u)): in this form every coefficient adds its left neighbour.
  for (; degree < new_degree; ++degree) {
    c[degree + 1] = c[degree];
    for (int i = degree; i >= 1; --i) mpz_add(c[i].get_mpz_t(), c[i].get_mpz_t(), c[i - 1].get_mpz_t());
  }
}

void Polynomial::multiplyBy(const mpz_class& factor) {
  if (factor == 1) return;
  for (int i = 0; i <= degree; ++i) c[i] *= factor;
}

void Polynomial::negate() {
  for (int i = 0; i <= degree; ++i) mpz_neg(c[i].get_mpz_t(), c[i].get_mpz_t());
}

void addProduct(const Polynomial& a, const Polynomial& b, int sign, Polynomial& out) {
  for (int i = 0; i <= a.degree; ++i) {
    if (sgn(a.c[i]) == 0) continue;
    for (int j = 0; j <= b.degree; ++j)
      (sign > 0 ? mpz_addmul : mpz_submul)(out.c[i + j].get_mpz_t(), a.c[i].get_mpz_t(), b.c[j].get_mpz_t());
  }
}

void multiply(const Polynomial& a, const Polynomial& b, Polynomial& out) {
  out.setZero(a.degree + b.degree);
  addProduct(a, b, 1, out);
}

void addMultiple(const mpz_class& factor, const Polynomial& a, Polynomial& out) {
  if (sgn(factor) == 0) return;
  for (int i = 0; i <= a.degree; ++i) mpz_addmul(out.c[i].get_mpz_t(), factor.get_mpz_t(), a.c[i].get_mpz_t());
}

Proof SignProver::prove(const Polynomial& f, bool strict, double& where) {
  if (coefficientsProve(f.c, f.degree, strict)) return Proof::kProved;
  return bisect(f, strict, where);
}

Proof SignProver::bisect(const Polynomial& f, bool strict, double& where) {
  const int n = f.degree, worst = strict ? 0 : -1;  // An end value with this sign or less refutes.
  const unsigned long multiple = binomialMultiple(n);
  for (int i = 0; i <= n; ++i) mpz_mul_ui(stack_[0].b[i].get_mpz_t(), f.c[i].get_mpz_t(), multiple / binomial(n, i));
  stack_[0].from = 0;
  stack_[0].to = 1;
  stack_[0].depth = 0;
  int top = 0;
  for (int looked = 0; top >= 0; ++looked) {
    Interval& right = stack_[top];
    where = right.from;
    if (sgn(right.b[0]) <= worst) return Proof::kRefuted;
    if (coefficientsProve(right.b, n, strict)) {
      --top;
      continue;
    }
    if (sgn(right.b[n]) <= worst) {
      where = right.to;
      return Proof::kRefuted;
    }
    if (right.depth >= kMaxDepth || looked >= kMaxIntervals) return Proof::kUnproved;
    // De Casteljau at 1/2 without the halvings: everything is scaled by 2^n. The left half goes on top of the stack.
    Interval& left = stack_[top + 1];
    for (int k = 0; k <= n; ++k) {
      mpz_mul_2exp(left.b[k].get_mpz_t(), right.b[0].get_mpz_t(), n - k);
      for (int i = 0; i < n - k; ++i)
        mpz_add(right.b[i].get_mpz_t(), right.b[i].get_mpz_t(), right.b[i + 1].get_mpz_t());
      // What stays in place is b_(n-k) of level k, the right half's coefficient.
    }
    for (int k = 0; k <= n; ++k) mpz_mul_2exp(right.b[k].get_mpz_t(), right.b[k].get_mpz_t(), k);
    left.depth = ++right.depth;
    left.from = right.from;
    left.to = right.from = (right.from + right.to) / 2;
    ++top;
  }
  return Proof::kProved;
}

}  // namespace rigor::verify
