// SPDX-License-Identifier: MIT
// Proves: a tree of trajectories is the same bits for any number of threads, any steps of the budget and any
// interruption; a scene without ambiguity is the run itself, and the branch of first alternatives is it in any scene of
// one group; every branch is proved; the shares of a fork's outcomes add up to one; no branch makes or loses momentum.
// Oracles: a hash over all rows of the record; Simulation::run(); the verifier; Newton's third law.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <Eigen/Geometry>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "record/leaves.h"
#include "record/reach.h"
#include "record/reader.h"
#include "record/tree_writer.h"
#include "scenes/loader.h"
#include "sim/explorer.h"
#include "simulated_run.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

/// A record that is removed again.
struct TreeFile {
  explicit TreeFile(const std::string& name) : path((folder / name).string()) {}
  void remove() {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path + suffix);
  }
  const TemporaryFolder folder;
  const std::string path;
};

/// FNV-1a over every column of every row of `tables`, bytes and types.
std::uint64_t contentHash(const std::string& path, const std::vector<std::string>& tables) {
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  std::uint64_t hash = 1469598103934665603ull;
  const auto add = [&](const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211ull;
  };
  for (const std::string& table : tables) {
    sqlite3_stmt* rows = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database, ("SELECT * FROM " + table + " ORDER BY rowid").c_str(), -1, &rows, nullptr),
              SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW)
      for (int c = 0; c < sqlite3_column_count(rows); ++c) {
        const int type = sqlite3_column_type(rows, c);
        add(&type, sizeof type);
        if (type == SQLITE_FLOAT) {
          const double x = sqlite3_column_double(rows, c);
          add(&x, sizeof x);
        } else {
          add(sqlite3_column_blob(rows, c), static_cast<size_t>(sqlite3_column_bytes(rows, c)));
        }
      }
    sqlite3_finalize(rows);
  }
  sqlite3_close(database);
  return hash;
}

const std::vector<std::string> kMotion{"pieces", "witnesses", "impacts"};
const std::vector<std::string> kAll{"branches", "pieces", "witnesses", "events",
                                    "impacts",  "joints", "snapshots", "frontier"};

/// With links placed, as records hold it.
Scene startOf(const Scene& scene) { return Simulation(scene, 0).scene(); }

record::RunInfo infoOf(const Scene& scene, std::uint64_t seed) {
  const Simulation simulation(scene, seed);
  record::RunInfo info;
  info.seed = seed, info.build = "test";
  info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor(), info.until = scene.until;
  return info;
}

ExploreOptions optionsFor(const Scene& scene, long max_branches, int threads = 1) {
  ExploreOptions options;
  options.until = scene.until;
  options.max_branches = max_branches;
  options.threads = threads;
  options.fork.samples = 30;
  return options;
}

/// Explores, on with a record that is there, and closes it.
TreeSummary exploreInto(const std::string& path, const Scene& scene, const ExploreOptions& options,
                        const std::atomic<bool>* interrupt = nullptr,
                        const std::function<void(const TreeSummary&, double)>& progress = {}) {
  std::unique_ptr<record::TreeWriter> writer;
  if (std::filesystem::exists(path)) writer = std::make_unique<record::TreeWriter>(path);
  else writer = std::make_unique<record::TreeWriter>(path, startOf(scene), infoOf(scene, options.seed));
  const TreeSummary summary =
      explore(scene, options, *writer, writer->takeFrontier(), writer->explored(), interrupt, progress);
  writer->finish(summary, "{}");
  return summary;
}

void expectProved(const std::string& path) {
  verify::Options options;
  options.threads = 1;
  const verify::Report report = verify::verifyRecord(path, options);
  EXPECT_TRUE(report.verified) << report.failure_count << " failures";
  for (size_t i = 0; i < std::min<size_t>(report.failures.size(), 3); ++i)
    ADD_FAILURE() << "branch " << report.failures[i].branch << " at " << report.failures[i].time << ": "
                  << report.failures[i].reason;
}

BodyText die(const std::string& name, const Eigen::Vector3d& position, const Eigen::Vector3d& velocity) {
  BodyText body{name, box({0.1, 0.1, 0.1})};
  body.position = position, body.velocity = velocity;
  return body;
}

