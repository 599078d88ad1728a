// SPDX-License-Identifier: MIT
#include "sim/run/run.h"

#include <algorithm>
#include <utility>

namespace rigor::sim {

/// Joins the groups of the bodies that the step has touched to the group that made it, all cut at its clock.
void Run::merge(int number, Sink& sink) {
  const double t = groups_[number].clock;
  std::vector<int> others;
  for (const int body : result_.touched)
    if (const int other = groups_.of(body);
        other != number && std::find(others.begin(), others.end(), other) == others.end())
      others.push_back(other);
  std::sort(others.begin(), others.end(), [&](int a, int b) { return groups_[a].bodies[0] < groups_[b].bodies[0]; });
  for (const int other : others) {
    cut(groups_[other], t, Ending::kForGood, sink);
    finish(groups_[other], sink);  // What ended at t by itself: what acted there is that group's.
    const Group taken = groups_.take(other);
    Group& group = groups_[number];
    group.bodies.insert(group.bodies.end(), taken.bodies.begin(), taken.bodies.end());
    group.memory.goes_on = false;
    group.memory.event_window = std::max(group.memory.event_window, taken.memory.event_window);
    group.memory.pulled = std::max(group.memory.pulled, taken.memory.pulled);
    group.memory.contacts.insert(group.memory.contacts.end(), taken.memory.contacts.begin(),
                                 taken.memory.contacts.end());
    group.memory.axes.insert(group.memory.axes.end(), taken.memory.axes.begin(), taken.memory.axes.end());
  }
  std::sort(groups_[number].bodies.begin(), groups_[number].bodies.end());
  groups_.changed(number);
}

/// Takes a group apart into those that still touch.
void Run::split(int number) {
  if (groups_[number].bodies.size() < 2) return;
  std::vector<int>&group = split_group_, &root = split_root_;
  group = groups_[number].bodies;
  root.resize(group.size());
  for (size_t i = 0; i < root.size(); ++i) root[i] = static_cast<int>(i);
  auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  auto slot = [&](int body) {
    return static_cast<int>(std::lower_bound(group.begin(), group.end(), body) - group.begin());
  };
  for (size_t i = 1; i < group.size(); ++i)  // Links of a robot stay together.
    if (bodies[group[i]].robot >= 0 && bodies[group[i]].robot == bodies[group[i - 1]].robot)
      root[i] = find(static_cast<int>(i - 1));
  for (const Contact& c : groups_[number].memory.contacts) {
    if (bodies[c.pair.body_a].fixed || bodies[c.pair.body_b].fixed) continue;
    const int a = find(slot(c.pair.body_a)), b = find(slot(c.pair.body_b));
    root[std::max(a, b)] = std::min(a, b);
  }
  for (int r = 1; r < static_cast<int>(group.size()); ++r) {
    if (find(r) != r) continue;
    Group part = groups_[number];
    std::erase_if(part.bodies, [&](int b) { return find(slot(b)) != r; });
    auto inPart = [&](int b) { return std::binary_search(part.bodies.begin(), part.bodies.end(), b); };
    std::erase_if(part.memory.contacts,
                  [&](const Contact& c) { return !inPart(c.pair.body_a) && !inPart(c.pair.body_b); });
    part.memory.acted.keep(part.bodies);
    auto ofPart = [&](const ImpulseRecord::Wrench& w) { return inPart(robots[w.robot].first_body); };
    std::erase_if(part.memory.acted.record.wrenches, [&](const auto& w) { return !ofPart(w); });
    Group& rest = groups_[number];
    std::erase_if(rest.bodies, inPart);
    std::erase_if(rest.memory.contacts,
                  [&](const Contact& c) { return inPart(c.pair.body_a) || inPart(c.pair.body_b); });
    std::erase_if(rest.memory.acted.record.contacts,
                  [&](const auto& c) { return inPart(c.pair.body_a) || inPart(c.pair.body_b); });
    std::erase_if(rest.memory.acted.record.wrenches, ofPart);
    groups_.add(std::move(part));
  }
  groups_.changed(number);
}

}  // namespace rigor::sim
