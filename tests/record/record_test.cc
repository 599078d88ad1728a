// SPDX-License-Identifier: MIT
// Proves: what the writer is handed is what the reader gives back, bit for bit; a killed writer and a full disk leave a
// readable record up to a checkpoint; exports hold the same numbers. Oracles: the rows handed over, closed-form free
// flight, SIGKILL in a child process, a file size limit, and HDF5's own reader.
#include <gmock/gmock.h>
#include <hdf5/serial/hdf5.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "record/export.h"
#include "record/reader.h"
#include "tests/verify/synthetic_record.h"
#include "tests/json_text.h"

namespace rigor::record {
namespace {

namespace fs = std::filesystem;
using synthetic::temporaryPath;
using testing::ElementsAre;
using testing::HasSubstr;

/// A path that is gone at the end, with what SQLite may leave beside it.
struct Temporary {
  explicit Temporary(const std::string& name) : path(temporaryPath(name)) { remove(); }
  ~Temporary() { remove(); }
  void remove() {
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove_all(path + suffix);
  }
  std::string path;
};

sim::Scene smallScene() {
  sim::Scene scene;
  scene.name = "small";
  scene.path = "scenes/small.yaml";
  scene.text = "name: small\n";
  scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
  scene.bodies[1].centre = {0.01, -0.02, 0.03};
  scene.bodies[1].pose.p = {0, 0, 1};
  return scene;
}

// Two pieces joined by an impact at t = .25.
void execute(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  sqlite3_close(database);
}

void writeSmallRun(const std::string& path) {
  Writer writer(path, smallScene(), {18446744073709551615u, "1.2.3", "{\"until\":1}", "{}", 1e-8, 5e-9, 0.5},
                synthetic::replacing());
  synthetic::Flight flight{1, {0.01, -0.02, 1.03}, {1, 2, 3}, {0.5, -1, 2}, {0, 0, -9.81}, {1, 0, 0, 0}};
  const sim::PieceRecord first = flight.step(0.25, 1);
  writer.piece(first);
  writer.witness({{0, 0, 1, 0}, {0, 0.25, {}, 0.125, 0, 0}});
  advance::SeparatingAxis edges{advance::AxisKind::kEdges, {0, 0, 0}, 3, 1, 4, 2};
  writer.witness({{0, 0, 1, 0}, {0, 0.25, edges, 0.25, 0.5, 0.75}});
  writer.event({0.25, "contact-made", 0, 1, "{\"n\": 1}"});
  writer.event({0.25, "rest", -1, -1, ""});
  sim::ImpactRecord impact{0.25, "routh", {1}, {}, {}, {}};
  Eigen::Matrix<double, 6, 1> before, after;
  before << first.v_end, first.w_end;
  after << -1, 2, 3.5, 0, 0, 1;
  impact.before = {before};
  impact.after = {after};
  impact.contacts = {{{0, 0, 1, 0}, {1, 2, 0}, {0, 0, 1}, INFINITY, 0.5, {3, 0.25, 1e-300}}};
  writer.impact(impact);
  writer.checkpoint(0.25, 1, {7, 8, 9});
  flight.v = after.head<3>();
  flight.w = after.tail<3>();
  writer.piece(flight.step(0.25, 2));
  writer.checkpoint(0.5, 2, {10, 11});
  sim::Summary summary;
  summary.time = 0.5;
  summary.min_gap = 0.125;
  writer.finish(summary, "{\"min_gap\": 0.125}");
}

TEST(Record, WhatIsWrittenIsRead) {
  const Temporary file("small");
  writeSmallRun(file.path);
  EXPECT_FALSE(fs::exists(file.path + "-wal"));
  EXPECT_FALSE(fs::exists(file.path + "-shm"));

  Reader reader(file.path);
  const RunHeader& header = reader.header();
  EXPECT_EQ(header.seed, 18446744073709551615u);
  EXPECT_EQ(header.build, "1.2.3");
  EXPECT_EQ(header.scene_text, "name: small\n");
  EXPECT_EQ(header.scene_path, "scenes/small.yaml");
  EXPECT_EQ(header.status, "done");
  EXPECT_EQ(header.summary, "{\"min_gap\": 0.125}");
  EXPECT_EQ(header.gap_floor, 5e-9);

  const sim::Scene scene = smallScene();
  ASSERT_EQ(reader.bodies().size(), 2u);
  EXPECT_TRUE(reader.bodies()[0].fixed);
  EXPECT_TRUE(reader.bodies()[0].parts.at(0).half_space);
  EXPECT_EQ(reader.bodies()[1].name, "die");
  EXPECT_EQ(reader.bodies()[1].centre, scene.bodies[1].centre);
  EXPECT_EQ(reader.bodies()[1].inertia, scene.bodies[1].inertia);
  const auto& polytope = std::get<geom::Polytope>(scene.bodies[1].parts[0]);
  ASSERT_EQ(reader.bodies()[1].parts.at(0).vertices.size(), 8u);
  for (int v = 0; v < 8; ++v) EXPECT_EQ(reader.bodies()[1].parts[0].vertices[v], polytope.vertex(v));

  synthetic::Flight flight{1, {0.01, -0.02, 1.03}, {1, 2, 3}, {0.5, -1, 2}, {0, 0, -9.81}, {1, 0, 0, 0}};
  const sim::PieceRecord expected = flight.step(0.25, 1);
  const auto piece = reader.pieceAt("0", 1, 0.1);
  ASSERT_TRUE(piece);
  EXPECT_EQ(piece->piece.t1, 0.25);
  EXPECT_EQ(piece->piece.p_degree, 2);
  for (int i = 0; i <= 2; ++i) EXPECT_EQ(piece->piece.p[i], expected.piece.p[i]);
  for (int i = 0; i <= 3; ++i) EXPECT_EQ(piece->piece.q[i], expected.piece.q[i]);
  EXPECT_EQ(piece->v_end, expected.v_end);
  EXPECT_EQ(piece->w_start, expected.w_start);
  EXPECT_EQ(piece->step, 1);
  EXPECT_EQ(reader.pieceAt("0", 1, 0.25)->piece.t0, 0.25);  // The later one at a joint.
  EXPECT_EQ(reader.pieceAt("0", 1, 0.5)->piece.t0, 0.25);
  EXPECT_FALSE(reader.pieceAt("0", 1, 0.6));
  EXPECT_FALSE(reader.pieceAt("0", 1, -0.1));
  EXPECT_TRUE(reader.pieceAt("0", 0, 1e9));  // The table stays.

  const auto events = reader.events("0", 0, 1);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, "contact-made");
  EXPECT_EQ(events[0].body_b, 1);
  EXPECT_EQ(events[1].body_a, -1);
  const auto impacts = reader.impacts("0", 0, 1);
  ASSERT_EQ(impacts.size(), 1u);
  EXPECT_EQ(impacts[0].after.at(0)[2], 3.5);
  EXPECT_EQ(impacts[0].contacts.at(0).friction, INFINITY);
  EXPECT_EQ(impacts[0].contacts.at(0).impulse[2], 1e-300);
  EXPECT_EQ(reader.latestSnapshot("0", 1)->state, (std::vector<unsigned char>{10, 11}));
  EXPECT_EQ(reader.branches().at(0).min_gap, 0.125);
  EXPECT_EQ(reader.count("witnesses"), 2);
  EXPECT_THROW(reader.branch("1"), RecordError);
}

// A thread keeps the connection of its last record: what that held must not show in the next one, larger, smaller or
// never finished.
TEST(Record, TheRecordBeforeLeavesNothingBehind) {
  const auto bytesOf = [](const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const Temporary first("first"), again("again"), other("other"), lost("lost");
  std::thread([&] { writeSmallRun(first.path); }).join();  // With a connection of its own.
  {
    Writer writer(other.path, smallScene(), {7, "other", "{}", "{}", 1e-8, 5e-9, 9}, synthetic::replacing());
    const synthetic::Flight flight{1, {0, 0, 1}, {1, 2, 3}, {0.5, -1, 2}, {0, 0, -9.81}, {1, 0, 0, 0}};
    for (int k = 0; k < 500; ++k) {
      synthetic::Flight piece = flight;
      writer.piece(piece.step(0.01, k));
      writer.event({0.01 * k, "contact-made", 0, 1, "{}"});
    }
    writer.checkpoint(5, 500, {1});
    writer.finish(sim::Summary{}, "{}");
  }
  { const Writer writer(lost.path, smallScene(), {8, "lost", "{}", "{}", 1e-8, 5e-9, 9}, synthetic::replacing()); }
  for (int k = 0; k < 3; ++k) {
    writeSmallRun(again.path);
    EXPECT_EQ(bytesOf(again.path), bytesOf(first.path)) << k;
  }
}

TEST(Record, StateOfTheOrigin) {
  const Temporary file("small");
  writeSmallRun(file.path);
  Reader reader(file.path);
  // Free flight: the centre moves on a parabola; the origin is at minus R c from it.
  const BodyState state = reader.stateAt("0", 1, 0.1);
  const Eigen::Vector3d w{0.5, -1, 2}, centre_at{0.01 + 0.1, -0.02 + 0.2, 1.03 + 0.3 - 9.81 * 0.005};
  const Eigen::Vector3d arm = Eigen::AngleAxisd(w.norm() * 0.1, w.normalized()) * Eigen::Vector3d(0.01, -0.02, 0.03);
  // The published cubic quaternion follows the rotation to (w h)^4 / 384.
  EXPECT_LT((state.position - (centre_at - arm)).norm(), 1e-4 * arm.norm());
  EXPECT_LT((state.velocity - (Eigen::Vector3d(1, 2, 3 - 0.981) - w.cross(arm))).norm(), 5e-3 * arm.norm());
  EXPECT_LT((state.angular_velocity - w).norm(), 5e-3);
}

TEST(Record, ExistingFilesAreRefused) {
  const Temporary file("small");
  writeSmallRun(file.path);
  EXPECT_THROW(Writer(file.path, smallScene(), {}), RecordError);
  EXPECT_NO_THROW(Reader{file.path});  // Untouched.
  EXPECT_NO_THROW(Writer(file.path, smallScene(), {}, synthetic::replacing()));
  EXPECT_THROW(Writer("/dev/null/folder/x.rigor", smallScene(), {}), RecordError);
}

TEST(Record, UnfinishedRunsEndAtTheirLastCheckpoint) {
  const Temporary file("unfinished");
  {
    Writer writer(file.path, smallScene(), {});
    synthetic::Flight flight{1, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0, 0}};
    for (int i = 0; i < 5; ++i) {
      writer.piece(flight.step(0.125, i));
      if (i < 3) writer.checkpoint(flight.t, i, {1});
    }
  }
  Reader reader(file.path);
  EXPECT_EQ(reader.header().status, "running");
  EXPECT_EQ(reader.branches().at(0).end_time, 0.375);
  EXPECT_EQ(reader.count("pieces"), 3);
  EXPECT_EQ(reader.latestSnapshot("0", 1)->time, 0.375);
}

TEST(Record, ReadableWhileWrittenAndAfterSigkill) {
  const Temporary file("killed");
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    WriterOptions options;
    options.commit_interval = 0;
    Writer writer(file.path, smallScene(), {}, options);
    synthetic::Flight flight{1, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0, 0}};
    for (int i = 0;; ++i) {
      writer.piece(flight.step(0.125, i));
      writer.witness({{0, 0, 1, 0}, {flight.t - 0.125, flight.t, {}, 0.5, 0, 0}});
      writer.checkpoint(flight.t, i, {1});
      if (i == 500 && write(pipe_ends[1], "x", 1) != 1) _exit(1);
    }
  }
  char byte;
  ASSERT_EQ(read(pipe_ends[0], &byte, 1), 1);
  {
    Reader running(file.path);
    EXPECT_GE(running.count("pieces"), 500);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  Reader reader(file.path);
  EXPECT_EQ(reader.header().status, "running");
  const long pieces = reader.count("pieces");
  EXPECT_GE(pieces, 500);
  EXPECT_EQ(reader.count("witnesses"), 1);  // One claim that goes on.
  EXPECT_EQ(reader.file().claims(1, 1).at(0).t1, 0.125 * static_cast<double>(pieces));
  EXPECT_EQ(reader.branches().at(0).end_time, 0.125 * static_cast<double>(pieces));
  EXPECT_TRUE(reader.pieceAt("0", 1, 0.125 * static_cast<double>(pieces)));
}

