// SPDX-License-Identifier: MIT
//
// Proves: checkTrajectories() finds overlaps, tunnels, depths and times of motions whose answer is known in closed
// form, counts every pair and interval once, and reads the three kinds of files alike. Oracle: closed forms (straight
// lines, parabolas), files written here by other means.
#include "check/check.h"

#include <gtest/gtest.h>
#include <zip.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "check/trajectory_file.h"
#include "tests/temporary_folder.h"

namespace rigor::check {
namespace {

/// A thin wall at x in [-.01, .01], a floor at z = 0 and a ball-like cube of .1.
sim::Scene wallScene() {
  sim::Scene scene;
  scene.name = "wall";
  sim::Body floor, wall, cube;
  floor.name = "floor", floor.fixed = true;
  floor.parts.push_back(geom::HalfSpace{{0, 0, 1}, 0});
  wall.name = "wall", wall.fixed = true;
  wall.parts.push_back(geom::Polytope::box({0.02, 2, 2}));
  wall.pose.p = {0, 0, 1};
  cube.name = "cube", cube.mass = 1;
  cube.parts.push_back(geom::Polytope::box({0.1, 0.1, 0.1}));
  scene.bodies = {floor, wall, cube};
  return scene;
}

Trajectory along(const std::vector<double>& times, const std::vector<Eigen::Vector3d>& points) {
  Trajectory trajectory{"0", std::vector<Track>(3)};
  for (std::size_t i = 0; i < times.size(); ++i) {
    trajectory.tracks[2].time.push_back(times[i]);
    trajectory.tracks[2].pose.push_back({{1, 0, 0, 0}, points[i]});
  }
  return trajectory;
}

Report run(const sim::Scene& scene, const Trajectory& trajectory, CheckOptions options = {}) {
  return checkTrajectories(scene, {&trajectory, 1}, options);
}

// From x = -1 to 1 in one interval of 1 s: inside the wall while |x| < .06, deepest .06 at x = 0 (the shorter way out).
TEST(Check, ATunnelIsFoundBetweenSamples) {
  const sim::Scene scene = wallScene();
  const Report report = run(scene, along({0, 1, 2}, {{-1, 0, 1}, {1, 0, 1}, {1.5, 0, 1}}));
  EXPECT_STREQ(report.status(), "penetrates");
  EXPECT_EQ(report.intervals, 4);  // Floor and wall, two intervals.
  EXPECT_EQ(report.tunnelling, 1);
  EXPECT_EQ(report.overlapping, 0);
  EXPECT_EQ(report.apart, 3);
  ASSERT_EQ(report.pairs.size(), 1u);
  const PairReport& pair = report.pairs[0];
  EXPECT_EQ(pair.body_a, 1);
  EXPECT_EQ(pair.body_b, 2);
  EXPECT_NEAR(pair.first, 0.47, 1e-10);
  EXPECT_NEAR(pair.last, 0.53, 1e-10);
  EXPECT_NEAR(pair.deepest.depth, 0.06, 1e-6);
  EXPECT_NEAR(pair.deepest.time, 0.5, 1e-5);
}

// z = z0 - v t + g t^2 / 2 as a Hermite cubic is exact: the lowest point lies v^2 / (2 g) below the start.
TEST(Check, TheDeepestInstantOfAParabolaIsFound) {
  const sim::Scene scene = wallScene();
  Trajectory trajectory = along({0, 0.2}, {{-1, 0, 0.09}, {-1, 0, 0.09}});
  const double g = 9.81, v = 0.1 * g;
  trajectory.tracks[2].velocity.assign(2, Velocity::Zero());
  trajectory.tracks[2].velocity[0][2] = -v, trajectory.tracks[2].velocity[1][2] = v;
  CheckOptions options;
  options.interpolation = Interpolation::kHermite;
  const Report report = run(scene, trajectory, options);
  const double lowest = 0.09 - v * v / (2 * g);
  ASSERT_EQ(report.pairs.size(), 1u);
  EXPECT_NEAR(report.pairs[0].deepest.depth, 0.05 - lowest, 1e-9);
  EXPECT_NEAR(report.pairs[0].deepest.time, 0.1, 1e-5);
  EXPECT_EQ(report.tunnelling, 1);
  // The allowed depth is a bound that either holds or does not.
  options.allow = 0.05 - lowest + 1e-9;
  EXPECT_STREQ(run(scene, trajectory, options).status(), "apart");
  options.allow = 0.05 - lowest - 1e-9;
  EXPECT_STREQ(run(scene, trajectory, options).status(), "penetrates");
}

TEST(Check, OverlapAtSamplesIsNoTunnel) {
  const sim::Scene scene = wallScene();
  const Report report = run(scene, along({0, 1, 2, 3}, {{-1, 0, 0.2}, {-1, 0, 0.03}, {-1, 0, 0.03}, {-1, 0, 0.2}}));
  EXPECT_EQ(report.overlapping, 3);
  EXPECT_EQ(report.tunnelling, 0);
  ASSERT_EQ(report.pairs.size(), 1u);
  EXPECT_NEAR(report.pairs[0].deepest.depth, 0.02, 1e-12);
  EXPECT_NEAR(report.pairs[0].first, 15.0 / 17, 1e-9);
  EXPECT_NEAR(report.pairs[0].last, 2 + 2.0 / 17, 1e-9);
}

// Bodies with samples at times of their own: two cubes that pass each other's place at different times.
TEST(Check, EachBodyMayHaveItsOwnTimes) {
  sim::Scene scene = wallScene();
  sim::Body second = scene.bodies[2];
  second.name = "second";
  scene.bodies.push_back(second);
  Trajectory trajectory = along({0, 1}, {{1, 0, 1}, {2, 0, 1}});
  trajectory.tracks.resize(4);
  trajectory.tracks[3].time = {0, 0.5, 1};
  trajectory.tracks[3].pose = {{{1, 0, 0, 0}, {1.5, -1, 1}}, {{1, 0, 0, 0}, {1.5, 0, 1}}, {{1, 0, 0, 0}, {1.5, 1, 1}}};
  const Report report = run(scene, trajectory);  // They meet at (1.5, 0) at .5 s.
  EXPECT_EQ(report.intervals, 10);               // Two intervals; 2 + 2 pairs with what is fixed, and their own.
  ASSERT_EQ(report.pairs.size(), 1u);
  EXPECT_EQ(report.pairs[0].body_a, 2);
  EXPECT_EQ(report.pairs[0].body_b, 3);
  EXPECT_NEAR(report.pairs[0].deepest.depth, 0.1, 1e-6);
  EXPECT_NEAR(report.pairs[0].deepest.time, 0.5, 1e-6);
}

// A cube in the middle of the wall, known at one time alone: .06 deep, as above. At x = 1 it is apart.
TEST(Check, OneInstantIsLookedAt) {
  const Report inside = run(wallScene(), along({3}, {{0, 0, 1}}));
  EXPECT_STREQ(inside.status(), "penetrates");
  EXPECT_EQ(inside.intervals, 2);
  EXPECT_EQ(inside.overlapping, 1);
  EXPECT_EQ(inside.tunnelling, 0);
  ASSERT_EQ(inside.pairs.size(), 1u);
  EXPECT_NEAR(inside.pairs[0].deepest.depth, 0.06, 1e-12);
  EXPECT_EQ(inside.pairs[0].deepest.time, 3);
  EXPECT_EQ(inside.pairs[0].first, 3);
  EXPECT_EQ(inside.pairs[0].last, 3);
  const Report twice = run(wallScene(), along({-1e20, -1e20}, {{0, 0, 1}, {0, 0, 1}}));
  EXPECT_STREQ(twice.status(), "penetrates");
  const Report outside = run(wallScene(), along({0}, {{1, 0, 1}}));
  EXPECT_STREQ(outside.status(), "apart");
  EXPECT_EQ(outside.apart, 2);
}

// --- Files
// -------------------------------------------------------------------------------------------------------------------

std::string npyOf(const std::string& type, bool columns_first, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (columns_first ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 255), text += static_cast<char>(header.size() >> 8);
  return text + header + data;
}

template <class T>
std::string bytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string npy(const std::vector<double>& values, const std::string& shape) {
  return npyOf("<f8", false, shape, bytesOf(values));
}

void writeZip(const std::string& path, const std::vector<std::pair<std::string, std::string>>& files) {
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  ASSERT_NE(zip, nullptr);
  for (const auto& [name, content] : files)
    ASSERT_GE(zip_file_add(zip, name.c_str(), zip_source_buffer(zip, content.data(), content.size(), 0), 0), 0);
  ASSERT_EQ(zip_close(zip), 0);
}

struct Files : testing::Test {
  TemporaryFolder folder;
  sim::Scene scene = wallScene();
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  /// What readTrajectories() says of a bad file; empty: nothing.
  std::string refusal(const std::string& name, const std::string& text) const {
    try {
      readTrajectories(write(name, text), scene);
      return "";
    } catch (const TrajectoryError& error) {
      return std::string(error.what()).substr(folder.path().string().size() + 1);
    }
  }
};

using CheckFiles = Files;

TEST_F(CheckFiles, CsvAndNpzSayTheSame) {
  const std::string csv = write("a.csv",
                                "body,time,px,py,pz,qw,qx,qy,qz,more\n"
                                "cube,0,-1,0,1,1,0,0,0,x\r\n\"cube\",1,1,0,1,1,0,0,0,x\n\ncube,2,1.5,0,1,1,0,0,0,x\n");
  const std::vector<double> poses = {-1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1.5, 0, 1, 1, 0, 0, 0};
  writeZip(path("a.npz"), {{"time.npy", npy({0, 1, 2}, "(3,)")}, {"cube.npy", npy(poses, "(3, 7)")}});
  const std::string blanks = write("b.csv",
                                   "time, body, px, py, pz, qw, qx, qy, qz\n"
                                   "0, cube, -1, 0, +1, 1, 0, 0, 0\n +1.0,\tcube , 1, 0, 1, 1, 0, 0, 0 \n"
                                   "2, cube, +1.5e0, 0, 1, 1, 0, 0, 0\n");
  for (const std::string& file : {csv, path("a.npz"), blanks}) {
    const std::vector<Trajectory> found = readTrajectories(file, scene);
    ASSERT_EQ(found.size(), 1u);
    const Track& track = found[0].tracks[2];
    EXPECT_EQ(track.time, (std::vector<double>{0, 1, 2}));
    ASSERT_EQ(track.pose.size(), 3u);
    EXPECT_EQ(track.pose[2].p, Eigen::Vector3d(1.5, 0, 1));
    EXPECT_TRUE(track.velocity.empty());
    EXPECT_EQ(checkTrajectories(scene, found).tunnelling, 1);
  }
}

// The same poses as NumPy stores a transposed array, the other byte order, single precision, and whole numbers.
TEST_F(CheckFiles, ArraysOfOtherTypesAndOrdersAreRead) {
  const std::vector<double> rows = {-1, 0, 2, 1, 0, 0, 0, 3, 0, 300, 1, 0, 0, 0};
  std::vector<double> columns;
  for (std::size_t c = 0; c < 7; ++c) columns.push_back(rows[c]), columns.push_back(rows[7 + c]);
  std::string swapped = bytesOf(rows);
  for (std::size_t i = 0; i < swapped.size(); i += 8) std::reverse(swapped.begin() + i, swapped.begin() + i + 8);
  const std::string shape = "(2, 7)";
  const std::string stored[] = {
      npyOf("<f8", true, shape, bytesOf(columns)),
      npyOf(">f8", false, shape, swapped),
      npyOf("<f4", false, shape, bytesOf(std::vector<float>(rows.begin(), rows.end()))),
      npyOf("<i8", false, shape, bytesOf(std::vector<std::int64_t>(rows.begin(), rows.end()))),
      npyOf("<i2", true, shape, bytesOf(std::vector<std::int16_t>(columns.begin(), columns.end()))),
  };
  for (const std::string& array : stored) {
    writeZip(path("a.npz"), {{"time.npy", npyOf("|u1", false, "(2,)", "\x01\xff")}, {"cube.npy", array}});
    const Track track = readTrajectories(path("a.npz"), scene)[0].tracks[2];
    EXPECT_EQ(track.time, (std::vector<double>{1, 255}));
    EXPECT_EQ(track.pose[0].p, Eigen::Vector3d(-1, 0, 2));
    EXPECT_EQ(track.pose[1].p, Eigen::Vector3d(3, 0, 300));
    EXPECT_EQ(track.pose[1].q, Eigen::Vector4d(1, 0, 0, 0));
  }
}

TEST_F(CheckFiles, BranchesAreTrajectoriesOfTheirOwn) {
  const std::string csv = write("a.csv",
                                "branch,time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n"
                                "0,0,cube,-1,0,1,1,0,0,0,1,0,0,0,0,0\n0,1,cube,-.5,0,1,1,0,0,0,1,0,0,0,0,0\n"
                                "0/1,1,cube,-.5,0,1,1,0,0,0,1,0,0,0,0,0\n0/1,2,cube,.5,0,1,1,0,0,0,1,0,0,0,0,0\n");
  const std::vector<Trajectory> found = readTrajectories(csv, scene);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].branch, "0/1");
  EXPECT_EQ(found[1].tracks[2].velocity.size(), 2u);
  EXPECT_EQ(checkTrajectories(scene, found).intervals, 4);
}

