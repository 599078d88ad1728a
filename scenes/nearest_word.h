// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace rigor::scenes {

/// The candidate nearest to `word` in edit distance, for "did you mean"; empty if none is within a third of its letters
/// (two for short words).
std::string nearestWord(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace rigor::scenes
