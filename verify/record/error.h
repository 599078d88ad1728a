// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>

namespace rigor::verify {

/// The file cannot be read as a record: missing, damaged, foreign, of another version. what() is one sentence that
/// names the file. (A readable record with a false claim is no error but a failed verification.)
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace rigor::verify
