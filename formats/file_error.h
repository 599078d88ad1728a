// SPDX-License-Identifier: MIT
#pragma once
#include <stdexcept>

namespace rigor::formats {

/// A file that cannot be read or written, or a library for it that is not there. what() names it and the reason.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace rigor::formats
