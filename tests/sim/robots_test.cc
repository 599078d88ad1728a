// SPDX-License-Identifier: MIT
// Proved: robots in the event loop keep to their joints, their energy and to published closest approaches; they land, trot at
// the commanded speed and are proved apart from the ground at every instant; a snapshot continues bit for bit.
// Oracles: reference values of an independent integrator (the chain), closed form (the pendulum's period), invariants of the
// recorded pieces, the verifier.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <numbers>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"

namespace rigor::sim::test {
namespace {

Scene bundled(const std::string& name) {
  return scenes::loadScene(std::string(RIGOR_SOURCE_DIR) + "/scenes/" + name + ".yaml");
}

int findBody(const Scene& scene, const std::string& name) {
  for (size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].name == name) return static_cast<int>(i);
  ADD_FAILURE() << name;
  return 0;
}

/// Largest distance of the two ends of the joints between consecutive links `first`, first + 1, ... of a chain of links of
/// length `length` along x, at samples of the published pieces [m].
double largestOpening(const ProvedRun& run, int first, int links, double length) {
  std::map<std::pair<long, int>, const PieceRecord*> pieces;
  for (const PieceRecord& r : run.pieces) pieces[{r.step, r.body}] = &r;
  double worst = 0;
  for (const auto& [key, piece] : pieces) {
    if (key.second < first || key.second >= first + links - 1) continue;
    const PieceRecord* next = pieces.at({key.first, key.second + 1});
    for (const double u : {0.0, 0.3, 0.5, 0.8, 1.0}) {
      const double t = piece->piece.t0 + u * (piece->piece.t1 - piece->piece.t0);
      auto end = [&](const PieceRecord* r, double x) {
        const geom::Pose X = r->piece.at(t);
        return Eigen::Vector3d(X.p + X.rotation() * (Eigen::Vector3d(x, 0, 0) - run.scene.bodies[r->body].centre));
      };
      worst = std::max(worst, (end(piece, length) - end(next, 0)).norm());
    }
  }
  return worst;
}

TEST(Robots, TheChainPassesAtThePublishedDistanceAndStaysClosed) {
  const ProvedRun run = simulate(bundled("chain-20"));
  EXPECT_EQ(wrong(run), "");
  EXPECT_NEAR(run.summary.min_gap, 0.8172, 0.005 * 0.8172);  // At 4.489 s, scenarios.md of the reference integrator.
  const int first = findBody(run.scene, "chain/link0");
  EXPECT_LT(largestOpening(run, first, 20, 5), 2 * 0.1 * run.gap);
  double weight = 0;
  for (const Body& body : run.scene.bodies) weight += body.mass * 9.81;
  EXPECT_LT(std::abs(run.summary.energy_final - run.summary.energy_initial), 1e-4 * weight * 100);
}

TEST(Robots, ThePendulumKeepsItsPeriodAndEnergy) {
  const ProvedRun run = simulate(bundled("pendulum"));
  EXPECT_EQ(wrong(run), "");
  EXPECT_NEAR(run.summary.energy_final, run.summary.energy_initial, 1e-6);
  // A rod about its end from theta0: T = 2 pi sqrt(I / (m g l)) / agm(1, cos(theta0 / 2)).
  const Body& rod = run.scene.bodies[findBody(run.scene, "pendulum/rod0")];
  const double l = rod.centre.norm(), inertia = rod.inertia(1, 1) + rod.mass * l * l;
  double a = 1, b = std::cos(0.6);
  for (int i = 0; i < 8; ++i) std::tie(a, b) = std::pair{0.5 * (a + b), std::sqrt(a * b)};
  const double period = 2 * std::numbers::pi * std::sqrt(inertia / (rod.mass * 9.81 * l)) / a;
  const int body = findBody(run.scene, "pendulum/rod0");
  auto centreAt = [&](double t) {
    for (const PieceRecord& r : run.pieces)
      if (r.body == body && t <= r.piece.t1) return r.piece.at(t).p;
    return Eigen::Vector3d(Eigen::Vector3d::Constant(NAN));
  };
  EXPECT_LT((centreAt(2 * period) - centreAt(0)).norm(), 1e-4);
  EXPECT_GT((centreAt(1.5 * period) - centreAt(0)).norm(), 0.5);
}

TEST(Robots, TheTriplePendulumHitsTheGround) {
  const ProvedRun run = simulate(bundled("triple-pendulum"));
  EXPECT_EQ(wrong(run), "");
  EXPECT_FALSE(run.impacts.empty());
}

TEST(SlowRobots, TheQuadrupedTrotsAtTheCommandedSpeed) {
  RunOptions options;
  options.until = 2;
  const ProvedRun run = simulate(bundled("quadruped-trot"), options);
  EXPECT_EQ(wrong(run, RunStatus::kDone, HUGE_VAL), "");
  const int base = findBody(run.scene, "quadruped/base");
  const Eigen::Vector3d from = run.positionAt(base, 1), to = run.positionAt(base, 2);
  EXPECT_NEAR((to - from)[0], 0.1, 0.02);
  EXPECT_NEAR(to[2], 0.17, 0.2 * 0.17);
}

TEST(Robots, SnapshotsContinueBitForBit) {
  struct Last : Sink {
    std::vector<unsigned char> state;
    std::uint64_t hash = 1469598103934665603ull;
    void piece(const PieceRecord& r) override {
      for (int i = 0; i <= r.piece.p_degree; ++i)
        for (int k = 0; k < 3; ++k) {
          std::uint64_t bits;
          std::memcpy(&bits, &r.piece.p[i][k], sizeof bits);
          hash = (hash ^ bits) * 1099511628211ull;
        }
    }
  };
  Simulation once(bundled("quadruped-drop"), 3);
  Last first;
  (void)once.run(0.1, first);
  const std::vector<unsigned char> middle = once.snapshot();
  Last a, b;
  (void)once.run(0.2, a);
  Simulation again(bundled("quadruped-drop"), 3);
  again.restore(middle);
  (void)again.run(0.2, b);
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(once.snapshot(), again.snapshot());
}

}  // namespace
}  // namespace rigor::sim::test
