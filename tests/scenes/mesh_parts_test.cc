// SPDX-License-Identifier: MIT
//
// Proves: `decompose` makes convex parts of closed concave meshes, of scenes and of robot files of each format,
// whatever their scale; without it the hull is used and the warning names it; bad values are refused at their
// place. Parts that are kept beside a mesh change no bit of the result, and what is kept and damaged, stale or
// impossible to write fails nothing.
// Oracle: volumes known by hand; the shapes that are made without anything kept.
#include "scenes/mesh_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "geom/mass_properties.h"
#include "scenes/loader.h"
#include "scenes/model_reader.h"
#include "scenes/parts_cache.h"
#include "tests/scenes/loaded_robot.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kPoints =
    "v 1 1 0\nv 1 3 0\nv 0 3 0\nv 0 0 0\nv 3 0 0\nv 3 1 0\nv 1 1 1\nv 1 3 1\nv 0 3 1\nv 0 0 1\nv 3 0 1\nv 3 1 1\n";
/// An L of volume 5, as an OBJ file.
const std::string kL = std::string(kPoints) +
                       "f 3 2 1\nf 7 8 9\nf 4 3 1\nf 7 9 10\nf 5 4 1\nf 7 10 11\nf 6 5 1\nf 7 11 12\nf 1 2 8\nf 1 8 7\n"
                       "f 2 3 9\nf 2 9 8\nf 3 4 10\nf 3 10 9\nf 4 5 11\nf 4 11 10\nf 5 6 12\nf 5 12 11\nf 6 1 7\n"
                       "f 6 7 12\n";

struct LoadedParts {
  std::vector<geom::Shape> parts;
  std::vector<std::string> warnings;
  double volume = 0;
};

LoadedParts measured(std::vector<geom::Shape> parts, std::vector<std::string> warnings) {
  LoadedParts result{std::move(parts), std::move(warnings)};
  for (const geom::Shape& part : result.parts)
    result.volume += geom::massProperties(std::get<geom::Polytope>(part)).mass;
  return result;
}

LoadedParts ofScene(const Folder& folder, const std::string& mesh) {
  const std::string path =
      folder.write("s.yaml", "bodies:\n  - {name: l, mass: 1, shape: {mesh: {file: L.obj" + mesh + "}}}\n");
  SceneSource source;
  const sim::Scene scene = loadScene(path, &source);
  return measured(scene.bodies[0].parts, source.warnings);
}

LoadedParts ofRobot(const std::string& path, const std::string& format, std::optional<double> decompose) {
  std::vector<std::string> warnings;
  ShapeOptions options;
  options.decompose = decompose;
  const FileModel file = readModelFile(path, format, warnings, {}, options);
  return measured(file.links.back().shapes, warnings);
}

void expectSame(const LoadedParts& a, const LoadedParts& b) {
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (size_t i = 0; i < a.parts.size(); ++i)
    EXPECT_TRUE(std::get<geom::Polytope>(a.parts[i]).vertices() == std::get<geom::Polytope>(b.parts[i]).vertices());
  EXPECT_EQ(a.warnings, b.warnings);
}

std::vector<fs::path> filesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  if (fs::is_directory(folder))
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

std::string contentOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(MeshParts, OfScenes) {
  const Folder folder;
  folder.write("L.obj", kL);
  const LoadedParts hull = ofScene(folder, "");
  EXPECT_EQ(hull.parts.size(), 1u);
  EXPECT_NEAR(hull.volume, 7, 1e-12);
  ASSERT_EQ(hull.warnings.size(), 1u);
  EXPECT_THAT(hull.warnings[0], HasSubstr("not convex and closed; its convex hull is used (`decompose` cuts it"));

  for (const std::string scale : {"", ", scale: 0.1", ", scale: [0.1, -0.2, 0.3]", ", scale: [-1, -1, -1]"}) {
    const LoadedParts parts = ofScene(folder, ", decompose: 0.001" + scale);
    EXPECT_EQ(parts.parts.size(), 2u) << scale;
    const double share = scale.empty() || scale.back() == ']' ? (scale.find("0.2") != std::string::npos ? 0.006 : 1)
                                                              : 0.001;
    EXPECT_NEAR(parts.volume, 5 * share, 1e-12 * share);
    EXPECT_TRUE(parts.warnings.empty());
  }
  // The error is in metres, of the mesh as it is scaled: the notch is 1 deep.
  EXPECT_EQ(ofScene(folder, ", decompose: 1.5").parts.size(), 1u);
  EXPECT_EQ(ofScene(folder, ", decompose: 1.5, scale: 10").parts.size(), 2u);
}

