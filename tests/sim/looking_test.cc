// SPDX-License-Identifier: MIT
// Proves that a run does not depend on how often somebody looks: one call of run() and many give the same bits, what
// the many hand over is one record whose gaps verify, and a record beside them has the rows of the one call, laws
// included. So has one that ends where a run is stopped. Oracle: the complete state at the end, and the rows, byte for
// byte; the verifier.
#include <gtest/gtest.h>

#include <atomic>
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
  verify::Report shown, whole;  ///< Of what run() handed over, gaps alone; and of the record beside, laws included.
  double floor = 0;
};

verify::Report verified(const std::string& path) {
  verify::Options options;
  options.threads = 1;
  return verify::verifyRecord(path, options);
}

record::RunInfo infoOf(const Simulation& simulation, const Scene& scene) {
  return record::runInfo(simulation, 3, scene.until, "test");
}

/// Calls run() up to `looks` random times on the way, some of them twice.
Looked look(const Scene& scene, int looks) {
  const TemporaryFolder folder;
  const std::string path = (folder / "shown.rigor").string(), whole_path = (folder / "whole.rigor").string();
  Looked looked;
  {
    Simulation simulation(scene, 3);
    looked.floor = simulation.gapFloor();
    record::RunInfo info = infoOf(simulation, scene);
    record::Writer whole(whole_path, simulation.scene(), info);
    info.bounds = "{}";
    record::Writer writer(path, simulation.scene(), info);
    simulation.recordTo(whole);
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
    EXPECT_EQ(simulation.endRecord(), scene.until);
    whole.finish(looked.summary, "{}");
  }
  looked.shown = verified(path), looked.whole = verified(whole_path);
  return looked;
}

std::string firstOf(const verify::Report& report) {
  return report.failures.empty() ? "" : report.failures[0].reason;
}

/// A run that is looked at once and then stopped at `time`: by who stops looking, and by an interrupt.
/// @param may_end_before  Its record may: where a motion that is cut there would gain energy.
void expectProvedStop(const Scene& scene, double time, bool may_end_before = false) {
  const TemporaryFolder folder;
  for (const bool interrupted : {false, true}) {
    const std::string path = (folder / (interrupted ? "interrupted.rigor" : "left.rigor")).string();
    Simulation simulation(scene, 3);
    record::Writer writer(path, simulation.scene(), infoOf(simulation, scene));
    Summary summary;
    if (interrupted) {
      std::atomic<bool> stop = false;
      summary = simulation.run(scene.until, writer, &stop, [&](double now, long) { stop = now >= time; });
    } else {
      Sink nobody;
      simulation.recordTo(writer);
      simulation.run(0.5 * time, nobody), summary = simulation.run(time, nobody);
      summary.time = simulation.endRecord(), summary.status = RunStatus::kInterrupted;
      EXPECT_TRUE(summary.time == time || (summary.time < time && may_end_before)) << summary.time;
    }
    writer.finish(summary, "{}");
    const verify::Report report = verified(path);
    EXPECT_TRUE(report.verified && report.physics_known) << time << ": " << firstOf(report);
    EXPECT_EQ(report.horizon, summary.time);
  }
}

/// Looks 1, 7 and 60 times.
void expectTheSame(const Scene& scene) {
  const Looked once = look(scene, 0);
  for (const int looks : {1, 7, 60}) {
    const Looked often = look(scene, looks);
    EXPECT_TRUE(often.shown.verified) << looks << ": " << firstOf(often.shown);
    EXPECT_TRUE(often.whole.verified && often.whole.physics_known) << looks << ": " << firstOf(often.whole);
    EXPECT_TRUE(often.state == once.state) << looks;
    EXPECT_EQ(often.summary.steps, once.summary.steps);
    EXPECT_EQ(often.summary.energy_final, once.summary.energy_final);
    EXPECT_EQ(often.summary.contacts_made, once.summary.contacts_made);
    // Claims about motions that were cut give way by their rounding, or are proved anew: above the floor.
    EXPECT_LE(often.summary.min_gap, once.summary.min_gap);
    EXPECT_GE(often.summary.min_gap, often.floor);
    EXPECT_GE(often.shown.min_gap, often.floor);
  }
}

class Looking : public testing::TestWithParam<std::string> {};

TEST_P(Looking, OnceOrOftenGivesTheSameBits) {
  Scene scene = bundledScene(GetParam());
  scene.until = std::min(scene.until, scene.robots.empty() ? 0.8 : 0.3);
  expectTheSame(scene);
}

TEST_P(Looking, StopsWhereTheRecordIsProved) {
  Scene scene = bundledScene(GetParam());
  scene.until = std::min(scene.until, scene.robots.empty() ? 0.8 : 0.3);
  for (const double share : {0.03, 0.13, 0.29, 0.45, 0.61, 0.83})
    expectProvedStop(scene, share * scene.until, GetParam() == "edge-edge");
}

/// The beam rolls over an edge in steps of .1 s, whose curves are up to 4e-5 m off in the middle. So much of height is
/// more energy than one body may gain. Oracle: the verifier, and the times at which steps end.
TEST(Stopping, WhereACutMotionWouldGainEnergyEndsTheRecordAtWhatIsFinal) {
  Scene scene = bundledScene("edge-edge");
  scene.until = 0.8;
  const TemporaryFolder folder;
  const std::string path = (folder / "run.rigor").string();
  Simulation simulation(scene, 3), whole(scene, 3);
  record::Writer writer(path, simulation.scene(), infoOf(simulation, scene));
  simulation.recordTo(writer);
  Sink nobody;
  Summary summary = simulation.run(0.664, nobody);
  EXPECT_EQ(summary.time, 0.664);  // Who looks is shown what he asked for.
  summary.time = simulation.endRecord(), summary.status = RunStatus::kInterrupted;
  EXPECT_LT(summary.time, 0.664);
  EXPECT_GT(summary.time, 0.664 - scene.solver.max_step);
  writer.finish(summary, "{}");
  const verify::Report report = verified(path);
  EXPECT_TRUE(report.verified && report.physics_known) << firstOf(report);
  EXPECT_EQ(report.horizon, summary.time);
  // The run goes on as if nobody had looked or recorded.
  simulation.run(scene.until, nobody), whole.run(scene.until, nobody);
  EXPECT_TRUE(simulation.snapshot() == whole.snapshot());
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
