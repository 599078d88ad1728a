// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "elementary/require.h"
#include "sim/step/step.h"

namespace rigor::sim {

/// Bodies that touch each other and step together. Groups have clocks of their own; the one that is farthest behind
/// steps next, so every piece of a group that starts before all clocks is final.
struct Group {
  std::vector<int> bodies;  ///< Ascending, at least one.
  double clock = 0;         ///< [s]
  StepMemory memory;
  bool held = false;        ///< The current pieces moved in contact.
  double step_start = 0;    ///< Of the step that made the current pieces [s].
};

/// The groups of a run, by number, by body, and in the order of their clocks. Finding the next one costs the logarithm
/// of their number.
///
/// Numbers say nothing: what a run does depends on clocks and bodies alone, so that it goes on the same from a
/// snapshot.
class Groups {
 public:
  /// Of bodies 0 .. count - 1, none in a group.
  void reset(std::size_t count);
  bool empty() const { return order_.empty(); }
  Group& operator[](int number) { return *groups_[number]; }
  const Group& operator[](int number) const { return *groups_[number]; }
  /// -1 for bodies in no group: fixed ones.
  int of(int body) const { return group_of_[body]; }
  /// The group that is farthest behind; of several, the one with the smallest body. @pre !empty().
  int first() const {
    RIGOR_REQUIRE(!empty());
    return order_[0];
  }

  /// Numbers of about `count` groups that are farthest behind, first() among them; of no use for what a run does.
  std::span<const int> amongFirst(std::size_t count) const {
    return std::span(order_).first(std::min(count, order_.size()));
  }

  /// @returns its number.
  int add(Group group);
  /// Takes a group out. Its bodies are in none then.
  Group take(int number);
  /// To be told after changes of a group's clock or bodies.
  void changed(int number);

  /// visit(group) in the order of their first bodies. O(bodies).
  template <typename Visit>
  void each(Visit&& visit) {
    for (std::size_t b = 0; b < group_of_.size(); ++b)
      if (const int n = group_of_[b]; n >= 0 && groups_[n]->bodies[0] == static_cast<int>(b)) visit(*groups_[n]);
  }

 private:
  bool before(int a, int b) const;
  void put(std::size_t at, int number);
  std::size_t siftUp(std::size_t at);
  void siftDown(std::size_t at);

  std::vector<std::unique_ptr<Group>> groups_;  // Null: the number is free.
  std::vector<int> free_, group_of_;
  std::vector<int> order_;          // A heap of numbers,
  std::vector<std::size_t> place_;  // and where in it each is.
};

}  // namespace rigor::sim
