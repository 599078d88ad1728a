// SPDX-License-Identifier: MIT
// Proves: the model shows exactly the recorded polynomials, in every branch and through ancestors; steps one by one;
// sees what a running writer commits; refuses damaged and foreign files. Oracles: the closed form of free flight, the
// pieces that were handed to the writer, record::Reader::stateAt (another path through the file).
#include "viewer/run_model.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/viewer/branching_record.h"

namespace rigor::viewer {
namespace {

using synthetic::ForkedDie;
using synthetic::TemporaryRecord;

TEST(RunModel, ShowsTheFlightOfEveryBranch) {
  const TemporaryRecord file("view_model");
  ForkedDie run;
  run.write(file.path);
  const auto model = RunModel::openRecord(file.path);
  ASSERT_EQ(model->branches().size(), 4u);
  EXPECT_EQ(model->branches()[0].children, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(model->branches()[2].parent, 0);
  EXPECT_EQ(model->heaviestLeaf(0), 3);  // Weights 1, 2, 3.
  EXPECT_EQ(model->findBranch("0/1"), 2);
  EXPECT_EQ(model->findBranch("0/7"), -1);
  EXPECT_NEAR(model->size(), 0.05 * std::sqrt(3), 1e-15);

  std::vector<Placement> placements;
  const Eigen::Vector3d p0{0, 0, 0.5}, v0{0.5, 0, 1}, g{0, 0, -9.81};
  const double f = run.fork;
  for (int branch = 1; branch <= 3; ++branch)
    for (const double t : {0.0, 0.013, 0.0999999, 0.1, 0.1 + 1e-9, 0.15, 0.2}) {
      model->placementsAt(branch, t, placements);
      ASSERT_TRUE(placements[0].known && placements[1].known);
      EXPECT_EQ(placements[0].pose.p, Eigen::Vector3d(0, 0, 0));
      const Eigen::Vector3d at_fork = p0 + f * v0 + f * f / 2 * g;
      const double s = t - f;
      const Eigen::Vector3d expected = t < f ? Eigen::Vector3d(p0 + t * v0 + t * t / 2 * g)
                                             : at_fork + s * run.velocityAfter(branch - 1) + s * s / 2 * g;
      EXPECT_LT((placements[1].pose.p - expected).norm(), 1e-14) << branch << " at " << t;
      const Eigen::Vector3d velocity = t < f ? Eigen::Vector3d(v0 + t * g) : run.velocityAfter(branch - 1) + s * g;
      EXPECT_LT((placements[1].v - velocity).norm(), 1e-11);
      EXPECT_LT((placements[1].w - Eigen::Vector3d(3, 2, 1)).norm(), 1e-3);  // The quaternion is a cubic.
    }
}

TEST(RunModel, SlowMotionOfANanosecondIsThePolynomial) {
  const TemporaryRecord file("view_slow");
  synthetic::writeDie(file.path, 40);
  const auto model = RunModel::openRecord(file.path);
  record::Reader reader(file.path);
  std::vector<Placement> placements;
  for (int i = 0; i < 200; ++i) {
    const double t = 0.05 + i * 1e-9;
    model->placementsAt(0, t, placements);
    const record::BodyState state = reader.stateAt("0", 1, t);
    EXPECT_EQ(placements[1].pose.p, state.position);  // Centre and origin coincide.
    EXPECT_EQ(placements[1].pose.q, state.orientation);
  }
}

TEST(RunModel, StepsForwardAndBackwardThroughAFork) {
  const TemporaryRecord file("view_steps");
  ForkedDie run;
  run.write(file.path);
  const auto model = RunModel::openRecord(file.path);
  std::vector<double> forward{0}, backward{run.end};
  while (forward.back() < run.end) {
    ASSERT_LT(forward.size(), 30u);
    forward.push_back(model->nextStep(2, forward.back()));
  }
  EXPECT_EQ(forward.size(), 11u);  // Ten pieces.
  while (backward.back() > 0) {
    ASSERT_LT(backward.size(), 30u);
    backward.push_back(model->previousStep(2, backward.back()));
  }
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(model->nextStep(2, run.end), run.end);
  EXPECT_EQ(model->previousStep(2, 0), 0);
}

TEST(RunModel, SeesWhatARunningWriterCommits) {
  const TemporaryRecord file("view_growing");
  sim::Scene scene;
  scene.name = "growing";
  scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
  scene.text = "name: growing\n";
  record::WriterOptions options = synthetic::replacing();
  options.commit_interval = 0;
  record::Writer writer(file.path, scene, synthetic::runInfo(), options);
  synthetic::Flight flight{1, {0, 0, 1}, {0, 0, 0}, {1, 0, 0}};
  writer.piece(flight.step(0.1, 0));
  writer.checkpoint(flight.t, 0, {});
  const auto model = RunModel::openRecord(file.path);
  EXPECT_TRUE(model->isGrowing());
  const double first = model->endTime(0);
  EXPECT_DOUBLE_EQ(first, 0.1);
  model->refresh();
  EXPECT_FALSE(model->refresh());
  writer.piece(flight.step(0.1, 1));
  writer.checkpoint(flight.t, 1, {});
  EXPECT_TRUE(model->refresh());
  EXPECT_DOUBLE_EQ(model->endTime(0), 0.2);
  sim::Summary summary;
  summary.time = flight.t;
  summary.min_gap = 1;
  writer.finish(summary, "{}");
  EXPECT_TRUE(model->refresh());
  EXPECT_FALSE(model->isGrowing());
  std::vector<Placement> placements;
  model->placementsAt(0, 0.15, placements);
  EXPECT_NEAR(placements[1].pose.p[2], 1 - 9.81 / 2 * 0.15 * 0.15, 1e-14);
}

TEST(RunModel, ALostFileIsSaidAndStaysReadable) {
  const TemporaryRecord file("view_lost");
  synthetic::writeDie(file.path, 10);
  const auto model = RunModel::openRecord(file.path);
  std::filesystem::remove(file.path);
  EXPECT_THROW(model->refresh(), record::RecordError);
  std::vector<Placement> placements;
  model->placementsAt(0, 0.01, placements);
  EXPECT_TRUE(placements[1].known);
}

TEST(RunModel, ReplacedFilesAreOpenedAnew) {
  const TemporaryRecord file("view_replaced");
  synthetic::writeDie(file.path, 10);
  const auto model = RunModel::openRecord(file.path);
  const TemporaryRecord other("view_replacing");
  synthetic::writeCubes(other.path, 8);
  std::filesystem::rename(other.path, file.path);
  EXPECT_TRUE(model->refresh());
  EXPECT_EQ(model->sceneName(), "cubes");
}

TEST(RunModel, RefusesWhatIsNoRecord) {
  const TemporaryRecord file("view_foreign");
  EXPECT_THROW(RunModel::openRecord(file.path), record::RecordError);
  std::ofstream(file.path) << "not a database";
  EXPECT_THROW(RunModel::openRecord(file.path), record::RecordError);
  synthetic::writeDie(file.path, 10);
  std::filesystem::resize_file(file.path, std::filesystem::file_size(file.path) / 2);
  // Damaged: an error when it is opened or when the missing rows are asked for, never more.
  try {
    const auto model = RunModel::openRecord(file.path);
    std::vector<Placement> placements;
    for (double t = 0; t < 0.05; t += 0.001) model->placementsAt(0, t, placements);
  } catch (const record::RecordError&) {
  }
}

TEST(RunModel, ASceneIsShownAtItsStart) {
  sim::Scene scene;
  scene.name = "start";
  scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
  scene.bodies[1].pose.p = {1, 2, 3};
  scene.bodies[1].centre = {0.01, 0.02, 0};
  const auto model = RunModel::fromScene(scene);
  std::vector<Placement> placements;
  model->placementsAt(0, 5, placements);
  EXPECT_EQ(placements[1].origin(model->bodies()[1].centre).p, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(model->nextStep(0, 0), 0);
}

}  // namespace
}  // namespace rigor::viewer
