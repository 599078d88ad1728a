// SPDX-License-Identifier: MIT
// Proves: every bundled scene loads, says what it is, and starts with every pair at least the nominal contact gap
// apart, so that no run begins by moving bodies; the built structures touch exactly where they are meant to, and their
// numbers are those of the publications. Oracle: vertices against planes written out here for half-spaces;
// geom::separation (tested against exact arithmetic in tests/geom) for pairs of polytopes; statics and geometry in
// closed form.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "geom/separation.h"
#include "scenes/loader.h"

namespace rigor::scenes {
namespace {

std::vector<std::string> bundled() {
  std::vector<std::string> paths;
  for (const auto& file : std::filesystem::directory_iterator(RIGOR_SOURCE_DIR "/scenes")) {
    if (file.path().extension() == ".yaml") paths.push_back(file.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

sim::Scene load(const std::string& name) { return loadScene(RIGOR_SOURCE_DIR "/scenes/" + name + ".yaml"); }

double distance(const geom::Shape& A, const geom::Pose& X_WA, const geom::Shape& B, const geom::Pose& X_WB) {
  const auto* polytope_a = std::get_if<geom::Polytope>(&A);
  const auto* polytope_b = std::get_if<geom::Polytope>(&B);
  if (polytope_a && polytope_b) {
    geom::SeparationCache cache;
    return geom::separation(*polytope_a, X_WA, *polytope_b, X_WB, cache).distance;
  }
  if (polytope_a) return distance(B, X_WB, A, X_WA);
  const auto& plane = std::get<geom::HalfSpace>(A);
  const Eigen::Vector3d normal = X_WA.rotation() * plane.normal;
  double least = std::numeric_limits<double>::infinity();
  for (int v = 0; v < polytope_b->numVertices(); ++v) {
    least = std::min(least, normal.dot(X_WB * polytope_b->vertex(v) - X_WA.p) - plane.offset);
  }
  return least / normal.norm();
}

/// docs/scenes.md, solver.gap.
double nominalGap(const sim::Scene& scene) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const sim::Body& body : scene.bodies) {
    if (body.fixed || body.parts.empty()) continue;
    double size = 0;
    for (const auto& part : body.parts) size = std::max(size, std::get<geom::Polytope>(part).size());
    smallest = std::min(smallest, size);
  }
  return std::min(1e-7 * smallest / std::sqrt(3.0), 1e-7);
}

/// Distance of every pair of bodies that are not both fixed.
std::vector<double> distances(const sim::Scene& scene) {
  std::vector<double> all;
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    for (size_t j = i + 1; j < scene.bodies.size(); ++j) {
      const sim::Body &A = scene.bodies[i], &B = scene.bodies[j];
      if (A.fixed && B.fixed) continue;
      if (std::find(A.ignored.begin(), A.ignored.end(), static_cast<int>(j)) != A.ignored.end()) continue;
      double least = std::numeric_limits<double>::infinity();
      for (const auto& a : A.parts) {
        for (const auto& b : B.parts) least = std::min(least, distance(a, A.pose, b, B.pose));
      }
      all.push_back(least);
    }
  }
  return all;
}

int countTouching(const sim::Scene& scene) {
  const std::vector<double> all = distances(scene);
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](double d) { return d < 2 * nominalGap(scene); }));
}

TEST(BundledScenes, AllLoadWithADescriptionAndTheNameOfTheirFile) {
  const std::vector<std::string> paths = bundled();
  EXPECT_GE(paths.size(), 16u);
  for (const std::string& path : paths) {
    SceneSource source;
    const sim::Scene scene = loadScene(path, &source);
    EXPECT_EQ(scene.name, std::filesystem::path(path).stem().string());
    EXPECT_FALSE(scene.description.empty()) << path;
    EXPECT_EQ(scene.description.find('\n'), std::string::npos) << path;
    EXPECT_TRUE(source.warnings.empty()) << path;
    EXPECT_EQ(readSceneTitle(path).description, scene.description);
  }
}

TEST(BundledScenes, NoPairStartsCloserThanTheNominalGap) {
  for (const std::string& path : bundled()) {
    const sim::Scene scene = loadScene(path);
    const std::vector<double> all = distances(scene);
    EXPECT_GE(*std::min_element(all.begin(), all.end()), nominalGap(scene)) << path;
  }
}

TEST(BundledScenes, StructuresTouchWhereTheyAreBuilt) {
  EXPECT_EQ(countTouching(load("stack-10")), 10);
  EXPECT_EQ(countTouching(load("arch")), 26);  // 24 joints and two springings.
  // Three leaning cards on their props, four feet on the table, two edges under the storey, two feet on it.
  EXPECT_EQ(countTouching(load("card-house")), 11);
  EXPECT_EQ(countTouching(load("rocking-block")), 1);
  EXPECT_EQ(countTouching(load("pile-100")), 0);
}

TEST(BundledScenes, TheDrumwrightDieTouchesAtThePublishedTime) {
  // The published program moves the centre by explicit Euler steps of h = 0.01 s, that is g t h/2 above the parabola,
  // and first touches at 0.7875 s. The cube turns at a constant rate: w is constant for isotropic inertia.
  const sim::Scene scene = load("die-drumwright");
  const sim::Body& die = scene.bodies[1];
  EXPECT_NEAR(die.inertia(0, 0), 1.0 / 6, 1e-15);
  const double offset = std::get<geom::HalfSpace>(scene.bodies[0].parts[0]).offset;
  const auto lowest = [&](double t, double h) {
    const double angle = die.angular_velocity.norm() * t;
    const Eigen::Vector3d axis = die.angular_velocity.normalized();
    double least = std::numeric_limits<double>::infinity();
    const auto& cube = std::get<geom::Polytope>(die.parts[0]);
    for (int v = 0; v < 8; ++v) {
      const Eigen::Vector3d r = die.pose.rotation() * cube.vertex(v);  // Rodrigues' formula:
      const Eigen::Vector3d turned =
          r * std::cos(angle) + axis.cross(r) * std::sin(angle) + axis * axis.dot(r) * (1 - std::cos(angle));
      least = std::min(least, die.pose.p.z() + die.velocity.z() * t - 9.81 * t * (t - h) / 2 + turned.z());
    }
    return least - offset;
  };
  const auto firstTouch = [&](double h) {
    double t = 0;
    while (lowest(t, h) > 0) t += 1e-6;
    return t;
  };
  EXPECT_NEAR(firstTouch(0.01), 0.7875, 5e-4);
  EXPECT_NEAR(firstTouch(0), 0.780, 5e-4);  // What an exact simulation finds.
}

TEST(BundledScenes, RockingBlockHasHousnersRatio) {
  const sim::Scene scene = load("rocking-block");
  const sim::Body& block = scene.bodies[1];
  const double m = block.mass, R_sq = 1 + 16;
  const double about_corner = block.inertia(1, 1) + m * R_sq;
  // Angular momentum about the new corner: (I_c + m (h^2 - b^2)) / (I_c + m R^2).
  EXPECT_NEAR((block.inertia(1, 1) + m * (16 - 1)) / about_corner, 0.911765, 5e-7);
  EXPECT_NEAR(std::abs(block.pose.rotation()(0, 2)), std::sin(0.1), 1e-15);
}

}  // namespace
}  // namespace rigor::scenes