/// Of an L of 1: area 5, centre 1.1, second moments about it 5 (1/12 + ...) by its two boxes, 1 x 3 and 2 x 1.
TEST(MeshParts, DensityIsThatOfTheMesh) {
  const Folder folder;
  folder.write("L.obj", kL);
  // Boxes about (.5, 1.5, .5) of mass 3 and (2, .5, .5) of mass 2; the centre of both is (1.1, 1.1, .5).
  const double xx = 3 * (10.0 / 12 + .16) + 2 * (2.0 / 12 + .36), yy = 3 * (2.0 / 12 + .36) + 2 * (5.0 / 12 + .81),
               zz = 3 * (10.0 / 12 + .16 + .36) + 2 * (5.0 / 12 + .36 + .81), xy = -(3 * -.6 * .4 + 2 * .9 * -.6);
  Eigen::Matrix3d inertia;
  inertia << xx, xy, 0, xy, yy, 0, 0, 0, zz;
  const auto expectL = [&](double mass, const Eigen::Vector3d& centre, const Eigen::Matrix3d& about, double density) {
    EXPECT_NEAR(mass, 5 * density, 1e-12 * density);
    EXPECT_LT((centre - Eigen::Vector3d(1.1, 1.1, .5)).norm(), 1e-13);
    EXPECT_LT((about - density * inertia).cwiseAbs().maxCoeff(), 1e-12 * density);
  };
  // Within 1.5 the one part is the hull of volume 7, and within .001 there are two: the L weighs 5 either way.
  for (const std::string error : {"1.5", "0.001"}) {
    const std::string mesh = "{mesh: {file: L.obj, decompose: " + error + "}}";
    const sim::Body body =
        loadScene(folder.write("s.yaml", "bodies:\n  - {name: l, density: 3, shape: " + mesh + "}\n")).bodies[0];
    expectL(body.mass, body.centre, body.inertia, 3);
    const sim::Body moved =
        loadScene(folder.write("c.yaml", "bodies:\n  - {name: l, density: 3, shape: {compound: [{shape: {box: {size: "
                                         "[1, 1, 1]}}, position: [9, 0, 0]}, {shape: " + mesh +
                                             ", position: [0, 0, 2]}]}}\n")).bodies[0];
    EXPECT_NEAR(moved.mass, 18, 1e-12);
    EXPECT_LT((moved.centre - Eigen::Vector3d((9 + 5.5) / 6, 5.5 / 6, 12.5 / 6)).norm(), 1e-13);
    folder.write("r.urdf", "<robot name='r'><link name='l'><collision><geometry><mesh filename='L.obj'/></geometry>"
                           "</collision></link></robot>");
    const sim::Scene robot = loadScene(folder.write(
        "r.yaml", "robots:\n  - {name: r, urdf: r.urdf, base: floating, density: 2, decompose: " + error + "}\n"));
    expectL(robot.bodies[0].mass, robot.bodies[0].centre, robot.bodies[0].inertia, 2);
  }
}

TEST(MeshParts, MeshesThatCrossThemselvesWeighAsTheirParts) {
  const Folder folder;
  folder.write("L.obj", "v 9 9 9\n" + kL.substr(kL.find('\n') + 1));  // One corner of the notch is pulled through it.
  const sim::Body body = loadScene(folder.write(
      "s.yaml", "bodies:\n  - {name: l, density: 3, shape: {mesh: {file: L.obj, decompose: 0.5}}}\n")).bodies[0];
  double volume = 0;
  for (const geom::Shape& part : body.parts) volume += geom::massProperties(std::get<geom::Polytope>(part)).mass;
  EXPECT_NEAR(body.mass, 3 * volume, 1e-9 * volume);
}

