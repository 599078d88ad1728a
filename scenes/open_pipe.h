// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace rigor::scenes {

/// Whether a path is that of an open file of this process, such as a shell's `<(...)`: no regular file, and yet one
/// that ends.
inline bool isOpenPipe(std::string_view path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

}  // namespace rigor::scenes