/// A die that slides as it hits the table flat: four contacts at once.
Scene flatDie(double until = 0.4) {
  SceneText text;
  text.bodies = {ground(), die("die", {0, 0, 0.15}, {1, 0, 0})};
  text.until = until;
  return text.parse();
}

/// Two of them, far apart and at the same time: one fork after the other at one instant.
Scene twoFlatDice(double height, double speed) {
  SceneText text;
  text.bodies = {ground(), die("a", {0, 0, height}, {1, 0, speed}), die("b", {0, 1, height}, {1, 0, speed})};
  text.until = 0.3;
  return text.parse();
}

/// Three cubes in free space: one meets two others with its face, at four corners each.
Scene cubesInSpace() {
  SceneText text;
  text.gravity = {0, 0, 0};
  text.bodies = {die("left", {0, -0.051, 0}, {0, 0, 0}), die("right", {0, 0.051, 0}, {0, 0, 0}),
                 die("fast", {-0.2, 0.01, 0}, {1, 0, 0})};
  text.bodies[2].mass = 2;
  text.restitution = 0.5;
  text.until = 0.3;
  return text.parse();
}

TEST(Explorer, GivesTheSameBitsForAnyNumberOfThreads) {
  const std::vector<std::pair<Scene, long>> cases{
      {bundledScene("cube-on-cube"), 12}, {twoFlatDice(0.15, 0), 15}, {cubesInSpace(), 12}};
  for (const auto& [scene, budget] : cases) {
    std::set<std::uint64_t> hashes;
    for (const int threads : {1, 2, 3}) {
      const TreeFile file("threads");
      const TreeSummary summary = exploreInto(file.path, scene, optionsFor(scene, budget, threads));
      EXPECT_GT(summary.forks, 0);
      EXPECT_EQ(summary.branches, record::Reader(file.path).branches().size());
      hashes.insert(contentHash(file.path, kAll));
    }
    EXPECT_EQ(hashes.size(), 1u);
  }
}

TEST(Explorer, GoesOnToTheTreeThatWasNeverInterrupted) {
  const Scene scene = bundledScene("cube-on-cube");
  const TreeFile whole("whole");
  const TreeSummary expected = exploreInto(whole.path, scene, optionsFor(scene, 14));
  EXPECT_EQ(expected.status, RunStatus::kBudget);
  const std::uint64_t hash = contentHash(whole.path, kAll);

  const TreeFile budgets("budgets");
  for (const long budget : {1, 2, 5, 6, 14}) {
    const TreeSummary summary = exploreInto(budgets.path, scene, optionsFor(scene, budget));
    EXPECT_EQ(summary.status, RunStatus::kBudget);
    EXPECT_EQ(summary.branches, budget);
    expectProved(budgets.path);
  }
  EXPECT_EQ(contentHash(budgets.path, kAll), hash);

  for (const int threads : {1, 2}) {
    const TreeFile interrupted("interrupted");
    for (long calls = 1; calls < 40; calls += 6) {
      // After some steps and branches, also in the middle of one.
      std::atomic<bool> interrupt{false};
      std::atomic<long> left{calls};
      const TreeSummary summary = exploreInto(interrupted.path, scene, optionsFor(scene, 14, threads), &interrupt,
                                              [&](const TreeSummary&, double) {
                                                if (--left == 0) interrupt = true;
                                              });
      // The last branch may be interrupted too.
      EXPECT_TRUE(summary.status == RunStatus::kInterrupted ||
                  (summary.status == RunStatus::kBudget && summary.branches == 14));
      expectProved(interrupted.path);
    }
    const TreeSummary summary = exploreInto(interrupted.path, scene, optionsFor(scene, 14));
    EXPECT_EQ(contentHash(interrupted.path, kAll), hash);
    EXPECT_EQ(summary.merged, expected.merged);
    EXPECT_EQ(summary.forks, expected.forks);
    EXPECT_EQ(summary.min_gap, expected.min_gap);
    EXPECT_EQ(summary.time, expected.time);
  }
}

