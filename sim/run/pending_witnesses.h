// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
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
  }

  void add(const WitnessRecord& witness) {
    const int at = keep(witness);
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

  /// Gives those of some bodies, ascending, to another one that has none of these bodies. @pre the others that they
  /// speak of are fixed, or among these bodies.
  void copyTo(std::span<const int> bodies, PendingWitnesses& other) const {
    std::vector<int>& place = other.place_;
    place.resize(std::max(place.size(), entries_.size()), -1);
    for (const int body : bodies)
      for (const int at : of_body_[body]) {
        if (place[at] < 0) place[at] = other.keep(entries_[at].witness);
        other.of_body_[body].push_back(place[at]);
      }
    for (const int body : bodies)
      for (const int at : of_body_[body]) place[at] = -1;
  }
  /// Forgets those of some bodies. @pre as above.
  void forget(std::span<const int> bodies) {
    for (const int body : bodies) {
      for (const int at : of_body_[body])
        if (!std::exchange(entries_[at].dropped, true)) free_.push_back(at);
      of_body_[body].clear();
    }
  }

  /// All of them, and which of those each body has, in the order in which they were added to it.
  struct Lists {
    std::vector<WitnessRecord> witnesses;  ///< In the order in which bodies, ascending, name them first.
    std::vector<std::vector<int>> of_body;
  };
  Lists lists() const {
    Lists lists;
    std::vector<int> place(entries_.size(), -1);
    for (const std::vector<int>& own : of_body_) {
      std::vector<int>& named = lists.of_body.emplace_back();
      for (const int at : own) {
        if (place[at] < 0) {
          place[at] = static_cast<int>(lists.witnesses.size());
          lists.witnesses.push_back(entries_[at].witness);
        }
        named.push_back(place[at]);
      }
    }
    return lists;
  }
  /// Everything goes on as with those that gave the lists. @pre reset() was called last. @returns false where they name
  /// what they do not hold.
  bool take(Lists lists) {
    const auto isPlace = [](int at, std::size_t size) { return at >= 0 && static_cast<std::size_t>(at) < size; };
    if (lists.of_body.size() != of_body_.size()) return false;
    for (const WitnessRecord& w : lists.witnesses)
      if (!isPlace(w.pair.body_a, of_body_.size()) || !isPlace(w.pair.body_b, of_body_.size())) return false;
    for (const std::vector<int>& own : lists.of_body)
      for (const int at : own)
        if (!isPlace(at, lists.witnesses.size())) return false;
    for (const WitnessRecord& w : lists.witnesses) entries_.push_back({w});
    of_body_ = std::move(lists.of_body);
    return true;
  }

 private:
  int keep(const WitnessRecord& witness) {
    if (free_.empty()) free_.push_back(static_cast<int>(entries_.size())), entries_.emplace_back();
    const int at = free_.back();
    free_.pop_back();
    entries_[at] = {witness};
    return at;
  }

  struct Entry {
    WitnessRecord witness;
    bool dropped = false;  // Its place is free.
  };
  std::vector<Entry> entries_;
  std::vector<int> free_, others_;
  std::vector<int> place_;  // Scratch of copyTo(): of the other's entries here.
  std::vector<std::vector<int>> of_body_;  // Of moving bodies.
  std::vector<char> moves_;
};

}  // namespace rigor::sim
