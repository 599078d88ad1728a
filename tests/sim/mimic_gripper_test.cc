// SPDX-License-Identifier: MIT
// Proves: a finger that follows another, and damping that is stiff, act in contacts as they must. Oracles: a gripper of
// two fingers in closed form: virtual work shares the drive's force out, Coulomb's law says whether what it holds slips
// and how fast it then falls.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

constexpr double kMimicFinger = 0.1, kMimicHeld = 0.2, kMimicGravity = 9.81, kMimicFriction = 0.8;  // [kg], [m/s^2]

/// Two fingers that close along y by the force of one drive [N] on a cube between them, `gap` from each.
Scene mimicGripper(double force, double damping, double gap = 1e-3) {
  const TemporaryFolder folder;
  const std::string body =
      "<inertial><mass value=\"0.1\"/><inertia ixx=\"1e-4\" ixy=\"0\" ixz=\"0\" iyy=\"1e-4\" iyz=\"0\" "
      "izz=\"1e-4\"/></inertial>"
      "<collision><geometry><box size=\"0.03 0.02 0.08\"/></geometry></collision>";
  const auto joint = [&](const std::string& name, const std::string& child, double y, const std::string& more) {
    return "<joint name=\"" + name + "\" type=\"prismatic\"><parent link=\"world\"/><child link=\"" + child +
           "\"/><origin xyz=\"0 " + std::to_string(y) +
           " 0\"/><axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"0\" velocity=\"0\"/>" + more +
           "</joint>\n";
  };
  const double place = 0.02 + 0.01 + gap;
  std::ofstream(folder / "g.urdf") << "<robot name=\"g\">\n<link name=\"world\"/>\n<link name=\"left\">" << body
                                   << "</link>\n<link name=\"right\">" << body << "</link>\n"
                                   << joint("drive", "left", -place,
                                            "<dynamics damping=\"" + std::to_string(damping) + "\"/>")
                                   << joint("other", "right", place, "<mimic joint=\"drive\" multiplier=\"-1\"/>")
                                   << "</robot>\n";
  std::ofstream(folder / "f.csv") << "time,drive\n0," << force << "\n";
  return scenes::parseScene(
      "until: 0.3\ncontact: {friction: 0.8, restitution: 0}\nrobots:\n  - {name: g, urdf: g.urdf, controller: {type: "
      "script, file: f.csv, rate: 100}}\n"
      "bodies:\n  - {name: held, shape: {box: {size: [0.04, 0.04, 0.04]}}, mass: 0.2}\n",
      (folder / "s.yaml").string());
}

double heldHeight(const ProvedRun& run, double t) { return run.positionAt(bodyNamed(run.scene, "held"), t)[2]; }

void expectMimicProved(const ProvedRun& run) {
  EXPECT_EQ(run.summary.status, RunStatus::kDone) << run.summary.message;
  EXPECT_TRUE(run.report.verified) << wrong(run, RunStatus::kDone, 1e9);
}

TEST(MimicGripper, TheFollowerMovesWithItsLeaderAndWeighsOnIt) {
  const ProvedRun run = simulate(mimicGripper(4, 0, 0.5), {.until = 0.1});
  expectMimicProved(run);
  const double moved = 0.5 * 4 / (2 * kMimicFinger) * 0.01;
  EXPECT_NEAR(run.positionAt(bodyNamed(run.scene, "g/left"), 0.1)[1], -0.53 + moved, 1e-9);
  EXPECT_NEAR(run.positionAt(bodyNamed(run.scene, "g/right"), 0.1)[1], 0.53 - moved, 1e-9);
}

TEST(MimicGripper, HoldsWhatItsFrictionCarries) {
  // Each finger presses with half the force: both together carry mu F.
  const ProvedRun run = simulate(mimicGripper(4, 0));
  static_assert(kMimicFriction * 4 > kMimicHeld * kMimicGravity);
  expectMimicProved(run);
  EXPECT_NEAR(heldHeight(run, 0.3), heldHeight(run, 0.1), 1e-9);
  // It falls freely until the fingers have it, and no further than what friction then needs, had the fingers no
  // momentum of their own.
  const double closing = std::sqrt(2 * 1e-3 / (4 / (2 * kMimicFinger))), fall = 0.5 * kMimicGravity * closing * closing;
  EXPECT_LE(heldHeight(run, 0.1), -0.99 * fall);
  EXPECT_GE(heldHeight(run, 0.1), -fall * (1 + kMimicGravity / (kMimicFriction * 4 / kMimicHeld - kMimicGravity)));
}

TEST(MimicGripper, LetsSlipWhatIsTooHeavyAtTheRateOfCoulombsLaw) {
  const double force = 2;
  const ProvedRun run = simulate(mimicGripper(force, 0), {.until = 0.2});
  expectMimicProved(run);
  const double second = (heldHeight(run, 0.07) - 2 * heldHeight(run, 0.1) + heldHeight(run, 0.13)) / (0.03 * 0.03);
  EXPECT_NEAR(second, -(kMimicGravity - kMimicFriction * force / kMimicHeld), 1e-3 * kMimicGravity);
}

TEST(MimicGripper, StiffDampingClosesAtItsSpeedAndThenHolds) {
  // Damping of 1,000 N s/m takes the fingers' speed away in .2 ms: they creep at F / d. At samples, where steps end.
  const double force = 4, damping = 1000, decay = 2 * kMimicFinger / damping;
  const ProvedRun open = simulate(mimicGripper(force, damping, 0.5), {.until = 0.2});
  expectMimicProved(open);
  for (const double t : {0.1, 0.2})
    EXPECT_NEAR(open.positionAt(bodyNamed(open.scene, "g/left"), t)[1], -0.53 + force / damping * (t - decay), 1e-8);
  // Closed after 2.7 ms, they hold.
  const ProvedRun run = simulate(mimicGripper(force, damping, 1e-5));
  expectMimicProved(run);
  EXPECT_NEAR(heldHeight(run, 0.3), heldHeight(run, 0.1), 1e-9);
  EXPECT_LE(heldHeight(run, 0.1), -0.5 * kMimicGravity * 0.0025 * 0.0025);
  EXPECT_LE(run.summary.steps, 500) << "300 ms in steps of .2 ms would be 1,500";
}

}  // namespace
}  // namespace rigor::sim::test
