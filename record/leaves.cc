// SPDX-License-Identifier: MIT
#include "record/leaves.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

namespace rigor::record {
namespace {

/// One outcome of a fork.
struct Sibling {
  double share = 0;
  int nearest = 0;
  bool explored = false;
};

int numberAtFork(const std::string& id) { return std::atoi(id.c_str() + id.find_last_of('/') + 1); }

nlohmann::json choiceOf(const std::string& text) {
  nlohmann::json choice = nlohmann::json::parse(text, nullptr, false);
  return choice.is_object() ? choice : nlohmann::json::object();
}

Sibling siblingOf(const std::string& choice, double weight, bool explored) {
  const nlohmann::json json = choiceOf(choice);
  const bool known = json.contains("nearest") && json["nearest"].is_number_integer();
  return {weight, known ? json["nearest"].get<int>() : 0, explored};
}

/// What is open gives its share to what is explored; alternatives refer to earlier ones.
void handOver(std::map<int, Sibling>& siblings) {
  for (auto open = siblings.rbegin(); open != siblings.rend(); ++open) {
    Sibling& one = open->second;
    if (one.explored) continue;
    const auto heir = siblings.find(one.nearest);
    if (heir != siblings.end() && heir->first < open->first) heir->second.share += one.share;
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
