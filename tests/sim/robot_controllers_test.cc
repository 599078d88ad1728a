// SPDX-License-Identifier: MIT
// Proved: controllers act in the event loop as they say: torques and positions of a file, effort and speed limits,
// damping and armature, and a law of one's own in C++ whose memory a snapshot keeps. Oracles: closed forms of one rotor
// without gravity; statics.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <fstream>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

/// About its hinge, the rotor's armature included [kg m^2].
constexpr double kInertia = 0.25;

/// A balanced rotor on a hinge about y.
Scene rotor(const std::string& joint, const std::string& controller, const std::string& table,
            const std::string& gravity = "[0, 0, 0]", double arm = 0) {
  const TemporaryFolder folder;
  std::ofstream(folder / "r.urdf")
      << "<robot name=\"r\">\n<link name=\"world\"/>\n<link name=\"rotor\"><inertial><origin xyz=\"" << arm
      << " 0 0\"/><mass value=\"2\"/><inertia ixx=\"0.2\" ixy=\"0\" ixz=\"0\" iyy=\"0.2\" iyz=\"0\" "
         "izz=\"0.2\"/></inertial></link>\n"
      << "<joint name=\"hinge\" type=\"continuous\"><parent link=\"world\"/><child link=\"rotor\"/><axis xyz=\"0 1 "
         "0\"/>"
      << joint << "</joint>\n</robot>\n";
  std::ofstream(folder / "c.csv") << table;
  return scenes::parseScene("gravity: " + gravity + "\nuntil: 1\nrobots:\n  - name: r\n    urdf: r.urdf\n" + controller,
                            (folder / "s.yaml").string());
}

/// Actuators do work: nothing is said of energy.
void expectProved(const ProvedRun& run) {
  EXPECT_EQ(run.summary.status, RunStatus::kDone) << run.summary.message;
  EXPECT_TRUE(run.report.verified) << wrong(run, RunStatus::kDone, 1e9);
}

double rotorAngle(const ProvedRun& run, double t) {
  const Eigen::Matrix3d R = run.orientationAt(bodyNamed(run.scene, "r/rotor"), t);
  return std::atan2(R(0, 2), R(0, 0));
}
double lastSpeed(const ProvedRun& run) { return run.last(bodyNamed(run.scene, "r/rotor")).w_end[1]; }

const std::string kArmature = "<dynamics damping=\"0\" armature=\"0.05\"/>";

TEST(RobotControllers, TorquesOfAFileTurnARotorByTheirIntegral) {
  // .3 N m for .5 s, then none.
  const ProvedRun run = simulate(rotor(kArmature, "    controller: {type: script, file: c.csv, rate: 1000}\n",
                                       "time,hinge\n0,0.3\n0.4999,0.3\n0.5,0\n1,0\n"));
  expectProved(run);
  const double a = 0.3 / kInertia;
  EXPECT_NEAR(rotorAngle(run, 0.4), a * 0.08, 1e-7);
  EXPECT_NEAR(rotorAngle(run, 1.0), a * (0.125 + 0.25), 1e-7);
  EXPECT_NEAR(lastSpeed(run), a * 0.5, 1e-9);
}

TEST(RobotControllers, EffortAndSpeedLimitsHoldActuatorsBack) {
  const std::string torque = "time,hinge\n0,5\n1,5\n",
                    script = "    controller: {type: script, file: c.csv, rate: 1000}\n";
  const ProvedRun weak = simulate(rotor(kArmature + "<limit effort=\"0.5\" velocity=\"0\"/>", script, torque));
  expectProved(weak);
  EXPECT_NEAR(lastSpeed(weak), 0.5 / kInertia, 1e-9);
  // It drives to 3 rad/s, and no further than what one sample adds.
  const ProvedRun slow = simulate(rotor(kArmature + "<limit effort=\"0\" velocity=\"3\"/>", script, torque));
  expectProved(slow);
  EXPECT_GE(lastSpeed(slow), 3);
  EXPECT_LE(lastSpeed(slow), 3 + 5 / kInertia * 1e-3 * (1 + 1e-9));
}

TEST(RobotControllers, DampingStopsARotorExponentially) {
  const double damping = 0.5;
  const ProvedRun run =
      simulate(rotor("<dynamics damping=\"0.5\" armature=\"0.05\"/>", "    joint_velocities: {hinge: 2}\n", ""));
  EXPECT_EQ(wrong(run), "");
  for (const double t : {0.2, 1.0})
    EXPECT_NEAR(rotorAngle(run, t), 2 * kInertia / damping * (1 - std::exp(-damping / kInertia * t)), 1e-5) << t;
}

