// SPDX-License-Identifier: MIT
#include "sim/run/group_parts.h"

#include <algorithm>
#include <cstddef>

namespace rigor::sim {

void findParts(std::span<const int> group, std::span<const Contact> contacts, std::span<const BodyRuntime> bodies,
               std::vector<int>& root) {
  root.resize(group.size());
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = static_cast<int>(i);
  const auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const auto slot = [&](int body) {
    return static_cast<int>(std::lower_bound(group.begin(), group.end(), body) - group.begin());
  };
  for (std::size_t i = 1; i < group.size(); ++i)
    if (bodies[group[i]].robot >= 0 && bodies[group[i]].robot == bodies[group[i - 1]].robot)
      root[i] = find(static_cast<int>(i - 1));
  for (const Contact& c : contacts) {
    if (bodies[c.pair.body_a].fixed || bodies[c.pair.body_b].fixed) continue;
    const int a = find(slot(c.pair.body_a)), b = find(slot(c.pair.body_b));
    root[std::max(a, b)] = std::min(a, b);
  }
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = find(static_cast<int>(i));
}

}  // namespace rigor::sim
