// SPDX-License-Identifier: MIT
#include "impact/sets/exact_program.h"

#include <algorithm>
#include <cmath>

#include "impact/sets/linear_program.h"

namespace rigor::impact {
namespace {

using Rationals = std::vector<mpq_class>;

// What the simplex method in doubles takes for zero, of entries of order one.
constexpr double kProgramZero = 1e-10;
// Entries of its solution below this, relative to the largest, are proposed to be zero.
constexpr double kSupport = 1e-9;

/// Power of two near 1 / the largest size of the numbers.
template <typename Get>
double scaleOf(size_t count, Get get) {
  double largest = 0;
  for (size_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(get(i)));
  return largest > 0 ? std::exp2(-std::ilogb(largest)) : 1;
}

double roundedRatio(const mpq_class& value, long shift) {
  if (sgn(value) == 0) return 0;
  long top = 0, bottom = 0;
  const double a = mpz_get_d_2exp(&top, value.get_num_mpz_t()), b = mpz_get_d_2exp(&bottom, value.get_den_mpz_t());
  return std::ldexp(a / b, static_cast<int>(std::clamp(top - bottom - shift, -1000L, 1000L)));
}

long exponentOf(const mpq_class& value) {
  return static_cast<long>(mpz_sizeinbase(value.get_num_mpz_t(), 2)) - static_cast<long>(mpz_sizeinbase(value.get_den_mpz_t(), 2));
}

/// Nonzero entries of the minimum in doubles; empty where none was found.
std::vector<size_t> proposeSupport(const std::vector<Rationals>& A, const Rationals& b, const Rationals& c) {
  const size_t rows = A.size(), columns = c.size();
  std::vector<std::vector<double>> a(rows, std::vector<double>(columns));
  std::vector<double> right(rows), goal(columns);
  std::vector<long> column_shift(columns, 0);
  for (size_t j = 0; j < columns; ++j) {
    bool any = false;
    for (size_t i = 0; i < rows; ++i) {
      if (sgn(A[i][j]) == 0) continue;
      column_shift[j] = any ? std::max(column_shift[j], exponentOf(A[i][j])) : exponentOf(A[i][j]);
      any = true;
    }
    for (size_t i = 0; i < rows; ++i) a[i][j] = roundedRatio(A[i][j], column_shift[j]);
    goal[j] = roundedRatio(c[j], column_shift[j]);
  }
  for (size_t i = 0; i < rows; ++i) {
    const double scale = scaleOf(columns, [&](size_t j) { return a[i][j]; });
    for (double& entry : a[i]) entry *= scale;
    right[i] = roundedRatio(b[i], 0) * scale;
  }
  const double size = scaleOf(rows, [&](size_t i) { return right[i]; });
  for (double& entry : right) entry *= size;
  const double cost = scaleOf(columns, [&](size_t j) { return goal[j]; });
  for (double& entry : goal) entry *= cost;
  LinearProgram<double> program(a, right, goal, kProgramZero);
  if (program.solve() != ProgramStatus::kOptimal) return {};
  const std::vector<double> x = program.solution();
  const double largest = *std::max_element(x.begin(), x.end());
  std::vector<size_t> support;
  for (size_t j = 0; j < columns; ++j) {
    if (x[j] > kSupport * largest) support.push_back(j);
  }
  return support;
}

/// Solves for the entries of the support alone. @returns false where that has no solution, or one with a negative entry.
bool solveSupport(const std::vector<Rationals>& A, const Rationals& b, const std::vector<size_t>& support, Rationals& x) {
  std::vector<Rationals> rows;
  for (size_t i = 0; i < A.size(); ++i) {
    Rationals row;
    for (size_t j : support) row.push_back(A[i][j]);
    row.push_back(b[i]);
    rows.push_back(std::move(row));
  }
  const size_t count = support.size();
  std::vector<size_t> pivot_row(count, A.size());
  size_t next = 0;
  for (size_t j = 0; j < count && next < rows.size(); ++j) {
    size_t pivot = next;
    while (pivot < rows.size() && sgn(rows[pivot][j]) == 0) ++pivot;
    if (pivot == rows.size()) continue;  // A column that depends on those before stays zero.
    std::swap(rows[next], rows[pivot]);
    for (size_t k = count + 1; k-- > j;) rows[next][k] /= rows[next][j];
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i == next || sgn(rows[i][j]) == 0) continue;
      const mpq_class factor = rows[i][j];
      for (size_t k = j; k <= count; ++k) rows[i][k] -= factor * rows[next][k];
    }
    pivot_row[j] = next++;
  }
  for (size_t i = next; i < rows.size(); ++i) {
    if (sgn(rows[i][count]) != 0) return false;
  }
  for (mpq_class& entry : x) entry = 0;
  for (size_t j = 0; j < count; ++j) {
    if (pivot_row[j] == A.size()) continue;
    x[support[j]] = rows[pivot_row[j]][count];
    if (sgn(x[support[j]]) < 0) return false;
  }
  return true;
}

mpq_class valueOf(const Rationals& c, const Rationals& x) {
  mpq_class sum = 0;
  for (size_t j = 0; j < c.size(); ++j) {
    if (sgn(x[j]) != 0) sum += c[j] * x[j];
  }
  return sum;
}

bool solveExactProgram(const std::vector<Rationals>& A, const Rationals& b, const Rationals& c, Rationals& x) {
  LinearProgram<mpq_class> program(A, b, c, 0);
  if (program.solve() != ProgramStatus::kOptimal) return false;
  x = program.solution();
  return true;
}

}  // namespace

bool solveNonnegative(const std::vector<Rationals>& A, const Rationals& b, const Rationals& c, Rationals& x) {
  x.assign(c.size(), 0);
  return solveSupport(A, b, proposeSupport(A, b, c), x) || solveExactProgram(A, b, c, x);
}

bool solveWithin(const std::vector<Rationals>& A, const Rationals& b, const Rationals& c, const mpq_class& bound, Rationals& x) {
  x.assign(c.size(), 0);
  if (solveSupport(A, b, proposeSupport(A, b, c), x) && valueOf(c, x) <= bound) return true;
  return solveExactProgram(A, b, c, x) && valueOf(c, x) <= bound;
}

}  // namespace rigor::impact
