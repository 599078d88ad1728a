// SPDX-License-Identifier: MIT
// Proves: the upper face of a die is found in all 24 upright positions, leaves that end alike are joined and others are
// not, branches are found by contact mode and final face. Oracle: the record written by hand; a table of a die's faces.
#include "viewer/final_states.h"

#include <gtest/gtest.h>

#include "tests/viewer/branching_record.h"
#include "viewer/branch_tree.h"

namespace rigor::viewer {
namespace {

using synthetic::TemporaryRecord;

constexpr double kHalf = 0.70710678118654752;

/// A die that rests in every branch: branch k turned by `turns[k]`, shifted by `places[k]`.
void writeResting(const std::string& path, const std::vector<Eigen::Vector4d>& turns,
                  const std::vector<Eigen::Vector3d>& places) {
  sim::Scene scene;
  scene.name = "resting";
  scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
  scene.bodies[1].pose.p = {0, 0, 0.05};
  scene.text = "name: resting\n";
  record::Writer writer(path, scene, synthetic::runInfo(), synthetic::replacing());
  const auto rest = [&](double from, double to, const Eigen::Vector4d& q, const Eigen::Vector3d& p) {
    sim::PieceRecord piece{1,         0,        advance::MotionPiece::constant({q, p}, from, to), {0, 0, 0}, {0, 0, 0},
                           {0, 0, 0}, {0, 0, 0}};
    writer.piece(piece);
    writer.checkpoint(to, 1, {});
  };
  rest(0, 1, {1, 0, 0, 0}, {0, 0, 0.05});
  writer.endBranch(1, 1e-8, "done");
  for (std::size_t k = 0; k < turns.size(); ++k) {
    writer.beginBranch({"0/" + std::to_string(k), "0", 1, k % 2 ? R"({"contacts":"ts"})" : R"({"contacts":"ff"})", 1});
    rest(1, 1.5 + 0.1 * static_cast<double>(k), turns[k], places[k] + Eigen::Vector3d(1, 0, 0));
    rest(1.5 + 0.1 * static_cast<double>(k), 3, turns[k], places[k]);
    writer.endBranch(3, 1e-8, "done");
  }
  writer.finish("done", "", "{}");
}

TEST(FinalStates, TheUpperFaceOfADie) {
  const Eigen::Vector3d up(0, 0, 1);
  const auto face = [&](double w, double x, double y, double z) {
    return faceUp(Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix(), up);
  };
  EXPECT_EQ(face(1, 0, 0, 0), 1);
  EXPECT_EQ(face(0, 1, 0, 0), 6);
  EXPECT_EQ(face(kHalf, 0, -kHalf, 0), 2);  // +x turned up.
  EXPECT_EQ(face(kHalf, 0, kHalf, 0), 5);
  EXPECT_EQ(face(kHalf, kHalf, 0, 0), 3);  // +y turned up.
  EXPECT_EQ(face(kHalf, -kHalf, 0, 0), 4);
  EXPECT_EQ(face(std::cos(0.1), std::sin(0.1), 0, 0), 0);
  // Each of 24 positions, four for every face; the same die seen from below adds to seven.
  int count[7] = {};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (const double s : {1.0, -1.0})
        for (const double t : {1.0, -1.0}) {
          if (a == b) continue;
          Eigen::Matrix3d R;
          R.col(0) = s * Eigen::Vector3d::Unit(a), R.col(1) = t * Eigen::Vector3d::Unit(b);
          R.col(2) = R.col(0).cross(R.col(1));
          ++count[faceUp(R, up)];
          EXPECT_EQ(faceUp(R, up) + faceUp(R, -up), 7);
        }
  for (int k = 1; k <= 6; ++k) EXPECT_EQ(count[k], 4) << k;
}

TEST(FinalStates, LeavesThatEndAlikeAreJoined) {
  const TemporaryRecord file("finals");
  writeResting(file.path, {{1, 0, 0, 0}, {kHalf, kHalf, 0, 0}, {1, 0.01, 0, 0}, {1, 0, 0, 0}, {-1, 0, 0, 0}},
               {{0, 0, 0}, {0, 0, 0}, {0.002, 0, 0}, {0.02, 0, 0}, {0, 0.003, 0}});
  const auto model = RunModel::openRecord(file.path);
  FinalStates finals;
  while (!finals.complete(*model)) finals.work(*model, 1);
  EXPECT_EQ(finals.of(0), nullptr);  // It forks.
  const int joined[] = {-1, -1, 1, -1,
                        1};  // Turned by a quarter; close; too far (the die is 0.1 m); the same rotation.
  const int faces[] = {1, 3, 0, 1, 1};      // Turned by 0.02 rad is more than a degree.
  for (int k = 0; k < 5; ++k) {
    const FinalState* state = finals.of(k + 1);
    ASSERT_NE(state, nullptr);
    EXPECT_TRUE(state->resting);
    EXPECT_DOUBLE_EQ(state->since, 1.5 + 0.1 * k);
    EXPECT_EQ(state->joined, joined[k]) << k;
    ASSERT_EQ(state->faces.size(), 1u) << k;
    EXPECT_TRUE(state->faces[0].die);
    EXPECT_EQ(state->faces[0].number, faces[k]) << k;
  }
  const auto found = [&](const char* text) { return searchBranches(*model, {"", "mine"}, text, &finals); };
  EXPECT_EQ(found("face 3"), std::vector<int>{2});
  EXPECT_EQ(found("face 1 up"), (std::vector<int>{1, 4, 5}));
  EXPECT_EQ(found("contact 2 slides"), (std::vector<int>{2, 4}));
  EXPECT_EQ(found("contact 1 sticks, face 1"), std::vector<int>{4});
  EXPECT_EQ(found("face 1,Mine"), std::vector<int>{1});
  EXPECT_EQ(found(" , "), std::vector<int>{});
  EXPECT_EQ(found("face 6"), std::vector<int>{});
}

}  // namespace
}  // namespace rigor::viewer