TEST(RobotControllers, StepsDoNotDependOnDamping) {
  long least = 0;
  for (const double damping : {0.03, 3.0, 300.0, 3e5}) {
    SCOPED_TRACE(damping);
    const ProvedRun run = simulate(rotor("<dynamics damping=\"" + std::to_string(damping) + "\" armature=\"0.05\"/>",
                                         "    joint_velocities: {hinge: 2}\n", ""));
    EXPECT_EQ(wrong(run), "");
    EXPECT_NEAR(rotorAngle(run, 1), 2 * kInertia / damping * (1 - std::exp(-damping / kInertia)), 1e-5);
    if (least == 0) least = run.summary.steps;
    EXPECT_LE(run.summary.steps, least + 10);
  }
}

TEST(RobotControllers, RotorsKeepTheirEnergyOnTheWay) {
  // Two arms that fall over each other, heavy rotors, hardly damped: what the curve of a flight errs by is taken from
  // links and rotors alike. From links alone it took 11 J of 96 in a step, and the law of joints refuted the record.
  const TemporaryFolder folder;
  const std::string dynamics = "<axis xyz=\"0 1 0\"/><dynamics damping=\"0.01\" armature=\"0.5\"/></joint>\n",
                    inertia = "<inertia ixx=\"0.09\" iyy=\"0.09\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>",
                    body = "<inertial><origin xyz=\"0 0 -0.5\"/><mass value=\"1\"/>" + inertia + "</inertial></link>\n";
  std::ofstream(folder / "r.urdf")
      << "<robot name=\"r\"><link name=\"world\"/>\n<link name=\"a\">" << body << "<link name=\"b\">" << body
      << "<joint name=\"j1\" type=\"continuous\"><parent link=\"world\"/><child link=\"a\"/>" << dynamics
      << "<joint name=\"j2\" type=\"continuous\"><origin xyz=\"0 0 -1\"/><parent link=\"a\"/><child link=\"b\"/>"
      << dynamics << "</robot>\n";
  const auto energyAtTheEnd = [&](const std::string& tolerance) {
    const ProvedRun run = simulate(scenes::parseScene(
        "until: 3\nsolver: {velocity_tolerance: " + tolerance +
            "}\nrobots:\n  - {name: r, urdf: r.urdf, joints: {j1: 2.5, j2: 1.0}}\n", (folder / "s.yaml").string()));
    EXPECT_EQ(wrong(run), "");
    return run.summary.energy_final;
  };
  EXPECT_NEAR(energyAtTheEnd("2.0e-3"), energyAtTheEnd("1.0e-8"), 0.1);
}

TEST(RobotControllers, PositionsOfAFileAreFollowed) {
  // A spring of 50 N m, damped critically. On a ramp it lags by kd / kp of its speed; past the end that lag decays as
  // critical damping says.
  const double w = std::sqrt(50 / kInertia);
  const ProvedRun run = simulate(rotor(
      kArmature, "    controller: {type: script, mode: position, kp: 50, kd: 7.0710678, file: c.csv, rate: 2000}\n",
      "time,hinge\n0,0\n0.5,0.4\n1,0.4\n"));
  expectProved(run);
  const double speed = 0.8, lag = 2 / w * speed;
  EXPECT_NEAR(rotorAngle(run, 0.499), 0.499 * speed - lag, 1e-3);
  for (const double t : {0.1, 0.3, 0.5})
    EXPECT_NEAR(rotorAngle(run, 0.5 + t), 0.4 - (lag + speed * t) * std::exp(-w * t), 1e-3) << t;
}

/// Proportional and integral, with damping: what it remembers is the integral.
class Integrator : public dynamics::Controller {
 public:
  double period() const override { return 1e-3; }
  int memorySize() const override { return 1; }
  void calcForces(double, const dynamics::ArticulatedState& state, std::vector<double>& memory,
                  dynamics::ArticulatedWorkspace&, Eigen::VectorXd& tau) const override {
    const double error = 0.2 - state.q[0];
    memory[0] += period() * error;
    tau[0] = 60 * error + 300 * memory[0] - 8 * state.v[0];
  }
};

TEST(RobotControllers, ALawOfOnesOwnRemembersFromSampleToSample) {
  Scene scene = rotor(kArmature, "", "", "[0, 0, -9.81]", 0.1);
  scene.robots[0].robot.controller = std::make_shared<Integrator>();
  scene.files.clear(), scene.text.clear();  // It is none of theirs.
  RunOptions options;
  options.until = 3;
  const ProvedRun run = simulate(scene, options);
  expectProved(run);
  // Without a memory it would hang (m g l / kp) lower, by 30 mrad.
  EXPECT_NEAR(rotorAngle(run, 3), 0.2, 1e-4);

  struct Last : Sink {
    void piece(const PieceRecord& r) override { end = r.piece.end(); }
    geom::Pose end;
  };
  Last whole, first, rest;
  Simulation begun(scene, 0), resumed(scene, 0);
  (void)begun.run(0.3, first);
  resumed.restore(begun.snapshot());
  (void)begun.run(0.6, whole);
  (void)resumed.run(0.6, rest);
  EXPECT_EQ(begun.snapshot(), resumed.snapshot());
  EXPECT_EQ(whole.end.q, rest.end.q);
}

}  // namespace
}  // namespace rigor::sim::test
