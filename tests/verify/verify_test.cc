// SPDX-License-Identifier: MIT
// Proves: the checker accepts true records of every kind of witness and joint of pieces, rejects records with a single
// altered number, row or time, and names piece and pair. Oracle: records made by hand whose gaps are known from
// sampling the exact motion, and, for random alterations, dense sampling of the altered motion itself.
#include "verify/verify.h"

#include <gmock/gmock.h>
#include <cstring>
#include <fstream>
#include <random>

#include "record/reader.h"
#include "tests/verify/altered_record.h"
#include "tests/verify/synthetic_record.h"

namespace rigor::verify {
namespace {

namespace fs = std::filesystem;
using synthetic::temporaryPath;
using testing::Contains;
using testing::HasSubstr;

/// A copy of a record, altered with SQL on plain tables (altered_record.h); removed at the end.
class Altered {
 public:
  explicit Altered(const std::string& original) : path_(temporaryPath("altered")), tables_(original) {
    fs::copy_file(original, path_, fs::copy_options::overwrite_existing);
  }
  ~Altered() {
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path_ + suffix);
  }
  void execute(const std::string& sql) { tables_.sql().execute(sql, true); }
  /// Number `index` of a blob becomes change(number).
  template <typename Change>
  void alterBlob(const std::string& table, const std::string& column, long id, int index, const Change& change) {
    altered::Numbers values;
    tables_.sql().query("SELECT " + column + " FROM " + table + " WHERE id = " + std::to_string(id),
                        [&](sqlite3_stmt* row) { values = altered::numbersOf(row, 0); });
    ASSERT_LT(static_cast<std::size_t>(index), values.size());
    values[static_cast<std::size_t>(index)] = change(values[static_cast<std::size_t>(index)]);
    tables_.sql().insert("UPDATE " + table + " SET " + column + " = ? WHERE id = " + std::to_string(id),
                         [&](sqlite3_stmt* s) { altered::bindNumbers(s, 1, values.data(), values.size()); });
  }
  /// The file with the changes. What cannot be read as a record throws InputError.
  Report verifyFile(int threads = 1) {
    tables_.pack(path_);
    return verifyRecord(path_, {threads, 100});
  }
  /// The same; a record that cannot be read counts as refused.
  Report verify(int threads = 1) {
    try {
      return verifyFile(threads);
    } catch (const InputError& error) {
      Report report;
      report.refuted = true, report.failure_count = 1;
      report.failures.push_back({true, "", -1, {"unreadable", ""}, 0, error.what()});
      return report;
    }
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  altered::PlainTables tables_;
};

std::string describe(const Report& report) {
  std::string text = report.status();
  for (const Failure& f : report.failures)
    text +=
        fmt::format("\n  branch {} piece {} {}/{} t {}: {}", f.branch, f.piece, f.pair[0], f.pair[1], f.time, f.reason);
  return text;
}

/// Runs made once for all tests.
struct Records {
  std::string die = temporaryPath("die"), cubes = temporaryPath("cubes"), killed = temporaryPath("killed");
  double die_gap, cubes_gap;
  Records() {
    die_gap = synthetic::writeDie(die, 60);
    cubes_gap = synthetic::writeCubes(cubes, 24);
    synthetic::writeDie(killed, 60, 5e-3, false);
  }
  ~Records() {
    for (const std::string& path : {die, cubes, killed}) fs::remove(path);
  }
};
const Records& records() {
  static const Records made;
  return made;
}

bool names(const Report& report, long piece, const std::string& body) {
  for (const Failure& f : report.failures)
    if (f.piece == piece && (f.pair[0] == body || f.pair[1] == body)) return true;
  return false;
}

TEST(Verify, AcceptsTrueRecords) {
  for (const int threads : {1, 2}) {
    const Report die = verifyRecord(records().die, {threads, 100});
    EXPECT_TRUE(die.verified) << describe(die);
    EXPECT_EQ(die.pieces, 60);
    EXPECT_EQ(die.witnesses, 1);  // One plane, all the time.
    EXPECT_EQ(die.pairs, 1);
    EXPECT_EQ(die.min_gap, records().die_gap);
    EXPECT_NEAR(die.horizon, 0.3, 1e-12);
    EXPECT_TRUE(die.notes.empty());
    const Report cubes = verifyRecord(records().cubes, {threads, 100});
    EXPECT_TRUE(cubes.verified) << describe(cubes);
    EXPECT_EQ(cubes.min_gap, records().cubes_gap);
    EXPECT_EQ(cubes.witnesses, 24);
    EXPECT_GT(cubes.pieces, 48);
  }
}

TEST(Verify, LeavesNoFilesBehind) {
  verifyRecord(records().die);
  EXPECT_FALSE(fs::exists(records().die + "-wal"));
  EXPECT_FALSE(fs::exists(records().die + "-shm"));
}

TEST(Verify, AcceptsTheRecordOfAKilledRunUpToItsLastCheckpoint) {
  const Report report = verifyRecord(records().killed);
  EXPECT_TRUE(report.verified) << describe(report);
  EXPECT_EQ(report.run_status, "running");
  EXPECT_NEAR(report.horizon, 0.3, 1e-12);
  EXPECT_EQ(report.min_gap, synthetic::runInfo().gap_floor);
  // A later piece without witness, half a step: not part of the claim.
  Altered half(records().killed);
  half.execute("DELETE FROM witnesses WHERE id = 60");
  half.execute("UPDATE branches SET end_time = (SELECT t0 FROM pieces WHERE id = 61)");
  EXPECT_TRUE(half.verify().verified);
}

TEST(Verify, AControlPointByOneBit) {
  const auto next = [](double x) { return std::nextafter(x, INFINITY); };
  for (const auto& [column, index] :
       {std::pair{"position", 0}, {"position", 2}, {"position", 7}, {"orientation", 1}, {"orientation", 14}}) {
    Altered altered(records().die);
    altered.alterBlob("pieces", column, 20, index, next);
    const Report report = altered.verify();
    EXPECT_FALSE(report.verified) << column << index;
    EXPECT_TRUE(report.refuted);
    EXPECT_TRUE(names(report, 20, "die") || names(report, 21, "die")) << describe(report);
  }
}

TEST(Verify, AnInnerControlPointThatBreaksTheGap) {
  Altered altered(records().die);
  altered.alterBlob("pieces", "position", 20, 5, [](double) { return -4.0; });  // z of the middle point of a parabola.
  const Report report = altered.verify();
  bool pair = false;
  for (const Failure& f : report.failures)
    pair |= f.piece == 20 && f.pair == std::array<std::string, 2>{"table", "die"} && f.refuted;
  EXPECT_TRUE(pair) << describe(report);
}

TEST(Verify, AnOrientationThatVanishes) {
  Altered altered(records().die);
  for (int i = 4; i < 12; ++i) altered.alterBlob("pieces", "orientation", 20, i, [](double x) { return -3 * x; });
  const Report report = altered.verify();
  EXPECT_FALSE(report.verified);
  Altered zero(records().die);
  for (int i = 0; i < 16; ++i) zero.alterBlob("pieces", "orientation", 20, i, [](double) { return 0.0; });
  EXPECT_THAT(describe(zero.verify()), HasSubstr("vanishes"));
}

TEST(Verify, WitnessesThatClaimTooMuch) {
  for (int id = 1; id <= 24; ++id) {  // All three kinds of axis.
    Altered altered(records().cubes);
    altered.execute(fmt::format("UPDATE witnesses SET gap = gap * 1.05 WHERE id = {}", id));
    const Report report = altered.verify();
    EXPECT_TRUE(report.refuted) << id;
    EXPECT_EQ(report.failure_count, 1);
    EXPECT_EQ(report.failures.at(0).pair, (std::array<std::string, 2>{"low", "high"}));
    EXPECT_GE(report.failures.at(0).piece, 1);
  }
  for (const char* change :
       {"gap = 0", "gap = -1", "gap = NULL", "gap = 9e999", "t1 = t0", "t0 = NULL", "t1 = 9e999",
        "kind = 1, axis = x'00'", "body_a = 1, body_b = 0", "part_b = 1", "body_b = 7", "kind = 3", "body_a = -1"}) {
    Altered altered(records().die);
    altered.execute(std::string("UPDATE witnesses SET ") + change + " WHERE id = 10");
    EXPECT_FALSE(altered.verify().verified) << change;
  }
}

TEST(Verify, EdgeWitnessFields) {
  for (const char* change : {"cross_bound = cross_bound * 0.5", "cross_bound = -cross_bound", "cosine_bound = 1",
                             "cosine_bound = -1e-9", "a0 = a1", "a0 = 8", "b1 = -1", "a0 = a1, a1 = a0",
                             "a0 = (a0 + 3) % 8", "b0 = (b0 + 3) % 8", "cross_bound = NULL"}) {
    Altered altered(records().cubes);
    altered.execute(std::string("UPDATE witnesses SET ") + change + " WHERE id = 6");
    EXPECT_FALSE(altered.verify().verified) << change;
  }
}

/// Two cubes of edge 2 without gravity.
sim::Scene cubesAtRest(const geom::Pose& low, const geom::Pose& high) {
  sim::Scene scene;
  scene.name = "cubes";
  scene.gravity = {0, 0, 0};
  scene.bodies = {synthetic::cube("low", 2), synthetic::cube("high", 2)};
  scene.bodies[0].pose = low, scene.bodies[1].pose = high;
  scene.text = "name: cubes\ngravity: [0, 0, 0]\nbodies:\n" + synthetic::bodyText(scene.bodies[0], 2) +
               synthetic::bodyText(scene.bodies[1], 2);
  return scene;
}

/// A second of them, with one witness of the pair.
void recordAtRest(const std::string& path, const sim::Scene& scene, const sim::WitnessRecord& witness) {
  record::Writer writer(path, scene, synthetic::runInfo(), synthetic::replacing());
  for (int b = 0; b < 2; ++b)
    writer.piece(
        {b, 0, advance::MotionPiece::constant(scene.bodies[b].pose, 0, 1), {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  writer.witness(witness);
  sim::Summary summary;
  summary.min_gap = witness.witness.gap;
  summary.time = 1;
  writer.finish(summary, "{}");
}

/// Two cubes at rest, face over face, the upper one turned and slightly tilted: along the normal of two crossing edges
/// vertices of both lie before their edges, by about as much as the edges are apart. The claim is about all of them.
TEST(Verify, VerticesBeforeTheEdgesOfAWitnessCount) {
  const std::string path = temporaryPath("before");
  const sim::Scene scene = cubesAtRest({{1, 0, 0, 0}, {0, 0, 0}}, {{2, 0.003, 0.005, 1}, {0.1, 0.2, 2.015}});
  const sim::Body &low = scene.bodies[0], &high = scene.bodies[1];
  const auto& vertices = std::get<geom::Polytope>(low.parts[0]).vertices();
  const Eigen::Matrix3d R = high.pose.rotation();
  const auto a = advance::MotionPiece::constant(low.pose, 0, 1), b = advance::MotionPiece::constant(high.pose, 0, 1);
  const auto isEdge = [&](int from, int to, double side) {
    return (vertices.col(to) - vertices.col(from)).squaredNorm() == 4 && side * vertices(2, from) > 0 &&
           side * vertices(2, to) > 0;
  };
  int found_before[4] = {0, 0, 0, 0};  // By who has vertices before its edge: none, A, B, both.
  for (int number = 0; number < 8 * 8 * 8 * 8; ++number) {
    sim::WitnessRecord witness{{0, 0, 1, 0}, {}};
    advance::Witness& w = witness.witness;
    w.axis = {advance::AxisKind::kEdges, {0, 0, 0}, number % 8, number / 8 % 8, number / 64 % 8, number / 512};
    if (!isEdge(w.axis.a0, w.axis.a1, 1) || !isEdge(w.axis.b0, w.axis.b1, -1)) continue;
    const Eigen::Vector3d edge_a = vertices.col(w.axis.a1) - vertices.col(w.axis.a0),
                          edge_b = R * (vertices.col(w.axis.b1) - vertices.col(w.axis.b0));
    const Eigen::Vector3d n = edge_a.cross(edge_b);
    const synthetic::Sampled found = synthetic::sample(low, a, high, b, w.axis, 0, 1);
    if (!(n[2] > 0 && found.product > 0)) continue;
    const double apart = n.dot(high.pose.p + R * vertices.col(w.axis.b0) - vertices.col(w.axis.a0));
    const bool of_a = (n.transpose() * vertices).maxCoeff() > n.dot(vertices.col(w.axis.a0)) + 1e-3;
    const bool of_b = (n.transpose() * R * vertices).minCoeff() < n.dot(R * vertices.col(w.axis.b0)) - 1e-3;
    if (++found_before[of_a + 2 * of_b] > 2) continue;
    w.t0 = 0, w.t1 = 1;
    w.cosine = 0.999 * found.cosine;
    w.cross = 1.0001 * std::sqrt(16 - w.cosine * w.cosine);
    const double length = w.cross + w.cosine * (w.cosine - found.cosine) / w.cross;  // That the claim takes n to have.
    for (const double product : {0.999 * found.product, 1.001 * found.product, 0.999 * apart}) {
      w.gap = product / length;
      recordAtRest(path, scene, witness);
      const Report report = verifyRecord(path);
      EXPECT_EQ(report.verified, product < found.product) << number << describe(report);
      EXPECT_EQ(report.verified, describe(report).find("closer") == std::string::npos) << describe(report);
    }
  }
  for (const int count : found_before) EXPECT_GT(count, 0);
  fs::remove(path);
}

TEST(Verify, AHalfSpaceTakesNoAxisButItsNormal) {
  Altered altered(records().die);
  altered.alterBlob("witnesses", "axis", 10, 2, [](double) { return std::nextafter(1, 2); });
  EXPECT_THAT(describe(altered.verify()), HasSubstr("normal"));
}

TEST(Verify, MissingAndRepeatedRows) {
  Altered piece(records().die);
  piece.execute("DELETE FROM pieces WHERE id = 20");
  EXPECT_TRUE(names(piece.verify(), 21, "die"));

  Altered repeated(records().die);
  repeated.execute(
      "INSERT INTO pieces SELECT 1000, branch, body, t0, t1, p_degree, q_degree, position, orientation, velocity, step "
      "FROM pieces WHERE id = 20");
  EXPECT_TRUE(names(repeated.verify(), 1000, "die"));

  Altered last(records().die);
  last.execute("DELETE FROM pieces WHERE id = 61");
  EXPECT_TRUE(names(last.verify(), 60, "die"));

  Altered stray(records().die);
  stray.execute("UPDATE pieces SET branch = '7' WHERE id = 61");
  EXPECT_FALSE(stray.verify().verified);

  Altered witness(records().cubes);
  witness.execute("DELETE FROM witnesses WHERE id = 9");
  const Report report = witness.verify();
  EXPECT_FALSE(report.verified);
  EXPECT_FALSE(report.refuted);  // The cubes may still be apart; the record does not prove it.
  EXPECT_STREQ(report.status(), "unproved");
  EXPECT_EQ(report.failures.at(0).pair, (std::array<std::string, 2>{"low", "high"}));
  EXPECT_GE(report.failures.at(0).piece, 1);
}

/// Two cubes of edge 2 at rest, turned about z by cos = 3/5, sin = 4/5 (q = (2, 0, 0, 1)), seen along the axis (1, 1,
/// 0) of the first, which is (-1, 7, 0) / 5 in the world. All numbers are short, and the cubes are 1.6 / sqrt 2
/// = 1.1314 apart: the claim must not be rounded up in the units of its data.
TEST(Verify, WholeNumbersAndAnAxisOfIrrationalLength) {
  const std::string path = temporaryPath("whole");
  const sim::Scene scene = cubesAtRest({{2, 0, 0, 1}, {0, 0, 0}}, {{2, 0, 0, 1}, {0, 4, 0}});
  for (const double gap : {1.125, 1.1328125}) {
    sim::WitnessRecord witness{{0, 0, 1, 0}, {}};
    witness.witness.t0 = 0, witness.witness.t1 = 1;
    witness.witness.axis.axis = {1, 1, 0};
    witness.witness.gap = gap;
    recordAtRest(path, scene, witness);
    const Report report = verifyRecord(path);
    EXPECT_EQ(report.verified, gap < 1.6 / std::sqrt(2.0)) << describe(report);
  }
  fs::remove(path);
}

TEST(Verify, BoxesProveDistantPairsWithoutWitnesses) {
  Altered altered(records().die);  // The die stays .5 m above the table.
  altered.execute("DELETE FROM witnesses");
  altered.execute("UPDATE branches SET min_gap = 0.5");
  altered.execute("UPDATE meta SET value = '' WHERE key = 'summary'");
  const Report report = altered.verify();
  EXPECT_TRUE(report.verified) << describe(report);
  Altered close(records().cubes);  // .02 m apart: their boxes overlap.
  close.execute("DELETE FROM witnesses");
  EXPECT_STREQ(close.verify().status(), "unproved");
}

TEST(Verify, Times) {
  for (const char* change :
       {"UPDATE pieces SET t1 = t1 + 1e-15 WHERE id = 20", "UPDATE pieces SET t0 = NULL WHERE id = 20",
        "UPDATE pieces SET t0 = t1 WHERE id = 20", "UPDATE branches SET end_time = end_time + 1e-9",
        "UPDATE branches SET end_time = 0", "UPDATE branches SET end_time = NULL",
        "UPDATE pieces SET t1 = 9e999 WHERE id = 61", "UPDATE pieces SET t0 = 0.001 WHERE id = 2",
        "UPDATE branches SET id = '1'"}) {
    Altered altered(records().die);
    altered.execute(change);
    EXPECT_FALSE(altered.verify().verified) << change;
  }
  for (const char* change :
       {"t0 = t0 + 1e-9 WHERE id = 1", "t1 = t1 - 1e-9 WHERE id = 7", "t0 = t1, t1 = t0 WHERE id = 7"}) {
    Altered altered(records().cubes);
    altered.execute(std::string("UPDATE witnesses SET ") + change);
    EXPECT_FALSE(altered.verify().verified) << change;
  }
}

TEST(Verify, ShapesAndStartsAgainstTheScene) {
  const auto check = [](auto&& alter, const char* what) {
    Altered altered(records().cubes);
    alter(altered);
    const Report report = altered.verify();
    EXPECT_TRUE(report.refuted) << what;
    EXPECT_THAT(describe(report), HasSubstr("high")) << what;
  };
  check([](Altered& a) { a.alterBlob("parts", "vertices", 2, 4, [](double x) { return x * (1 + 1e-11); }); }, "vertex");
  check([](Altered& a) { a.execute("UPDATE parts SET vertices = substr(vertices, 1, 168) WHERE id = 2"); },
        "vertex left out");
  check([](Altered& a) { a.execute("UPDATE bodies SET name = 'High' WHERE id = 1"); }, "name");
  check([](Altered& a) { a.execute("UPDATE bodies SET fixed = 1 WHERE id = 1"); }, "fixed");
  check([](Altered& a) { a.alterBlob("bodies", "centre", 1, 0, [](double) { return 1e-3; }); }, "centre");
  // Everything moved together stays consistent with itself, not with the model.
  check(
      [](Altered& a) {
        for (int id = 1; id <= 54; ++id) {
          std::string row = std::to_string(id);
          for (int i = 0; i < 4; ++i)
            a.alterBlob("pieces", "position", id, 3 * i + 1, [](double y) { return y + 0.5; });
        }
      },
      "start");
}

TEST(Verify, Claims) {
  for (const char* change :
       {"UPDATE branches SET min_gap = min_gap * 1.0001", "UPDATE branches SET min_gap = 0",
        "UPDATE branches SET min_gap = -1", "UPDATE branches SET min_gap = NULL",
        "UPDATE meta SET value = '{\"min_gap\": 3}' WHERE key = 'summary'",
        "UPDATE meta SET value = 0 WHERE key = 'gap_floor'", "UPDATE meta SET value = 2 WHERE key = 'gap_floor'"}) {
    Altered altered(records().die);
    altered.execute(change);
    EXPECT_FALSE(altered.verify().verified) << change;
  }
  Altered modest(records().die);
  modest.execute("UPDATE branches SET min_gap = min_gap / 2");
  modest.execute("UPDATE meta SET value = '' WHERE key = 'summary'");
  EXPECT_TRUE(modest.verify().verified);  // A weaker claim is no lie.
}

TEST(Verify, Velocities) {
  Altered altered(records().die);
  altered.alterBlob("pieces", "velocity", 20, 7, [](double x) { return x + 1e-3; });  // More than 3 200 gap_floor / h.
  EXPECT_TRUE(names(altered.verify(), 20, "die"));
  Altered spin(records().die);
  spin.alterBlob("pieces", "velocity", 20, 3, [](double x) { return x * (1 + 1e-7); });
  EXPECT_TRUE(names(spin.verify(), 20, "die"));
}

// The step that was integrated differs from the difference of its rounded times; a fast spin shows it.
TEST(Verify, VelocitiesOfShortPieces) {
  const std::string path = temporaryPath("short");
  const double t = 0.0426, h = 2.8e-10;
  for (const double share : {-0.5, 0.5, 3.0}) {
    sim::Scene scene;
    scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("top", 0.1)};
    sim::Body& top = scene.bodies[1];
    top.pose.p = {0, 0, 1.5};
    top.pose.q = {0.5, 0.5, 0.5, 0.5};
    top.velocity = top.angular_velocity = {0, 0, 0};
    scene.text = "name: top\nbodies:\n" + synthetic::bodyText(scene.bodies[0], 0) + synthetic::bodyText(top, 0.1);
    record::Writer writer(path, scene, synthetic::runInfo(), synthetic::replacing());
    sim::PieceRecord still{1,         0,        advance::MotionPiece::constant(top.pose, 0, t), {0, 0, 0}, {0, 0, 0},
                           {0, 0, 0}, {0, 0, 0}};
    writer.piece(still);
    synthetic::Flight flight{1, top.pose.p, {0, 0, 0}, {5900, -200, 0}, {0, 0, 0}, top.pose.q};
    flight.t = t;
    sim::PieceRecord spin = flight.step(h, 1);
    spin.w_start *= 1 + share * 0x1p-52 * t / h;
    spin.w_end *= 1 + share * 0x1p-52 * t / h;
    writer.piece(spin);
    writer.checkpoint(flight.t, 1, {});
    sim::Summary summary;
    summary.min_gap = 1;
    summary.time = flight.t;
    writer.finish(summary, "{\"min_gap\": 1}");
    const Report report = verifyRecord(path);
    EXPECT_EQ(report.verified, std::abs(share) < 1) << share << describe(report);
  }
  fs::remove(path);
}

TEST(Verify, FilesThatAreNoRecords) {
  const std::string path = temporaryPath("foreign");
  const auto write = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_THROW(verifyRecord(path), InputError) << bytes.size();
    EXPECT_THROW(record::Reader{path}, record::RecordError) << bytes.size();
  };
  EXPECT_THROW(verifyRecord("/nonexistent/run.rigor"), InputError);
  EXPECT_THROW(verifyRecord(fs::temp_directory_path()), InputError);
  write("");
  write("no database at all");
  write("SQLite format 3");
  write(std::string(10000, '\0'));
  std::ifstream file(records().die, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(file)), {});
  for (const std::size_t size : {100ul, 2048ul, good.size() / 3, good.size() / 2}) write(good.substr(0, size));
  for (const char* change :
       {"UPDATE meta SET value = 'other' WHERE key = 'format'",
        "UPDATE meta SET value = 3 WHERE key = 'schema_version'", "DELETE FROM meta WHERE key = 'schema_version'",
        "UPDATE pieces SET p_degree = 1 WHERE id = 3", "UPDATE pieces SET position = x'0011' WHERE id = 3",
        "UPDATE pieces SET body = 2 WHERE id = 3", "UPDATE parts SET vertices = x'' WHERE id = 2",
        "DELETE FROM branches", "UPDATE branches SET id = NULL", "UPDATE meta SET value = '{' WHERE key = 'options'"}) {
    Altered altered(records().die);
    altered.execute(change);
    EXPECT_THROW(altered.verifyFile(), InputError) << change;
  }
  fs::remove(path);
}

// Bits flipped anywhere in the file: an error or a report, never a crash.
TEST(Verify, DamagedBytes) {
  std::ifstream file(records().die, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(file)), {});
  const std::string path = temporaryPath("damaged");
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string bad = good;
    for (int k = 0; k < 1 + i % 20; ++k) bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
    std::ofstream(path, std::ios::binary) << bad;
    try {
      verifyRecord(path, {1, 10});
    } catch (const InputError&) {
    }
  }
  fs::remove(path);
}

