// SPDX-License-Identifier: MIT
//
// Proves: draws follow their distributions and depend on the run's number alone; results do not depend on threads,
// shards or interruptions; quantities are those of the run; bad files are refused with their place. Oracle: moments and
// symmetries of the distributions, free fall in closed form, byte equality of files.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "formats/csv.h"
#include "sweep/archive.h"
#include "sweep/results.h"
#include "sweep/run_sweep.h"
#include "tests/temporary_folder.h"

namespace rigor::sweep {
namespace {

const char* const kScene = R"(name: fall
until: 0.2
bodies:
  - name: ball
    shape: {box: {size: [0.1, 0.1, 0.1]}}
    mass: 1
    position: [0, 0, 5]
    rpy: [0, 0, 0]
)";

struct Sweeps : testing::Test {
  TemporaryFolder folder;
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }
  Plan plan(const std::string& text, const std::string& scene = kScene) const {
    std::ofstream(path("scene.yaml")) << scene;
    std::ofstream(path("sweep.yaml")) << text;
    return Plan::load(path("sweep.yaml"), [&](const std::string& name) { return path(name); });
  }
  std::string refusal(const std::string& text) const {
    try {
      plan(text);
      return "";
    } catch (const scenes::LoadError& error) {
      return std::string(error.what()).substr(folder.path().string().size() + 1);
    }
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  SweepSummary run(const Plan& p, const std::string& name, int threads = 1, Shard shard = {},
                   bool resume = false) const {
    SweepOptions options;
    options.folder = path(name), options.build = "test", options.threads = threads, options.shard = shard,
    options.resume = resume;
    return runSweep(p, options);
  }
};

using SweepTest = Sweeps;

TEST_F(SweepTest, DrawsFollowTheirDistributions) {
  const Plan p = plan(R"(scene: scene.yaml
runs: 4000
vary:
  bodies.ball.velocity: {uniform: [[-1, 0, 2], [1, 0, 4]]}
  bodies.ball.mass: {normal: [3, 0.5]}
  bodies.0.friction: {choice: [0.1, 0.2, no-slip]}
  bodies.ball.orientation: {rotation: uniform}
  until: {grid: [0.1, 0.2]}
)");
  const long n = p.runs();
  double mean[3] = {}, mass = 0, mass_square = 0;
  long choices[3] = {}, first_grid = 0;
  Eigen::Matrix3d moment = Eigen::Matrix3d::Zero();
  for (long k = 0; k < n; ++k) {
    const std::vector<YAML::Node> values = p.draw(k);
    for (int i = 0; i < 3; ++i) mean[i] += values[0][i].as<double>() / n;
    EXPECT_LE(std::abs(values[0][0].as<double>()), 1);
    EXPECT_EQ(values[0][1].as<double>(), 0);
    const double m = values[1].as<double>();
    mass += m / n, mass_square += m * m / n;
    const std::string choice = values[2].Scalar();
    ++choices[choice == "0.1" ? 0 : choice == "0.2" ? 1 : 2];
    const Eigen::Quaterniond q(values[3][0].as<double>(), values[3][1].as<double>(), values[3][2].as<double>(),
                               values[3][3].as<double>());
    EXPECT_NEAR(q.norm(), 1, 1e-12);
    const Eigen::Vector3d z = q * Eigen::Vector3d::UnitZ();
    moment += z * z.transpose() / n;
    first_grid += values[4].as<double>() == 0.1;
  }
  // Five standard deviations of each mean.
  const double five = 5 / std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(mean[0], 0, five / std::sqrt(3.0));
  EXPECT_NEAR(mean[2], 3, five / std::sqrt(3.0));
  EXPECT_NEAR(mass, 3, five * 0.5);
  EXPECT_NEAR(std::sqrt(mass_square - mass * mass), 0.5, five * 0.5);
  for (const long count : choices) EXPECT_NEAR(count / static_cast<double>(n), 1.0 / 3, five * 0.5);
  EXPECT_EQ(first_grid, n / 2);
  // A direction that is uniform on the sphere has second moments of a third.
  EXPECT_LT((moment - Eigen::Matrix3d::Identity() / 3).cwiseAbs().maxCoeff(), five * 0.5);
}

TEST_F(SweepTest, QuantitiesAreThoseOfTheRun) {
  const Plan p = plan(R"(scene: scene.yaml
vary: {"bodies.ball.velocity": {grid: [[0, 0, 0], [1, 0, 2]]}, bodies.ball.rpy: {choice: [[1.5707963267948966, 0, 0]]}}
results: [ball.position, ball.face_up, time, rest_time, energy, ball.velocity]
)");
  ASSERT_EQ(p.runs(), 2);
  const SweepSummary summary = run(p, "out");
  EXPECT_EQ(summary.done, 2);
  const Rows rows = readRows(path("out/results.csv"), p.columns());
  ASSERT_EQ(rows.size(), 2u);
  const std::vector<std::string> columns = p.columns(), cells = formats::splitCsvLine(rows.at(1));
  const auto cell = [&](const std::string& name) {
    return cells[std::find(columns.begin(), columns.end(), name) - columns.begin()];
  };
  const double t = 0.2, g = 9.81, z = 5 + 2 * t - g * t * t / 2;
  EXPECT_EQ(cell("status"), "done");
  EXPECT_EQ(cell("bodies.ball.velocity"), "[1, 0, 2]");
  EXPECT_NEAR(std::stod(cell("ball.position.x")), t, 1e-12);
  EXPECT_NEAR(std::stod(cell("ball.position.z")), z, 1e-12);
  EXPECT_NEAR(std::stod(cell("ball.velocity.z")), 2 - g * t, 1e-12);
  EXPECT_NEAR(std::stod(cell("energy")), 0.5 * (1 + (2 - g * t) * (2 - g * t)) + g * z, 1e-10);
  EXPECT_EQ(cell("ball.face_up"), "3");  // A quarter turn about x brings +y up.
  EXPECT_EQ(cell("rest_time"), "") << "it still falls";
  EXPECT_EQ(std::stod(cell("time")), 0.2);
  for (const char* file : {"out/results.h5", "out/plots/status.svg", "out/plots/ball.face_up.svg",
                           "out/plots/energy.svg", "out/sweep.json"})
    EXPECT_TRUE(std::filesystem::exists(path(file))) << file;
}

const char* const kDice = R"(scene: scene.yaml
runs: 60
seed: 5
keep: [3]
vary:
  bodies.ball.orientation: {rotation: uniform}
  bodies.ball.velocity: {normal: [[0, 0, -1], [0.3, 0.3, 0.3]]}
results: [ball.face_up, ball.position, rest_time, steps]
)";
const char* const kDiceScene = R"(name: dice
until: 0.4
bodies:
  - {name: table, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}
  - {name: ball, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.2]}
)";

