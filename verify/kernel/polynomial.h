// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <vector>

namespace rigor::verify::kernel {

/// A polynomial over [0, 1] whose coefficients are doubles' sums and products, exactly: integers times a power of two,
///
///   f(u) = 2^exponent sum_i c_i u^i (1 - u)^(n - i)        (c_i = binomial(n, i) times the Bernstein coefficient)
///
/// in which a product is a plain convolution and f >= 0 follows from all c_i >= 0. Degree 0 is a number.
class Polynomial {
 public:
  Polynomial(double number = 0);  ///< @pre finite.
  /// From Bezier points that are numbers.
  static Polynomial bezier(const std::vector<Polynomial>& points);

  int degree() const { return static_cast<int>(c_.size()) - 1; }
  const std::vector<mpz_class>& coefficients() const { return c_; }
  int sign() const { return sgn(c_[0]); }  ///< Of a number, or at u = 0.
  void elevate(int degree);                ///< The same polynomial, written with a higher degree.
  Polynomial& add(const Polynomial& a, int sign = 1);
  Polynomial& addProduct(const Polynomial& a, const Polynomial& b, int sign = 1);
  /// A number no smaller than the root of this one, and larger by a share of 2^-60 at most. @pre degree 0, >= 0.
  Polynomial upperRoot() const;
  std::vector<mpq_class> values() const;  ///< The coefficients, times the power of two.
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);

 private:
  void align(long exponent);
  long exponent_ = 0;
  std::vector<mpz_class> c_;
};

Polynomial operator+(Polynomial a, const Polynomial& b);
Polynomial operator-(Polynomial a, const Polynomial& b);
Polynomial operator*(const Polynomial& a, const Polynomial& b);

struct Vector {
  Polynomial x[3];
  Polynomial& operator[](int i) { return x[i]; }
  const Polynomial& operator[](int i) const { return x[i]; }
};
Vector operator+(const Vector& a, const Vector& b);
Vector operator-(const Vector& a, const Vector& b);
Vector operator*(const Vector& a, const Polynomial& s);
Polynomial dot(const Vector& a, const Vector& b);
Vector cross(const Vector& a, const Vector& b);

enum class Answer {
  kYes,     ///< On all of [0, 1].
  kNo,      ///< Not at `where`.
  kUndecided  ///< Bisections ran out near `where`.
};
/// Is f >= 0 (strict: > 0) on [0, 1]? From Bernstein coefficients, bisected where they are of both signs. `where` is a
/// place to name, no part of the answer.
Answer isNonNegative(const Polynomial& f, double& where, bool strict = false);

}  // namespace rigor::verify::kernel
