// SPDX-License-Identifier: MIT
// Proves: Collada files are read as their scene places them, and one that is damaged is read or refused with a place.
// Oracle: a box whose corners are known, moved by hand; thousands of files damaged at random.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "scenes/collada.h"
#include "scenes/mesh_hull.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A tetrahedron of edges 1, 2, 3 along the axes, with normals beside the points; in decimetres.
const char* const kCollada = R"(<?xml version="1.0"?>
<COLLADA version="1.4.1"><asset><unit meter="0.1"/><up_axis>Z_UP</up_axis></asset><library_geometries>
<geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="15">0 0 0 1 0 0 0 2 0 0 0 3 9 9 9</float_array><technique_common>
<accessor source="#pa" count="5" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor>
</technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>
<vcount>3 3 3 3</vcount>
<p>0 0 2 0 1 0 0 1 1 1 3 1 0 2 3 2 2 2 1 3 2 3 3 35</p>
</polylist></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>1 0 0</translate><rotate>0 0 2 90</rotate>
<scale>2 1 1</scale><node><matrix>1 0 0 0 0 1 0 0 0 0 1 5 0 0 0 1</matrix><instance_geometry url="#g"/></node></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>
)";

std::string withChange(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string colladaRefusal(const std::string& text) {
  try {
    readCollada("m.dae", text);
  } catch (const LoadError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(Collada, IsPlacedAsItsNodesAndUnitSay) {
  const std::vector<Mesh> meshes = readCollada("m.dae", kCollada);
  ASSERT_EQ(meshes.size(), 1u);
  ASSERT_EQ(meshes[0].vertices.size(), 4u);  // The fifth is not used.
  EXPECT_EQ(meshes[0].triangles.size(), 4u);
  // (x, y, z) -> .1 (1 - y, 2 x, z + 5): up by 5, x doubled, a quarter turn about z, 1 along x.
  const Eigen::Vector3d expected[] = {{.1, 0, .5}, {-.1, 0, .5}, {.1, .2, .5}, {.1, 0, .8}};
  for (const Eigen::Vector3d& point : expected)
    EXPECT_TRUE(std::any_of(meshes[0].vertices.begin(), meshes[0].vertices.end(), [&](const Eigen::Vector3d& v) {
      return (v - point).norm() < 1e-15;
    })) << point.transpose();
  EXPECT_NEAR(enclosedVolume(meshes[0]), 2 * 1e-3, 1e-15);  // 1 x 2 x 3 / 6, doubled.
}

TEST(Collada, ListsOfAllKindsAreTheSameSolid) {
  const std::string faces = "<vcount>3 3 3 3</vcount>\n<p>0 0 2 0 1 0 0 1 1 1 3 1 0 2 3 2 2 2 1 3 2 3 3 35</p>";
  const std::string four = "<p>0 0 2 0 1 0</p><p>0 1 1 1 3 1</p><p>0 2 3 2 2 2</p><p>1 3 2 3 3 35</p>";
  // A strip's second triangle is turned over: 0 2 1 3 are 0 2 1 and 1 2 3.
  const std::string strips = "<p>0 0 2 0 1 0 3 0</p><p>0 1 1 1 3 1</p><p>0 2 3 2 2 2</p>";
  for (const auto& [kind, text] : {std::pair<std::string, std::string>{"polygons", four},
                                   {"trifans", four},
                                   {"triangles", faces.substr(faces.find("<p>"))},
                                   {"tristrips", strips}}) {
    std::string file = withChange(kCollada, faces, text);
    file = withChange(withChange(file, "<polylist", "<" + kind), "</polylist", "</" + kind);
    const std::vector<Mesh> meshes = readCollada("m.dae", file);
    ASSERT_EQ(meshes.size(), 1u) << kind;
    EXPECT_NEAR(enclosedVolume(meshes[0]), 2 * 1e-3, 1e-15) << kind;
  }
}

TEST(Collada, ListsThatAreNoneAreRefusedWithTheirPlace) {
  struct Damage {
    std::string what, by, place, found;
  };
  for (const Damage& d : {Damage{"3 35</p>", "3 3x</p>", "10:1", "3 3x;"},
                          {"3 35</p>", "3 x</p>", "10:1", "3 x;"},
                          {"3 35</p>", "3 3.5</p>", "10:1", "number 24 is 3.5"},
                          {"35</p>", "35 x</p>", "10:1", "35 x;"},
                          {"3 35</p>", "3 3\xff</p>", "10:1", "3\xC3\xBF"},
                          {"3 35</p>", "-1 35</p>", "10:1", "number 23 is -1"},
                          {"3 35</p>", "5 35</p>", "10:1", "number 23 is 5"},
                          {"3 35</p>", "</p>", "8:1", "11;"},
                          {"3 35</p>", "35</p>", "10:1", "23 numbers"},
                          {"count=\"15\"", "count=\"16\"", "4:37", "16"},
                          {"count=\"5\"", "count=\"6\"", "5:1", "6 times"},
                          {"3 3</vc", "3 2</vc", "8:1", "11 corners"},
                          {"<polylist count=\"4\"", "<polylist count=\"1e9\"", "8:11", "1e9"},
                          {"offset=\"1\"", "offset=\"1e9\"", "8:107", "1e9"},
                          {"\"#g\"", "\"#v\"", "13:94", "#v"},
                          {"9 9 9<", "9 9 1e400<", "4:16", "9 9 1e400;"},
                          {"\"0.1\"", "\"0\"", "2:39", "0"},
                          {"0 0 2 90", "0 0 0 90", "12:79", "axis"},
                          {"5 0 0 0 1<", "5 0 00 1<", "13:27", "matrix"}}) {
    EXPECT_THAT(colladaRefusal(withChange(kCollada, d.what, d.by)),
                AllOf(StartsWith("m.dae:" + d.place + ": "), HasSubstr(d.found)))
        << d.by;
  }
}

TEST(Collada, NodesInCirclesAndWithoutEndAreRefused) {
  EXPECT_THAT(colladaRefusal(withChange(withChange(kCollada, "<node><matrix>", "<node id=\"c\"><matrix>"),
                                        "<instance_geometry url=\"#g\"/>", "<instance_node url=\"#c\"/>")),
              AllOf(StartsWith("m.dae:13:"), HasSubstr("deep")));
  std::string nodes;  // Each shows the one below twice: 2^40 meshes.
  for (int k = 0; k < 40; ++k)
    nodes += "<node id=\"n" + std::to_string(k) + "\"><instance_node url=\"#n" + std::to_string(k + 1) +
             "\"/><instance_node url=\"#n" + std::to_string(k + 1) + "\"/></node>";
  nodes += "<node id=\"n40\"><instance_geometry url=\"#g\"/></node>";
  EXPECT_THAT(colladaRefusal(withChange(kCollada, "<instance_geometry url=\"#g\"/>", nodes)), HasSubstr("nodes"));
}

TEST(Collada, IsKnownByItsContentWhateverItsName) {
  const Folder folder;
  for (const char* name : {"m.dae", "m.ply", "m.DAE", "m.xml"})
    EXPECT_EQ(readMeshParts(folder.write(name, kCollada)).size(), 1u) << name;
}

TEST(Collada, FilesThatAreDamagedAtRandomAreReadOrRefused) {
  std::mt19937 random(7);
  const std::string file = kCollada;
  int refused = 0;
  for (int k = 0; k < 3000; ++k) {
    std::string text = file;
    for (int times = 1 + k % 3; times > 0; --times) {
      const size_t at = random() % text.size();
      if (k % 2 == 0) text[at] = static_cast<char>(random() % 256);
      else text.replace(at, random() % 4, std::to_string(static_cast<int>(random())));
    }
    try {
      for (const Mesh& mesh : readCollada("m.dae", text))
        for (const auto& triangle : mesh.triangles)
          for (const int corner : triangle) ASSERT_LT(static_cast<size_t>(corner), mesh.vertices.size());
    } catch (const LoadError& error) {
      EXPECT_THAT(error.what(), StartsWith("m.dae:"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace rigor::scenes