TEST_F(SweepTest, ThreadsShardsAndInterruptionsChangeNothing) {
  const Plan p = plan(kDice, kDiceScene);
  run(p, "one");
  const std::string expected = read("one/results.csv");
  ASSERT_EQ(std::count(expected.begin(), expected.end(), '\n'), 61);
  EXPECT_TRUE(std::filesystem::exists(path("one/records/run-000003.rigor")));
  for (const auto& [number, line] : readRows(path("one/results.csv"), p.columns())) {
    const std::vector<std::string> cells = formats::splitCsvLine(
        line);  // run, seed, status, orientation (4), velocity (3), face, position (3), rest, steps.
    const bool rests = !cells[14].empty();
    EXPECT_TRUE(!rests || (cells[10] >= "1" && cells[10] <= "6")) << line;
  }
  run(p, "three", 3);
  EXPECT_EQ(read("three/results.csv"), expected);

  std::vector<std::string> folders;
  for (long k = 1; k <= 5; ++k) {
    folders.push_back(path("shard" + std::to_string(k)));
    run(p, "shard" + std::to_string(k), 1, {k, 5});
  }
  std::swap(folders[0], folders[3]);
  mergeSweeps(folders, path("merged"));
  EXPECT_EQ(read("merged/results.csv"), expected);
  EXPECT_EQ(read("merged/records/run-000003.rigor").empty(), false);
  folders.pop_back();
  EXPECT_THROW(mergeSweeps(folders, path("merged2")), SweepError) << "runs are missing";
  folders.push_back(folders[0]);
  EXPECT_THROW(mergeSweeps(folders, path("merged3")), SweepError) << "runs are twice";

  // Interrupted after the fourth run, with half a row as a killed process leaves it.
  std::atomic<bool> interrupt = false;
  SweepOptions options;
  options.folder = path("resumed"), options.threads = 1, options.interrupt = &interrupt;
  options.progress = [&](long done, long) { interrupt = done >= 4; };
  EXPECT_TRUE(runSweep(p, options).interrupted);
  EXPECT_FALSE(std::filesystem::exists(path("resumed/results.csv")));
  std::ofstream(path("resumed/rows.csv"), std::ios::app) << "11,99,do";
  EXPECT_THROW(run(p, "resumed"), SweepError) << "without --resume";
  EXPECT_FALSE(run(p, "resumed", 2, {}, true).interrupted);
  EXPECT_EQ(read("resumed/results.csv"), expected);
}