TEST(Explorer, EndsTheBranchThatAnInterruptionMeets) {
  const Scene scene = bundledScene("cube-on-cube");
  for (const int threads : {1, 2})
    for (const bool before : {true, false}) {
      const TreeFile file("met");
      std::atomic<bool> interrupt{before};
      const TreeSummary summary =
          exploreInto(file.path, scene, optionsFor(scene, 14, threads), &interrupt, [&](const TreeSummary&, double) {
            if (interrupt.exchange(true)) return;
            // A thread that begins only now finds the root in the hands of another.
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          });
      EXPECT_EQ(summary.status, RunStatus::kInterrupted);
      EXPECT_EQ(record::Reader(file.path).branches()[0].status, "interrupted");
      expectProved(file.path);
    }
}

// A thousand million samples would take hours.
TEST(Explorer, GivesUpTheSamplesOfAnImpactOnceInterrupted) {
  const Scene scene = flatDie();
  const TreeFile whole("never_gave_up"), file("gave_up");
  exploreInto(whole.path, scene, optionsFor(scene, 6));
  ExploreOptions options = optionsFor(scene, 6);
  options.fork.samples = 1000000000;
  std::atomic<bool> interrupt{false};
  std::thread hand([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    interrupt = true;
  });
  const TreeSummary summary = exploreInto(file.path, scene, options, &interrupt);
  hand.join();
  EXPECT_EQ(summary.status, RunStatus::kInterrupted);
  expectProved(file.path);
  exploreInto(file.path, scene, optionsFor(scene, 6));
  EXPECT_EQ(contentHash(file.path, kAll), contentHash(whole.path, kAll));
}

TEST(Explorer, GoesOnAfterAWriterThatWasKilled) {
  const Scene scene = bundledScene("cube-on-cube");
  const TreeFile whole("killed_whole"), killed("killed");
  exploreInto(whole.path, scene, optionsFor(scene, 8));
  struct Stop {};
  for (const long at : {3, 20}) {
    // An exception on the way leaves the record as the last commit made it.
    record::WriterOptions every;
    every.commit_interval = 0;
    std::unique_ptr<record::TreeWriter> writer;
    if (std::filesystem::exists(killed.path)) writer = std::make_unique<record::TreeWriter>(killed.path);
    else writer = std::make_unique<record::TreeWriter>(killed.path, startOf(scene), infoOf(scene, 0), every);
    long calls = 0;
    EXPECT_THROW(explore(scene, optionsFor(scene, 8), *writer, writer->takeFrontier(), writer->explored(), nullptr,
                         [&](const TreeSummary&, double) {
                           if (++calls == at) throw Stop();
                         }),
                 Stop);
    writer.reset();
    expectProved(killed.path);
  }
  exploreInto(killed.path, scene, optionsFor(scene, 8));
  EXPECT_EQ(contentHash(killed.path, kAll), contentHash(whole.path, kAll));
}

/// Four feet land at once.
TEST(SlowExplorer, FollowsARobotIntoItsOutcomes) {
  Scene scene = bundledScene("quadruped-drop");
  scene.until = 0.2;
  const TreeFile whole("robot_whole");
  ExploreOptions options = optionsFor(scene, 20);
  options.fork.samples = 100;
  const TreeSummary expected = exploreInto(whole.path, scene, options);
  EXPECT_EQ(expected.status, RunStatus::kDone) << expected.message;
  EXPECT_GE(expected.forks, 1);
  EXPECT_GE(expected.branches, 4);
  expectProved(whole.path);
  const std::uint64_t hash = contentHash(whole.path, kAll);
  // Each outcome of the first impact is another motion of the feet afterwards.
  record::Reader reader(whole.path);
  const auto branches = reader.branches();
  for (const record::BranchRow& branch : branches) {
    if (branch.parent != "0") continue;
    EXPECT_EQ(branch.fork_time, branches[0].end_time);
    long joints = 0;
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open_v2(whole.path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
    sqlite3_stmt* count = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(
                  database, "SELECT count(*) FROM joints WHERE branch = (SELECT number FROM branches WHERE id = ?)", -1,
                  &count, nullptr),
              SQLITE_OK);
    sqlite3_bind_text(count, 1, branch.id.c_str(), -1, SQLITE_TRANSIENT);
    if (sqlite3_step(count) == SQLITE_ROW) joints = static_cast<long>(sqlite3_column_int64(count, 0));
    sqlite3_finalize(count);
    sqlite3_close(database);
    EXPECT_GT(joints, 0) << branch.id;
  }
  for (const int threads : {2, 3}) {
    const TreeFile file("robot_threads");
    options.threads = threads;
    exploreInto(file.path, scene, options);
    EXPECT_EQ(contentHash(file.path, kAll), hash) << threads;
  }
  const TreeFile interrupted("robot_interrupted");
  for (const long calls : {1, 60, 400}) {
    std::atomic<bool> interrupt{false};
    std::atomic<long> left{calls};
    exploreInto(interrupted.path, scene, options, &interrupt, [&](const TreeSummary&, double) {
      if (--left == 0) interrupt = true;
    });
  }
  exploreInto(interrupted.path, scene, options);
  EXPECT_EQ(contentHash(interrupted.path, kAll), hash);
}

