// SPDX-License-Identifier: MIT
// Proves that what planes keep apart for a whole step over terrain is apart by what is claimed, at every instant that
// is looked at, whether the planes stay or move with the body; and that the tree of parts forgets none. Oracles:
// corners of both bodies, moved by the published pieces, one by one; a search through all boxes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sim/run/part_tree.h"
#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::AlignedBox3d;
using Eigen::Vector3d;

std::string hills() {
  constexpr int kCells = 40;
  std::string rows;
  for (int r = 0; r <= kCells; ++r) {
    rows += r ? ", [" : "[";
    for (int c = 0; c <= kCells; ++c)
      rows += fmt::format("{}{:.9g}", c ? ", " : "", 0.02 * std::sin(0.31 * c) * std::cos(0.29 * r));
    rows += "]";
  }
  return fmt::format("{{heightfield: {{size: [0.8, 0.8], thickness: 0.3, heights: [{}]}}}}", rows);
}

Scene tumbling(const BodyText& first, const BodyText& second) {
  SceneText text;
  text.bodies = {first, second};
  text.until = 0.5;
  return text.parse();
}

geom::Pose poseAt(const ProvedRun& run, int body, double time) {
  const Body& its = run.scene.bodies[static_cast<std::size_t>(body)];
  if (its.fixed) return its.pose;
  geom::Pose pose;
  for (const PieceRecord& r : run.pieces)
    if (r.body == body && r.piece.t0 <= time && time <= r.piece.t1) pose = r.piece.at(time);
  pose.p -= pose.rotation() * its.centre;
  return pose;
}

/// The least of n.(y - x) over the corners of two parts, n from A to B [m].
double gapAlong(const ProvedRun& run, const WitnessRecord& claim, double time) {
  const auto [a, part_a, b, part_b] = claim.pair;
  const bool of_a = claim.witness.axis.kind == advance::AxisKind::kFixedInA;
  const Vector3d n = (poseAt(run, of_a ? a : b, time).rotation() * claim.witness.axis.axis).normalized();
  const auto heights = [&](int body, int part) -> Eigen::RowVectorXd {
    const Body& its = run.scene.bodies[static_cast<std::size_t>(body)];
    const auto& polytope = std::get<geom::Polytope>(its.parts[static_cast<std::size_t>(part)]);
    const geom::Pose pose = poseAt(run, body, time);
    return (n.transpose() * (pose.rotation() * polytope.vertices())).array() + n.dot(pose.p);
  };
  return heights(b, part_b).minCoeff() - heights(a, part_a).maxCoeff();
}

TEST(TerrainPlanes, PartsAreApartByWhatIsClaimed) {
  BodyText ground{"ground", hills(), 0}, die{"die", kCube};
  die.position = {0.0137, 0.0071, 0.15};
  die.orientation = {1, 0.15, 0.1, 0.05};
  die.velocity = {0.5, 0.2, -1}, die.angular_velocity = {3, 2, 1};
  for (const int turn : {0, 1, 2}) {  // Ground first, die first, and a turned ground.
    const bool first = turn != 1;
    if (turn == 2) ground.position = {0.02, -0.01, 0}, ground.orientation = {1, 0.05, -0.04, 0.3};
    const ProvedRun run = simulate(first ? tumbling(ground, die) : tumbling(die, ground));
    EXPECT_EQ(wrong(run, RunStatus::kDone, 1e-11), "");
    long stay = 0, move = 0;
    for (const WitnessRecord& claim : run.witnesses) {
      const advance::Witness& w = claim.witness;
      if (w.axis.kind == advance::AxisKind::kEdges) continue;
      ++((w.axis.kind == advance::AxisKind::kFixedInA) == first ? stay : move);
      for (const double share : {0.0, 0.13, 0.5, 0.77, 1.0})
        ASSERT_GE(gapAlong(run, claim, w.t0 + share * (w.t1 - w.t0)), w.gap - 1e-12) << w.t0;
    }
    EXPECT_GT(stay, 1000);
    EXPECT_GT(move, 1000);
  }
}

TEST(TerrainPlanes, TheTreeFindsWhatASearchThroughAllBoxesFinds) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1, 1), size(0, 0.2);
  const auto box = [&] {
    const Vector3d lower(place(random), place(random), place(random));
    return AlignedBox3d(lower, lower + Vector3d(size(random), size(random), size(random)));
  };
  for (const int count : {1, 2, 17, 300}) {
    std::vector<AlignedBox3d> boxes;
    for (int k = 0; k < count; ++k) boxes.push_back(box());
    boxes.emplace_back(Vector3d::Constant(-HUGE_VAL), Vector3d::Constant(HUGE_VAL));
    const StillBoxes tree(boxes);
    for (int k = 0; k < 100; ++k) {
      const AlignedBox3d asked = box();
      const double under = place(random);
      std::vector<int> found, expected;
      const auto lies_below = [&](const AlignedBox3d& all) { return all.max()[2] <= under; };
      tree.visit(asked, lies_below, [&](int part) { found.push_back(part); });
      for (int i = 0; i <= count; ++i)
        if (boxes[static_cast<std::size_t>(i)].intersects(asked) && !lies_below(boxes[static_cast<std::size_t>(i)]))
          expected.push_back(i);
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected);
      int unlike = 0;
      found.clear(), expected.clear();
      tree.visitAll(asked, lies_below, [&](int part, bool covered) {
        found.push_back(part);
        unlike += covered != lies_below(boxes[static_cast<std::size_t>(part)]);
      });
      for (int i = 0; i <= count; ++i)
        if (boxes[static_cast<std::size_t>(i)].intersects(asked)) expected.push_back(i);
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected);
      EXPECT_EQ(unlike, 0);
    }
  }
}

}  // namespace
}  // namespace rigor::sim::test