// At whatever moment it is killed: the file holds nothing yet, or a record that says what it is.
TEST(Record, AWriterThatIsKilledWhileItBeginsLeavesNoHalf) {
  const Temporary file("begun");
  for (int i = 0; i < 40; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      WriterOptions options;
      options.replace = true;
      options.visible_at_once = i % 2 == 0;
      Writer writer(file.path, smallScene(), {}, options);
      pause();
    }
    usleep(200 * (i % 20));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (!fs::exists(file.path)) continue;
    // A record that has begun, or a sentence that says that it has not: never half of one.
    try {
      EXPECT_EQ(Reader(file.path).header().status, "running") << i;
    } catch (const RecordError& error) {
      EXPECT_THAT(error.what(),
                  testing::AnyOf(HasSubstr("ended before the first commit"), HasSubstr("a writer that ended early")))
          << i;
    }
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(file.path + suffix);
  }
}

// A limit on the file size stands for the full disk: SQLite sees the same failing writes.
TEST(Record, AFullDiskIsSaidAndLeavesAReadableRecord) {
  const Temporary file("full");
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    int code = 1;
    try {
      WriterOptions options;
      options.commit_rows = 1000;
      Writer writer(file.path, smallScene(), {}, options);
      const rlimit limit{1 << 20, 1 << 20};
      setrlimit(RLIMIT_FSIZE, &limit);
      synthetic::Flight flight{1, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0, 0}};
      for (int i = 0; i < 100000; ++i) {
        writer.piece(flight.step(0.125, i));
        writer.checkpoint(flight.t, i, {1});
      }
    } catch (const RecordError& error) {
      code = std::string(error.what()).find("cannot write record") != std::string::npos ? 42 : 2;
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
  Reader reader(file.path);
  const double end = reader.branches().at(0).end_time;
  EXPECT_GT(end, 0);
  EXPECT_TRUE(reader.pieceAt("0", 1, end));
  EXPECT_EQ(reader.header().status, "running");
}

