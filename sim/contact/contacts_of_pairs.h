// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

namespace rigor::sim {

/// Which contacts each near pair has. A heap asks that of each of its pairs; a search through all contacts for it would
/// cost the square of their number.
class ContactsOfPairs {
 public:
  /// @param pairs  By contact: the number of its pair, negative where it is of none.
  void sort(std::span<const int> pairs) {
    start_.clear();
    for (const int p : pairs) {
      if (p < 0) continue;
      if (p + 2 > static_cast<int>(start_.size())) start_.resize(p + 2, 0);
      ++start_[p + 1];
    }
    for (std::size_t p = 1; p < start_.size(); ++p) start_[p] += start_[p - 1];
    contacts_.resize(start_.empty() ? 0 : start_.back());
    next_.assign(start_.begin(), start_.end());
    for (std::size_t c = 0; c < pairs.size(); ++c)
      if (pairs[c] >= 0) contacts_[next_[pairs[c]]++] = static_cast<int>(c);
  }
  /// The same of contacts that know their pair.
  template <typename Contacts>
  void sortByPair(const Contacts& contacts) {
    pairs_.clear();
    for (const auto& c : contacts) pairs_.push_back(c.pair_index);
    sort(pairs_);
  }
  /// Numbers of the pair's contacts, in their order.
  std::span<const int> of(int pair) const {
    if (pair < 0 || pair + 1 >= static_cast<int>(start_.size())) return {};
    return std::span(contacts_).subspan(start_[pair], start_[pair + 1] - start_[pair]);
  }

 private:
  std::vector<int> start_, next_, contacts_, pairs_;
};

}  // namespace rigor::sim