TEST_F(CheckFiles, BadCsvIsRefusedWithItsPlace) {
  const std::string header = "time,body,px,py,pz,qw,qx,qy,qz\n", row = "0,cube,0,0,1,1,0,0,0\n";
  EXPECT_EQ(refusal("a.csv", ""), "a.csv:1:1: there is no header; time,body,px,py,pz,qw,qx,qy,qz");
  EXPECT_EQ(refusal("a.csv", "time,body,px,py,pz,qw,qx,qy\n"),
            "a.csv:1:1: there is no column qz; time,body,px,py,pz,qw,qx,qy,qz");
  EXPECT_EQ(refusal("a.csv", "time,time,body\n"), "a.csv:1:6: a second column time");
  EXPECT_EQ(refusal("a.csv", header + "0,cube,0,zero,1,1,0,0,0\n"),
            "a.csv:2:10: 'zero' is no py; a finite number up to 1e100");
  EXPECT_EQ(refusal("a.csv", header + "0,cube,0,nan,1,1,0,0,0\n"),
            "a.csv:2:10: 'nan' is no py; a finite number up to 1e100");
  EXPECT_EQ(refusal("a.csv", header + "0,cube, +-1,0,1,1,0,0,0\n"),
            "a.csv:2:9: '+-1' is no px; a finite number up to 1e100");
  EXPECT_EQ(refusal("a.csv", header + "0,cube,  ,0,1,1,0,0,0\n").find("a.csv:2:"), 0u);
  EXPECT_EQ(refusal("a.csv", header + "0,ball,0,0,1,1,0,0,0\n"), "a.csv:2:3: the scene has no body 'ball'");
  EXPECT_EQ(refusal("a.csv", header + "0,cube,0,0,1\n"), "a.csv:2:1: 5 fields; the header asks for 9");
  EXPECT_EQ(refusal("a.csv", header + "0,\"cube,0\n"), "a.csv:2:3: a quoted field has no end; a second quotation mark");
  EXPECT_EQ(refusal("a.csv", header), "a.csv: it holds no samples");
  EXPECT_EQ(refusal("a.csv", header + row + "0,cube,0,0,2,1,0,0,0\n"),
            "a.csv: body 'cube', sample 1: two poses at the time 0; only velocities may differ at one time");
  EXPECT_EQ(refusal("a.csv", header + "1,cube,0,0,1,1,0,0,0\n" + row),
            "a.csv: body 'cube', sample 1: the time 0 is before that of the sample before it, 1; times ascend");
  EXPECT_NE(refusal("a.csv", header + "0,cube,0,0,1,0,0,0,0\n").find("zero quaternion"), std::string::npos);
  EXPECT_NE(refusal("a.csv", header + "0,wall,0,0,5,1,0,0,0\n" + row).find("body 'wall' is fixed"), std::string::npos);
  EXPECT_NE(refusal("a.csv", header + "0,wall,0,0,1,1,0,0,0\n").find("body 'cube' has no samples"), std::string::npos);
  EXPECT_EQ(refusal("a.txt", ""), "a.txt: unknown ending '.txt'; .csv, .npz, .h5 or .hdf5");
}

