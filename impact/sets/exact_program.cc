// SPDX-License-Identifier: MIT
#include "impact/sets/exact_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "impact/sets/linear_program.h"

namespace rigor::impact {
namespace {

using Rationals = std::vector<mpq_class>;

// What the simplex method in doubles takes for zero, of entries of order one.
constexpr double kProgramZero = 1e-10;
// Entries of its solution below this, relative to the largest, are proposed to be zero.
constexpr double kSupport = 1e-9;
// The exponent of 0.
constexpr long kNothing = std::numeric_limits<long>::min() / 4;

double roundedRatio(const mpq_class& value, long shift) {
  if (sgn(value) == 0) return 0;
  long top = 0, bottom = 0;
  const double a = mpz_get_d_2exp(&top, value.get_num_mpz_t()), b = mpz_get_d_2exp(&bottom, value.get_den_mpz_t());
  return std::ldexp(a / b, static_cast<int>(std::clamp(top - bottom - shift, -1000L, 1000L)));
}

long exponentOf(const mpq_class& value) {
  return static_cast<long>(mpz_sizeinbase(value.get_num_mpz_t(), 2)) -
         static_cast<long>(mpz_sizeinbase(value.get_den_mpz_t(), 2));
}

/// Nonzero entries of the minimum in doubles; empty where none was found.
std::vector<size_t> proposeSupport(const std::vector<Rationals>& A, const Rationals& b, const Rationals& c,
                                   const ProgramScales& scales) {
  const size_t rows = A.size(), columns = c.size();
  std::vector<std::vector<double>> a(rows, std::vector<double>(columns));
  std::vector<double> right(rows), goal(columns);
  const std::vector<long> row_shift = scales.rows.empty() ? std::vector<long>(rows, 0) : scales.rows;
  std::vector<long> column_shift = scales.columns;
  if (column_shift.empty()) {
    for (size_t j = 0; j < columns; ++j) {
      long largest = kNothing;
      for (size_t i = 0; i < rows; ++i) {
        if (sgn(A[i][j]) != 0) largest = std::max(largest, exponentOf(A[i][j]) - row_shift[i]);
      }
      column_shift.push_back(largest == kNothing ? 0 : largest);
    }
  }
  long top = kNothing, dear = kNothing;
  for (size_t i = 0; i < rows; ++i) {
    if (sgn(b[i]) != 0) top = std::max(top, exponentOf(b[i]) - row_shift[i]);
  }
  for (size_t j = 0; j < columns; ++j) {
    if (sgn(c[j]) != 0) dear = std::max(dear, exponentOf(c[j]) - column_shift[j]);
  }
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) a[i][j] = roundedRatio(A[i][j], row_shift[i] + column_shift[j]);
    right[i] = roundedRatio(b[i], row_shift[i] + top);
  }
  for (size_t j = 0; j < columns; ++j) goal[j] = roundedRatio(c[j], column_shift[j] + dear);
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

/// A row times the least common multiple of its denominators.
std::vector<mpz_class> integersOf(const Rationals& row) {
  mpz_class common = 1;
  for (const mpq_class& entry : row) mpz_lcm(common.get_mpz_t(), common.get_mpz_t(), entry.get_den_mpz_t());
  std::vector<mpz_class> out;
  for (const mpq_class& entry : row) out.emplace_back(entry.get_num() * (common / entry.get_den()));
  return out;
}

/// Solves for the entries of the support alone, in integers: all entries of the elimination are minors, so that the
/// pivot before divides them (Bareiss), and no common factors are looked for. @returns false where that has no
/// solution, or one with a negative entry.
bool solveSupport(const std::vector<Rationals>& A, const Rationals& b, const std::vector<size_t>& support,
                  Rationals& x) {
  const size_t count = support.size();
  std::vector<std::vector<mpz_class>> rows;
  for (size_t i = 0; i < A.size(); ++i) {
    Rationals row;
    for (size_t j : support) row.push_back(A[i][j]);
    row.push_back(b[i]);
    rows.push_back(integersOf(row));
  }
  std::vector<size_t> pivot_row(count, A.size());
  mpz_class last = 1;
  size_t next = 0;
  for (size_t j = 0; j < count && next < rows.size(); ++j) {
    size_t found = next;
    while (found < rows.size() && sgn(rows[found][j]) == 0) ++found;
    if (found == rows.size()) continue;  // A column that depends on those before stays zero.
    std::swap(rows[next], rows[found]);
    const mpz_class pivot = rows[next][j];
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i == next) continue;
      const mpz_class factor = rows[i][j];
      for (size_t k = 0; k <= count; ++k) {
        mpz_class& entry = rows[i][k];
        if (sgn(entry) == 0 && (sgn(factor) == 0 || sgn(rows[next][k]) == 0)) continue;
        entry *= pivot;
        mpz_submul(entry.get_mpz_t(), factor.get_mpz_t(), rows[next][k].get_mpz_t());
        mpz_divexact(entry.get_mpz_t(), entry.get_mpz_t(), last.get_mpz_t());
      }
    }
    last = pivot;
    pivot_row[j] = next++;
  }
  for (size_t i = next; i < rows.size(); ++i) {
    if (sgn(rows[i][count]) != 0) return false;
  }
  for (mpq_class& entry : x) entry = 0;
  for (size_t j = 0; j < count; ++j) {
    if (pivot_row[j] == A.size()) continue;
    mpq_class& entry = x[support[j]];
    entry = mpq_class(rows[pivot_row[j]][count], last);
    entry.canonicalize();
    if (sgn(entry) < 0) return false;
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

bool solveNonnegative(const std::vector<Rationals>& A, const Rationals& b, const Rationals& c, Rationals& x,
                      const ProgramScales& scales) {
  x.assign(c.size(), 0);
  return solveSupport(A, b, proposeSupport(A, b, c, scales), x) || solveExactProgram(A, b, c, x);
}

bool solveWithin(const std::vector<Rationals>& A, const Rationals& b, const Rationals& c, const mpq_class& bound,
                 Rationals& x, const ProgramScales& scales) {
  x.assign(c.size(), 0);
  if (solveSupport(A, b, proposeSupport(A, b, c, scales), x) && valueOf(c, x) <= bound) return true;
  return solveExactProgram(A, b, c, x) && valueOf(c, x) <= bound;
}

}  // namespace rigor::impact