TEST(Record, BranchesContinueTheirParents) {
  const Temporary file("tree");
  {
    Writer writer(file.path, smallScene(), {});
    synthetic::Flight flight{1, {0, 0, 1}, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0, 0}};
    writer.piece(flight.step(0.5, 0));
    writer.checkpoint(0.5, 0, {1});
    writer.endBranch(0.5, 0.1, "done");
    for (const char* id : {"0/0", "0/1"}) {
      synthetic::Flight fork = flight;
      fork.v = {0, id[2] == '0' ? 1.0 : -1.0, 0};
      writer.beginBranch({id, "0", 0.5, "{}", 0.5});
      writer.piece(fork.step(0.5, 1));
      writer.checkpoint(1, 1, {2});
      writer.endBranch(1, 0.1, "done");
    }
    writer.finish("done", "", "{}");
  }
  Reader reader(file.path);
  EXPECT_EQ(reader.branches().size(), 3u);
  EXPECT_EQ(reader.stateAt("0/1", 1, 1).position[1], reader.stateAt("0/0", 1, 1).position[1] - 1);
  EXPECT_EQ(reader.stateAt("0/1", 1, 0.25).position, reader.stateAt("0", 1, 0.25).position);
  EXPECT_TRUE(reader.pieceAt("0/1", 0, 0.7));
  EXPECT_FALSE(reader.pieceAt("0", 1, 0.7));
}

