// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "verify/kernel/number.h"
#include "verify/kernel/triple.h"

namespace rigor::verify::kernel {

/// A polynomial over [0, 1] whose coefficients are doubles' sums and products, exactly:
///
///   f(u) = sum_i c_i u^i (1 - u)^(n - i)        (c_i = binomial(n, i) times the Bernstein coefficient)
///
/// in which a product is a plain convolution and f >= 0 follows from all c_i >= 0. Degree 0 is a number.
class Polynomial {
 public:
  Polynomial(double number = 0) : c_{Number(number)} {}  ///< @pre finite.
  Polynomial(Number number) : c_{std::move(number)} {}
  explicit Polynomial(std::vector<Number> coefficients) : c_(std::move(coefficients)) {}
  /// Of control points that are `stride` apart. @pre finite.
  static Polynomial bezier(const double* control, int stride, int degree);

  int degree() const { return static_cast<int>(c_.size()) - 1; }
  const std::vector<Number>& coefficients() const { return c_; }
  int sign() const { return sgn(c_[0]); }  ///< Of a number, or at u = 0.
  void elevate(int degree);                ///< The same polynomial, written with a higher degree.
  Polynomial& add(const Polynomial& a, int sign = 1);
  Polynomial& addProduct(const Polynomial& a, const Polynomial& b, int sign = 1);
  Polynomial& addProduct(const Polynomial& a, const Number& b, int sign = 1);
  /// No more than this one + a b, whatever number b is between two. @pre degrees are the same.
  void addLeastProduct(const Polynomial& a, const Number& low, const Number& high);
  /// h^n f(u) where h u goes from one number to another.
  Polynomial over(const Number& from, const Number& to, const Number& h) const;
  bool provesSign(bool strict) const;  ///< All coefficients >= 0; strict: also the ends > 0, which makes f > 0.

 private:
  std::vector<Number> c_;
};
Polynomial operator*(const Polynomial& a, const Polynomial& b);
Polynomial operator*(const Polynomial& a, const Number& b);
inline Polynomial operator+(Polynomial a, const Polynomial& b) { return std::move(a.add(b)); }
inline Polynomial operator-(Polynomial a, const Polynomial& b) { return std::move(a.add(b, -1)); }
using Number3 = Triple<Number>;
using Vector = Triple<Polynomial>;

enum class Answer {
  kYes,     ///< On all of [0, 1].
  kNo,      ///< Not at `where`.
  kUndecided  ///< Bisections ran out near `where`.
};
/// Is f >= 0 (strict: > 0) on [0, 1]? From Bernstein coefficients, bisected where they are of both signs. `where` is a
/// place to name, no part of the answer.
Answer isNonNegative(const Polynomial& f, double& where, bool strict = false);

}  // namespace rigor::verify::kernel
