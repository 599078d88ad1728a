// SPDX-License-Identifier: MIT
// Proved: potentials bound outcomes from outside: never within exact sets, near what is reached for
// a landed box without friction; features narrow them; the checker refuses altered proofs.
#include <gtest/gtest.h>

#include "impact/sets/potential_bounds.h"
#include "landed_box.h"
#include "sets_inside.h"

namespace rigor::impact {
namespace {

constexpr std::int64_t kWork = 400'000'000;

std::optional<PotentialProof> boundOf(const ImpactProblem& problem, const std::string& name, int side,
                                      const std::vector<std::string>& features = {}) {
  const ExactProblem exact(problem);
  const std::vector<ExactQuantity> quantities = quantitiesOf(exact);
  std::vector<std::vector<mpq_class>> forms;
  for (const std::string& feature : features) {
    for (const ExactQuantity& quantity : quantities) {
      if (quantity.name == feature) forms.push_back(quantity.of);
    }
  }
  std::int64_t work = kWork;
  for (const ExactQuantity& quantity : quantities) {
    if (quantity.name == name)
      return searchPotential(problem, exact, quantity, side, forms, work, [] { return true; });
  }
  return {};
}

std::optional<PotentialProof> plainProofOf(const ImpactProblem& problem, const std::string& name, int side) {
  return boundOf(problem, name, side);
}

TEST(Potential, KnownSetsLieInside) { EXPECT_GE(test::expectKnownSetsInside(plainProofOf), 10); }

TEST(Potential, RandomExactSetsLieInside) { EXPECT_GE(test::expectExactSetsInside(8, plainProofOf), 20); }

// Without friction the bound is nearly what is reached; features narrow it.
TEST(Potential, ALandedBoxLiftsItsCornersLittle) {
  const std::optional<PotentialProof> smooth = boundOf(test::landedBox(0), "vn0", 1, {"v3", "v4"});
  ASSERT_TRUE(smooth);
  EXPECT_LT(smooth->bound.get_d(), 0.425);
  const std::optional<PotentialProof> coarse = boundOf(test::landedBox(0.3), "vn0", 1);
  const std::optional<PotentialProof> fine = boundOf(test::landedBox(0.3), "vn0", 1, {"v3", "v4"});
  ASSERT_TRUE(coarse && fine);
  EXPECT_LT(fine->bound.get_d(), 0.62);
  EXPECT_LT(fine->bound, coarse->bound);
  EXPECT_GT(fine->bound.get_d(), 0.38);  // It is reached (SpatialSets).
}

TEST(SlowPotential, AlteredProofsAreRefused) {
  const std::optional<PotentialProof> proof = boundOf(test::landedBox(0.3), "vn0", 1, {"v3"});
  ASSERT_TRUE(proof);
  std::string failure;
  ASSERT_TRUE(checkPotential(*proof, failure)) << failure;
  const auto refused = [&](auto alter) {
    PotentialProof altered = *proof;
    alter(altered);
    return !checkPotential(altered, failure);
  };
  EXPECT_TRUE(refused([](PotentialProof& p) { p.bound *= mpq_class(999, 1000); }));
  EXPECT_TRUE(refused([](PotentialProof& p) { p.bound = -p.bound; }));
  EXPECT_TRUE(refused([](PotentialProof& p) { p.growth /= 2; }));
  EXPECT_TRUE(refused([](PotentialProof& p) { p.weights /= 2; }));
  EXPECT_TRUE(refused([](PotentialProof& p) { p.quantity = "vn9"; }));
  EXPECT_TRUE(refused([](PotentialProof& p) { p.parts.pop_back(); }));
  EXPECT_TRUE(refused([](PotentialProof& p) { p.parts[1] = p.parts[0]; }));
  EXPECT_TRUE(refused([](PotentialProof& p) { for (auto& entry : p.pointing) entry /= 2; }));
  EXPECT_TRUE(refused([](PotentialProof& p) { for (auto& mu : p.problem.friction) mu *= 2; }));
  EXPECT_TRUE(refused([](PotentialProof& p) { p.square[0][0] *= mpq_class(101, 100); }));
  for (size_t k = 0; k < proof->parts.size(); ++k) {
    const PotentialProof::Part& part = proof->parts[k];
    if (!part.needless.empty()) {
      EXPECT_TRUE(refused([&](PotentialProof& p) { p.parts[k].needless.assign(part.needless.size(), 0); }));
    } else if (!part.slopes.empty()) {
      EXPECT_TRUE(refused([&](PotentialProof& p) { p.parts[k].slopes.pop_back(); }));
      EXPECT_TRUE(refused([&](PotentialProof& p) { p.parts[k].slopes[0].planes[0] = -1; }));
      EXPECT_TRUE(refused([&](PotentialProof& p) { p.parts[k].slopes[0].planes[0] += mpq_class(1, 100); }));
    } else {
      EXPECT_TRUE(refused([&](PotentialProof& p) { p.parts[k].products[0][0] = -1; }));
      EXPECT_TRUE(refused([&](PotentialProof& p) { p.parts[k].products[0][0] += 100; }));
    }
  }
}

}  // namespace
}  // namespace rigor::impact
