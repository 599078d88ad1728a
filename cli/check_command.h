// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <ostream>
#include <string>

namespace rigor::cli {

struct CheckArguments {
  std::string scene, trajectory;
  double allow = 0;                  ///< [m]
  std::string interpolation;         ///< "linear", "hermite"; empty: hermite where the trajectory has velocities.
  std::string junit, plot;           ///< Files to write; empty: none.
  std::string output;                ///< Record of the motions to write; empty: none.
  bool force = false;                ///< Replace an existing one.
  bool second_opinion = false;       ///< Ask libccd at the samples too.
  bool json = false;
};

/// `rigor check`: are motions that were computed elsewhere free of overlap, between their samples too (docs/check.md).
/// @returns kDone (apart), kNotProved (penetrates or undecided), kBadInput, kFailure (a file could not be written,
///   libccd disagrees), kInterrupted.
int checkCommand(const CheckArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
