// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "geom/polytope.h"

namespace rigor::geom {

/// Numbers by what they are of, from 0 on in order of appearance: equal ones have the same. Its table grows with what
/// is there, so that it stays in the cache as long as it can.
class Numbering {
 public:
  /// @param same  same(i): whether number i is of this.
  template <typename Same>
  int number(std::uint64_t hash, Same&& same) {
    if (2 * static_cast<std::size_t>(count_) >= places_.size()) grow();
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = tag & (places_.size() - 1);
    for (; places_[at].number >= 0; at = (at + 1) & (places_.size() - 1))
      if (places_[at].tag == tag && same(places_[at].number)) return places_[at].number;
    places_[at] = {tag, count_};
    return count_++;
  }

 private:
  struct Place {
    std::uint32_t tag = 0;
    int number = -1;
  };
  void grow();

  std::vector<Place> places_;
  int count_ = 0;
};

/// A hash of what `hash` is of and a value more; its upper half is the mixed one.
inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

/// Numbers of all vertices of the parts, part after part: equal points have the same, from 0 on in order of appearance.
/// @param parts  Not null.  @param count  Receives how many there are. O(n)
std::vector<int> numberPoints(std::span<const Polytope* const> parts, int& count);

}  // namespace rigor::geom