TEST(Explorer, OfASceneWithoutAmbiguityIsTheRun) {
  for (const std::string name : {"thin-plate", "stack-10", "rocking-block"}) {
    const Scene scene = bundledScene(name);
    const TreeFile tree("no_fork_tree"), run("no_fork_run");
    const TreeSummary summary = exploreInto(tree.path, scene, optionsFor(scene, 5, 2));
    {
      record::Writer writer(run.path, startOf(scene), infoOf(scene, 0));
      Simulation simulation(scene, 0);
      writer.finish(simulation.run(scene.until, writer), "{}");
    }
    EXPECT_EQ(summary.status, RunStatus::kDone) << name;
    EXPECT_EQ(summary.branches, 1) << name;
    EXPECT_EQ(contentHash(tree.path, kAll), contentHash(run.path, kAll)) << name;
  }
}

TEST(Explorer, FollowsTheRunInTheBranchOfFirstAlternatives) {
  const Scene scene = flatDie();
  const TreeFile file("mainline");
  exploreInto(file.path, scene, optionsFor(scene, 40));
  const ProvedRun run = simulate(scene);
  record::Reader reader(file.path);
  std::vector<PieceRecord> pieces;
  std::string id = "0";
  int forks = 0;
  for (const record::BranchRow& branch : reader.branches()) {
    if (branch.id != id) continue;
    reader.forEachPiece(id, 0, scene.until, [&](const PieceRecord& piece) {
      if (piece.body == 1) pieces.push_back(piece);
    });
    id += "/0";
    ++forks;
  }
  EXPECT_GT(forks, 1);
  ASSERT_EQ(pieces.size(), run.pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    const advance::MotionPiece &a = pieces[i].piece, &b = run.pieces[i].piece;
    EXPECT_EQ(a.t0, b.t0);
    EXPECT_EQ(a.t1, b.t1);
    for (int k = 0; k <= a.p_degree; ++k) EXPECT_EQ(a.p[k], b.p[k]);
    for (int k = 0; k <= a.q_degree; ++k) EXPECT_EQ(a.q[k], b.q[k]);
  }
}

TEST(Explorer, ProvesEveryBranchAndSharesAddUpToOne) {
  const std::vector<Scene> scenes{flatDie(), twoFlatDice(0.15, 0), twoFlatDice(0.050000015, -1), cubesInSpace()};
  for (size_t s = 0; s < scenes.size(); ++s) {
    SCOPED_TRACE(s);
    const TreeFile file("proved");
    const TreeSummary summary = exploreInto(file.path, scenes[s], optionsFor(scenes[s], 1500, 2));
    EXPECT_EQ(summary.status, RunStatus::kDone) << summary.message;
    EXPECT_EQ(summary.open, 0);
    expectProved(file.path);

    record::Reader reader(file.path);
    std::map<std::string, std::pair<double, long>> shares;
    std::map<std::string, record::BranchRow> rows;
    for (const record::BranchRow& branch : reader.branches()) {
      EXPECT_EQ(branch.status, "done");
      rows[branch.id] = branch;
      if (branch.parent.empty()) continue;
      shares[branch.parent].first += branch.weight;
      ++shares[branch.parent].second;
      EXPECT_EQ(branch.id.rfind(branch.parent + "/", 0), 0u);
      EXPECT_EQ(branch.fork_time, rows.at(branch.parent).end_time);
    }
    EXPECT_EQ(static_cast<long>(shares.size()), summary.forks);
    EXPECT_EQ(static_cast<long>(rows.size()), summary.branches);
    long leaves = 0;
    for (const auto& [id, row] : rows) {
      if (shares.contains(id)) continue;
      ++leaves;
      EXPECT_EQ(row.end_time, scenes[s].until) << id;
    }
    EXPECT_EQ(leaves, summary.leaves());
    for (const auto& [id, share] : shares) {
      EXPECT_GE(share.second, 2) << id;
      EXPECT_NEAR(share.first, 1, 1e-12) << id;
    }
  }
}