std::vector<std::vector<std::string>> readCsv(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    rows.emplace_back();
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

TEST(Export, CsvHasEveryStateBitForBit) {
  const Temporary file("small"), folder("csv");
  writeSmallRun(file.path);
  Reader reader(file.path);
  exportCsv(reader, folder.path, "");
  const auto rows = readCsv(folder.path + "/states.csv");
  // Start, before and after the impact, end.
  ASSERT_EQ(rows.size(), 1u + 4);
  EXPECT_THAT(rows[0], ElementsAre("branch", "time", "body", "px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz",
                                   "wx", "wy", "wz"));
  const double times[] = {0, 0.25, 0.25, 0.5};
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(rows[i + 1].size(), 16u);
    EXPECT_EQ(rows[i + 1][0], "0");
    EXPECT_EQ(std::stod(rows[i + 1][1]), times[i]);
    EXPECT_EQ(rows[i + 1][2], "die");
  }
  const auto before = reader.pieceAt("0", 1, 0.1), after = reader.pieceAt("0", 1, 0.3);
  const Eigen::Vector3d centre = reader.bodies()[1].centre;
  const auto expectRow = [&](const std::vector<std::string>& row, const BodyState& state) {
    std::vector<double> expected;
    for (const auto& part : {std::vector<double>(state.position.begin(), state.position.end()),
                             std::vector<double>(state.orientation.begin(), state.orientation.end()),
                             std::vector<double>(state.velocity.begin(), state.velocity.end()),
                             std::vector<double>(state.angular_velocity.begin(), state.angular_velocity.end())})
      expected.insert(expected.end(), part.begin(), part.end());
    for (int k = 0; k < 13; ++k) EXPECT_EQ(std::stod(row[3 + k]), expected[k]) << k;
  };
  expectRow(rows[1], originState(before->piece.start(), before->v_start, before->w_start, centre));
  expectRow(rows[2], originState(before->piece.end(), before->v_end, before->w_end, centre));
  expectRow(rows[3], originState(after->piece.start(), after->v_start, after->w_start, centre));
  expectRow(rows[4], originState(after->piece.end(), after->v_end, after->w_end, centre));
  for (int k = 3; k < 10; ++k) EXPECT_EQ(rows[2][k], rows[3][k]);  // An impact moves nothing.

  EXPECT_EQ(readCsv(folder.path + "/joints.csv").size(), 1u);
  const auto impacts = readCsv(folder.path + "/impacts.csv");
  ASSERT_EQ(impacts.size(), 2u);
  EXPECT_EQ(impacts[1][3], "table");
  EXPECT_EQ(impacts[1][11], "inf");
  std::ifstream events(folder.path + "/events.csv");
  std::stringstream text;
  text << events.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("0,0.25,contact-made,table,die,\"{\"\"n\"\": 1}\"\n"));
  EXPECT_THAT(text.str(), HasSubstr("0,0.25,rest,,,\n"));
}

