// SPDX-License-Identifier: MIT
#include "sim/run/groups.h"

#include <utility>

namespace rigor::sim {

void Groups::reset(std::size_t count) {
  groups_.clear(), free_.clear(), order_.clear(), place_.clear();
  group_of_.assign(count, -1);
}

int Groups::add(Group group) {
  if (free_.empty()) {
    free_.push_back(static_cast<int>(groups_.size()));
    groups_.emplace_back();
    place_.push_back(0);
  }
  const int number = free_.back();
  free_.pop_back();
  groups_[number] = std::make_unique<Group>(std::move(group));
  order_.push_back(number);
  put(order_.size() - 1, number);
  changed(number);
  return number;
}

Group Groups::take(int number) {
  Group group = std::move(*groups_[number]);
  for (const int body : group.bodies) group_of_[body] = -1;
  const std::size_t at = place_[number];
  const int last = order_.back();
  order_.pop_back();
  if (last != number) {
    put(at, last);
    siftDown(siftUp(at));
  }
  groups_[number].reset();
  free_.push_back(number);
  return group;
}

void Groups::changed(int number) {
  for (const int body : groups_[number]->bodies) group_of_[body] = number;
  siftDown(siftUp(place_[number]));
}

bool Groups::before(int a, int b) const {
  const Group &x = *groups_[a], &y = *groups_[b];
  return x.clock != y.clock ? x.clock < y.clock : x.bodies[0] < y.bodies[0];
}

void Groups::put(std::size_t at, int number) { order_[at] = number, place_[number] = at; }

std::size_t Groups::siftUp(std::size_t at) {
  const int number = order_[at];
  for (; at > 0 && before(number, order_[(at - 1) / 2]); at = (at - 1) / 2) put(at, order_[(at - 1) / 2]);
  put(at, number);
  return at;
}

void Groups::siftDown(std::size_t at) {
  const int number = order_[at];
  for (std::size_t child; (child = 2 * at + 1) < order_.size(); at = child) {
    if (child + 1 < order_.size() && before(order_[child + 1], order_[child])) ++child;
    if (!before(order_[child], number)) break;
    put(at, order_[child]);
  }
  put(at, number);
}

}  // namespace rigor::sim