// Every hit of these thirty cubes cuts the motions of others, some several times, with claims that leave no room below
// them.
TEST(SlowExplorer, ProvesMotionsThatWereCutOften) {
  const Scene scene = bundledScene("cubes-30");
  const TreeFile file("cuts");
  const TreeSummary summary = exploreInto(file.path, scene, optionsFor(scene, 6));
  EXPECT_EQ(summary.status, RunStatus::kBudget) << summary.message;
  EXPECT_GE(summary.min_gap, Simulation(scene, 0).gapFloor());
  expectProved(file.path);
}

TEST(Explorer, KeepsMomentumInEveryBranchOfFreeBodies) {
  const Scene scene = cubesInSpace();
  const TreeFile file("momentum");
  exploreInto(file.path, scene, optionsFor(scene, 60, 2));
  record::Reader reader(file.path);
  std::set<std::string> parents;
  const auto branches = reader.branches();
  for (const record::BranchRow& branch : branches) parents.insert(branch.parent);
  std::set<std::array<double, 3>> ends;
  for (const record::BranchRow& branch : branches) {
    if (parents.contains(branch.id)) continue;
    Eigen::Vector3d linear{0, 0, 0}, angular{0, 0, 0}, linear0{0, 0, 0}, angular0{0, 0, 0};
    for (int b = 0; b < 3; ++b) {
      const Body& body = scene.bodies[b];
      const auto piece = reader.pieceAt(branch.id, b, branch.end_time);
      ASSERT_TRUE(piece);
      const geom::Pose pose = piece->piece.end();
      const Eigen::Matrix3d R = pose.rotation();
      linear += body.mass * piece->v_end;
      angular += body.mass * pose.p.cross(piece->v_end) + R * body.inertia * R.transpose() * piece->w_end;
      linear0 += body.mass * body.velocity;
      angular0 += body.mass * body.pose.p.cross(body.velocity);
    }
    EXPECT_LT((linear - linear0).norm(), 1e-12 * linear0.norm()) << branch.id;
    EXPECT_LT((angular - angular0).norm(), 1e-6 * linear0.norm() * 0.1) << branch.id;
    const Eigen::Vector3d p = reader.stateAt(branch.id, 2, branch.end_time).position;
    ends.insert({p.x(), p.y(), p.z()});
  }
  EXPECT_GT(ends.size(), 2u);
}

/// A tall box that lands on its face while it moves: it stays up or tips, by the outcome of its impacts.
Scene tippingBox() {
  SceneText text;
  text.bodies = {ground(), BodyText{"die", box({0.05, 0.05, 0.1})}};
  text.bodies[1].position = {0, 0, 0.051}, text.bodies[1].velocity = {0.75, 0.15, -1};
  text.friction = "1";
  text.until = 1;
  return text.parse();
}

/// Which of its axes looks up: 0 to 2.
int axisUp(const Eigen::Vector4d& q) {
  const Eigen::Matrix3d R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  int axis = 0;
  R.row(2).cwiseAbs().maxCoeff(&axis);
  return axis;
}

