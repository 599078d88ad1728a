// SPDX-License-Identifier: MIT
#include "viewer/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace rigor::viewer {

long VideoTimes::frames() const {
  // A last frame that rounding alone puts behind `to` is one of it.
  const double count = std::floor((to - from) * fps / speed + 1e-9) + 1;
  return from <= to && fps > 0 && speed > 0 && count <= static_cast<double>(kMostFrames) ? static_cast<long>(count) : 0;
}

double VideoTimes::time(long frame) const { return std::min(to, from + static_cast<double>(frame) * speed / fps); }

std::string freeName(std::string name, const std::string& extension) {
  std::replace(name.begin(), name.end(), '/', '-');
  for (int i = 1;; ++i) {
    const std::string numbered = fmt::format("{}-{:04}", name, i);
    if (!std::filesystem::exists(numbered + extension) && !std::filesystem::exists(numbered + "-000001.png"))
      return numbered + extension;
  }
}

}  // namespace rigor::viewer