TEST(Export, CsvRowsForEveryBodyAtEveryStep) {
  const Temporary file("cubes");
  synthetic::writeCubes(file.path, 8);
  Reader reader(file.path);
  int rows[2] = {0, 0};
  double last = -1;
  forEachState(reader, "0", [&](double time, int body, const BodyState& state, bool) {
    EXPECT_GE(time, last);
    last = time;
    ++rows[body];
    const BodyState expected = reader.stateAt("0", body, time);
    EXPECT_EQ(state.position, expected.position);
    EXPECT_EQ(state.orientation, expected.orientation);
  });
  EXPECT_EQ(rows[0],
            8 + 2 + 1);  // Every fourth step is two pieces of the upper cube: the lower one is asked in between.
  EXPECT_EQ(rows[1], rows[0]);
}

TEST(Export, OutputsThatCannotBeWritten) {
  const Temporary file("small");
  writeSmallRun(file.path);
  Reader reader(file.path);
  EXPECT_THROW(exportCsv(reader, file.path, ""), ExportError);  // A file, not a folder.
  EXPECT_THROW(exportHdf5(reader, "/dev/null/x.h5", ""), ExportError);
  EXPECT_THROW(exportGltf(reader, "/dev/null/x.gltf", ""), ExportError);
  EXPECT_THROW(exportCsv(reader, temporaryPath("nobranch"), "0/7"), RecordError);
}