TEST(Explorer, WeightsOfLeavesAddUpToOneAtAnyBudget) {
  const Scene scene = tippingBox();
  for (const long budget : {1, 2, 4, 9, 25}) {
    const TreeFile file("weights");
    ExploreOptions options = optionsFor(scene, budget);
    options.fork.samples = 100;
    const TreeSummary summary = exploreInto(file.path, scene, options);
    record::Reader reader(file.path);
    const std::vector<record::Leaf> leaves = record::leavesOf(reader);
    EXPECT_EQ(static_cast<long>(leaves.size()), summary.leaves());
    double sum = 0;
    for (const record::Leaf& leaf : leaves) {
      EXPECT_GE(leaf.weight, 0);
      sum += leaf.weight;
      // A letter for each contact at each fork on the way.
      const long forks = std::count(leaf.branch.begin(), leaf.branch.end(), '/');
      EXPECT_EQ(leaf.modes.empty() ? 0 : std::count(leaf.modes.begin(), leaf.modes.end(), '/') + 1, forks)
          << leaf.branch;
    }
    EXPECT_NEAR(sum, 1, 1e-12) << budget;
    for (const record::BranchRow& row : reader.branches()) {
      if (row.choice.find("\"extreme\":true") != std::string::npos) {
        EXPECT_EQ(row.weight, 0) << row.id;
      }
    }
  }
}

/// A box that rebounds: in some of its forks the second alternative is heavier than the first.
Scene reboundingBox() {
  SceneText text;
  text.bodies = {ground(), BodyText{"die", box({0.06, 0.05, 0.11})}};
  text.bodies[1].position = {0, 0, 0.056}, text.bodies[1].velocity = {0.9, 0.3, -1.2};
  text.bodies[1].angular_velocity = {0, 0, 3};
  text.friction = "0.6", text.restitution = 0.3;
  text.until = 0.5;
  return text.parse();
}

// Where a second alternative came before the first, what was open there went to no leaf; and most leaves of a tree that
// stopped at its budget were trajectories that waited at a fork.
TEST(Explorer, TreesThatStopConsistOfWholeTrajectories) {
  const Scene scene = reboundingBox();
  for (const long budget : {7, 30, 60}) {
    const TreeFile file("whole");
    ExploreOptions options = optionsFor(scene, budget);
    options.fork.samples = 200;
    const TreeSummary summary = exploreInto(file.path, scene, options);
    record::Reader reader(file.path);
    double sum = 0;
    int ended_early = 0;
    const std::vector<record::Leaf> leaves = record::leavesOf(reader);
    for (const record::Leaf& leaf : leaves) sum += leaf.weight, ended_early += leaf.end_time != scene.until;
    EXPECT_NEAR(sum, 1, 1e-12) << budget;
    EXPECT_LE(ended_early, 1) << budget;
    EXPECT_EQ(static_cast<long>(leaves.size()), summary.leaves()) << budget;
  }
}

/// Keeps what the root may become.
struct RootFork : TreeStore {
  explicit RootFork(record::TreeWriter& w) : writer(w) {}
  Sink& beginBranch(const TreeNode& node) override { return writer.beginBranch(node); }
  void endBranch(const TreeNode& node, const Summary& summary, const std::vector<TreeNode>& children) override {
    if (node.path.empty()) alternatives = children;
    writer.endBranch(node, summary, children);
  }
  record::TreeWriter& writer;
  std::vector<TreeNode> alternatives;
};

TEST(Explorer, WhatIsOpenCountsForTheNearestThatWasExplored) {
  const Scene scene = tippingBox();
  const TreeFile file("heirs");
  ExploreOptions options = optionsFor(scene, 20);
  options.fork.samples = 100;
  auto writer = std::make_unique<record::TreeWriter>(file.path, startOf(scene), infoOf(scene, options.seed));
  RootFork store(*writer);
  writer->finish(explore(scene, options, store, writer->takeFrontier()), "{}");
  writer.reset();

  // The box hits flat: its inertia is that of the file.
  const Body& body = scene.bodies[1];
  const auto distance = [&](const TreeNode& a, const TreeNode& b) {
    const Eigen::VectorXd d = a.choices.back().velocity - b.choices.back().velocity;
    return std::sqrt(body.mass * d.head(3).squaredNorm() + d.tail(3).dot(body.inertia * d.tail(3)));
  };
  record::Reader reader(file.path);
  std::map<std::string, double> found, expected;
  for (const record::Leaf& leaf : record::leavesOf(reader)) {
    found[leaf.branch.substr(0, leaf.branch.find('/', 2))] += leaf.weight;
  }
  ASSERT_GT(found.size(), 3u);
  ASSERT_LT(found.size(), store.alternatives.size());
  for (const TreeNode& open : store.alternatives) {
    const TreeNode* heir = nullptr;
    for (const TreeNode& other : store.alternatives) {
      if (!found.contains(other.id) || other.choice.find("\"extreme\":true") != std::string::npos) continue;
      if (!heir || distance(open, other) < distance(open, *heir)) heir = &other;
    }
    expected[found.contains(open.id) ? open.id : heir->id] += open.weight;
  }
  for (const auto& [id, weight] : found) EXPECT_NEAR(weight, expected[id], 1e-12) << id;
}

