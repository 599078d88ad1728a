// SPDX-License-Identifier: MIT
#include "sim/run/group_parts.h"
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
    if (ahead_) ahead_->drop(other);
    cut(groups_[other], t, false, sink);
    finish(groups_[other], sink);  // What ended at t by itself: what acted there is that group's.
    const Group taken = groups_.take(other);
    Group& group = groups_[number];
    group.bodies.insert(group.bodies.end(), taken.bodies.begin(), taken.bodies.end());
    group.memory.goes_on = false;
    group.memory.steps = std::max(group.memory.steps, taken.memory.steps);
    group.memory.event_window = std::max(group.memory.event_window, taken.memory.event_window);
    group.memory.contacts.insert(group.memory.contacts.end(), taken.memory.contacts.begin(),
                                 taken.memory.contacts.end());
  }
  std::sort(groups_[number].bodies.begin(), groups_[number].bodies.end());
  groups_.changed(number);
}

/// Takes a group apart into those that still touch.
void Run::split(int number) {
  if (groups_[number].bodies.size() < 2) return;
  std::vector<int>&group = split_group_, &root = split_root_;
  group = groups_[number].bodies;
  findParts(group, groups_[number].memory.contacts, bodies, root);
  const auto rootOf = [&](int body) {
    return root[std::lower_bound(group.begin(), group.end(), body) - group.begin()];
  };
  for (int r = 1; r < static_cast<int>(group.size()); ++r) {
    if (root[r] != r) continue;
    Group part = groups_[number];
    std::erase_if(part.bodies, [&](int b) { return rootOf(b) != r; });
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