// A parent that forks into two children, all without witnesses: the die stays high above the table.
TEST(Verify, TreesOfBranches) {
  const std::string path = temporaryPath("tree");
  sim::Scene scene;
  scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
  scene.bodies[1].pose.p = {0, 0, 2};
  scene.text = "bodies:\n" + synthetic::bodyText(scene.bodies[0], 0) + synthetic::bodyText(scene.bodies[1], 0.1);
  {
    record::Writer writer(path, scene, synthetic::runInfo(), synthetic::replacing());
    synthetic::Flight parent{1, {0, 0, 2}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0, 0}};
    writer.piece(parent.step(0.5, 0));
    writer.checkpoint(0.5, 0, {});
    writer.endBranch(0.5, 1, "done");
    for (const char* id : {"0/0", "0/1"}) {
      synthetic::Flight child = parent;
      child.v = {id[2] - '0' - 0.5, 0, 0};
      writer.beginBranch({id, "0", 0.5, "{}", 0.5});
      writer.piece(child.step(0.25, 1));
      writer.piece(child.step(0.25, 2));
      writer.checkpoint(1, 2, {});
      writer.endBranch(1, 1, "done");
    }
    writer.finish("done", "", "{\"min_gap\": 1}");
  }
  const Report report = verifyRecord(path);
  EXPECT_TRUE(report.verified) << describe(report);
  EXPECT_EQ(report.branches, 3);
  EXPECT_EQ(report.horizon, 1);
  EXPECT_EQ(report.min_gap, 1);
  for (const char* change :
       {"UPDATE branches SET fork_time = 0.25 WHERE id = '0/1'",
        "UPDATE pieces SET t0 = 0.25 WHERE branch = '0/1' AND t0 = 0.5",
        "DELETE FROM pieces WHERE branch = '0/1' AND t0 = 0.5", "DELETE FROM pieces WHERE branch = '0/1'",
        "DELETE FROM branches WHERE id = '0/1'", "UPDATE branches SET min_gap = 3 WHERE id = '0/1'",
        "UPDATE branches SET parent = '0/1' WHERE id = '0/1'",
        "UPDATE branches SET parent = 'none' WHERE id = '0/1'"}) {
    Altered altered(path);
    altered.execute(change);
    const Report bad = altered.verify();
    EXPECT_FALSE(bad.verified) << change;
  }
  Altered moved(path);
  moved.alterBlob("pieces", "position", 5, 0, [](double x) { return std::nextafter(x, 1); });
  const Report bad = moved.verify();
  EXPECT_TRUE(names(bad, 5, "die")) << describe(bad);
  EXPECT_EQ(bad.failures.at(0).branch, "0/1");
  fs::remove(path);
}

}  // namespace
}  // namespace rigor::verify
