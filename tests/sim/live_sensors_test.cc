// SPDX-License-Identifier: MIT
// Proved: a controller reads, sample by sample, what contacts do to its robot's links and what IMUs on them say.
// Oracles: statics of a leg that stands, free fall and the momentum of a landing; what the record says of the same run.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <vector>

#include "record/reader.h"
#include "record/sensors.h"
#include "record/writer.h"
#include "scenes/loader.h"
#include "sim/simulation.h"
#include "tests/temporary_folder.h"
#include "verify/verify.h"

namespace rigor::sim::test {
namespace {

using dynamics::LinkReading;

/// Holds the leg's joint, and keeps what it read.
class Reader : public dynamics::Controller {
 public:
  struct Row {
    double time;
    std::vector<LinkReading> links;
    double effort;
  };
  double period() const override { return 2e-3; }
  bool senses() const override { return true; }
  void calcForces(double, const dynamics::ArticulatedState& state, std::vector<double>&,
                  dynamics::ArticulatedWorkspace&, Eigen::VectorXd& tau) const override {
    tau.setZero();
    tau[6] = -4000 * state.q[7] - 200 * state.v[6] - 3 * 9.81;
  }
  void calcForcesSensing(double time, const dynamics::ArticulatedState& state, const dynamics::Readings& readings,
                         std::vector<double>& memory, dynamics::ArticulatedWorkspace& workspace,
                         Eigen::VectorXd& tau) const override {
    rows->push_back({time, readings.links, readings.effort[6]});
    calcForces(time, state, memory, workspace, tau);
  }
  std::shared_ptr<std::vector<Row>> rows = std::make_shared<std::vector<Row>>();
};

/// A foot of 1 kg, .2 m wide, and a body of 3 kg on a slider along z; the foot's sole starts .05 m above ground.
Scene hopper() {
  const TemporaryFolder folder;
  const auto link = [](const char* name, double mass, const char* shape) {
    return "<link name=\"" + std::string(name) + "\"><inertial><mass value=\"" + std::to_string(mass) +
           "\"/><inertia ixx=\"0.02\" ixy=\"0\" ixz=\"0\" iyy=\"0.02\" iyz=\"0\" izz=\"0.02\"/></inertial>" + shape +
           "</link>\n";
  };
  std::ofstream(folder / "h.urdf")
      << "<robot name=\"h\">\n"
      << link("foot", 1, "<collision><geometry><box size=\"0.2 0.2 0.1\"/></geometry></collision>")
      << link("body", 3, "")
      << "<joint name=\"leg\" type=\"prismatic\"><parent link=\"foot\"/><child link=\"body\"/>"
         "<origin xyz=\"0 0 0.3\"/><axis xyz=\"0 0 1\"/><limit lower=\"-0.2\" upper=\"0.2\" effort=\"0\" "
         "velocity=\"0\"/></joint>\n</robot>\n";
  return scenes::parseScene(
      "until: 1\nbodies:\n  - {name: table, fixed: true, shape: {halfspace: {}}}\n"
      "robots:\n  - {name: h, urdf: h.urdf, position: [0, 0, 0.1]}\n",
      (folder / "s.yaml").string());
}

TEST(LiveSensors, LandingAndStandingOnALeg) {
  const TemporaryFolder folder;
  Scene scene = hopper();
  const auto reader = std::make_shared<Reader>();
  scene.robots[0].robot.controller = reader;
  scene.files.clear(), scene.text.clear();  // It is none of theirs.
  const std::string path = (folder / "h.rigor").string();
  {
    Simulation simulation(scene, 0);
    record::RunInfo info;
    info.build = "test", info.until = 1;
    info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor();
    record::Writer writer(path, simulation.scene(), info);
    const Summary summary = simulation.run(1, writer);
    ASSERT_EQ(summary.status, RunStatus::kDone) << summary.message;
    writer.finish(summary, "{}");
  }
  EXPECT_TRUE(verify::verifyRecord(path).verified);
  const auto& rows = *reader->rows;
  ASSERT_GE(rows.size(), 500u);
  // Falling: an accelerometer says nothing, and nothing touches.
  EXPECT_FALSE(rows[20].links[0].touches);
  EXPECT_TRUE(rows[20].links[0].force.isZero(0));
  // Standing: the ground carries 4 kg through the foot's middle, and the accelerometer says g.
  const LinkReading &foot = rows.back().links[0], &body = rows.back().links[1];
  EXPECT_TRUE(foot.touches);
  EXPECT_FALSE(body.touches);
  EXPECT_NEAR((foot.force - Eigen::Vector3d(0, 0, 4 * 9.81)).norm(), 0, 1e-4);
  EXPECT_NEAR(foot.torque.norm(), 0, 1e-4);
  EXPECT_NEAR((body.specific_force - Eigen::Vector3d(0, 0, 9.81)).norm(), 0, 1e-4);
  EXPECT_NEAR(rows.back().effort, -3 * 9.81 + 3 * 9.81 * 2, 1e-3);
  // All that acted is the momentum of the fall and the weight's: both were at rest at the start, and are at the end.
  double sum = 0;
  for (const auto& row : rows) sum += reader->period() * row.links[0].force.z();
  EXPECT_NEAR(sum, 4 * 9.81 * rows.back().time, 1e-6);
  // And sample by sample what the record says, but for what acts at a sample itself.
  record::Reader recorded(path);
  std::vector<double> times;
  for (const auto& row : rows) times.push_back(row.time);
  const auto said = record::sensorsOf(recorded, "0", 1, times);
  int different = 0;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    EXPECT_NEAR((said[k].specific_force - rows[k].links[0].specific_force).norm(), 0, 0.05) << times[k];
    different += (said[k].force - rows[k].links[0].force).norm() > 1e-6;
  }
  EXPECT_LE(different, 4);
}

}  // namespace
}  // namespace rigor::sim::test
