// SPDX-License-Identifier: MIT
// One body, or a walker of two legs. In the plane q = (x, y, angle), counter-clockwise; in scenes the plane is x, z,
// and the angle turns about -y.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "atlas/family.h"

namespace rigor::atlas {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using impact::ImpactProblem;

constexpr double kRadian = std::numbers::pi / 180;  // rad of a degree
// Friction where an axis is about something else.
constexpr double kBlockFriction = 0.5, kWalkerFriction = 1;

VectorXd planarVelocities(const std::vector<BodyVelocity>& bodies) {
  return Eigen::Vector3d(bodies[0].v[0], bodies[0].v[2], -bodies[0].w[1]);
}

/// A block 1 m wide, `shape` times as high, of 1 kg, comes down flat on both lower corners with velocity (x, y).
ImpactProblem landingBlock(double shape, double friction, double x, double y) {
  const double half = 0.5, height = 0.5 * shape;
  const MatrixXd normal = (MatrixXd(2, 3) << 0, 1, -half, 0, 1, half).finished();
  const MatrixXd tangent = (MatrixXd(2, 3) << 1, 0, height, 1, 0, height).finished();
  const Eigen::Vector3d mass(1, 1, (half * half + height * height) / 3);
  return planarImpact(mass.asDiagonal(), normal, tangent, friction, Eigen::Vector3d(x, y, 0));
}

std::string landingScene(double shape, double friction, double x, double y) {
  return fmt::format(R"({{name: block, gravity: [0, 0, 0], until: 1, contact: {{friction: {}}}, bodies: [
  {{name: floor, fixed: true, shape: {{halfspace: {{normal: [0, 0, 1], offset: 0}}}}}},
  {{name: block, shape: {{box: {{size: [1, 1, {}]}}}}, mass: 1, position: [0, 0, {}], velocity: [{}, 0, {}]}}]}}
)",
                     friction, shape, shape / 2, kEngineSpeed * x, kEngineSpeed * y);
}

/// Corner of a square of 1 m, turned by `angle` [deg], from its centre.
Eigen::Vector2d cornerAt(double angle) {
  return {shortCosine(45) * shortCosine(angle), shortCosine(45) * shortSine(angle)};
}

/// The same with all digits, for scenes: bodies must not overlap at the start.
Eigen::Vector2d fullCornerAt(double angle) {
  return std::sqrt(0.5) * Eigen::Vector2d(std::cos(angle * kRadian), std::sin(angle * kRadian));
}

/// A square block, tilted by `tilt` [deg], stands on a corner and slides into a wall at 1 m/s.
ImpactProblem blockAtWall(double tilt, double friction) {
  const Eigen::Vector2d floor = cornerAt(tilt - 135), wall = cornerAt(tilt - 45);
  const MatrixXd normal = (MatrixXd(2, 3) << 0, 1, floor.x(), -1, 0, wall.y()).finished();
  const MatrixXd tangent = (MatrixXd(2, 3) << 1, 0, -floor.y(), 0, -1, -wall.x()).finished();
  return planarImpact(Eigen::Vector3d(1, 1, 1. / 6).asDiagonal(), normal, tangent, friction,
                      Eigen::Vector3d(1, 0, 0));
}

std::string wallScene(double tilt, double friction) {
  const Eigen::Vector2d floor = fullCornerAt(tilt - 135), wall = fullCornerAt(tilt - 45);
  return fmt::format(R"({{name: wall, gravity: [0, 0, 0], until: 1, contact: {{friction: {}}}, bodies: [
  {{name: floor, fixed: true, shape: {{halfspace: {{normal: [0, 0, 1], offset: 0}}}}}},
  {{name: wall, fixed: true, shape: {{halfspace: {{normal: [-1, 0, 0], offset: 0}}}}}},
  {{name: block, shape: {{box: {{size: [1, 1, 1]}}}}, mass: 1, position: [{}, 0, {}], rpy: [0, {}, 0],
   velocity: [{}, 0, 0]}}]}}
)",
                     friction, -wall.x(), -floor.y(), -tilt * kRadian, kEngineSpeed);
}