TEST(MeshParts, ProgressIsToldWhileTheyAreCut) {
  const Folder folder;
  folder.write("L.obj", kL);
  SceneSource source;
  std::vector<std::string> told;
  source.progress = [&](double part, const std::string& what) {
    EXPECT_GE(part, 0);
    EXPECT_LE(part, 1);
    told.push_back(what);
  };
  const std::string path = folder.write(
      "s.yaml", "bodies:\n  - {name: l, mass: 1, shape: {mesh: {file: L.obj, decompose: 0.001}}}\n");
  loadScene(path, &source);
  EXPECT_THAT(told, testing::Contains("cutting a mesh of 20 triangles: 2 convex parts"));
  told.clear();
  loadScene(path, &source);
  EXPECT_TRUE(told.empty()) << "kept";
}

TEST(MeshParts, OfRobotFiles) {
  const Folder folder;
  folder.write("L.obj", kL);
  const std::string urdf = folder.write(
      "r.urdf", robotText(linkText("a", std::string(kInertial) + "<collision><origin xyz=\"1 2 3\" rpy=\"1 2 3\"/>"
                                            "<geometry><mesh filename=\"L.obj\"/></geometry></collision>")));
  const std::string faces =
      "2 1 0 6 7 8 3 2 0 6 8 9 4 3 0 6 9 10 5 4 0 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 "
      "4 11 10 5 0 6 5 6 11";
  const std::string points =
      "1 1 0 1 3 0 0 3 0 0 0 0 3 0 0 3 1 0 1 1 1 1 3 1 0 3 1 0 0 1 3 0 1 3 1 1";
  const std::string mjcf = folder.write(
      "r.xml", "<mujoco><asset><mesh name=\"l\" vertex=\"" + points + "\" face=\"" + faces +
                   "\"/></asset><worldbody><body><freejoint/><geom type=\"mesh\" mesh=\"l\"/></body></worldbody>"
                   "</mujoco>");
  const std::string sdf = folder.write(
      "r.sdf", "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\"><collision name=\"c\"><geometry><mesh>"
               "<uri>L.obj</uri></mesh></geometry></collision></link></model></sdf>");
  for (const auto& [path, format] : {std::pair{urdf, "urdf"}, {mjcf, "mjcf"}, {sdf, "sdf"}}) {
    EXPECT_NEAR(ofRobot(path, format, {}).volume, 7, 1e-12) << format;
    const LoadedParts parts = ofRobot(path, format, 1e-3);
    EXPECT_EQ(parts.parts.size(), 2u) << format;
    EXPECT_NEAR(parts.volume, 5, 1e-12) << format;
  }
  const std::string scene = "robots:\n  - {name: r, urdf: r.urdf, decompose: 0.001}\n";
  EXPECT_EQ(parseScene(scene, folder.path() + "/s.yaml").bodies[0].parts.size(), 2u);
}

TEST(MeshParts, BadValuesAreRefused) {
  const Folder folder;
  folder.write("L.obj", kL);
  folder.write("r.urdf", robotText(linkText("a", kInertial)));
  const auto refusal = [&](const std::string& text) {
    return refusalBy([&] { (void)parseScene(text, folder.path() + "/s.yaml"); });
  };
  for (const std::string bad : {"0", "-0.1", ".inf", ".nan", "fine", "[0.1]"}) {
    EXPECT_THAT(refusal("robots:\n  - {name: r, urdf: r.urdf, decompose: " + bad + "}\n"),
                HasSubstr("s.yaml:2:40: robots[0].decompose is ")) << bad;
    EXPECT_THAT(refusal("bodies:\n  - {name: l, shape: {mesh: {file: L.obj, decompose: " + bad + "}}, mass: 1}\n"),
                HasSubstr("s.yaml:2:54: bodies[0].shape.mesh.decompose is ")) << bad;
  }
}

TEST(MeshParts, OpenMeshesKeepTheirHull) {
  const Folder folder;
  folder.write("L.obj", kL.substr(0, kL.rfind("f 6 7 12")));
  const LoadedParts parts = ofScene(folder, ", decompose: 0.001");
  EXPECT_EQ(parts.parts.size(), 1u);
  ASSERT_EQ(parts.warnings.size(), 1u);
  EXPECT_THAT(parts.warnings[0], HasSubstr("not closed and cannot be decomposed; its convex hull is used"));
}

