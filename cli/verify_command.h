// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <string>

namespace rigor::cli {

/// `rigor verify`: proves the record at `path` again from the file alone. A report for a person goes to `err`, with
/// `json` one JSON object to `out`: record, status ("proved", "refuted", "unproved"), verified, branches, pieces,
/// pairs, witnesses, min_gap [m], horizon [s], failures [{branch, piece, pair, time, reason}], failure_count, notes,
/// wall_seconds.
/// @returns 0 proved, 1 refuted or unproved, 3 not readable as a record.
int verifyCommand(const std::string& path, bool json, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