/// A cube of 1 m, one edge of it (along y) on the floor, turned by `tilt` [deg] about it, comes down at 1 m/s while it
/// slides as fast in the direction `heading` [deg]. q = (velocity, angular velocity): two contacts in space.
ImpactProblem cubeOnEdge(double tilt, double heading) {
  const Eigen::Vector2d edge = cornerAt(tilt - 135);
  ImpactProblem problem;
  problem.mass_matrix = VectorXd((VectorXd(6) << 1, 1, 1, 1. / 6, 1. / 6, 1. / 6).finished()).asDiagonal();
  problem.normal.resize(2, 6);
  for (int i = 0; i < 2; ++i) {
    const Eigen::Vector3d arm(edge.x(), i - 0.5, edge.y());
    const auto row = [&](const Eigen::Vector3d& along) {
      const Eigen::Vector3d turn(arm[1] * along[2] - arm[2] * along[1], arm[2] * along[0] - arm[0] * along[2],
                                 arm[0] * along[1] - arm[1] * along[0]);
      return (Eigen::RowVectorXd(6) << along.transpose(), turn.transpose()).finished();
    };
    problem.normal.row(i) = row(Eigen::Vector3d::UnitZ());
    problem.tangent.push_back((MatrixXd(2, 6) << row(Eigen::Vector3d::UnitX()), row(Eigen::Vector3d::UnitY()))
                                  .finished());
  }
  problem.friction.assign(2, kBlockFriction);
  problem.restitution.assign(2, 0.0);
  problem.velocity = VectorXd::Zero(6);
  problem.velocity.head(3) << shortCosine(heading), shortSine(heading), -1;
  return problem;
}

std::string edgeScene(double tilt, double heading) {
  return fmt::format(R"({{name: edge, gravity: [0, 0, 0], until: 1, contact: {{friction: {}}}, bodies: [
  {{name: floor, fixed: true, shape: {{halfspace: {{normal: [0, 0, 1], offset: 0}}}}}},
  {{name: cube, shape: {{box: {{size: [1, 1, 1]}}}}, mass: 1, position: [0, 0, {}], rpy: [0, {}, 0],
   velocity: [{}, {}, {}]}}]}}
)",
                     kBlockFriction, -fullCornerAt(tilt - 135).y(), -tilt * kRadian,
                     kEngineSpeed * shortCosine(heading), kEngineSpeed * shortSine(heading),
                     -kEngineSpeed);
}

/// Halm and Posa's compass walker: two legs of 1 m and 1 kg, `angle` [deg] to the floor, and a hip of mass `hip` times
/// a leg's. q = (x, y of the hip, angles of the leading and the trailing leg); the leading foot comes down while the
/// walker turns about the trailing one at .25 rad/s.
ImpactProblem walkerStep(double angle, double hip) {
  const double c = shortCosine(angle), s = shortSine(angle), rate = 0.25;
  MatrixXd mass = MatrixXd::Zero(4, 4);
  mass(0, 0) = mass(1, 1) = 2 + hip;
  mass(2, 2) = mass(3, 3) = 0.25;
  mass(0, 2) = mass(2, 0) = mass(0, 3) = mass(3, 0) = c / 2;
  mass(1, 2) = mass(2, 1) = -s / 2;
  mass(1, 3) = mass(3, 1) = s / 2;
  const MatrixXd normal = (MatrixXd(2, 4) << 0, 1, -s, 0, 0, 1, 0, s).finished();
  const MatrixXd tangent = (MatrixXd(2, 4) << 1, 0, c, 0, 1, 0, 0, c).finished();
  return planarImpact(mass, normal, tangent, kWalkerFriction, Eigen::Vector4d(-rate * c, -rate * s, rate, rate));
}

}  // namespace

std::vector<Family> blockFamilies() {
  const Axis shape{"height / width", 0.1, 5, Axis::Spacing::kGeometric};
  const Axis friction{"friction", 0.05, 3, Axis::Spacing::kGeometric};
  const Axis tilt{"tilt [deg]", 5, 85};
  std::vector<Family> all;
  all.push_back({"box-on-face", "a block lands flat on two corners", shape, friction,
                 [](double x, double y) { return landingBlock(x, y, 0, -1); },
                 [](double x, double y) { return landingScene(x, y, 0, -1); }, planarVelocities});
  const auto down = [](double angle) { return -shortSine(angle); };
  all.push_back({"box-on-face-sliding", fmt::format("a sliding block lands flat, friction {}", kBlockFriction), shape,
                 {"velocity below horizontal [deg]", 10, 90},
                 [=](double x, double y) { return landingBlock(x, kBlockFriction, shortCosine(y), down(y)); },
                 [=](double x, double y) { return landingScene(x, kBlockFriction, shortCosine(y), down(y)); },
                 planarVelocities});
  all.push_back({"box-on-edge", fmt::format("a sliding cube lands on an edge, in space, friction {}", kBlockFriction),
                 {"tilt [deg]", 5, 45}, {"heading from the edge's normal [deg]", 0, 90}, cubeOnEdge, edgeScene,
                 [](const std::vector<BodyVelocity>& bodies) {
                   return VectorXd((VectorXd(6) << bodies[0].v, bodies[0].w).finished());
                 }});
  all.push_back({"block-and-wall", "a block on one corner slides into a wall", tilt, friction, blockAtWall, wallScene,
                 planarVelocities});
  all.push_back({"walker", fmt::format("the leading foot of a compass walker comes down, friction {}", kWalkerFriction),
                 {"legs to the floor [deg]", 45, 85},
                 {"mass of the hip / of a leg", 0.1, 100, Axis::Spacing::kGeometric}, walkerStep});
  return all;
}

}  // namespace rigor::atlas
