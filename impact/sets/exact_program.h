// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <vector>

namespace rigor::impact {

/// Exponents of two that bring rows and columns to order one, for the doubles: entry (i, j) by rows[i] + columns[j].
/// Empty: found from the entries.
struct ProgramScales {
  std::vector<long> rows, columns;
};

/// Finds x >= 0 with A x = b that makes c.x small, exactly.
///
/// The simplex method in doubles proposes which entries are nonzero; these are solved for in rational numbers and
/// checked; where that fails the simplex method runs in rational numbers. Guarantee on true: x >= 0 and A x = b,
/// exactly; c.x is the minimum up to rounding of doubles. @returns false where there is none.
/// @param A  rows of equal length; columns of any scale.
[[nodiscard]] bool solveNonnegative(const std::vector<std::vector<mpq_class>>& A, const std::vector<mpq_class>& b,
                                    const std::vector<mpq_class>& c, std::vector<mpq_class>& x,
                                    const ProgramScales& scales = {});

/// The same, and c.x <= bound, exactly.
[[nodiscard]] bool solveWithin(const std::vector<std::vector<mpq_class>>& A, const std::vector<mpq_class>& b,
                               const std::vector<mpq_class>& c, const mpq_class& bound, std::vector<mpq_class>& x,
                               const ProgramScales& scales = {});

}  // namespace rigor::impact
