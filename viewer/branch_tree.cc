// SPDX-License-Identifier: MIT
#include "viewer/branch_tree.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "viewer/impact_set.h"

namespace rigor::viewer {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         }) != text.end();
}

std::vector<int> descendantCounts(const RunModel& model) {
  std::vector<int> count(model.branches().size(), 0);
  for (int b = static_cast<int>(count.size()) - 1; b > 0; --b)  // Children come after their parents.
    if (const int parent = model.branches()[b].parent; parent >= 0) count[parent] += count[b] + 1;
  return count;
}

}  // namespace

std::vector<double> reachWeights(const RunModel& model) {
  const auto& branches = model.branches();
  std::vector<double> weight(branches.size(), 1), total(branches.size(), 0);
  for (const ModelBranch& branch : branches)
    if (branch.parent >= 0) total[branch.parent] += branch.weight;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const int parent = branches[b].parent;
    if (parent < 0) continue;
    const double share = total[parent] > 0 ? branches[b].weight / total[parent] : 1;
    weight[b] = weight[parent] * share;
  }
  return weight;
}

std::vector<BranchLane> layoutBranches(const RunModel& model, const std::set<int>& collapsed) {
  const auto& branches = model.branches();
  const std::vector<double> weight = reachWeights(model);
  const std::vector<int> descendants = descendantCounts(model);
  std::vector<BranchLane> lanes;
  lanes.reserve(branches.size());
  // Depth first with an explicit stack: a chain of forks may be long.
  struct Todo {
    int branch, parent_lane;
  };
  std::vector<Todo> stack;
  for (int b = static_cast<int>(branches.size()) - 1; b >= 0; --b)
    if (branches[b].parent < 0) stack.push_back({b, -1});
  std::vector<int> order;
  while (!stack.empty()) {
    const Todo todo = stack.back();
    stack.pop_back();
    const ModelBranch& branch = branches[todo.branch];
    const bool closed = collapsed.count(todo.branch) > 0;
    const int lane = static_cast<int>(lanes.size());
    lanes.push_back({todo.branch, lane, branch.fork_time, branch.end_time, todo.parent_lane,
                     static_cast<float>(std::sqrt(weight[todo.branch])), closed ? descendants[todo.branch] : 0});
    if (closed) continue;
    order.assign(branch.children.begin(), branch.children.end());
    // Later forks are nearer to the parent's lane, so that connecting lines do not cross lanes.
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      if (branches[a].fork_time != branches[b].fork_time) return branches[a].fork_time > branches[b].fork_time;
      return weight[a] > weight[b];
    });
    for (auto child = order.rbegin(); child != order.rend(); ++child) stack.push_back({*child, lane});
  }
  return lanes;
}

std::set<int> collapseToFit(const RunModel& model, int limit) {
  std::set<int> collapsed;
  const int count = static_cast<int>(model.branches().size());
  if (count <= limit) return collapsed;
  const std::vector<double> weight = reachWeights(model);
  // Open branches in order of weight while there is room for their children.
  std::vector<int> open{};
  const auto lighter = [&](int a, int b) { return weight[a] < weight[b] || (weight[a] == weight[b] && a > b); };
  int lanes = 0;
  for (int b = 0; b < count; ++b)
    if (model.branches()[b].parent < 0) open.push_back(b), ++lanes;
  std::make_heap(open.begin(), open.end(), lighter);
  while (!open.empty()) {
    std::pop_heap(open.begin(), open.end(), lighter);
    const int branch = open.back();
    open.pop_back();
    const auto& children = model.branches()[branch].children;
    if (children.empty()) continue;
    if (lanes + static_cast<int>(children.size()) > limit && lanes > 1) {
      collapsed.insert(branch);
      continue;
    }
    lanes += static_cast<int>(children.size());
    for (const int child : children) {
      open.push_back(child);
      std::push_heap(open.begin(), open.end(), lighter);
    }
  }
  return collapsed;
}

std::string contactLetters(const ModelBranch& branch) {
  constexpr std::string_view kKey = "\"contacts\":\"";
  const std::size_t at = branch.choice.find(kKey);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kKey.size();
  return branch.choice.substr(begin, branch.choice.find('"', begin) - begin);
}

std::vector<int> searchBranches(const RunModel& model, const std::vector<std::string>& names, const std::string& text,
                                const FinalStates* finals) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::size_t first = text.find_first_not_of(' ', begin),
                      last = text.find_last_not_of(' ', end - (end > begin));
    if (first < end) parts.push_back(text.substr(first, std::min(last + 1, end) - first));
    begin = end + 1;
  }
  std::vector<int> found;
  if (parts.empty()) return found;
  for (int b = 0; b < static_cast<int>(model.branches().size()); ++b) {
    const ModelBranch& branch = model.branches()[b];
    const bool named = b < static_cast<int>(names.size());
    const FinalState* end = finals ? finals->of(b) : nullptr;
    const std::string fates = fatesText(contactLetters(branch));
    if (std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
          return (named && contains(names[b], part)) || contains(branch.id, part) || contains(branch.status, part) ||
                 contains(branch.choice, part) || contains(fates, part) || (end && contains(end->text, part));
        }))
      found.push_back(b);
  }
  return found;
}

std::vector<int> branchesAt(const RunModel& model, double time) {
  std::vector<int> found;
  const auto& branches = model.branches();
  for (int b = 0; b < static_cast<int>(branches.size()); ++b) {
    if (time < branches[b].fork_time || time > branches[b].end_time) continue;
    const bool forked = std::any_of(branches[b].children.begin(), branches[b].children.end(), [&](int child) {
      return branches[child].fork_time == branches[b].end_time && time == branches[b].end_time;
    });
    if (!forked) found.push_back(b);
  }
  return found;
}

int parentOf(const RunModel& model, int branch) {
  const int parent = model.branches()[branch].parent;
  return parent < 0 ? branch : parent;
}

int firstChildOf(const RunModel& model, int branch) {
  const auto& children = model.branches()[branch].children;
  if (children.empty()) return branch;
  return *std::max_element(children.begin(), children.end(), [&](int a, int b) {
    return model.branches()[a].weight < model.branches()[b].weight;
  });
}

int siblingOf(const RunModel& model, int branch, int step) {
  const int parent = model.branches()[branch].parent;
  if (parent < 0) return branch;
  const auto& children = model.branches()[parent].children;
  const auto self = std::find(children.begin(), children.end(), branch) - children.begin();
  const auto count = static_cast<std::ptrdiff_t>(children.size());
  return children[((self + step) % count + count) % count];
}

double firstDifference(const RunModel& model, int a, int b) {
  const auto& branches = model.branches();
  const double shorter = std::min(branches[a].end_time, branches[b].end_time);
  double difference = INFINITY;
  while (a != b) {
    // Climb on the deeper side; the earliest fork passed is where the ways part.
    int& climber = branches[a].depth >= branches[b].depth ? a : b;
    difference = std::min(difference, branches[climber].fork_time);
    if (branches[climber].parent < 0) return 0;
    climber = branches[climber].parent;
  }
  return std::min(difference, shorter);
}

}  // namespace rigor::viewer
