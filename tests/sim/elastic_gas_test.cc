// SPDX-License-Identifier: MIT
// Proves that elastic impacts between bodies that fly and turn lose nothing, however often flights are cut short by
// what others do: energy, and in free space both momenta, at every recorded state of a long run. Oracle: the laws of
// conservation, from the recorded states alone; the verifier.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "elastic_gas.h"

namespace rigor::sim::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Invariants {
  double energy = 0;
  Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();

  void add(const Body& body, const geom::Pose& pose, const Vector3d& v, const Vector3d& w) {
    const Matrix3d R = pose.rotation();
    const Vector3d spin = R * (body.inertia * (R.transpose() * w));
    energy += 0.5 * (body.mass * v.squaredNorm() + w.dot(spin));
    linear += body.mass * v;
    angular += pose.p.cross(body.mass * v) + spin;
  }
};

/// Of all bodies where their last pieces end.
Invariants invariantsAtEnd(const ProvedRun& run) {
  Invariants sum;
  for (size_t i = 0; i < run.scene.bodies.size(); ++i) {
    const Body& body = run.scene.bodies[i];
    if (body.fixed) continue;
    const PieceRecord& last = run.last(static_cast<int>(i));
    sum.add(body, last.piece.end(), last.v_end, last.w_end);
  }
  return sum;
}

Invariants invariantsAtStart(const Scene& scene) {
  Invariants sum;
  for (const Body& body : scene.bodies)
    if (!body.fixed) sum.add(body, body.pose, body.velocity, body.angular_velocity);
  return sum;
}

/// The largest change of a body's kinetic energy over one of its pieces, of that of all.
double largestChangeInFlight(const ProvedRun& run, double energy) {
  double largest = 0;
  for (const PieceRecord& r : run.pieces) {
    const Body& body = run.scene.bodies[r.body];
    if (body.fixed) continue;
    Invariants before, after;
    before.add(body, r.piece.start(), r.v_start, r.w_start);
    after.add(body, r.piece.end(), r.v_end, r.w_end);
    largest = std::max(largest, std::abs(after.energy - before.energy) / energy);
  }
  return largest;
}

void expectConserves(const ElasticGas& gas, long impacts) {
  SCOPED_TRACE(gas.seed);
  const ProvedRun run = simulate(gas.text().parse());
  ASSERT_EQ(wrong(run), "");
  ASSERT_GT(run.summary.impacts, impacts);
  EXPECT_EQ(run.summary.plastic_impacts, 0);
  const Invariants start = invariantsAtStart(run.scene), end = invariantsAtEnd(run);
  EXPECT_LT(std::abs(end.energy - start.energy), 1e-12 * start.energy);
  EXPECT_LT(std::abs(run.summary.energy_final - run.summary.energy_initial), 1e-12 * start.energy);
  EXPECT_LT(largestChangeInFlight(run, start.energy), 1e-13);
  if (!gas.free_box) return;
  double mass = 0;
  for (const Body& body : run.scene.bodies) mass += body.mass;
  const double momentum = std::sqrt(2 * mass * start.energy);
  EXPECT_LT((end.linear - start.linear).norm(), 1e-12 * momentum);
  EXPECT_LT((end.angular - start.angular).norm(), 1e-12 * momentum * end.linear.norm() / mass * run.summary.time);
}

TEST(SlowElasticGas, KeepsItsEnergyForAMinute) {
  for (const int seed : {1, 2}) expectConserves({static_cast<std::uint64_t>(seed)}, 400);
}

TEST(ElasticGas, InAFreeBoxKeepsItsMomenta) {
  for (const int seed : {1, 2}) expectConserves({static_cast<std::uint64_t>(seed), true, 20}, 100);
}

}  // namespace
}  // namespace rigor::sim::test
