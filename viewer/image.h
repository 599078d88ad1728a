// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace rigor::viewer {

/// 8-bit RGBA pixels, rows from the top, alpha not multiplied in.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
  const std::uint8_t* at(int x, int y) const { return &rgba[4 * (static_cast<std::size_t>(y) * width + x)]; }
};

/// An output that cannot be written; what() names it and the reason.
struct ImageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// PNG, 8 bits a channel, RGB; RGBA with `alpha`. @throws ImageError.
void writePng(const Image& image, const std::string& path, bool alpha = false);

}  // namespace rigor::viewer
