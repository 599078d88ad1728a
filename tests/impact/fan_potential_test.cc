// SPDX-License-Identifier: MIT
// Proved: potentials on fans bound outcomes from outside: never within exact sets, near what is reached for a landed
// box without friction; more work narrows them; moves of rays lower them as much as slopes say; the checker refuses
// altered proofs and cones that do not fill the space once.
#include <gtest/gtest.h>

#include "impact/sets/fan_moves.h"
#include "impact/sets/fan_selection.h"
#include "impact/sets/potential_bounds.h"
#include "landed_box.h"
#include "sets_inside.h"

namespace rigor::impact {
namespace {

std::optional<FanProof> fanOf(const ImpactProblem& problem, const std::string& name, int side, std::int64_t work) {
  const ExactProblem exact(problem);
  for (const ExactQuantity& quantity : quantitiesOf(exact)) {
    if (quantity.name == name) return searchFan(problem, exact, quantity, side, work, [] { return true; });
  }
  return {};
}

std::optional<FanProof> fanProofOf(const ImpactProblem& problem, const std::string& name, int side) {
  return fanOf(problem, name, side, 300'000);
}

TEST(FanPotential, KnownSetsLieInside) { EXPECT_GE(test::expectKnownSetsInside(fanProofOf), 10); }

TEST(FanPotential, RandomExactSetsLieInside) { EXPECT_GE(test::expectExactSetsInside(5, fanProofOf), 12); }

// Without friction the bound is nearly what is reached; with it .38 is (SpatialSets), and more divisions come nearer.
/// The potential of a landed box on a fan that is moved, step by step.
class MovedFan {
 public:
  MovedFan() : exact_(problem_), scale_(problem_, exact_), forces_(scale_.forces(true)), fan_(exact_, scale_, 1'000) {
    for (const ExactQuantity& quantity : quantitiesOf(exact_)) {
      if (quantity.name == "vn0") goal_ = scale_.form(quantity.of).normalized();
    }
    solve({});
  }
  double value() const { return value_; }
  const Fan& fan() const { return fan_; }
  /// @returns what the potential at the start was expected to be.
  double move(double reach) {
    const FanGrowth growth(fan_, forces_, goal_);
    RayMoves moves;
    EXPECT_EQ(chooseMoves(fan_, growth, forces_, goal_, solution_.x, reach, goesOn, work_, moves), RowStatus::kSolved);
    EXPECT_TRUE(fan_.move(moves.ways));
    solve(moves.values);
    return moves.value;
  }

 private:
  static bool goesOn() { return true; }
  void solve(const Eigen::VectorXd& guess) {
    const FanGrowth growth(fan_, forces_, goal_);
    solution_ = {guess, {}};
    EXPECT_EQ(solveByFewRows(growth, false, goesOn, work_, solution_), RowStatus::kSolved);
    value_ = growth.program().cost.dot(solution_.x);
    // As with all rows at once.
    RowSolution all;
    EXPECT_EQ(solveRows(growth.program(), goesOn, work_, all), RowStatus::kSolved);
    EXPECT_NEAR(value_, growth.program().cost.dot(all.x), 0.01 * value_);
  }

  ImpactProblem problem_ = test::landedBox(0.3);
  ExactProblem exact_;
  KineticScale scale_;
  std::vector<ScaledForce> forces_;
  Fan fan_;
  Eigen::VectorXd goal_;
  RowSolution solution_;
  std::int64_t work_ = std::int64_t{1} << 50;
  double value_ = 0;
};

TEST(SlowFanPotential, MovesOfRaysLowerItAsMuchAsExpected) {
  MovedFan moved;
  for (int step = 0; step < 4; ++step) {
    const double before = moved.value(), expected = moved.move(0.05);
    EXPECT_LT(moved.value(), before) << step;
    EXPECT_LT(expected, 0.97 * before) << step;
    EXPECT_NEAR((before - moved.value()) / (before - expected), 1, 0.5) << step;
  }
  // The start stays, and normal velocities keep their signs on every cone.
  for (const Fan::Cone& cone : moved.fan().cones()) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(moved.fan().separates(cone, i) || moved.fan().approaches(cone, i));
  }
}

TEST(SlowFanPotential, ALandedBoxLiftsItsCornersLittle) {
  const std::optional<FanProof> smooth = fanOf(test::landedBox(0), "vn0", 1, 3'000'000);
  ASSERT_TRUE(smooth);
  EXPECT_LT(smooth->bound.get_d(), 0.425);
  const std::optional<FanProof> coarse = fanOf(test::landedBox(0.3), "vn0", 1, 1'500'000);
  const std::optional<FanProof> fine = fanOf(test::landedBox(0.3), "vn0", 1, 10'000'000);
  ASSERT_TRUE(coarse && fine);
  EXPECT_LT(fine->bound.get_d(), 0.54);
  EXPECT_LT(fine->bound, coarse->bound);
  EXPECT_GT(fine->bound.get_d(), 0.38);
}

TEST(SlowFanPotential, AlteredProofsAreRefused) {
  const std::optional<FanProof> proof = fanOf(test::landedBox(0.3), "vn0", 1, 1'500'000);
  ASSERT_TRUE(proof);
  std::string failure;
  ASSERT_TRUE(checkFan(*proof, failure)) << failure;
  const auto refused = [&](auto alter) {
    FanProof altered = *proof;
    alter(altered);
    return !checkFan(altered, failure);
  };
  EXPECT_TRUE(refused([](FanProof& p) { p.bound *= mpq_class(999, 1000); }));
  EXPECT_TRUE(refused([](FanProof& p) { p.bound = -p.bound; }));
  EXPECT_TRUE(refused([](FanProof& p) { p.growth /= 2; }));
  EXPECT_TRUE(refused([](FanProof& p) { p.weights /= 2; }));
  EXPECT_TRUE(refused([](FanProof& p) { p.quantity = "vn9"; }));
  EXPECT_TRUE(refused([](FanProof& p) { for (auto& entry : p.pointing) entry /= 2; }));
  EXPECT_TRUE(refused([](FanProof& p) { for (auto& mu : p.problem.friction) mu *= 2; }));
  EXPECT_TRUE(refused([](FanProof& p) { p.rays.pop_back(); }));
  EXPECT_TRUE(refused([](FanProof& p) { p.rays[1] = p.rays[0]; }));
  EXPECT_TRUE(refused([](FanProof& p) { p.values.pop_back(); }));
  EXPECT_TRUE(refused([](FanProof& p) { p.values.push_back(p.values[0]); }));
  EXPECT_TRUE(refused([](FanProof& p) { p.shares.clear(); }));
  EXPECT_TRUE(refused([](FanProof& p) { p.shares[0].borders[0] = -1; }));
  for (size_t k = 0; k < proof->rays.size(); ++k)
    EXPECT_TRUE(refused([&](FanProof& p) { for (auto& entry : p.rays[k]) entry *= -1; })) << k;
  for (size_t k = 0; k < proof->cones.size(); k += 7) {
    EXPECT_TRUE(refused([&](FanProof& p) { p.cones.erase(p.cones.begin() + static_cast<std::ptrdiff_t>(k)); })) << k;
    EXPECT_TRUE(refused([&](FanProof& p) { p.cones.push_back(p.cones[k]); })) << k;
    EXPECT_TRUE(refused([&](FanProof& p) { p.cones[k][0] = p.cones[k][1]; })) << k;
  }
}

// Cones whose facets all fit, but that go around twice: five rays, each two fifths of a turn after the one before.
TEST(FanPotential, AFanThatGoesAroundTwiceIsRefused) {
  const ImpactProblem problem = test::randomPlanar(2);
  std::optional<FanProof> proof = fanOf(problem, "vn0", 1, 300'000);
  ASSERT_TRUE(proof);
  ASSERT_EQ(proof->coordinates.size(), 2u);
  const int places[5][2] = {{10, 0}, {-8, 6}, {3, -10}, {3, 10}, {-8, -6}};
  proof->rays.clear();
  proof->cones.clear();
  for (int k = 0; k < 5; ++k) {
    proof->rays.push_back({places[k][0], places[k][1]});
    proof->cones.push_back({k, (k + 1) % 5});
  }
  std::string failure;
  EXPECT_FALSE(checkFan(*proof, failure));
  EXPECT_EQ(failure, "cones that overlap");
}

}  // namespace
}  // namespace rigor::impact
