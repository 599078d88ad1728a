// SPDX-License-Identifier: MIT
// Proved: the bundled arm picks things up, carries them and puts them where its script says, and a peg into a hole that
// is 50 um wider; all of it without penetration. Oracle: where things have to be, from the scenes' geometry.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "tests/sim/simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

ProvedRun proved(const std::string& name) {
  ProvedRun run = simulate(bundledScene(name));
  EXPECT_EQ(wrong(run, RunStatus::kDone, HUGE_VAL), "");  // Actuators do work.
  EXPECT_EQ(run.summary.time, run.scene.until);
  return run;
}

/// It was .1 m above the table on its way, stands upright, and is where the script has put it, to a millimetre.
void expectCarried(const ProvedRun& run, const std::string& name, const Vector3d& place) {
  const int body = bodyNamed(run.scene, name);
  double highest = 0;
  for (double t = 0; t < run.summary.time; t += 0.05)
    highest = std::max(highest, run.positionAt(body, t)[2] - place[2]);
  EXPECT_GT(highest, 0.1);
  EXPECT_LT((run.endPosition(body) - place).norm(), 1e-3);
  EXPECT_NEAR(run.endPosition(body)[2], place[2], 1e-7);  // Contacts are placed to a few gaps of 4e-9 m.
  EXPECT_LT(Vector3d(run.endRotation(body).col(2) - Vector3d::UnitZ()).norm(), 1e-6);
  EXPECT_LT(endSpeed(run, body), 1e-6);
}

TEST(Manipulation, AnArmCarriesACube) { expectCarried(proved("pick-cube"), "cube", {0.32, -0.15, 0.02}); }

TEST(Manipulation, AnArmCarriesAMug) { expectCarried(proved("pick-mug"), "mug", {0.32, -0.15, 0}); }

TEST(Manipulation, APegEndsInAHoleThatIsFiftyMicrometresWider) {
  const ProvedRun run = proved("peg-in-hole");
  const int peg = bodyNamed(run.scene, "peg");
  const Vector3d off = run.endPosition(peg) - Vector3d(0.36, -0.1, 0);
  // Between the walls: it may lean from one to the other, and be held there just above the table, 30 mm deep.
  EXPECT_LT(off.head<2>().cwiseAbs().maxCoeff(), 5e-5);
  EXPECT_GT(off[2], 0);
  EXPECT_LT(off[2], 1e-4);
  EXPECT_LT(endSpeed(run, peg), 1e-6);
}

}  // namespace
}  // namespace rigor::sim::test