TEST_F(CheckFiles, BadArchivesAreRefused) {
  EXPECT_EQ(refusal("a.npz", "PK nonsense"), "a.npz: this is no zip archive, or it cannot be read");
  EXPECT_EQ(refusal("a.h5", "nonsense"), "a.h5: this is no HDF5 file, or it cannot be read");
  const auto archive = [&](const std::string& time, const std::string& cube) {
    writeZip(path("b.npz"), {{"time.npy", time}, {"cube.npy", cube}});
    try {
      readTrajectories(path("b.npz"), scene);
      return std::string();
    } catch (const TrajectoryError& error) {
      return std::string(error.what()).substr(folder.path().string().size() + 1);
    }
  };
  const std::string time = npy({0, 1}, "(2,)");
  EXPECT_EQ(archive(time, npy({1, 2}, "(2,)")),
            "b.npz: array 'cube' is 2 x 1; 2 x 7 (position, quaternion wxyz) or x 13 (and v, w)");
  EXPECT_EQ(archive(time, npy({1, 2}, "(2, 7)")), "b.npz: array 'cube': 16 bytes of data do not make 2 x 7 numbers");
  EXPECT_EQ(archive(time, npy({1, 2}, "(4611686018427387905, 4)")).find("b.npz: array 'cube': 16 bytes"), 0u);
  EXPECT_EQ(archive(time, "\x93NUMPY\x01"), "b.npz: array 'cube': this is no NumPy array");
  EXPECT_EQ(archive(time, npyOf("<c16", false, "(1, 7)", "")),
            "b.npz: array 'cube': numbers of type '<c16'; float64, float32 or whole numbers");
  for (const std::int64_t whole : {(1ll << 53) + 1, -(1ll << 53) - 1})
    EXPECT_EQ(archive(npyOf("<i8", false, "(1,)", bytesOf<std::int64_t>({whole})), ""),
              "b.npz: array 'time': a whole number beyond 2^53, where not every one is a double");
  EXPECT_EQ(archive(npy({1, 2}, "(1, 2)"), npy({}, "(0,)")), "b.npz: array 'time' has several columns; (n)");
}

}  // namespace
}  // namespace rigor::check
