// SPDX-License-Identifier: MIT
#include "scenes/nearest_word.h"

#include <algorithm>
#include <utility>

namespace rigor::scenes {

std::string nearestWord(std::string_view word, const std::vector<std::string_view>& candidates) {
  size_t best = std::max<size_t>(2, word.size() / 3) + 1;
  std::string nearest;
  std::vector<size_t> row;
  for (std::string_view candidate : candidates) {
    row.resize(candidate.size() + 1);
    for (size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= word.size(); ++i) {
      size_t diagonal = std::exchange(row[0], i);
      for (size_t j = 1; j < row.size(); ++j) {
        const size_t substituted = diagonal + (word[i - 1] != candidate[j - 1]);
        diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, substituted}));
      }
    }
    if (row.back() < best) {
      best = row.back();
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace rigor::scenes
