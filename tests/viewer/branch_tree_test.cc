// SPDX-License-Identifier: MIT
// Proves: every visible branch has one lane, children stand below their parents, folded ones are counted; walking,
// search, weights and the first difference of two branches are right; ten thousand branches fold to what fits. Oracles:
// the tree written by hand, sums of weights, counting.
#include "viewer/branch_tree.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/viewer/branching_record.h"

namespace rigor::viewer {
namespace {

using synthetic::TemporaryRecord;

/// A tree of branches without pieces: each forks into `width` children, `levels` deep, at times 1, 2, ...
void writeTree(const std::string& path, int width, int levels) {
  sim::Scene scene;
  scene.name = "tree";
  scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
  scene.text = "name: tree\n";
  record::Writer writer(path, scene, synthetic::runInfo(), synthetic::replacing());
  std::vector<std::string> level{"0"};
  writer.endBranch(levels == 0 ? 1 : 1, 1e-8, "done");
  for (int depth = 1; depth <= levels; ++depth) {
    std::vector<std::string> next;
    for (const std::string& parent : level)
      for (int k = 0; k < width; ++k) {
        const std::string id = parent + "/" + std::to_string(k);
        writer.beginBranch({id, parent, static_cast<double>(depth),
                            k == 0 ? "{\"contacts\": \"stick\"}" : "{\"contacts\": \"slide\"}", (k + 1.0)});
        writer.endBranch(depth + 1.0, 1e-8, k == 0 && depth == levels ? "failed" : "done");
        next.push_back(id);
      }
    level = next;
  }
  writer.finish("done", "", "{}");
}

TEST(BranchTree, LanesFollowTheTree) {
  const TemporaryRecord file("view_tree");
  writeTree(file.path, 3, 3);
  const auto model = RunModel::openRecord(file.path);
  ASSERT_EQ(model->branches().size(), 1u + 3 + 9 + 27);
  const auto lanes = layoutBranches(*model, {});
  ASSERT_EQ(lanes.size(), 40u);
  std::vector<int> seen(40, 0);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    EXPECT_EQ(lanes[i].lane, static_cast<int>(i));
    ++seen[lanes[i].branch];
    const ModelBranch& branch = model->branches()[lanes[i].branch];
    EXPECT_EQ(lanes[i].from, branch.fork_time);
    EXPECT_EQ(lanes[i].to, branch.end_time);
    if (branch.parent < 0) {
      EXPECT_EQ(lanes[i].parent_lane, -1);
    } else {
      ASSERT_LT(lanes[i].parent_lane, static_cast<int>(i));
      EXPECT_EQ(lanes[lanes[i].parent_lane].branch, branch.parent);
      EXPECT_LT(lanes[i].thickness, lanes[lanes[i].parent_lane].thickness);
    }
  }
  EXPECT_EQ(seen, std::vector<int>(40, 1));
  EXPECT_EQ(model->branches()[lanes[1].branch].id, "0/2");  // The heaviest first.

  const auto folded = layoutBranches(*model, {model->findBranch("0/2"), model->findBranch("0/0/1")});
  EXPECT_EQ(folded.size(), 40u - 12 - 3);
  for (const BranchLane& lane : folded) {
    const std::string& id = model->branches()[lane.branch].id;
    EXPECT_EQ(lane.hidden, id == "0/2" ? 12 : id == "0/0/1" ? 3 : 0);
  }
}

TEST(BranchTree, SharesOfTheLeavesAddUpToOne) {
  const TemporaryRecord file("view_shares");
  writeTree(file.path, 3, 3);
  const auto model = RunModel::openRecord(file.path);
  const auto weights = reachWeights(*model);
  double sum = 0;
  for (std::size_t b = 0; b < weights.size(); ++b)
    if (model->branches()[b].isLeaf()) sum += weights[b];
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(weights[model->findBranch("0/2/2/2")], 1.0 / 8, 1e-12);
}

TEST(BranchTree, TheKeyboardWalks) {
  const TemporaryRecord file("view_walk");
  writeTree(file.path, 3, 2);
  const auto model = RunModel::openRecord(file.path);
  const auto find = [&](const char* id) { return model->findBranch(id); };
  EXPECT_EQ(parentOf(*model, find("0/1/2")), find("0/1"));
  EXPECT_EQ(parentOf(*model, 0), 0);
  EXPECT_EQ(firstChildOf(*model, find("0/1")), find("0/1/2"));
  EXPECT_EQ(firstChildOf(*model, find("0/1/2")), find("0/1/2"));
  EXPECT_EQ(siblingOf(*model, find("0/1/2"), 1), find("0/1/0"));
  EXPECT_EQ(siblingOf(*model, find("0/1/0"), -1), find("0/1/2"));
  EXPECT_EQ(siblingOf(*model, 0, 1), 0);
}

TEST(BranchTree, SearchAndComparison) {
  const TemporaryRecord file("view_search");
  writeTree(file.path, 3, 2);
  const auto model = RunModel::openRecord(file.path);
  EXPECT_EQ(searchBranches(*model, {}, "FAILED").size(), 3u);
  EXPECT_EQ(searchBranches(*model, {}, "stick").size(), 4u);
  EXPECT_EQ(searchBranches(*model, {"", "six"}, "Six"), std::vector<int>{1});
  EXPECT_EQ(searchBranches(*model, {}, "nothing of that").size(), 0u);
  const auto find = [&](const char* id) { return model->findBranch(id); };
  EXPECT_EQ(firstDifference(*model, find("0/1/2"), find("0/1/0")), 2);
  EXPECT_EQ(firstDifference(*model, find("0/1/2"), find("0/2")), 1);
  EXPECT_EQ(firstDifference(*model, find("0/1/2"), find("0/1")), 2);
  EXPECT_EQ(firstDifference(*model, find("0/1"), find("0/1")), 2);  // Never: where it ends.
}

TEST(BranchTree, ThousandsOfBranchesFoldToWhatFits) {
  const TemporaryRecord file("view_large");
  writeTree(file.path, 21, 3);  // 9,724 branches.
  const auto model = RunModel::openRecord(file.path);
  const auto collapsed = collapseToFit(*model, 400);
  const auto lanes = layoutBranches(*model, collapsed);
  EXPECT_LE(lanes.size(), 400u);
  EXPECT_GE(lanes.size(), 300u);
  int hidden = 0;
  for (const BranchLane& lane : lanes) hidden += lane.hidden;
  EXPECT_EQ(lanes.size() + static_cast<std::size_t>(hidden), model->branches().size());
  EXPECT_TRUE(collapseToFit(*model, 10000).empty());
}

}  // namespace
}  // namespace rigor::viewer
