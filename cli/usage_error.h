// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>

namespace rigor::cli {

/// Arguments that ask for what cannot be had: exit code 2, what() is for the user.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace rigor::cli
