// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <stdexcept>

#include "scenes/loader.h"

namespace rigor::cli {

/// Arguments that ask for what cannot be had: exit code 2, what() is for the user.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// In a handler of everything: says what is wrong with the arguments, the record or the scene, whose text `source`
/// knows.
/// @returns the exit code; rethrows what is none of these.
int reportInputError(const scenes::SceneSource& source, std::ostream& err);

}  // namespace rigor::cli
