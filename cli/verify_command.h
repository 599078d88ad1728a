// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <string>

namespace rigor::cli {

struct VerifyArguments {
  std::string record;
  bool kernel = false;         ///< Exact arithmetic alone, without filters.
  bool geometry_only = false;  ///< Without the laws of motion.
  bool json = false;
};

/// `rigor verify`: proves a record again from the file alone. A report for a person goes to `err`, with `json` one JSON
/// object to `out`: record, status ("proved", "refuted", "unproved"), verified, complete, branches, pieces, pairs,
/// witnesses, min_gap [m], horizon [s], until [s], physics (null, or {worst, bound, branch, time} a law), failures
/// [{branch, piece, pair, time, reason}], failure_count, notes, wall_seconds.
/// @returns 0 proved (up to `horizon`), 1 refuted or unproved, 3 not readable as a record.
int verifyCommand(const VerifyArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
