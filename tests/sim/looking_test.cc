// SPDX-License-Identifier: MIT
// Proves that a run does not depend on how often somebody looks: one call of run() and many give the same bits, and
// what the many hand over is one record that verifies. Oracle: the complete state at the end, byte for byte; the
// verifier.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "record/writer.h"
#include "elastic_gas.h"
#include "simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

struct Looked {
  Summary summary;
  std::vector<unsigned char> state;
  verify::Report report;
  double floor = 0;
};

/// Calls run() up to `looks` random times on the way, some of them twice.
Looked look(const Scene& scene, int looks) {
  const TemporaryFolder folder;
  const std::string path = (folder / "run.rigor").string();
  Looked looked;
  {
    Simulation simulation(scene, 3);
    looked.floor = simulation.gapFloor();
    record::RunInfo info;
    info.seed = 3, info.build = "test", info.until = scene.until;
    info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor();
    record::Writer writer(path, simulation.scene(), info);
    std::mt19937_64 engine(static_cast<unsigned>(looks));
    double time = 0;
    for (int k = 0; k < looks; ++k) {
      time += std::uniform_real_distribution<double>(0, 2)(engine) * (scene.until - time) / (looks - k + 1);
      const Summary summary = simulation.run(time, writer);
      EXPECT_EQ(summary.status, RunStatus::kDone);
      EXPECT_EQ(summary.time, time);
      if (k % 5 == 0) {
        EXPECT_EQ(simulation.run(time, writer).steps, summary.steps);
      }
    }
    looked.summary = simulation.run(scene.until, writer);
    looked.state = simulation.snapshot();
    writer.finish(looked.summary, "{}");
  }
  verify::Options options;
  options.threads = 1;
  looked.report = verify::verifyRecord(path, options);
  return looked;
}

/// Looks 1, 7 and 60 times.
void expectTheSame(const Scene& scene) {
  const Looked once = look(scene, 0);
  for (const int looks : {1, 7, 60}) {
    const Looked often = look(scene, looks);
    EXPECT_TRUE(often.report.verified) << looks << ": "
                                       << (often.report.failures.empty() ? "" : often.report.failures[0].reason);
    EXPECT_TRUE(often.state == once.state) << looks;
    EXPECT_EQ(often.summary.steps, once.summary.steps);
    EXPECT_EQ(often.summary.energy_final, once.summary.energy_final);
    EXPECT_EQ(often.summary.contacts_made, once.summary.contacts_made);
    // Claims about motions that were cut give way by their rounding, or are proved anew: above the floor.
    EXPECT_LE(often.summary.min_gap, once.summary.min_gap);
    EXPECT_GE(often.summary.min_gap, often.floor);
    EXPECT_GE(often.report.min_gap, often.floor);
  }
}

class Looking : public testing::TestWithParam<std::string> {};

TEST_P(Looking, OnceOrOftenGivesTheSameBits) {
  Scene scene = bundledScene(GetParam());
  scene.until = std::min(scene.until, scene.robots.empty() ? 0.8 : 0.3);
  expectTheSame(scene);
}

TEST(LookingAtBalls, ThatTurnOverAnEdgeGivesTheSameBits) {
  SceneText text;
  text.until = 0.3;
  BodyText edge{"edge", box({2, 2, 2}), 0}, ball{"ball", "{sphere: {radius: 0.05, round: true}}"};
  edge.position = {-1, 0, -1}, ball.position = {-0.02, 0, 0.05};
  ball.velocity = {0.2, 0, 0}, ball.angular_velocity = {0, 4, 0};
  text.bodies = {edge, ball};
  expectTheSame(text.parse());
}

/// Flights that others cut end where free flight is, which the curve that was shown is not.
TEST(LookingAtFlights, OnceOrOftenGivesTheSameBits) {
  for (const bool free_box : {false, true}) {
    SCOPED_TRACE(free_box);
    expectTheSame(ElasticGas{.seed = 3, .free_box = free_box, .until = 5}.text().parse());
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Looking,
                         testing::Values("die", "cube-on-cube", "billiard-break", "newtons-cradle", "needle-and-plate",
                                         "stack-10", "double-pendulum", "quadruped-drop", "edge-edge"),
                         [](const auto& scene) {
                           std::string name = scene.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace rigor::sim::test
