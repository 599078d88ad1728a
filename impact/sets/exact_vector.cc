// SPDX-License-Identifier: MIT
#include "impact/sets/exact_vector.h"

#include <algorithm>
#include <cmath>

#include "elementary/require.h"

namespace rigor::impact {
namespace {

// Rounding of a dot product of approximate vectors (entries at most 1, each rounded once, up to 64 of them): 64
// products with three roundings each and their sum, generously.
constexpr double kDotRounding = 1e-12;

}  // namespace

ExactVector::ExactVector(std::vector<mpz_class> entries) : x_(std::move(entries)) { makePrimitive(); }

void ExactVector::makePrimitive() {
  mpz_class common = 0;
  for (const mpz_class& entry : x_) {
    if (sgn(entry) != 0) mpz_gcd(common.get_mpz_t(), common.get_mpz_t(), entry.get_mpz_t());
    if (common == 1) break;
  }
  if (common > 1) {
    for (mpz_class& entry : x_) mpz_divexact(entry.get_mpz_t(), entry.get_mpz_t(), common.get_mpz_t());
  }
  approximate();
}

void ExactVector::approximate() {
  approximate_.assign(x_.size(), 0.0);
  long largest = 0;
  bool any = false;
  words_ = 0;
  std::vector<long> exponent(x_.size(), 0);
  for (size_t i = 0; i < x_.size(); ++i) {
    if (sgn(x_[i]) == 0) continue;
    words_ = std::max(words_, static_cast<std::int64_t>(mpz_size(x_[i].get_mpz_t())));
    approximate_[i] = mpz_get_d_2exp(&exponent[i], x_[i].get_mpz_t());
    largest = any ? std::max(largest, exponent[i]) : exponent[i];
    any = true;
  }
  for (size_t i = 0; i < x_.size(); ++i) {
    const long shift = std::max(exponent[i] - largest, -1000L);  // What underflows is far below kDotRounding.
    approximate_[i] = std::ldexp(approximate_[i], static_cast<int>(shift));
  }
}

ExactVector ExactVector::ofRationals(const std::vector<mpq_class>& entries) {
  mpz_class common = 1;
  for (const mpq_class& entry : entries) mpz_lcm(common.get_mpz_t(), common.get_mpz_t(), entry.get_den_mpz_t());
  std::vector<mpz_class> integers;
  integers.reserve(entries.size());
  for (const mpq_class& entry : entries) integers.emplace_back(entry.get_num() * (common / entry.get_den()));
  return ExactVector(std::move(integers));
}

ExactVector ExactVector::unit(int size, int axis) {
  std::vector<mpz_class> entries(static_cast<size_t>(size), 0);
  entries[static_cast<size_t>(axis)] = 1;
  return ExactVector(std::move(entries));
}

bool ExactVector::isZero() const {
  return std::all_of(x_.begin(), x_.end(), [](const mpz_class& entry) { return sgn(entry) == 0; });
}

ExactVector ExactVector::negated() const {
  ExactVector result = *this;
  for (mpz_class& entry : result.x_) entry = -entry;
  for (double& entry : result.approximate_) entry = -entry;
  return result;
}

mpz_class ExactVector::dot(const ExactVector& other) const {
  mpz_class sum = 0;
  for (size_t i = 0; i < x_.size(); ++i) mpz_addmul(sum.get_mpz_t(), x_[i].get_mpz_t(), other.x_[i].get_mpz_t());
  return sum;
}

int ExactVector::signOfDot(const ExactVector& other) const {
  double sum = 0;
  for (size_t i = 0; i < x_.size(); ++i) sum += approximate_[i] * other.approximate_[i];
  if (sum > kDotRounding) return 1;
  if (sum < -kDotRounding) return -1;
  return sgn(dot(other));
}

ExactVector ExactVector::combine(const mpz_class& p, const ExactVector& a, const mpz_class& q, const ExactVector& b) {
  std::vector<mpz_class> entries(a.x_.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    mpz_mul(entries[i].get_mpz_t(), p.get_mpz_t(), a.x_[i].get_mpz_t());
    mpz_addmul(entries[i].get_mpz_t(), q.get_mpz_t(), b.x_[i].get_mpz_t());
  }
  return ExactVector(std::move(entries));
}

ExactVector ExactVector::between(const ExactVector& a, const ExactVector& b) {
  ExactVector sum = a;
  for (size_t i = 0; i < sum.x_.size(); ++i) sum.x_[i] += b.x_[i];
  sum.approximate();
  return sum;
}

std::vector<mpq_class> ExactVector::point() const {
  RIGOR_REQUIRE(!x_.empty() && x_[0] != 0);
  std::vector<mpq_class> x;
  x.reserve(x_.size() - 1);
  for (size_t i = 1; i < x_.size(); ++i) {
    x.emplace_back(x_[i], x_[0]);
    x.back().canonicalize();
  }
  return x;
}

std::vector<int> independentOnes(const std::vector<ExactVector>& vectors) {
  std::vector<ExactVector> reduced;  // in echelon form: each has a pivot where all later ones are zero
  std::vector<int> pivots, chosen;
  for (size_t k = 0; k < vectors.size(); ++k) {
    ExactVector v = vectors[k];
    for (size_t r = 0; r < reduced.size(); ++r) {
      if (sgn(v[pivots[r]]) == 0) continue;
      v = ExactVector::combine(reduced[r][pivots[r]], v, -v[pivots[r]], reduced[r]);
    }
    if (v.isZero()) continue;
    int pivot = 0;
    while (sgn(v[pivot]) == 0) ++pivot;
    reduced.push_back(v);
    pivots.push_back(pivot);
    chosen.push_back(static_cast<int>(k));
  }
  return chosen;
}

int exactRank(const std::vector<ExactVector>& vectors) { return static_cast<int>(independentOnes(vectors).size()); }

}  // namespace rigor::impact
