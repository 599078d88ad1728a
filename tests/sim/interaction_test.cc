// SPDX-License-Identifier: MIT
// Proves that a run taken step by step is the run, that a velocity that is set from outside starts a motion that is as
// proved as any other and that the record names, and that a run goes back to a snapshot bit for bit. Oracles: the
// complete state at the end, byte for byte; free fall in closed form; the verifier.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "record/reader.h"
#include "record/writer.h"
#include "scenes/loader.h"
#include "sim/history.h"
#include "simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

constexpr double kFallRounding = 1e-12;  // Of positions of about 1 m: thousands of roundings.

int bodyNamed(const Scene& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].name == name) return static_cast<int>(i);
  throw std::invalid_argument("no body " + name);
}

record::RunInfo infoOf(const Simulation& simulation) {
  record::RunInfo info;
  info.build = "test", info.until = simulation.scene().until;
  info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor();
  return info;
}

class Stepping : public testing::TestWithParam<std::string> {};

TEST_P(Stepping, StepsAreThoseOfTheRun) {
  Scene scene = bundledScene(GetParam());
  scene.until = std::min(scene.until, scene.robots.empty() ? 0.5 : 0.1);
  // With others, an impact of two bodies ends a motion of one that was handed over up to there.
  for (const int seed : {3, 6, 8, 10}) {
    SCOPED_TRACE(seed);
    Simulation once(scene, seed), stepped(scene, seed);
    Sink nobody;
    const Summary whole = once.run(scene.until, nobody);
    const TemporaryFolder folder;
    const std::string path = (folder / "run.rigor").string();
    record::Writer writer(path, stepped.scene(), infoOf(stepped));
    long steps = 0;
    double time = 0;
    for (;;) {
      const Summary summary = stepped.step(writer);
      ASSERT_EQ(summary.status, RunStatus::kDone);
      EXPECT_GE(summary.time, time);
      EXPECT_EQ(summary.time, stepped.time());
      time = summary.time;
      if (summary.steps == steps) break;
      ASSERT_EQ(summary.steps, ++steps);
      if (steps % 7 == 0) {
        EXPECT_EQ(stepped.run(time, writer).steps, steps);  // Looking in between changes nothing.
      }
    }
    EXPECT_EQ(steps, whole.steps);
    const Summary summary = stepped.run(scene.until, writer);
    EXPECT_EQ(summary.energy_final, whole.energy_final);
    EXPECT_TRUE(stepped.snapshot() == once.snapshot());
    writer.finish(summary, "{}");
    const verify::Report report = verify::verifyRecord(path);
    EXPECT_TRUE(report.verified) << (report.failures.empty() ? "" : report.failures[0].reason);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Stepping, testing::Values("die", "cube-on-cube", "newtons-cradle", "quadruped-drop"),
                         [](const auto& scene) {
                           std::string name = scene.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(LookingAtRobots, WithinTheirStepsLeavesRecordsTrue) {
  Scene scene = bundledScene("double-pendulum");
  scene.until = 0.5;
  Simulation simulation(scene, 1);
  const TemporaryFolder folder;
  const std::string path = (folder / "run.rigor").string();
  record::Writer writer(path, simulation.scene(), record::runInfo(simulation, 1, scene.until, "test"));
  Summary summary;
  for (int k = 1; k <= 20; ++k) summary = simulation.run(k * scene.until / 20, writer);
  writer.finish(summary, "{}");
  ASSERT_GT(20, summary.steps);  // Some are within a step.
  const verify::Report report = verify::verifyRecord(path);
  EXPECT_TRUE(report.verified) << (report.failures.empty() ? "" : report.failures[0].reason);
}

TEST(SetVelocity, StartsAFallInClosedFormThatVerifies) {
  Scene scene = bundledScene("die");
  scene.until = 1.5;
  Simulation simulation(scene, 0);
  const int die = bodyNamed(scene, "die");
  const TemporaryFolder folder;
  const std::string path = (folder / "run.rigor").string();
  record::Writer writer(path, simulation.scene(), infoOf(simulation));
  History history(simulation.scene());
  simulation.recordTo(writer);
  const double at = 0.7;  // On the table or nearly.
  simulation.run(at, history);
  const History::State before = *history.at(die, at);
  const Vector3d v(0.3, -0.2, 4), w(1, 2, 3);
  simulation.setVelocity(die, v, w, history);
  const History::State set = *history.at(die, at);
  EXPECT_EQ(set.position, before.position);
  EXPECT_EQ(set.orientation, before.orientation);
  EXPECT_EQ(set.velocity, v);
  EXPECT_EQ(set.angular_velocity, w);
  const double later = at + 0.3;  // Still rising: 4 m/s last 0.4 s.
  simulation.run(later, history);
  const Vector3d p = before.position + 0.3 * v + 0.5 * 0.09 * scene.gravity;
  EXPECT_LT((history.at(die, later)->position - p).norm(), kFallRounding);
  EXPECT_LT((history.at(die, later)->velocity - (v + 0.3 * scene.gravity)).norm(), kFallRounding);
  const Summary summary = simulation.run(scene.until, history);
  EXPECT_EQ(summary.status, RunStatus::kDone);
  simulation.endRecord();
  writer.finish(summary, "{}");

  EXPECT_TRUE(verify::verifyRecord(path).verified);
  record::Reader reader(path);
  const auto events = reader.events("0", at, at);
  EXPECT_EQ(std::count_if(events.begin(), events.end(),
                          [&](const auto& e) { return e.kind == "velocity-set" && e.body_a == die; }),
            1);
  const auto impacts = reader.impacts("0", at, at);
  ASSERT_FALSE(impacts.empty());
  EXPECT_EQ(impacts[0].model, "velocity-set");
  EXPECT_EQ(impacts[0].after[0].head<3>(), v);  // The die's centre is its origin.
  // What the history says is what the record says.
  for (const double t : {0.1, 0.5, at, 0.9, 1.5}) {
    const record::BodyState recorded = reader.stateAt("0", die, t);
    EXPECT_EQ(recorded.position, history.at(die, t)->position);
    EXPECT_EQ(recorded.velocity, history.at(die, t)->velocity);
    EXPECT_EQ(recorded.angular_velocity, history.at(die, t)->angular_velocity);
  }
}

TEST(SetVelocity, GoesOnFromASnapshotBitForBit) {
  const Scene scene = bundledScene("die");
  Simulation simulation(scene, 0);
  const int die = bodyNamed(scene, "die");
  History history(simulation.scene());
  simulation.run(0.2, history);
  const auto start = simulation.snapshot();
  const History::Mark mark = history.mark(simulation.time());
  const Vector3d velocity = history.at(die, 0.2)->velocity;
  const auto play = [&] {
    simulation.setVelocity(die, Vector3d(1, 0, 2), Vector3d::Zero(), history);
    simulation.run(0.9, history);
    return simulation.snapshot();
  };
  const auto first = play();
  const Vector3d position = history.at(die, 0.9)->position;
  simulation.restore(start);
  EXPECT_EQ(simulation.time(), 0.2);
  history.goBack(mark);
  EXPECT_EQ(history.at(die, 0.2)->velocity, velocity);
  EXPECT_EQ(history.impacts().size(), mark.impacts);
  EXPECT_FALSE(history.at(die, 0.3));
  EXPECT_TRUE(play() == first);
  EXPECT_EQ(history.at(die, 0.9)->position, position);
}

/// A box of 2 kg, 0.2 x 0.2 x 0.1 m, on a table with friction 0.5, and one in the air.
Scene boxes() {
  return scenes::parseScene(R"(
name: boxes
until: 1
contact: {friction: 0.5}
bodies:
  - {name: table, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}
  - {name: low, shape: {box: {size: [0.2, 0.2, 0.1]}}, mass: 2, position: [0, 0, 0.05]}
  - {name: high, shape: {box: {size: [0.2, 0.2, 0.1]}}, mass: 2, position: [0, 3, 50]}
)",
                            "boxes.yaml");
}

Eigen::Matrix<double, 6, 1> wrench(const Vector3d& force, const Vector3d& torque) {
  return (Eigen::Matrix<double, 6, 1>() << force, torque).finished();
}

constexpr double kStepAccuracy = 2e-3;  // [m/s] solver.velocity_tolerance, the error that a step may have.

TEST(ApplyWrench, MovesFreeBodiesByNewtonsLaw) {
  const Scene scene = boxes();
  Simulation simulation(scene, 0);
  History history(simulation.scene());
  const int high = bodyNamed(scene, "high");
  simulation.run(0.1, history);
  const Vector3d F(3, -4, 30), v0 = history.at(high, 0.1)->velocity, p0 = history.at(high, 0.1)->position;
  simulation.applyWrench(high, wrench(F, Vector3d(0, 0, 0.01)), 0.4, history);
  simulation.run(1, history);
  const double h = 0.4 - 0.1,
               I = 2 * (0.2 * 0.2 + 0.2 * 0.2) / 12;  // About z, an axis of symmetry that stays where it is.
  const Vector3d a = scene.gravity + F / 2;
  EXPECT_LT((history.at(high, 0.4)->velocity - (v0 + h * a)).norm(), kStepAccuracy);
  EXPECT_LT((history.at(high, 0.4)->position - (p0 + h * v0 + 0.5 * h * h * a)).norm(), kStepAccuracy * h);
  EXPECT_LT((history.at(high, 0.4)->angular_velocity - Vector3d(0, 0, h * 0.01 / I)).norm(), kStepAccuracy / 0.1);
  // And then it falls as ever.
  EXPECT_LT((history.at(high, 1)->velocity - (v0 + h * a + 0.6 * scene.gravity)).norm(), kStepAccuracy);
}

TEST(ApplyWrench, FrictionHoldsWhatItCanAndSlidesBeyond) {
  const Scene scene = boxes();
  const int low = bodyNamed(scene, "low");
  const double most = 0.5 * 2 * 9.81;  // [N] mu m g.
  const TemporaryFolder folder;
  for (const double share : {0.9, 1.2}) {
    Simulation simulation(scene, 0);
    const std::string path = (folder / (share < 1 ? "held.rigor" : "slides.rigor")).string();
    record::Writer writer(path, simulation.scene(), infoOf(simulation));
    History history(simulation.scene());
    simulation.recordTo(writer);
    simulation.run(0.2, history);
    const Vector3d start = history.at(low, 0.2)->position;
    simulation.applyWrench(low, wrench(Vector3d(share * most, 0, 0), Vector3d::Zero()), 0.7, history);
    const Summary summary = simulation.run(1, history);
    ASSERT_EQ(summary.status, RunStatus::kDone) << summary.message;
    simulation.endRecord();
    writer.finish(summary, "{}");
    EXPECT_TRUE(verify::verifyRecord(path).verified);
    // a = (F - mu m g) / m for 0.5 s; then friction takes it away at mu g.
    const double a = std::max(0.0, (share - 1) * most / 2), v = 0.5 * a, way = 0.5 * v * 0.5 + v * v / (2 * 0.5 * 9.81);
    EXPECT_NEAR(history.at(low, 0.7)->velocity.x(), v, kStepAccuracy);
    EXPECT_NEAR(history.at(low, 1)->position.x() - start.x(), way, kStepAccuracy);
    EXPECT_NEAR(history.at(low, 1)->velocity.norm(), 0, kStepAccuracy);
    if (share < 1) {
      EXPECT_EQ(history.at(low, 0.5)->velocity, Vector3d(0, 0, 0));  // At rest: not creeping.
    }
  }
}

TEST(ApplyWrench, IsPartOfSnapshotsAndEndsWhereItIsSaid) {
  const Scene scene = boxes();
  const int low = bodyNamed(scene, "low");
  Simulation simulation(scene, 0), looked(scene, 0);
  Sink nobody;
  for (Simulation* s : {&simulation, &looked}) {
    s->run(0.2, nobody);
    s->applyWrench(low, wrench(Vector3d(20, 0, 0), Vector3d(0, 0, 0.1)), 0.7, nobody);
  }
  simulation.run(1, nobody);
  for (double t = 0.2; t < 1; t += 0.03) {
    looked.run(t, nobody);
    const auto state = looked.snapshot();
    looked.restore(state);
  }
  looked.run(1, nobody);
  EXPECT_TRUE(looked.snapshot() == simulation.snapshot());
  const int table = bodyNamed(scene, "table");
  EXPECT_THROW(simulation.applyWrench(table, Eigen::Matrix<double, 6, 1>::Zero(), 1, nobody), std::invalid_argument);
  EXPECT_THROW(simulation.applyWrench(low, wrench(Vector3d(NAN, 0, 0), Vector3d::Zero()), 1, nobody),
               std::invalid_argument);
  EXPECT_THROW(simulation.applyWrench(low, Eigen::Matrix<double, 6, 1>::Zero(), NAN, nobody), std::invalid_argument);
}

TEST(SetVelocity, RefusesWhatCannotBeSet) {
  Sink nobody;
  Simulation simulation(bundledScene("die"), 0);
  const int die = bodyNamed(simulation.scene(), "die"), table = bodyNamed(simulation.scene(), "table");
  const Vector3d zero = Vector3d::Zero();
  EXPECT_THROW(simulation.setVelocity(table, zero, zero, nobody), std::invalid_argument);
  EXPECT_THROW(simulation.setVelocity(-1, zero, zero, nobody), std::invalid_argument);
  EXPECT_THROW(simulation.setVelocity(die, Vector3d(NAN, 0, 0), zero, nobody), std::invalid_argument);
  Simulation robot(bundledScene("double-pendulum"), 0);
  for (std::size_t i = 0; i < robot.scene().bodies.size(); ++i)
    if (robot.scene().bodies[i].robot >= 0) {
      EXPECT_THROW(robot.setVelocity(static_cast<int>(i), zero, zero, nobody), std::invalid_argument);
    }
}

}  // namespace
}  // namespace rigor::sim::test
