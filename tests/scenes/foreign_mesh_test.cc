// SPDX-License-Identifier: MIT
// Proves that meshes which assimp reads come as they are in the file, and that damaged ones are refused with a
// sentence, whatever becomes of their reader. Oracle: the volume of a cube; a file that ends assimp's reader of PLY by
// a signal.
#include "scenes/foreign_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "scenes/child_answer.h"
#include "scenes/load_error.h"
#include "scenes/mesh_hull.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using testing::HasSubstr;

const std::string kPlyCube =
    "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 12\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n0 0 1\n0 1 0\n0 1 1\n1 0 0\n1 0 1\n1 1 0\n1 1 1\n"
    "3 0 1 3\n3 0 3 2\n3 4 6 7\n3 4 7 5\n3 0 4 5\n3 0 5 1\n3 2 3 7\n3 2 7 6\n3 0 2 6\n3 0 6 4\n3 1 5 7\n"
    "3 1 7 3\n";

/// Why a child gives no answer.
std::string endOf(const std::function<std::string()>& work) {
  try {
    (void)answerOfChild(work, 1);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(ForeignMesh, IsReadAsItIs) {
  const Folder folder;
  const std::vector<Mesh> meshes = readMeshParts(folder.write("cube.ply", kPlyCube));
  ASSERT_EQ(meshes.size(), 1u);
  EXPECT_EQ(meshes[0].vertices.size(), 8u);
  EXPECT_EQ(meshes[0].triangles.size(), 12u);
  EXPECT_DOUBLE_EQ(std::abs(enclosedVolume(meshes[0])), 1);
}

TEST(ForeignMesh, DamagedFilesAreRefused) {
  const Folder folder;
  for (const auto& [good, bad] : {std::pair("3 0 5 1", "3 025 1"), {"3 0 5 1", "3 0 500000000 1"}, {"ply", "plx"},
                                  {"vertex 8", "vertex 4000000000"}}) {
    std::string text = kPlyCube;
    text.replace(text.find(good), std::string(good).size(), bad);
    try {
      for (const Mesh& mesh : readMeshParts(folder.write("cube.ply", text)))  // What is left of it may be a mesh.
        for (const auto& triangle : mesh.triangles)
          for (const int corner : triangle) EXPECT_LT(corner, static_cast<int>(mesh.vertices.size())) << bad;
    } catch (const LoadError& error) {
      EXPECT_THAT(error.what(), HasSubstr("cube.ply")) << bad;
    }
  }
}

TEST(ForeignMesh, WhateverBecomesOfTheReader) {
  EXPECT_EQ(answerOfChild([] { return std::string(1 << 20, 'x'); }), std::string(1 << 20, 'x'));
  EXPECT_EQ(answerOfChild([] { return std::string(); }), "");
  EXPECT_EQ(endOf([]() -> std::string { throw std::runtime_error("no"); }), "no");
  EXPECT_THAT(endOf([]() -> std::string { raise(SIGSEGV); return ""; }), HasSubstr("crashed"));
  EXPECT_THAT(endOf([]() -> std::string { _exit(3); }), HasSubstr("no answer"));
  EXPECT_THAT(endOf([]() -> std::string {
                for (std::atomic<long> turns = 0;;) ++turns;
              }),
              HasSubstr("no end"));
}

}  // namespace
}  // namespace rigor::scenes
