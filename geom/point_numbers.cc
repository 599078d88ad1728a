// SPDX-License-Identifier: MIT
#include "geom/point_numbers.h"

#include <algorithm>
#include <bit>

namespace rigor::geom {

void Numbering::grow() {
  std::vector<Place> old(std::max<std::size_t>(64, 4 * places_.size()));
  old.swap(places_);
  for (const Place& place : old) {
    if (place.number < 0) continue;
    std::size_t at = place.tag & (places_.size() - 1);
    while (places_[at].number >= 0) at = (at + 1) & (places_.size() - 1);
    places_[at] = place;
  }
}

std::vector<int> numberPoints(std::span<const Polytope* const> parts, int& count) {
  using Eigen::Vector3d;
  Numbering numbering;
  std::vector<Vector3d> known;
  std::vector<int> numbers;
  std::size_t size = 0;
  for (const Polytope* part : parts) size += static_cast<std::size_t>(part->numVertices());
  numbers.reserve(size);
  for (const Polytope* part : parts)
    for (int v = 0; v < part->numVertices(); ++v) {
      const Vector3d x = part->vertex(v).array() + 0.0;  // One zero.
      std::uint64_t hash = 0;
      for (int k = 0; k < 3; ++k) hash = mixed(hash, std::bit_cast<std::uint64_t>(x[k]));
      // Mixed once more: tables are indexed by the lower bits of the upper half.
      const int number = numbering.number(mixed(hash, 0), [&](int i) { return known[i] == x; });
      if (number == static_cast<int>(known.size())) known.push_back(x);
      numbers.push_back(number);
    }
  count = static_cast<int>(known.size());
  return numbers;
}

}  // namespace rigor::geom