/// A robot with one coordinate, and its values at two times.
void addElbow(const std::string& path) {
  auto model = nlohmann::ordered_json::parse(Reader(path).header().model);
  model["robots"].push_back({{"name", "arm"},
                             {"base", "fixed"},
                             {"self_collision", false},
                             {"joints", nlohmann::json::array()},
                             {"coordinates", {"elbow"}},
                             {"start", {{"positions", {0.5}}, {"velocities", {2}}}},
                             {"controller", nullptr}});
  execute(path, "UPDATE meta SET value = '" + model.dump() + "' WHERE key = 'model'");
  const auto row = [](double time, const std::vector<double>& values) {
    std::string bytes;
    for (const double x : values)
      for (std::size_t i = 0; i < sizeof x; ++i)
        bytes += fmt::format("{:02x}", reinterpret_cast<const unsigned char*>(&x)[i]);
    return fmt::format("INSERT INTO joints(branch, time, robot, data) VALUES(0, {}, 0, x'{}');", time, bytes);
  };
  execute(path, row(0, {0.5, 2, -1}) + row(0.25, {0.625, 3, 1e-300}));
}

TEST(Export, Hdf5HasTheSameNumbers) {
  const Temporary file("small"), output("h5");
  writeSmallRun(file.path);
  addElbow(file.path);
  Reader reader(file.path);
  exportHdf5(reader, output.path, "");
  const hid_t h5 = H5Fopen(output.path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(h5, 0);
  const auto read = [&](const char* name) {
    const hid_t set = H5Dopen2(h5, name, H5P_DEFAULT);
    EXPECT_GE(set, 0) << name;
    const hid_t space = H5Dget_space(set);
    std::vector<double> values(H5Sget_simple_extent_npoints(space));
    EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Sclose(space);
    H5Dclose(set);
    return values;
  };
  EXPECT_THAT(read("/branches/0/bodies/die/time"), ElementsAre(0, 0.25, 0.25, 0.5));
  std::vector<double> expected;
  forEachState(reader, "0", [&](double, int, const BodyState& s, bool) {
    expected.insert(expected.end(), s.velocity.begin(), s.velocity.end());
  });
  EXPECT_EQ(read("/branches/0/bodies/die/velocity"), expected);
  EXPECT_THAT(read("/branches/0/impacts/impulse"), ElementsAre(3, 0.25, 1e-300));
  EXPECT_THAT(read("/branches/0/impacts/part_b"), ElementsAre(0));
  EXPECT_THAT(read("/branches/0/joints/time"), ElementsAre(0, 0.25));
  EXPECT_THAT(read("/branches/0/joints/position"), ElementsAre(0.5, 0.625));
  EXPECT_THAT(read("/branches/0/joints/effort"), ElementsAre(-1, 1e-300));
  H5Fclose(h5);
}

std::string textOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A link without a shape is a place, not a mesh without primitives.
TEST(Export, GltfOfBodiesWithoutShape) {
  const Temporary file("bare"), output("gltf");
  writeSmallRun(file.path);
  // Only links of robots may have none.
  auto model = nlohmann::ordered_json::parse(Reader(file.path).header().model);
  model["robots"].push_back(
      {{"name", "arm"},
       {"base", "fixed"},
       {"self_collision", false},
       {"joints", nlohmann::json::array()},
       {"coordinates", nlohmann::json::array()},
       {"start", {{"positions", nlohmann::json::array()}, {"velocities", nlohmann::json::array()}}},
       {"controller", nullptr}});
  model["bodies"][0]["parts"] = nlohmann::json::array(), model["bodies"][0]["robot"] = "arm";
  execute(file.path, "UPDATE meta SET value = '" + model.dump() + "' WHERE key = 'model'");
  Reader reader(file.path);
  exportGltf(reader, output.path, "");
  const auto json = parsedJson(textOf(output.path));
  ASSERT_EQ(json.at("meshes").size(), 1u);
  EXPECT_EQ(json.at("meshes")[0].at("primitives").size(), 1u);
  EXPECT_FALSE(json.at("nodes")[1].contains("mesh"));
  EXPECT_EQ(json.at("nodes")[2].at("mesh"), 0);
  EXPECT_EQ(json.at("animations")[0].at("channels")[0].at("target").at("node"), 2);
}

TEST(Export, GltfIsConsistent) {
  const Temporary file("small"), output("gltf"), binary("glb");
  writeSmallRun(file.path);
  Reader reader(file.path);
  exportGltf(reader, output.path, "");
  exportGltf(reader, binary.path + ".glb", "");
  const auto json = parsedJson(textOf(output.path));
  EXPECT_EQ(json.at("asset").at("version"), "2.0");
  ASSERT_EQ(json.at("nodes").size(), 3u);
  EXPECT_THAT(json.at("nodes")[0].at("children").get<std::vector<int>>(), ElementsAre(1, 2));
  EXPECT_EQ(json.at("nodes")[2].at("name"), "die");
  const auto& primitive = json.at("meshes")[1].at("primitives")[0];
  EXPECT_EQ(json.at("accessors")[primitive.at("attributes").at("POSITION").get<int>()].at("count"),
            36);  // 12 triangles.
  const auto& animation = json.at("animations").at(0);
  EXPECT_EQ(animation.at("channels").size(), 2u);
  const auto& times = json.at("accessors")[animation.at("samplers")[0].at("input").get<int>()];
  EXPECT_EQ(times.at("max")[0], 0.5);
  EXPECT_GE(times.at("count").get<int>(), 31);  // 60 a second.
  // Every accessor lies in its view, every view in the buffer.
  const auto components = std::map<std::string, int>{{"SCALAR", 1}, {"VEC3", 3}, {"VEC4", 4}};
  for (const auto& accessor : json.at("accessors")) {
    const auto& view = json.at("bufferViews")[accessor.at("bufferView").get<int>()];
    EXPECT_EQ(accessor.at("count").get<int>() * components.at(accessor.at("type")) * 4,
              view.at("byteLength").get<int>());
    EXPECT_LE(view.at("byteOffset").get<int>() + view.at("byteLength").get<int>(),
              json.at("buffers")[0].at("byteLength").get<int>());
  }
  const std::string uri = json.at("buffers")[0].at("uri");
  EXPECT_EQ((uri.size() - uri.find(',') - 1) / 4, (json.at("buffers")[0].at("byteLength").get<std::size_t>() + 2) / 3);
  std::ifstream glb(binary.path + ".glb", std::ios::binary);
  std::uint32_t head[5];
  glb.read(reinterpret_cast<char*>(head), sizeof head);
  EXPECT_EQ(head[0], 0x46546C67u);
  EXPECT_EQ(head[2], fs::file_size(binary.path + ".glb"));
  fs::remove(binary.path + ".glb");
}

}  // namespace
}  // namespace rigor::record
