// SPDX-License-Identifier: MIT
#include "impact/sets/exact_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

/// The equations of the entries of a support alone.
///
/// An entry in one equation only is told by that, once the others are known: such pairs are set aside, the last first
/// to be solved. The rest is eliminated in integers: all its entries are minors, so that the pivot before divides them
/// (Bareiss), and no common factors are looked for.
class SupportEquations {
 public:
  SupportEquations(const std::vector<Rationals>& A, const Rationals& b, const std::vector<size_t>& support)
      : A_(A), b_(b), columns_(support) {
    for (size_t i = 0; i < A.size(); ++i) equations_.push_back(i);
  }

  /// @returns false where there is no solution, or one with a negative entry.
  bool solve(Rationals& x) {
    for (mpq_class& entry : x) entry = 0;
    setAside();
    if (!eliminate(x)) return false;
    for (size_t k = aside_.size(); k-- > 0;) {
      const auto& [equation, column] = aside_[k];
      mpq_class left = b_[equation];
      for (size_t j = 0; j < x.size(); ++j) {
        if (sgn(x[j]) != 0 && sgn(A_[equation][j]) != 0) left -= A_[equation][j] * x[j];
      }
      x[column] = left / A_[equation][column];
    }
    return std::all_of(x.begin(), x.end(), [](const mpq_class& entry) { return sgn(entry) >= 0; });
  }

 private:
  void setAside() {
    for (size_t j = 0; j < columns_.size();) {
      size_t only = A_.size(), count = 0;
      for (size_t i : equations_) {
        if (sgn(A_[i][columns_[j]]) != 0) only = i, ++count;
      }
      if (count != 1) {
        ++j;
        continue;
      }
      aside_.emplace_back(only, columns_[j]);
      std::erase(equations_, only);
      columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(j));
      j = 0;  // Others may be alone now.
    }
  }

  bool eliminate(Rationals& x) const {
    const size_t count = columns_.size();
    std::vector<std::vector<mpz_class>> rows;
    for (size_t i : equations_) {
      Rationals row;
      for (size_t j : columns_) row.push_back(A_[i][j]);
      row.push_back(b_[i]);
      rows.push_back(integersOf(row));
    }
    std::vector<size_t> pivots;  // columns, of the rows in their order
    mpz_class last = 1;
    for (size_t j = 0; j < count && pivots.size() < rows.size(); ++j) {
      const size_t next = pivots.size();
      size_t found = rows.size();
      for (size_t i = next; i < rows.size(); ++i) {
        if (sgn(rows[i][j]) == 0) continue;
        if (found == rows.size() || mpz_size(rows[i][j].get_mpz_t()) < mpz_size(rows[found][j].get_mpz_t())) found = i;
      }
      if (found == rows.size()) continue;  // A column that depends on those before stays zero.
      std::swap(rows[next], rows[found]);
      for (size_t i = next + 1; i < rows.size(); ++i) reduce(rows[i], rows[next], j, last);
      last = rows[next][j];
      pivots.push_back(j);
    }
    for (size_t i = pivots.size(); i < rows.size(); ++i) {
      if (sgn(rows[i][count]) != 0) return false;
    }
    // last times an entry of the solution is an integer, a minor of the equations.
    std::vector<mpz_class> times(count, 0);
    for (size_t i = pivots.size(); i-- > 0;) {
      mpz_class left = last * rows[i][count];
      for (size_t k = i + 1; k < pivots.size(); ++k)
        mpz_submul(left.get_mpz_t(), rows[i][pivots[k]].get_mpz_t(), times[pivots[k]].get_mpz_t());
      mpz_divexact(times[pivots[i]].get_mpz_t(), left.get_mpz_t(), rows[i][pivots[i]].get_mpz_t());
      if (sgn(times[pivots[i]]) * sgn(last) < 0) return false;
    }
    for (size_t j : pivots) {
      x[columns_[j]] = mpq_class(times[j], last);
      x[columns_[j]].canonicalize();
    }
    return true;
  }

  static void reduce(std::vector<mpz_class>& row, const std::vector<mpz_class>& by, size_t pivot,
                     const mpz_class& last) {
    for (size_t k = pivot + 1; k < row.size(); ++k) {
      mpz_class& entry = row[k];
      if (sgn(entry) == 0 && (sgn(row[pivot]) == 0 || sgn(by[k]) == 0)) continue;
      entry *= by[pivot];
      mpz_submul(entry.get_mpz_t(), row[pivot].get_mpz_t(), by[k].get_mpz_t());
      mpz_divexact(entry.get_mpz_t(), entry.get_mpz_t(), last.get_mpz_t());
    }
    row[pivot] = 0;
  }

  const std::vector<Rationals>& A_;
  const Rationals& b_;
  std::vector<size_t> columns_, equations_;
  std::vector<std::pair<size_t, size_t>> aside_;  // equation and entry
};

bool solveSupport(const std::vector<Rationals>& A, const Rationals& b, const std::vector<size_t>& support,
                  Rationals& x) {
  return SupportEquations(A, b, support).solve(x);
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
