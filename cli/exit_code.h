// SPDX-License-Identifier: MIT
#pragma once

namespace rigor::cli {

/// What the program returns; the numbers are part of its interface.
enum ExitCode : int {
  kDone = 0,
  kNotProved = 1,    ///< `verify` alone: the guarantee does not hold or could not be proved.
  kUsage = 2,        ///< Wrong usage, a bad option value included.
  kBadInput = 3,
  kFailure = 4,      ///< The simulator could not keep its guarantee, or the disk is full; the record so far is valid.
  kBudget = 5,       ///< A budget was reached; the record is valid and resumable.
  kInterrupted = 130,
};

}  // namespace rigor::cli