TEST(Explorer, BodiesStayWhereTheTreeSaysTheyCanBe) {
  const Scene scene = tippingBox();
  const TreeFile file("reach");
  exploreInto(file.path, scene, optionsFor(scene, 12));
  record::Reader reader(file.path);
  const std::vector<record::Reach> all = record::reachOf(reader, 20);
  ASSERT_EQ(all.size(), 20u);
  for (const record::Reach& reach : all) {
    Eigen::AlignedBox3d met;
    for (const record::BranchRow& branch : reader.branches()) {
      for (int k = 0; k <= 40; ++k) {
        const double t = reach.t0 + (reach.t1 - reach.t0) * k / 40;
        if (t < branch.fork_time || t > branch.end_time) continue;
        const auto piece = reader.pieceAt(branch.id, reach.body, t);
        ASSERT_TRUE(piece);
        const geom::Pose pose = piece->piece.at(t);
        EXPECT_LE(reach.centre.exteriorDistance(pose.p), 1e-15) << branch.id << ' ' << t;
        met.extend(pose.p);
      }
    }
    // Neither are they much larger than what is met: control points lie within the curvature of a step of it.
    EXPECT_LT((reach.centre.sizes() - met.sizes()).maxCoeff(), 2e-3) << reach.t0;
    EXPECT_NEAR(reach.radius, 0.5 * std::sqrt(0.05 * 0.05 * 2 + 0.01), 1e-12);
  }
}

/// Where a body ends.
struct EndPose : Sink {
  explicit EndPose(int b) : body(b) {}
  void piece(const PieceRecord& record) override {
    if (record.body == body) pose = record.piece.end();
  }
  int body;
  geom::Pose pose;
};

/// A scene, and what is asked of its end: whether this axis of a body looks up.
struct Question {
  Scene scene;
  int body = 1, axis = 2;
};

/// Chi-square with one degree of freedom of `runs` runs with seeds of their own against a tree's leaves. The weights of
/// the tree are shares of draws too, three quarters of its samples: both have the error of their numbers. Where
/// `few` the tree counts as as many draws as its weights are worth: those of leaves that are drawn one by one.
double disagreement(const Question& question, std::uint64_t seed, long budget, int runs, bool few = false) {
  const TreeFile file("law");
  ExploreOptions options = optionsFor(question.scene, budget, 2);
  options.seed = seed;
  options.fork.samples = ForkOptions().samples;
  exploreInto(file.path, question.scene, options);
  record::Reader reader(file.path);
  double yes = 0, squares = 0;
  for (const record::Leaf& leaf : record::leavesOf(reader)) {
    const Eigen::Vector4d q = reader.stateAt(leaf.branch, question.body, leaf.end_time).orientation;
    if (axisUp(q) == question.axis) yes += leaf.weight;
    squares += leaf.weight * leaf.weight;
  }
  int of_runs = 0;
  for (int k = 0; k < runs; ++k) {
    Simulation simulation(question.scene, 1000 + static_cast<std::uint64_t>(k));
    EndPose end(question.body);
    simulation.run(question.scene.until, end);
    of_runs += axisUp(end.pose.q) == question.axis;
  }
  const double draws = few ? 1 / squares : 0.75 * static_cast<double>(options.fork.samples);
  const double pooled = (of_runs + yes * draws) / (runs + draws),
               difference = static_cast<double>(of_runs) / runs - yes;
  return difference * difference / (pooled * (1 - pooled) * (1.0 / runs + 1 / draws));
}

// A hundredth of all draws of chi-square with one degree of freedom is above 6.63; trees have an error of their own,
// from their tolerance.
TEST(SlowExplorer, LeavesAreDistributedAsIndependentRunsAre) {
  EXPECT_LT(disagreement({tippingBox()}, 0, 300, 600), 6.63);
}

