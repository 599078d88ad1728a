// SPDX-License-Identifier: MIT
// Proves that a scene and a seed fix every bit of a run, and that stopped runs end with a valid record and their
// reason. Oracle: a hash over all pieces, witnesses and impacts; the verifier.
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "scenes/loader.h"
#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

TEST(Determinism, SameSceneAndSeedGiveTheSameBits) {
  for (const std::string name : {"die", "cube-on-cube", "flat-drop"}) {
    const Scene scene = bundledScene(name);
    for (const std::uint64_t seed : {0, 7}) {
      const ProvedRun first = simulate(scene, {.seed = seed}), second = simulate(scene, {.seed = seed});
      EXPECT_EQ(wrong(first), "") << name;
      EXPECT_FALSE(first.pieces.empty());
      EXPECT_EQ(first.hash(), second.hash()) << name << ' ' << seed;
      EXPECT_EQ(first.summary.steps, second.summary.steps) << name << ' ' << seed;
      EXPECT_EQ(first.summary.energy_final, second.summary.energy_final) << name << ' ' << seed;
    }
  }
}

TEST(Determinism, TheSeedReachesTheImpacts) {
  // A cube falling flat hits four corners at once: the sampler of the Routh set decides among many outcomes.
  SceneText text;
  BodyText b{"die", box({0.1, 0.1, 0.1})};
  b.position = {0, 0, 0.3};
  b.velocity = {1, 0, 0};
  text.bodies = {ground(), b};
  text.until = 0.5;
  const Scene scene = text.parse();
  const std::uint64_t first = simulate(scene, {.seed = 1}).hash();
  bool different = false;
  for (std::uint64_t seed = 2; seed < 10 && !different; ++seed)
    different = simulate(scene, {.seed = seed}).hash() != first;
  EXPECT_TRUE(different);
}

TEST(Determinism, BudgetOfStepsEndsTheRunWithAValidRecord) {
  Scene scene = bundledScene("cube-on-cube");
  for (const long budget : {1, 2, 5, 10, 20}) {
    scene.solver.max_steps = budget;
    const ProvedRun run = simulate(scene);
    EXPECT_EQ(wrong(run, RunStatus::kBudget), "") << budget;
    EXPECT_EQ(run.summary.steps, budget);
    EXPECT_LT(run.summary.time, scene.until);
  }
  // It is the same run up to there.
  scene.solver.max_steps = 0;
  const ProvedRun whole = simulate(scene);
  scene.solver.max_steps = whole.summary.steps + 1;
  EXPECT_EQ(simulate(scene).hash(), whole.hash());
}

TEST(Determinism, InterruptEndsTheRunWithAValidRecord) {
  const Scene scene = bundledScene("cube-on-cube");
  for (const long at : {0, 1, 7, 15}) {
    std::atomic<bool> interrupt{at == 0};
    RunOptions options;
    options.interrupt = &interrupt;
    options.progress = [&](double, long steps) { interrupt = steps >= at; };
    const ProvedRun run = simulate(scene, options);
    EXPECT_EQ(wrong(run, RunStatus::kInterrupted), "") << at;
    EXPECT_EQ(run.summary.steps, at);
    EXPECT_LT(run.summary.time, scene.until);
  }
}

}  // namespace
}  // namespace rigor::sim::test
