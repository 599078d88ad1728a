// SPDX-License-Identifier: MIT
// Proved: a record of a run is held to the laws of motion. Motions and forces that are true each by itself, but not together - of a body of
// another mass, without gravity, without the impulses of a bounce - are refuted, by the law that they break, although nothing overlaps.
// Oracle: which law that is.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "record/writer.h"
#include "sim/law_bounds.h"
#include "simulated_run.h"
#include "tests/temporary_folder.h"
#include "verify/verify.h"

namespace rigor::sim::test {
namespace {

SceneText thrown(double mass, double gravity) {
  SceneText text;
  text.bodies = {ground(), {"die", kCube, mass, {0, 0, 0.3}}};
  text.bodies[1].velocity = {0.4, 0.1, -0.1}, text.bodies[1].angular_velocity = {2, 1, 3};
  text.gravity = {0, 0, -gravity};
  text.restitution = 0.5;
  text.until = 1.2;
  return text;
}

void write(const SceneText& text, const std::string& path) {
  const Scene scene = text.parse();
  Simulation simulation(scene, 0);
  record::RunInfo info;
  info.bounds = lawBounds(simulation.scene());
  info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor(), info.until = scene.until;
  record::WriterOptions options;
  options.replace = true;
  record::Writer writer(path, simulation.scene(), info, options);
  writer.finish(simulation.run(scene.until, writer), "{}");
}

void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << (message ? message : "") << sql;
  sqlite3_close(database);
}

verify::Report prove(const std::string& path, bool geometry_only = false) {
  verify::Options options;
  options.threads = 1, options.geometry_only = geometry_only;
  return verify::verifyRecord(path, options);
}

/// Rows of tables of another record in place of a record's own.
std::string take(const std::string& other, std::initializer_list<const char*> tables) {
  std::string sql = "ATTACH '" + other + "' AS other; BEGIN;";
  for (const std::string table : tables) sql += "DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM other." + table + ";";
  return sql + "COMMIT;";
}

class PhysicsAttack : public testing::Test {
 protected:
  PhysicsAttack() : path_((folder_ / "run.rigor").string()), other_((folder_ / "other.rigor").string()) { write(thrown(1, 9.81), path_); }

  /// Nothing overlaps, and yet `law` is broken.
  void expectBroken(const std::string& law) {
    EXPECT_TRUE(prove(path_, true).verified) << "apart all the same";
    const verify::Report report = prove(path_);
    EXPECT_FALSE(report.verified);
    for (const verify::LawReport& one : report.physics)
      if (one.name == law) EXPECT_GT(one.worst, one.bound) << law;
  }

  TemporaryFolder folder_;
  std::string path_, other_;
};

TEST_F(PhysicsAttack, TheTrueRunIsProved) {
  const verify::Report report = prove(path_);
  EXPECT_TRUE(report.verified) << (report.failures.empty() ? "" : report.failures[0].reason);
  ASSERT_TRUE(report.physics_known);
  EXPECT_EQ(report.physics.size(), 8u);
}

TEST_F(PhysicsAttack, ForcesOfABodyOfAnotherMass) {
  write(thrown(1.01, 9.81), other_);
  execute(path_, take(other_, {"impulses", "axes", "pairs", "witnesses"}));
  expectBroken("momentum");
}

TEST_F(PhysicsAttack, AMotionThatFloats) {
  write(thrown(1, 0), other_);
  execute(path_, take(other_, {"pieces", "witnesses", "impulses", "axes", "pairs", "branches"}));
  expectBroken("momentum");
}

TEST_F(PhysicsAttack, NothingHoldsIt) {
  execute(path_, "DELETE FROM impulses");
  expectBroken("momentum");
}

TEST_F(PhysicsAttack, AJumpWithoutAnImpulse) {
  execute(path_, "DELETE FROM impulses WHERE t0 = t1");
  expectBroken("momentum");
}

TEST_F(PhysicsAttack, BoundsThatSayNothing) {
  execute(path_, "UPDATE meta SET value = json_set(value, '$.momentum', 0.5) WHERE key = 'bounds'");
  EXPECT_FALSE(prove(path_).verified);
}

}  // namespace
}  // namespace rigor::sim::test