/// A box lands, and a smaller one on it: impacts in turn, of one body and of two.
Scene boxOnBox() {
  SceneText text;
  text.bodies = {ground(), BodyText{"lower", box({0.06, 0.06, 0.08})}, BodyText{"upper", box({0.04, 0.04, 0.09})}};
  text.bodies[1].position = {0, 0, 0.041}, text.bodies[1].velocity = {0.4, 0.1, -0.5};
  text.bodies[2].position = {0.015, 0, 0.15}, text.bodies[2].velocity = {0.3, 0.1, -0.8};
  text.bodies[2].mass = 0.5;
  text.friction = "0.7";
  text.until = 0.8;
  return text.parse();
}

// Where most leaves waited at a fork the upper one lay on its side in .56 of the tree, and in .88 of the runs.
TEST(SlowExplorer, LeavesOfImpactsInTurnAreDistributedAsIndependentRunsAre) {
  Scene rebounds = reboundingBox();
  rebounds.until = 1;
  const std::vector<Question> questions{{rebounds, 1, 2}, {boxOnBox(), 2, 0}};
  for (size_t k = 0; k < questions.size(); ++k) EXPECT_LT(disagreement(questions[k], k, 200, 400, true), 6.63) << k;
}

TEST(Explorer, ForksOnlyWhereTheModelHasSeveralOutcomes) {
  // Anitescu and Potra's impact of a die that falls straight down on its face has one solution: it stops.
  SceneText text;
  text.bodies = {ground(), die("die", {0, 0, 0.15}, {0, 0, 0})};
  text.until = 0.4;
  Scene scene = text.parse();
  scene.impact_model = "anitescu-potra";
  scene.impact.cone_edges = 4;  // All solutions are enumerated: fewer directions, fewer modes.
  const TreeFile file("unique");
  EXPECT_EQ(exploreInto(file.path, scene, optionsFor(scene, 5)).branches, 1);
  // The set of the same impact has several.
  scene.impact_model = "routh";
  const TreeFile set("set");
  EXPECT_GT(exploreInto(set.path, scene, optionsFor(scene, 5)).branches, 1);
}

TEST(Explorer, ForksWithRoundCones) {
  Scene scene = flatDie();
  scene.impact.smooth_cone = true;
  const TreeFile file("round");
  const TreeSummary summary = exploreInto(file.path, scene, optionsFor(scene, 200));
  EXPECT_EQ(summary.status, RunStatus::kDone) << summary.message;
  EXPECT_GT(summary.forks, 0);
  EXPECT_EQ(summary.plastic_impacts, 0);
  expectProved(file.path);
}

TEST(Explorer, CallsOutcomesOneWithinTheTolerance) {
  const Scene scene = flatDie();
  long fine = 0, coarse = 0;
  for (const double tolerance : {0.05, 0.4}) {
    const TreeFile file("tolerance");
    ExploreOptions options = optionsFor(scene, 1);
    options.fork.tolerance = tolerance;
    const TreeSummary summary = exploreInto(file.path, scene, options);
    (tolerance < 0.1 ? fine : coarse) = summary.open;
    EXPECT_EQ(summary.open + summary.merged, summary.open > 0 ? 30 : 0);
  }
  EXPECT_GT(fine, coarse);
}

TEST(Explorer, RobotsContinueFromForksWithTheMotionThatTheyHad) {
  // A link that is cut at a fork starts its next piece where the last one ended, beside its joints' own motion by up to
  // the fit.
  const Scene scene = scenes::parseScene(
      "name: swing\nuntil: 0.6\ncontact: {friction: 0.4, restitution: 0.3}\nrobots:\n"
      "  - {name: p, urdf: robots/double-pendulum.urdf, position: [0, 0, 0.85], joints: {joint0: 1.4, joint1: -0.9}}\n"
      "bodies:\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n"
      "  - {name: block, mass: 0.5, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [-0.3, 0, 0.3], velocity: [1, 0, "
      "0]}\n",
      std::string(RIGOR_SOURCE_DIR) + "/scenes/s.yaml");
  const TreeFile file("swing");
  const TreeSummary summary = exploreInto(file.path, scene, optionsFor(scene, 12));
  EXPECT_EQ(summary.branches, 12);
  expectProved(file.path);
}

}  // namespace
}  // namespace rigor::sim::test
