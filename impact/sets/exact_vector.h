// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <cstdint>
#include <vector>

namespace rigor::impact {

/// A ray of Q^d as integers without a common factor: a direction, a half-space, or, in homogeneous coordinates
/// (w, w x), a point x. A copy in doubles decides the signs that rounding cannot change.
class ExactVector {
 public:
  ExactVector() = default;
  /// `entries`, divided by their greatest common divisor; the direction stays.
  explicit ExactVector(std::vector<mpz_class> entries);
  /// The positive multiple of `entries` that is made of integers without a common factor.
  static ExactVector ofRationals(const std::vector<mpq_class>& entries);
  static ExactVector unit(int size, int axis);

  int size() const { return static_cast<int>(x_.size()); }
  /// What a product of an entry takes, in those of short ones: 1 up to 25 words of 64 bits.
  std::int64_t effort() const { return 1 + words_ * (words_ + kWordsLinear) / kWordsSquared; }
  /// Words of 64 bits of the longest entry.
  std::int64_t words() const { return words_; }
  const mpz_class& operator[](int i) const { return x_[static_cast<size_t>(i)]; }
  bool isZero() const;
  ExactVector negated() const;
  /// Exact.
  mpz_class dot(const ExactVector& other) const;
  /// Sign of dot(), exact: -1, 0 or 1. In doubles where these decide it.
  int signOfDot(const ExactVector& other) const;
  /// Total order (lexicographic), for canonical lists.
  bool operator<(const ExactVector& other) const { return x_ < other.x_; }
  bool operator==(const ExactVector& other) const { return x_ == other.x_; }
  /// p a + q b, without common factor.
  static ExactVector combine(const mpz_class& p, const ExactVector& a, const mpz_class& q, const ExactVector& b);
  /// a + b, which may have a common factor: for signs alone.
  static ExactVector between(const ExactVector& a, const ExactVector& b);
  /// The entries as rational numbers.
  std::vector<mpq_class> rationals() const { return {x_.begin(), x_.end()}; }
  /// The point of homogeneous coordinates (w, w x). @pre w is not 0.
  std::vector<mpq_class> point() const;

 private:
  void makePrimitive();
  void approximate();

  // Measured: products, and the divisors that are taken out, of 40 words take twice the time of short ones, of 400
  // thirty to fifty times.
  static constexpr std::int64_t kWordsLinear = 128, kWordsSquared = 4096;

  std::vector<mpz_class> x_;
  std::vector<double> approximate_;  // x times a power of two, largest entry of order one; each rounded once
  std::int64_t words_ = 0;           // of the longest entry
};

/// Number of coordinates that are independent among `vectors`, exact.
[[nodiscard]] int exactRank(const std::vector<ExactVector>& vectors);
/// Indices of the first vectors, in their order, that are independent of those before, exact.
[[nodiscard]] std::vector<int> independentOnes(const std::vector<ExactVector>& vectors);

}  // namespace rigor::impact
