// SPDX-License-Identifier: MIT
// Proves that height fields are grounds like any other: bodies slide over them as over a plane, come to rest on them
// above their surface, and steps do not depend on how large they are. Oracles: the closed form of a sliding block, the
// same scene on a half-space, the heights themselves; the verifier for every record.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

BodyText heightField(int cells, double cell, const std::function<double(double, double)>& height) {
  std::string rows;
  for (int r = 0; r <= cells; ++r) {
    rows += r ? "], [" : "[";
    for (int c = 0; c <= cells; ++c)
      rows += fmt::format("{}{:.17g}", c ? ", " : "", height((c - 0.5 * cells) * cell, (r - 0.5 * cells) * cell));
  }
  const double size = cells * cell;
  const std::string shape =
      fmt::format("{{heightfield: {{thickness: 0.2, size: [{0:.17g}, {0:.17g}], heights: [{1}]]}}}}", size, rows);
  return {"ground", shape, 0};
}

/// So little uneven that it is level for all that moves, and so much that no two triangles are put together.
double level(double x, double y) { return 1e-13 * std::sin(1e5 * (x + 0.37 * y)); }

/// Exactly level but for bumps aside: rectangles of all sizes, whose sides end within those of others.
double levelBeside(double x, double y) {
  return std::abs(y) > 0.5 && std::sin(17 * x) > 0.3 && std::cos(13 * y) > 0 ? 0.02 : 0;
}

ProvedRun slide(const BodyText& on, const Vector3d& velocity, double spin) {
  BodyText block{"block", kCube};
  block.position = {-0.31, 0.013, 0.05};
  block.velocity = velocity, block.angular_velocity = {0, 0, spin};
  SceneText text;
  text.bodies = {on, block};
  text.friction = "0.2";
  text.until = 1.2;
  return simulate(text.parse());
}

TEST(Terrain, ABlockSlidesOverSeamsAsFarAsFrictionLetsIt) {
  const Vector3d velocity(1.3, 0.4, 0);
  const ProvedRun run = slide(heightField(24, 0.07, level), velocity, 0);
  EXPECT_EQ(wrong(run), "");
  const Vector3d way = run.endPosition(1) - Vector3d(-0.31, 0.013, 0.05);
  const double length = velocity.squaredNorm() / (2 * 0.2 * 9.81);
  EXPECT_NEAR(way.dot(velocity.normalized()), length, 1e-3 * length);
  EXPECT_NEAR(way.cross(velocity.normalized()).norm(), 0, 1e-3 * length);
  EXPECT_EQ(run.summary.impacts, 0);
}

TEST(Terrain, ABlockSlidesOverSidesThatEndWithinOthersAsOverAPlane) {
  const Vector3d velocity(1.3, 0.4, 0);
  const ProvedRun run = slide(heightField(24, 0.07, levelBeside), velocity, 1), plane = slide(ground(), velocity, 1);
  EXPECT_EQ(wrong(run), "");
  EXPECT_GT(run.scene.bodies[0].parts.size(), 8u);
  EXPECT_LT(run.scene.bodies[0].parts.size(), 200u);
  EXPECT_LT((plane.endPosition(1) - run.endPosition(1)).norm(), 1e-3);
  EXPECT_LT((plane.endRotation(1) - run.endRotation(1)).norm(), 1e-2);
  EXPECT_EQ(run.summary.impacts, 0);
}

/// Up to 16 parts have no tree, but one surface.
TEST(Terrain, FewPartsAreOneSurfaceToo) {
  const Vector3d velocity(1.3, 0.4, 0);
  const ProvedRun run = slide(heightField(2, 1, level), velocity, 1), plane = slide(ground(), velocity, 1);
  EXPECT_EQ(wrong(run), "");
  EXPECT_LT((plane.endPosition(1) - run.endPosition(1)).norm(), 1e-3);
  EXPECT_EQ(run.summary.impacts, 0);
}

TEST(Terrain, ALevelFieldCostsWhatAPlaneDoes) {
  const auto exactly = [](double, double) { return 0.0; };
  const ProvedRun plane = slide(ground(), {1.5, 0.1, 0}, 1),
                  field = slide(heightField(64, 0.02, exactly), {1.5, 0.1, 0}, 1);
  EXPECT_EQ(wrong(field), "");
  EXPECT_EQ(field.scene.bodies[0].parts.size(), 1u);
  EXPECT_EQ(field.witnesses.size(), plane.witnesses.size());
  EXPECT_LE(field.pieces.size(), plane.pieces.size() + 5);
}

TEST(Terrain, ASpinningBlockMovesAsOnAPlane) {
  const ProvedRun plane = slide(ground(), {1.5, 0.1, 0}, 1),
                  field = slide(heightField(24, 0.07, level), {1.5, 0.1, 0}, 1);
  EXPECT_EQ(wrong(field), "");
  EXPECT_LT((plane.endPosition(1) - field.endPosition(1)).norm(), 1e-3);
  EXPECT_LT((plane.endRotation(1) - field.endRotation(1)).norm(), 1e-2);
}

TEST(Terrain, StepsDoNotDependOnItsSize) {
  const ProvedRun small = slide(heightField(16, 0.0625, level), {1.3, 0.4, 0}, 0),
                  large = slide(heightField(64, 0.0625, level), {1.3, 0.4, 0}, 0);
  EXPECT_EQ(small.pieces.size(), large.pieces.size());
  EXPECT_EQ(small.witnesses.size(), large.witnesses.size());
}

/// Dice fall on a ground and lie on it in the end.
void expectDiceToRest(const std::function<double(double, double)>& hills) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  SceneText text;
  text.bodies = {heightField(20, 0.05, hills)};
  for (int k = 0; k < 3; ++k) {
    BodyText die{fmt::format("die{}", k), kCube};
    die.position = {0.2 * (k - 1), 0.05 * normal(random), 0.25};
    die.orientation = {normal(random), normal(random), normal(random), normal(random)};
    die.velocity = {0.2 * normal(random), 0.2 * normal(random), -1};
    for (int i = 2; i >= 0; --i) die.angular_velocity[i] = 4 * normal(random);  // As g++ orders arguments.
    text.bodies.push_back(die);
  }
  text.friction = "0.6";
  text.until = 2;
  const ProvedRun run = simulate(text.parse());
  EXPECT_EQ(wrong(run, RunStatus::kDone, 1e-11), "");
  for (int body = 1; body <= 3; ++body) {
    const Vector3d x = run.endPosition(body);
    EXPECT_GT(x[2], hills(x[0], x[1]) + 0.04) << body;  // A cube's centre is half an edge above what it lies on...
    EXPECT_LT(x[2], hills(x[0], x[1]) + 0.1) << body;   // ... or over a dip.
  }
}

TEST(Terrain, DiceComeToRestOnHills) {
  expectDiceToRest([](double x, double y) { return 0.03 * std::sin(9 * x) * std::cos(7 * y); });
}

TEST(Terrain, DiceComeToRestOnTerraces) {
  expectDiceToRest([](double x, double y) {
    const auto step = [](double u) { return std::round(4 * u) - 4 * u > 0.2 ? 1.0 : 0.0; };
    return 0.015 * (step(x) + step(y) + step(x + 0.31) * step(y - 0.12));
  });
}

}  // namespace
}  // namespace rigor::sim::test