TEST(MeshParts, WhatIsKeptChangesNoBit) {
  const Folder folder;
  folder.write("L.obj", kL);
  const std::string wanted = ", decompose: 0.001, scale: [0.1, 0.123, 0.7]";
  const LoadedParts made = ofScene(folder, wanted);
  const fs::path kept_folder = folder.path() + "/L.obj.rigor-parts";
  ASSERT_EQ(filesIn(kept_folder).size(), 1u);
  const fs::path kept = filesIn(kept_folder)[0];
  const std::string text = contentOf(kept);
  // Read, not written again: its time stays.
  const auto long_ago = fs::last_write_time(kept) - std::chrono::hours(10);
  fs::last_write_time(kept, long_ago);
  expectSame(ofScene(folder, wanted), made);
  EXPECT_EQ(fs::last_write_time(kept), long_ago);
  // Damaged: cut short, one digit changed, empty, the parts of another mesh.
  ofScene(folder, ", decompose: 0.002");
  ASSERT_EQ(filesIn(kept_folder).size(), 2u) << "one for each error and scale";
  const fs::path first = filesIn(kept_folder)[0], other = first == kept ? filesIn(kept_folder)[1] : first;
  std::string digit = text;
  digit[text.size() / 2] = digit[text.size() / 2] == '0' ? '1' : '0';
  for (const std::string& damaged : {text.substr(0, text.size() / 2), digit, std::string(), contentOf(other)}) {
    std::ofstream(kept, std::ios::binary) << damaged;
    expectSame(ofScene(folder, wanted), made);
    EXPECT_EQ(contentOf(kept), text) << "written anew";
  }
  // Another mesh of the same name.
  folder.write("L.obj", "v 9 9 9\n" + kL.substr(kL.find('\n') + 1));
  EXPECT_NE(ofScene(folder, wanted).volume, made.volume);
}

TEST(MeshParts, WhereNothingCanBeKeptNothingFails) {
  const Folder folder, cache;
  const char* before = getenv("XDG_CACHE_HOME");
  const std::string restored = before ? before : "";
  folder.write("L.obj", kL);
  folder.write("L.obj.rigor-parts", "a file where the folder would be");
  setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  EXPECT_EQ(ofScene(folder, ", decompose: 0.001").parts.size(), 2u);
  EXPECT_EQ(filesIn(cache.path() + "/rigor/parts").size(), 1u) << "in the user's folder then";
  setenv("XDG_CACHE_HOME", folder.write("none", "no folder").c_str(), 1);
  EXPECT_EQ(ofScene(folder, ", decompose: 0.001").parts.size(), 2u);
  if (before) setenv("XDG_CACHE_HOME", restored.c_str(), 1);
  else unsetenv("XDG_CACHE_HOME");
}

TEST(MeshParts, OfARecordAreMadeAgain) {
  const Folder folder;
  folder.write("L.obj", kL);
  const std::string path =
      folder.write("s.yaml", "bodies:\n  - {name: l, mass: 1, shape: {mesh: {file: L.obj, decompose: 0.001}}}\n");
  const sim::Scene scene = loadScene(path);
  fs::remove_all(folder.path() + "/L.obj.rigor-parts");
  const PartsRequest request = PartsRequest::ofFile(folder.path() + "/L.obj", 0.001, Files::only({}));
  EXPECT_TRUE(request.cache.empty()) << "neither looked for nor kept";
  const MeshParts again = convexPartsOf(readMeshParts(folder.path() + "/L.obj")[0], {1, 1, 1}, {}, request);
  ASSERT_EQ(again.parts.size(), scene.bodies[0].parts.size());
  for (size_t i = 0; i < again.parts.size(); ++i)
    EXPECT_TRUE(std::get<geom::Polytope>(again.parts[i]).vertices() ==
                std::get<geom::Polytope>(scene.bodies[0].parts[i]).vertices());
  EXPECT_FALSE(fs::exists(folder.path() + "/L.obj.rigor-parts"));
}

}  // namespace
}  // namespace rigor::scenes
