// SPDX-License-Identifier: MIT
// Proves: what joints held and rows of impulses leave out comes back as the simulation said it. Oracle: the same run,
// watched by another sink.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "record/run_info.h"
#include "record/writer.h"
#include "scenes/loader.h"
#include "sim/simulation.h"
#include "tests/temporary_folder.h"
#include "verify/record/run_file.h"
#include "verify/verify.h"

namespace rigor::verify {
namespace {

using Source = sim::ImpulseRecord::Wrench::Source;
using kernel::Wrench;

/// Records, and keeps what joints held over steps: by start of the step and joint.
class Watcher : public sim::Sink {
 public:
  explicit Watcher(record::Writer& writer) : writer_(writer) {}
  void piece(const sim::PieceRecord& r) override { writer_.piece(r); }
  void witness(const sim::WitnessRecord& r) override { writer_.witness(r); }
  void event(const sim::EventRecord& r) override { writer_.event(r); }
  void impact(const sim::ImpactRecord& r) override { writer_.impact(r); }
  void joints(const sim::JointRecord& r) override { writer_.joints(r); }
  void impulses(const sim::ImpulseRecord& r) override {
    writer_.impulses(r);
    for (const auto& wrench : r.wrenches)
      if (wrench.source == Source::kJoint && r.t0 < r.t1)
        held[{r.t0, wrench.robot, wrench.joint}] = r.impulses[static_cast<std::size_t>(wrench.first)];
  }
  void checkpoint(double time, long step, const std::vector<unsigned char>& state) override {
    writer_.checkpoint(time, step, state);
  }
  std::map<std::tuple<double, int, int>, sim::ImpulseRecord::Impulse> held;

 private:
  record::Writer& writer_;
};

struct Compared {
  std::size_t joints = 0, rows_that_follow = 0, listed = 0;
};

sim::Scene bundled(const std::string& name) {
  return scenes::loadScene(std::string(RIGOR_SOURCE_DIR) + "/scenes/" + name + ".yaml");
}

Compared compare(const std::string& name, double until, sim::Scene scene) {
  const TemporaryFolder folder;
  const std::string path = folder / (name + ".rigor");
  scene.until = until;
  sim::Simulation simulation(scene, 1);
  record::Writer writer(path, simulation.scene(), record::runInfo(simulation, 1, until, ""));
  Watcher watcher(writer);
  const sim::Summary summary = simulation.run(until, watcher);
  writer.finish(summary, "");
  recorded::RunFile record(path);
  Compared compared;
  for (const auto& row : record.actions(0)) {
    compared.rows_that_follow += row.joints_follow;
    if (row.action.t0 < row.action.t1)
      for (const Wrench& wrench : row.action.wrenches) compared.listed += wrench.source == Wrench::Source::kJoint;
  }
  for (const auto& action : record.branchRows(0).actions)
    for (const Wrench& wrench : action.wrenches) {
      if (wrench.source != Wrench::Source::kJoint || !(action.t0 < action.t1)) continue;
      const auto found = watcher.held.find({action.t0, wrench.robot, wrench.joint});
      const Eigen::Vector3d P(wrench.impulses[0].P.data()), moment(wrench.impulses[0].moment.data());
      if (found == watcher.held.end()) {  // Nothing, to rounding.
        EXPECT_LT(P.norm() + moment.norm(), 1e-12) << name << " at " << action.t0;
        continue;
      }
      ++compared.joints;
      EXPECT_EQ(wrench.impulses[0].time, found->second.time);
      // Rounded wrenches lose 2^-29 of themselves; what follows from several of them a few times that.
      const double scale = 1e-7 * (found->second.P.norm() + found->second.moment.norm()) + 1e-9;
      EXPECT_LT((P - found->second.P).norm(), scale) << name << " joint " << wrench.joint << " at " << action.t0;
      EXPECT_LT((moment - found->second.moment).norm(), scale) << name << " joint " << wrench.joint;
    }
  EXPECT_EQ(compared.joints, watcher.held.size()) << name;
  return compared;
}

TEST(FollowingWrenches, WhatARobotsJointsHoldIsLeftOutAndComesBack) {
  const Compared quadruped = compare("quadruped-drop", 0.4, bundled("quadruped-drop"));
  EXPECT_GT(quadruped.rows_that_follow, 10u);
  EXPECT_LT(quadruped.listed, quadruped.joints / 3) << "those of links that a contact touches are listed";
}

TEST(FollowingWrenches, JointsOfAllKinds) {
  for (const auto& [name, until] : {std::pair{"double-pendulum", 1.0}, {"compass-gait", 1.0}, {"gripper", 0.5}}) {
    const Compared compared = compare(name, until, bundled(name));
    EXPECT_GT(compared.joints, 20u) << name;
    EXPECT_GT(compared.rows_that_follow, 5u) << name;
  }
}

TEST(FollowingWrenches, RobotsThatStepOverTheSameIntervalsKeepTheirOwn) {
  const std::string folder = RIGOR_SOURCE_DIR "/scenes/robots/", joints = "{joint0: 1}",
                    robot = ", urdf: " + folder + "double-pendulum.urdf, joints: ";
  const sim::Scene scene = scenes::parseScene("until: 0.5\nrobots:\n  - {name: a" + robot + joints +
                                                  "}\n  - {name: b" + robot + joints + ", position: [0, 4, 0]}\n",
                                              "twins.yaml");
  const Compared compared = compare("twins", 0.5, scene);
  EXPECT_GT(compared.rows_that_follow, 10u);
}

}  // namespace
}  // namespace rigor::verify
