// SPDX-License-Identifier: MIT
#include "elastic_gas.h"

#include <fmt/format.h>

#include <random>

namespace rigor::sim::test {

using Eigen::Vector3d;

SceneText ElasticGas::text() const {
  constexpr double kInner = 0.6, kWall = 0.05;
  std::mt19937_64 engine(seed);
  const auto number = [&](double size) { return std::uniform_real_distribution<double>(-size, size)(engine); };
  SceneText scene;
  scene.gravity.setZero();
  scene.friction = "0", scene.restitution = 1, scene.until = until;
  std::string walls;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-0.5, 0.5}) {
      Vector3d size = Vector3d::Constant(kInner + 2 * kWall), at = Vector3d::Zero();
      size[axis] = kWall, at[axis] = side * (kInner + kWall);
      walls += fmt::format("{}{{shape: {}, position: [{}, {}, {}]}}", walls.empty() ? "" : ", ", box(size), at[0],
                           at[1], at[2]);
    }
  BodyText vessel{"vessel", fmt::format("{{compound: [{}]}}", walls)};
  vessel.mass = free_box ? 3 : 0;
  // The walls of a compound overlap at the edges: an inertia of a cube's shell in place of the sum.
  if (free_box) {
    vessel.more = "inertia: [0.36, 0.36, 0.36, 0, 0, 0]";
    for (int k = 0; k < 3; ++k) vessel.velocity[k] = number(0.1), vessel.angular_velocity[k] = number(0.3);
  }
  scene.bodies.push_back(vessel);
  for (const double x : {-0.15, 0.15})
    for (const double y : {-0.15, 0.15}) {
      BodyText body{fmt::format("body-{}", scene.bodies.size()), box({0.1, 0.08, 0.06})};
      body.position = {x, y, number(0.15)};
      for (int k = 0; k < 4; ++k) body.orientation[k] = number(1);
      for (int k = 0; k < 3; ++k) body.velocity[k] = number(0.7), body.angular_velocity[k] = number(7);
      scene.bodies.push_back(body);
    }
  return scene;
}

}  // namespace rigor::sim::test
