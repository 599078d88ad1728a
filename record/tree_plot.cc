// SPDX-License-Identifier: MIT
#include "record/tree_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace rigor::record {
namespace {

constexpr double kRow = 16, kLeastHeight = 160, kMostHeight = 6000;  // [px]
constexpr std::size_t kMostLabels = 300;  // Beyond that many leaves, names on the axis would overlap.
constexpr double kThinnest = 0.8, kThickest = 5;  // Lines of share 0 and 1 [px].

struct Node {
  BranchRow row;
  std::vector<Node*> children;
  double y = 0, share = 1;
  int group = -1;  // Alternative at the first fork; -1 above it.
};

int lastNumber(const std::string& id) {
  const auto slash = id.find_last_of('/');
  return slash == std::string::npos ? 0 : std::atoi(id.c_str() + slash + 1);
}

/// Rows from `next` downwards; a branch is in the middle of its children. No recursion: chains of forks are long.
void layOut(Node& root, std::vector<Node*>& leaves) {
  std::vector<std::pair<Node*, std::size_t>> path{{&root, 0}};
  while (!path.empty()) {
    auto& [node, child] = path.back();
    if (child < node->children.size()) {
      Node* const next = node->children[child++];
      next->share = node->share * next->row.weight;
      next->group = node->group < 0 ? lastNumber(next->row.id) : node->group;
      path.emplace_back(next, 0);
      continue;
    }
    if (node->children.empty()) {
      node->y = -static_cast<double>(leaves.size());
      leaves.push_back(node);
    } else {
      node->y = (node->children.front()->y + node->children.back()->y) / 2;
    }
    path.pop_back();
  }
}

}  // namespace

SvgPlot plotTree(Reader& reader) {
  std::map<std::string, Node> nodes;
  std::vector<Node*> order;
  for (BranchRow& row : reader.branches()) {
    Node& node = nodes[row.id];
    node.row = std::move(row);
    order.push_back(&node);
  }
  if (!nodes.contains("0")) throw RecordError("damaged record " + reader.path() + ": it has no branch '0'");
  for (Node* node : order)
    if (const auto parent = nodes.find(node->row.parent); parent != nodes.end())
      parent->second.children.push_back(node);
  for (Node* node : order)
    std::sort(node->children.begin(), node->children.end(),
              [](const Node* a, const Node* b) { return lastNumber(a->row.id) < lastNumber(b->row.id); });
  std::vector<Node*> leaves;
  layOut(nodes.at("0"), leaves);

  const std::vector<OpenAlternative> open = reader.openAlternatives();
  SvgPlot plot(fmt::format("{}: {} branches, {} leaves{}", reader.header().scene_name, nodes.size(), leaves.size(),
                           open.empty() ? "" : fmt::format(", {} alternatives unexplored", open.size())),
               "time [s]", "branch");
  plot.setFrame(640, std::clamp(kRow * static_cast<double>(leaves.size()), kLeastHeight, kMostHeight));
  plot.includeX(0);
  plot.includeX(reader.header().until);
  std::vector<PlotTick> ticks;
  if (leaves.size() <= kMostLabels)
    for (const Node* leaf : leaves) ticks.push_back({leaf->y, leaf->row.id});
  plot.setYTicks(std::move(ticks));

  constexpr int kGroupColours = 6;  // Without black and grey.
  for (const Node* node : order) {
    PlotStyle style;
    style.colour = node->group < 0 ? PlotColour::kBlack : static_cast<PlotColour>(node->group % kGroupColours);
    style.width = kThinnest + (kThickest - kThinnest) * std::sqrt(std::clamp(node->share, 0.0, 1.0));
    const BranchRow& row = node->row;
    const double start = row.parent.empty() ? 0 : row.fork_time;
    std::vector<PlotPoint> line;
    if (const auto parent = nodes.find(row.parent); parent != nodes.end()) line.push_back({start, parent->second.y});
    line.push_back({start, node->y});
    line.push_back({row.end_time, node->y});
    plot.addLine(line, "", style);
  }
  std::vector<PlotPoint> unexplored, early;
  for (const OpenAlternative& alternative : open)
    if (const auto parent = nodes.find(alternative.parent); parent != nodes.end())
      if (unexplored.empty() || unexplored.back().x != alternative.fork_time || unexplored.back().y != parent->second.y)
        unexplored.push_back({alternative.fork_time, parent->second.y});
  for (const Node* node : leaves)
    if (node->row.status == "failed" || node->row.status == "interrupted")
      early.push_back({node->row.end_time, node->y});
  if (!unexplored.empty())
    plot.addMarkers(unexplored, PlotMarker::kDiamond, "more alternatives", {.colour = PlotColour::kGrey, .size = 4});
  if (!early.empty())
    plot.addMarkers(early, PlotMarker::kCross, "ended early", {.colour = PlotColour::kVermillion, .size = 5});
  return plot;
}

}  // namespace rigor::record
