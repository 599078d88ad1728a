// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/runtime.h"
#include "sim/sink.h"

namespace rigor::sim {

/// Witnesses of pieces that may still be cut, by body. What is done for a body costs what it has, not what others have.
class PendingWitnesses {
 public:
  /// Forgets everything.
  void reset(std::span<const BodyRuntime> bodies) {
    moves_.clear();
    for (const BodyRuntime& body : bodies) moves_.push_back(!body.fixed);
    entries_.clear(), free_.clear();
    of_body_.assign(bodies.size(), {});
    next_number_ = 0;
  }

  void add(const WitnessRecord& witness) {
    if (free_.empty()) free_.push_back(static_cast<int>(entries_.size())), entries_.emplace_back();
    const int at = free_.back();
    free_.pop_back();
    entries_[at] = {witness, next_number_++};
    for (const int body : {witness.pair.body_a, witness.pair.body_b})
      if (moves_[body]) of_body_[body].push_back(at);
  }

  /// visit(witness) for those of a moving body, in the order in which they were added.
  template <typename Visit>
  void each(int body, Visit&& visit) {
    for (const int at : of_body_[body]) visit(entries_[at].witness);
  }

  /// Takes those of a moving body out for which drop(witness).
  template <typename Drop>
  void eraseIf(int body, Drop&& drop) {
    others_.clear();
    std::erase_if(of_body_[body], [&](int at) {
      Entry& entry = entries_[at];
      if (!drop(entry.witness)) return false;
      entry.dropped = true;
      const PairKey& pair = entry.witness.pair;
      const int other = pair.body_a == body ? pair.body_b : pair.body_a;
      if (moves_[other] && (others_.empty() || others_.back() != other)) others_.push_back(other);
      free_.push_back(at);
      return true;
    });
    for (const int other : others_) std::erase_if(of_body_[other], [&](int at) { return entries_[at].dropped; });
  }

  /// All, in the order in which they were added: add() them after reset(), and everything goes on the same.
  std::vector<WitnessRecord> list() const {
    std::vector<const Entry*> entries;
    for (std::size_t b = 0; b < of_body_.size(); ++b)
      for (const int at : of_body_[b]) {
        const PairKey& pair = entries_[at].witness.pair;
        if (std::min(moves_[pair.body_a] ? pair.body_a : pair.body_b,
                     moves_[pair.body_b] ? pair.body_b : pair.body_a) == static_cast<int>(b))
          entries.push_back(&entries_[at]);
      }
    std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->number < b->number; });
    std::vector<WitnessRecord> all;
    for (const Entry* entry : entries) all.push_back(entry->witness);
    return all;
  }

 private:
  struct Entry {
    WitnessRecord witness;
    std::uint64_t number;
    bool dropped = false;  // Its place is free.
  };
  std::vector<Entry> entries_;
  std::vector<int> free_, others_;
  std::vector<std::vector<int>> of_body_;  // Of moving bodies.
  std::vector<char> moves_;
  std::uint64_t next_number_ = 0;
};

}  // namespace rigor::sim