// A run of hours ends soon where somebody asks for that, and is made anew: it leaves no row.
// Oracle: the records of the same sweep with a file each, byte for byte; SQLite's archive format by its own fields.
TEST_F(SweepTest, AnArchiveHoldsTheSameRecordsAsFiles) {
  const std::string text = std::string(kDice).replace(std::string(kDice).find("[3]"), 3, "all");
  run(plan(text, kDiceScene), "files");
  const Plan archived = plan("store: archive\n" + text, kDiceScene);
  run(archived, "archive", 2);
  EXPECT_EQ(read("archive/results.csv"), read("files/results.csv"));
  EXPECT_FALSE(std::filesystem::exists(path("archive/records")));

  std::vector<std::string> shards;
  for (long k = 1; k <= 3; ++k) {
    shards.push_back(path("part" + std::to_string(k)));
    run(archived, "part" + std::to_string(k), 1, {k, 3});
  }
  mergeSweeps(shards, path("together"));
  std::vector<long> all(60);
  for (long k = 0; k < 60; ++k) all[k] = k;
  record::Database rows = record::Database::openForWriting(Archive::pathIn(path("together")));
  record::Statement count(rows, "SELECT count(*) FROM sqlar");
  ASSERT_TRUE(count.next());
  EXPECT_EQ(count.integer(0), 60);
  for (const std::string source : {"archive", "together"}) {
    extractRecords(path(source), all, path(source + "-out"));
    for (const long k : all)
      EXPECT_EQ(read(source + "-out/" + recordName(k)), read("files/records/" + recordName(k))) << k;
  }
  EXPECT_THROW(extractRecords(path("archive"), {60}, path("none")), SweepError) << "there is no such run";
  EXPECT_THROW(extractRecords(path("archive"), {1}, path("archive-out")), SweepError) << "it is there already";
  EXPECT_THROW(extractRecords(path("files"), {1}, path("none")), SweepError) << "no archive";
}

TEST_F(SweepTest, ARunIsInterruptedWithin) {
  const Plan p = plan("scene: scene.yaml\nruns: 2\nvary:\n  bodies.ball.mass: {uniform: [1, 2]}\n", R"(name: endless
until: 1e9
contact: {friction: 0, restitution: 1}
bodies:
  - {name: table, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}
  - name: ball
    shape: {hull: {vertices: [[0, 0, -1], [1, 0, 0], [-1, 1, 0], [-1, -1, 0], [0, 0, 1]]}}
    mass: 1
    position: [0, 0, 2]
    angular_velocity: [1, 2, 3]
)");
  std::atomic<bool> interrupt = false;
  SweepOptions options;
  options.folder = path("endless"), options.threads = 1, options.interrupt = &interrupt;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    interrupt = true;
  });
  EXPECT_TRUE(runSweep(p, options).interrupted);
  later.join();
  EXPECT_TRUE(readRows(path("endless/rows.csv"), p.columns()).empty());
}

TEST_F(SweepTest, BadFilesAreRefusedWithTheirPlace) {
  const std::string head = "scene: scene.yaml\n";
  EXPECT_NE(refusal("runs: 3\n").find("sweep.yaml:1:1: "), std::string::npos);
  EXPECT_EQ(refusal(head + "runs: 0\n").find("sweep.yaml:2:7: "), 0u);
  EXPECT_EQ(
      refusal(head + "vary: {bodies.cube.mass: {uniform: [1, 2]}}\n").find("sweep.yaml:2:26: the scene has no 'cube'"),
      0u);
  EXPECT_EQ(refusal(head + "vary: {bodies.ball.mass: {uniform: [2, 1]}}\n"),
            "sweep.yaml:2:40: vary.bodies.ball.mass.uniform[1] is 1; high >= low");
  EXPECT_EQ(refusal(head + "vary: {bodies.ball.mass: {normal: [2, -1]}}\n").find("sweep.yaml:2:"), 0u);
  EXPECT_EQ(refusal(head + "vary: {bodies.ball.mass: {uniform: [1, [2]]}}\n").find("sweep.yaml:2:"), 0u);
  EXPECT_EQ(refusal(head + "vary: {bodies.ball.mass: {between: [1, 2]}}\n").find("sweep.yaml:2:"), 0u);
  EXPECT_EQ(refusal(head + "vary: {bodies..mass: {uniform: [1, 2]}}\n").find("sweep.yaml:2:"), 0u);
  EXPECT_EQ(refusal(head + "results: [ball.faces]\n").find("sweep.yaml:2:11: "), 0u);
  EXPECT_EQ(refusal(head + "results: [cube.position]\n").find("sweep.yaml:2:11: "), 0u);
  EXPECT_EQ(refusal(head + "store: heap\n"), "sweep.yaml:2:8: store is heap; files or archive");
  EXPECT_EQ(refusal(head + "keep: some\n"), "sweep.yaml:2:7: keep is some; none, failed, all or a list of runs");
  EXPECT_EQ(refusal("scene: nothing.yaml\n").find("nothing.yaml:1:1: "), 0u);
}

// A value that no scene allows stops the sweep and names run and value.
TEST_F(SweepTest, AForbiddenValueNamesItsRun) {
  const Plan p = plan("scene: scene.yaml\nvary: {bodies.ball.mass: {grid: [1, -1]}}\n");
  try {
    run(p, "out");
    FAIL();
  } catch (const SweepError& error) {
    EXPECT_NE(std::string(error.what()).find("run 1: "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("bodies.ball.mass = -1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rigor::sweep
