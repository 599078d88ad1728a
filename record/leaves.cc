// SPDX-License-Identifier: MIT
#include "record/leaves.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

namespace rigor::record {
namespace {

/// One outcome of a fork.
struct Sibling {
  double share = 0;
  int nearest = 0;
  bool explored = false, extreme = false;
  std::vector<double> distances;  // To those before it; records from before 0.2's last have none.
};

int numberAtFork(const std::string& id) { return std::atoi(id.c_str() + id.find_last_of('/') + 1); }

nlohmann::json choiceOf(const std::string& text) {
  nlohmann::json choice = nlohmann::json::parse(text, nullptr, false);
  return choice.is_object() ? choice : nlohmann::json::object();
}

Sibling siblingOf(const std::string& choice, double weight, bool explored) {
  const nlohmann::json json = choiceOf(choice);
  Sibling sibling{weight, 0, explored, false, {}};
  try {
    sibling.nearest = json.value("nearest", 0);
    sibling.extreme = json.value("extreme", false);
    sibling.distances = json.value("distances", sibling.distances);
  } catch (const nlohmann::json::exception&) {  // Of another type: as if it said nothing.
  }
  return sibling;
}

/// Of the explored ones the nearest; -1 where that is not known.
int heirOf(int number, const std::map<int, Sibling>& siblings) {
  const auto distance = [&](int a, int b) {
    const std::vector<double>& list = siblings.at(std::max(a, b)).distances;
    const auto at = static_cast<std::size_t>(std::min(a, b));
    return at < list.size() ? list[at] : HUGE_VAL;
  };
  int heir = -1;
  double least = HUGE_VAL;
  for (const auto& [other, sibling] : siblings) {
    if (!sibling.explored || sibling.extreme || !(distance(number, other) < least)) continue;
    heir = other, least = distance(number, other);
  }
  return heir;
}

/// What is open gives its share to what is explored, where distances are not known to the nearest one before it.
void handOver(std::map<int, Sibling>& siblings) {
  for (auto open = siblings.rbegin(); open != siblings.rend(); ++open) {
    Sibling& one = open->second;
    if (one.explored) continue;
    int heir = heirOf(open->first, siblings);
    if (heir < 0 && one.nearest < open->first && siblings.contains(one.nearest)) heir = one.nearest;
    // Nothing is lost: where there is no other heir it is the first that was explored.
    for (auto other = siblings.begin(); heir < 0 && other != siblings.end(); ++other)
      if (other->second.explored) heir = other->first;
    if (heir >= 0) siblings[heir].share += one.share;
    one.share = 0;
  }
}

std::string contactsOf(const BranchRow& row) {
  const nlohmann::json choice = choiceOf(row.choice);
  return choice.contains("contacts") && choice["contacts"].is_string() ? choice["contacts"].get<std::string>()
                                                                       : std::string();
}

}  // namespace

std::vector<Leaf> leavesOf(Reader& reader) {
  const std::vector<BranchRow> branches = reader.branches();
  std::map<std::string, std::map<int, Sibling>> forks;  // By the branch that ends there.
  for (const BranchRow& row : branches) {
    if (!row.parent.empty()) forks[row.parent][numberAtFork(row.id)] = siblingOf(row.choice, row.weight, true);
  }
  for (const OpenAlternative& open : reader.openAlternatives()) {
    const auto fork = forks.find(open.parent);
    if (fork != forks.end()) fork->second[numberAtFork(open.branch)] = siblingOf(open.choice, open.weight, false);
  }
  for (auto& [parent, siblings] : forks) handOver(siblings);
  std::map<std::string, Leaf> all;
  std::vector<Leaf> leaves;
  for (const BranchRow& row : branches) {  // Parents come first.
    Leaf& leaf = all[row.id];
    leaf.branch = row.id, leaf.status = row.status, leaf.end_time = row.end_time;
    if (!row.parent.empty()) {
      const Leaf& parent = all[row.parent];
      leaf.weight = parent.weight * forks[row.parent][numberAtFork(row.id)].share;
      leaf.modes = parent.modes.empty() ? contactsOf(row) : parent.modes + '/' + contactsOf(row);
    }
  }
  for (const BranchRow& row : branches) {
    if (!forks.contains(row.id)) leaves.push_back(all[row.id]);
  }
  return leaves;
}

}  // namespace rigor::record
