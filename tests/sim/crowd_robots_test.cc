// SPDX-License-Identifier: MIT
// Proved: robots move with the crowds that lie on them: a tray on a spring sinks by the weight of the heap in it; the
// friction of its joint bears what it can; the end of its range stops it; a robot that floats in a cloud of cubes keeps
// the momentum of all. Oracles: the verifier (gaps, laws of motion), closed forms, sums over what is recorded.
#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "scenes/loader.h"
#include "sim/trace.h"
#include "simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

constexpr int kCubes = 16;
constexpr double kCubeMass = 0.5, kTrayMass = 2;                       // [kg]
constexpr double kLoad = (kTrayMass + kCubes * kCubeMass) * 9.81;  // [N]
constexpr double kSwing = 2e-3;  // Of a spring that is not at rest yet [m].

/// Counts the ticks of a run.
class TickCounter : public Trace {
 public:
  void entry(const TraceEntry& entry) override { ticks += entry.kind == "accepted" && entry.method == "crowd"; }
  int ticks = 0;
};

/// A tray with walls on a vertical slide; cubes fall into it, none over another.
Scene tray(const std::string& joint, double until, double gap = 0.05) {
  const TemporaryFolder folder;
  std::ofstream(folder / "tray.xml") << fmt::format(
      "<mujoco model='tray'><worldbody><body name='pan'><joint name='slide' type='slide' axis='0 0 1' {}/>"
      "<inertial mass='{}' pos='0 0 0' diaginertia='.1 .1 .1'/>"
      "<geom type='box' size='.35 .35 .02' pos='0 0 -.02'/>"
      "<geom type='box' size='.02 .35 .1' pos='.37 0 .1'/><geom type='box' size='.02 .35 .1' pos='-.37 0 .1'/>"
      "<geom type='box' size='.35 .02 .1' pos='0 .37 .1'/><geom type='box' size='.35 .02 .1' pos='0 -.37 .1'/>"
      "</body></worldbody></mujoco>\n", joint, kTrayMass);
  std::string text = fmt::format("until: {}\ncontact: {{friction: 0.5}}\nrobots:\n  - {{name: t, mjcf: tray.xml}}\n",
                                 until) + "bodies:\n";
  for (int i = 0; i < kCubes; ++i)
    text += fmt::format("  - {{name: c{}, mass: {}, shape: {{box: {{size: [0.1, 0.1, 0.1]}}}}, "
                        "position: [{}, {}, {}], rpy: [{}, 0.1, {}]}}\n",
                        i, kCubeMass, 0.16 * (i % 4) - 0.24, 0.16 * (i / 4) - 0.24, 0.1 + gap + 0.01 * (i % 3),
                        0.2 - 0.03 * i, 0.4 * i);
  return scenes::parseScene(text, (folder / "s.yaml").string());
}

/// How far the tray has moved along its slide [m].
double sunkAt(const ProvedRun& run, double time) {
  const int pan = bodyNamed(run.scene, "t/pan");
  return run.positionAt(pan, 0).z() - run.positionAt(pan, time).z();
}
double sunk(const ProvedRun& run) { return sunkAt(run, run.summary.time); }

/// Runs it, with ticks.
ProvedRun simulateCrowd(const Scene& scene) {
  TickCounter counter;
  const TraceScope scope(&counter);
  ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run), "");
  EXPECT_GT(counter.ticks, 20) << "it is no crowd";
  return run;
}

TEST(CrowdRobots, ATrayOnASpringSinksByTheWeightOfItsHeap) {
  constexpr double kStiffness = 2000;  // [N/m]
  const ProvedRun run = simulateCrowd(tray(fmt::format("stiffness='{}' damping='80'", kStiffness), 1.5));
  EXPECT_NEAR(sunk(run), kLoad / kStiffness, kSwing);
}

TEST(CrowdRobots, FrictionOfAJointBearsTheHeapUpToItsLimit) {
  const ProvedRun stuck = simulateCrowd(tray(fmt::format("frictionloss='{}'", 200 * kLoad), 0.6));
  // Hits move it, and friction stops it within a tick.
  EXPECT_LT(std::abs(sunk(stuck)), 0.005);
  EXPECT_LT(std::abs(sunk(stuck) - sunkAt(stuck, 0.5)), 1e-4);
  const ProvedRun run = simulateCrowd(tray(fmt::format("frictionloss='{}'", 0.5 * kLoad), 0.6, 0.005));
  // Once the heap lies in it, it falls with half of gravity.
  const double acceleration = (sunkAt(run, 0.6) - 2 * sunkAt(run, 0.4) + sunkAt(run, 0.2)) / (0.2 * 0.2);
  EXPECT_NEAR(acceleration, 0.5 * 9.81, 0.05 * 9.81);
}

TEST(CrowdRobots, TheEndOfARangeStopsATrayUnderItsHeap) {
  const ProvedRun run = simulateCrowd(tray("limited='true' range='-.03 .1' damping='20'", 0.6));
  const double end = sunk(run);
  EXPECT_LT(end, 0.03);
  EXPECT_NEAR(end, 0.03, 1e-6);
  EXPECT_TRUE(std::any_of(run.events.begin(), run.events.end(),
                          [](const Event& event) { return event.kind == "limit-reached"; }));
}

/// Two boxes on a hinge, in a cloud of cubes that all fly to it.
TEST(CrowdRobots, AFloatingRobotInACloudKeepsTheMomentumOfAll) {
  const TemporaryFolder folder;
  std::ofstream(folder / "r.xml")
      << "<mujoco model='r'><worldbody><body name='trunk'><freejoint/><geom type='box' size='.15 .1 .05' mass='3'/>"
         "<body name='arm' pos='.2 0 0'><joint name='j' type='hinge' axis='0 1 0' pos='-.04 0 0' damping='.05'/>"
         "<geom type='box' size='.03 .1 .05' pos='.1 0 0' mass='1'/></body></body></worldbody></mujoco>\n";
  std::string text =
      "until: 0.5\ngravity: [0, 0, 0]\ncontact: {friction: 0.4}\nrobots:\n"
      "  - {name: r, mjcf: r.xml, base: floating}\nbodies:\n";
  for (int i = 0; i < 27; ++i) {
    const Vector3d p(0.24 * (i % 3) - 0.24, 0.24 * (i / 3 % 3) - 0.24, 0.2 * (i / 9) - 0.2);
    if (i / 9 == 1) continue;
    const Vector3d v = -3 * p;
    text += fmt::format("  - {{name: c{}, mass: 0.4, shape: {{box: {{size: [0.1, 0.1, 0.1]}}}}, "
                        "position: [{}, {}, {}], rpy: [0.2, {}, 0.1], velocity: [{}, {}, {}]}}\n",
                        i, p.x(), p.y(), p.z(), 0.1 * i, v.x(), v.y(), v.z());
  }
  const ProvedRun run = simulateCrowd(scenes::parseScene(text, (folder / "s.yaml").string()));
  std::vector<int> all;
  for (int body = 0; body < static_cast<int>(run.scene.bodies.size()); ++body)
    if (!run.scene.bodies[body].fixed) all.push_back(body);
  const Momenta before = momentumAt(run, all, false), after = momentumAt(run, all, true);
  constexpr double kUnit = 18 * 0.4 * 1;  // All cubes at 1 m/s.
  EXPECT_LT((after.linear - before.linear).norm(), 1e-4 * kUnit);
  EXPECT_LT((after.angular - before.angular).norm(), 1e-4 * kUnit);
}

}  // namespace
}  // namespace rigor::sim::test
