// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <random>
#include <vector>

#include "friction/problem.h"

namespace rigor::friction::test {

/// Bodies, points and normals: contact problems for tests and benchmarks, written down without the solver's own data.
struct ContactScene {
  struct Body {
    double mass;
    Eigen::Vector3d inertia;  ///< Principal, in the axes of `turn`.
    Eigen::Vector3d centre;
    Eigen::Matrix<double, 6, 1> velocity;  ///< Free: gravity included.
    Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  };
  struct Point {
    int a, b;  ///< -1: fixed. The normal points from a to b.
    Eigen::Vector3d at, normal;
    double mu;
    Eigen::Vector3d offset{0, 0, 0};
  };
  std::vector<Body> bodies;
  std::vector<Point> points;

  int addBox(double mass, const Eigen::Vector3d& size, const Eigen::Vector3d& centre);
  /// Corners of a rectangle with edges u, v about `at`.
  void addPatch(int a, int b, const Eigen::Vector3d& at, const Eigen::Vector3d& u, const Eigen::Vector3d& v, double mu);
  /// Gravity over `h` seconds, on top of their velocities.
  void fall(double h);
  /// Rows n, t1, t2 of a point.
  Eigen::Matrix3d frame(int point) const;
  Eigen::Matrix<double, 3, 6> rows(int point, int side) const;
  Eigen::Matrix<double, 6, 6> massMatrix(int body) const;
  void fill(Problem& problem) const;
  /// The same with the points in another order.
  ContactScene shuffled(std::uint64_t seed) const;

  /// max |f - P(f - w / d)| d over the points, from this scene's own numbers: nothing of the solver's is used.
  double residual(const std::vector<Eigen::Vector3d>& impulses) const;
  std::vector<Eigen::Matrix<double, 6, 1>> velocities(const std::vector<Eigen::Vector3d>& impulses) const;
};

/// `count` cubes of 0.1 m, masses growing (or falling) geometrically by `ratio` from the lowest to the highest.
ContactScene cubeStack(int count, double ratio, double mu, double push);
ContactScene heavyOnLight(int count, double top, double mu);
/// Cards leaning on each other in `storeys`, each with a floor of cards; a weight on top.
ContactScene cardHouse(int storeys, double weight, double mu);
/// Bricks in `rows` of `columns`, every second row shifted by half.
ContactScene brickWall(int rows, int columns, double mu, double push);
/// Bodies near the points of a lattice that fall on each other with velocities of up to `speed`, patches of 1 to 4
/// points each.
ContactScene randomPile(int bodies, double mu, double speed, std::uint64_t seed);
/// Few bodies, points and normals anywhere, masses within `ratio`. Velocity level: a solution exists unless friction is
/// infinite.
ContactScene randomCluster(std::mt19937_64& random, double ratio, double mu_max);

}  // namespace rigor::friction::test
