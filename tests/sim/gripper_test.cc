// SPDX-License-Identifier: MIT
// Proved: a gripper holds a box by friction alone, at rest and while it carries it up and down, without creep; with too
// little friction the box slides out with the acceleration that friction leaves. Oracles: the box's pose in the palm's
// frame; Coulomb's law.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

const std::string kBundled = RIGOR_SOURCE_DIR "/scenes/";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error(from);
  return text.replace(at, from.size(), to);
}

std::string sceneText() {
  std::ifstream file(kBundled + "gripper.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Largest way of the box's corners against the palm since the start, at the ends of all pieces [m]. The palm does not
/// turn.
double creep(const ProvedRun& run) {
  const int box = bodyNamed(run.scene, "box"), palm = bodyNamed(run.scene, "gripper/palm");
  const auto& shape = std::get<geom::Polytope>(run.scene.bodies[box].parts[0]);
  double worst = 0;
  for (const PieceRecord& r : run.pieces) {
    if (r.body != box) continue;
    const geom::Pose X = r.piece.end(), X0 = run.scene.bodies[box].pose;
    const Eigen::Vector3d moved = run.positionAt(palm, r.piece.t1) - run.scene.bodies[palm].pose.p;
    for (int v = 0; v < shape.numVertices(); ++v)
      worst = std::max(worst,
                       (X.p + X.rotation() * shape.vertex(v) - X0.p - X0.rotation() * shape.vertex(v) - moved).norm());
  }
  return worst;
}

TEST(Gripper, HoldsABoxForTenSecondsWithoutCreep) {
  const ProvedRun run = simulate(scenes::parseScene(sceneText(), kBundled + "gripper.yaml"));
  EXPECT_EQ(wrong(run), "");
  EXPECT_EQ(run.summary.time, 10);
  EXPECT_EQ(run.summary.contacts_broken, 0);
  EXPECT_LT(creep(run), 1e-12);  // Asked for: 1e-6 m.
}

TEST(Gripper, CarriesTheBoxUpAndDownWithoutCreep) {
  // 2 cm up and down, 1.5 times a second: up to 1.8 m/s^2 more than gravity, 5.8 N of the 10 N.
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "lift.csv";
  std::ofstream file(path);
  file << "time,lift,left_finger,right_finger\n";
  for (int i = 0; i <= 300; ++i) {
    const double t = 0.01 * i;
    file << t << ',' << 0.0018639 + 0.01 * (1 - std::cos(3 * M_PI * t))
         << ",0.021,0.021\n";  // 10000 (0.021 - 0.02) = 10 N.
  }
  file.close();
  std::string text =
      replaced(sceneText(), "type: pd", "type: script\n      mode: position\n      file: " + path.string());
  text = replaced(text, "rate: 100", "rate: 500");
  text = text.erase(text.find("      kp:"), text.find("bodies:") - text.find("      kp:"));
  text = replaced(text, "rate: 500", "rate: 500\n      kp: 10000\n      kd: 100");
  RunOptions options;
  options.until = 1.5;
  const ProvedRun run = simulate(scenes::parseScene(text, kBundled + "gripper.yaml"), options);
  EXPECT_EQ(wrong(run, RunStatus::kDone, HUGE_VAL), "");
  const int palm = bodyNamed(run.scene, "gripper/palm");
  EXPECT_GT(run.positionAt(palm, 0.4)[2], 0.41);
  EXPECT_LT(creep(run), 1e-6);
}

TEST(Gripper, TooLittleFrictionLetsTheBoxSlideOut) {
  const double friction = 0.2, press = 10, mass = 0.5;  // 2 x 0.2 x 10 N of the 4.9 N.
  RunOptions options;
  options.until = 0.2;
  const ProvedRun run = simulate(
      scenes::parseScene(replaced(sceneText(), "friction: 0.5", "friction: 0.2"), kBundled + "gripper.yaml"), options);
  EXPECT_EQ(wrong(run, RunStatus::kDone, HUGE_VAL), "");
  const int box = bodyNamed(run.scene, "box");
  const double acceleration = 9.81 - 2 * friction * press / mass;
  for (const double t : {0.05, 0.1, 0.2})
    EXPECT_NEAR(0.32 - run.positionAt(box, t)[2], acceleration * t * t / 2, 1e-6) << t;
}

TEST(Gripper, AStepOfHardlyAnyLengthDoesNotShortenTheNext) {
  // As between an event and the sample of a controller right behind it: shorter than any step that is tried.
  Simulation simulation(scenes::parseScene(sceneText(), kBundled + "gripper.yaml"), 0);
  Sink sink;
  (void)simulation.run(0.105, sink);
  (void)simulation.run(0.105 + 2e-13, sink);
  const Summary summary = simulation.run(0.2, sink);
  EXPECT_EQ(summary.status, RunStatus::kDone) << summary.message;
  EXPECT_LT(summary.steps, 30);
}

}  // namespace
}  // namespace rigor::sim::test
