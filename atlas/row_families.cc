// SPDX-License-Identifier: MIT
// Several bodies: disks, balls, cubes.
#include <fmt/format.h>

#include <cmath>

#include "atlas/family.h"

namespace rigor::atlas {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using impact::ImpactProblem;

/// Rows of contacts between disks of radius .5 in the plane, q = (x, y, angle) of each.
class DiskRows {
 public:
  explicit DiskRows(int disks) : disks_(disks) {}

  /// Disk `a` pushes `b` along the direction n; -1: the floor below `b`.
  void add(int a, int b, const Eigen::Vector2d& n) {
    const Eigen::Index row = normal.rows();
    normal.conservativeResizeLike(MatrixXd::Zero(row + 1, 3 * disks_));
    tangent.conservativeResizeLike(MatrixXd::Zero(row + 1, 3 * disks_));
    const Eigen::Vector2d t(n.y(), -n.x());
    for (const auto& [disk, sign] : {std::pair{a, -1.}, std::pair{b, 1.}}) {
      if (disk < 0) continue;
      normal.block(row, 3 * disk, 1, 2) = sign * n.transpose();
      tangent.block(row, 3 * disk, 1, 2) = sign * t.transpose();
      tangent(row, 3 * disk + 2) = 0.5;  // Both turn the same way: their surfaces move against each other.
    }
  }
  /// Disks of 1 kg.
  MatrixXd mass() const {
    VectorXd diagonal(3 * disks_);
    for (int k = 0; k < disks_; ++k) diagonal.segment(3 * k, 3) << 1, 1, 0.125;
    return diagonal.asDiagonal();
  }

  MatrixXd normal, tangent;

 private:
  int disks_;
};

/// A disk falls at 1 m/s, `heading` [deg] off the vertical, on two that stand apart: the lines of centres are `angle`
/// [deg] off the vertical. Without friction.
ImpactProblem disksOnDisks(double angle, double heading) {
  DiskRows rows(3);
  const Eigen::Vector2d up(0, 1), side(shortSine(angle), shortCosine(angle));
  rows.add(-1, 1, up);
  rows.add(-1, 2, up);
  rows.add(1, 0, side);
  rows.add(2, 0, {-side.x(), side.y()});
  VectorXd v = VectorXd::Zero(9);
  v.head(2) << shortSine(heading), -shortCosine(heading);
  return planarImpact(rows.mass(), rows.normal, rows.tangent, 0, v);
}

/// A ball hits two at once, at 1 m/s: the lines of centres enclose `angle` [deg]. Seen from above; spin about the
/// vertical.
ImpactProblem billiardBreak(double angle, double friction) {
  DiskRows rows(3);
  const double c = shortCosine(angle / 2), s = shortSine(angle / 2);
  rows.add(0, 1, {-s, c});
  rows.add(0, 2, {s, c});
  VectorXd v = VectorXd::Zero(9);
  v[1] = 1;
  return planarImpact(rows.mass(), rows.normal, rows.tangent, friction, v);
}

/// Three balls in a row touch; the first moves at 1 m/s, the last at `last`, the middle one, of mass `middle`, rests.
ImpactProblem cradleOf(double middle, double last) {
  const MatrixXd normal = (MatrixXd(2, 3) << -1, 1, 0, 0, -1, 1).finished();
  return planarImpact(Eigen::Vector3d(1, middle, 1).asDiagonal(), normal, MatrixXd::Zero(2, 3), 0,
                      Eigen::Vector3d(1, 0, last));
}

std::string cradleScene(double middle, double last) {
  return fmt::format(R"({{name: cradle, gravity: [0, 0, 0], until: 1, contact: {{friction: 0}}, bodies: [
  {{name: a, shape: {{box: {{size: [1, 1, 1]}}}}, mass: 1, position: [-1, 0, 0], velocity: [{}, 0, 0]}},
  {{name: b, shape: {{box: {{size: [1, 1, 1]}}}}, mass: {}, position: [0, 0, 0]}},
  {{name: c, shape: {{box: {{size: [1, 1, 1]}}}}, mass: 1, position: [1, 0, 0], velocity: [{}, 0, 0]}}]}}
)",
                     kEngineSpeed, middle, kEngineSpeed * last);
}

/// A column of square blocks, 1 m and 1 kg each, comes down on the floor at 1 m/s: two contacts between neighbours.
ImpactProblem columnOf(double cubes, double friction) {
  const int n = static_cast<int>(std::lround(cubes));
  MatrixXd normal = MatrixXd::Zero(2 * n, 3 * n), tangent = normal;
  VectorXd mass(3 * n), v = VectorXd::Zero(3 * n);
  for (int k = 0; k < n; ++k) {
    mass.segment(3 * k, 3) << 1, 1, 1. / 6;
    v[3 * k + 1] = -1;
    for (int side = 0; side < 2; ++side) {
      const int row = 2 * k + side;
      const double x = side - 0.5;
      normal.block(row, 3 * k, 1, 3) << 0, 1, x;
      tangent.block(row, 3 * k, 1, 3) << 1, 0, 0.5;
      if (k == 0) continue;
      normal.block(row, 3 * k - 3, 1, 3) << 0, -1, -x;
      tangent.block(row, 3 * k - 3, 1, 3) << -1, 0, 0.5;
    }
  }
  return planarImpact(mass.asDiagonal(), normal, tangent, friction, v);
}

std::string columnScene(double cubes, double friction) {
  std::string bodies;
  for (int k = 0; k < static_cast<int>(std::lround(cubes)); ++k) {
    bodies += fmt::format(",\n  {{name: cube{0}, shape: {{box: {{size: [1, 1, 1]}}}}, mass: 1, position: [0, 0, {1}], "
                          "velocity: [0, 0, {2}]}}",
                          k, k + 0.5, -kEngineSpeed);
  }
  return fmt::format(R"({{name: column, gravity: [0, 0, 0], until: 1, contact: {{friction: {}}}, bodies: [
  {{name: floor, fixed: true, shape: {{halfspace: {{normal: [0, 0, 1], offset: 0}}}}}}{}]}}
)",
                     friction, bodies);
}

}  // namespace

std::vector<Family> rowFamilies() {
  const Axis friction{"friction", 0.05, 3, Axis::Spacing::kGeometric};
  std::vector<Family> all;
  all.push_back({"disks", "a disk falls on two others, without friction", {"centres off the vertical [deg]", 31, 75},
                 {"velocity off the vertical [deg]", 0, 60}, disksOnDisks});
  all.push_back({"cradle", "three balls in a row, the first hits, e = 0",
                 {"mass of the middle ball / of the others", 0.1, 10, Axis::Spacing::kGeometric},
                 {"velocity of the last ball / of the first", -1, 0}, cradleOf, cradleScene,
                 [](const std::vector<BodyVelocity>& bodies) {
                   return VectorXd(Eigen::Vector3d(bodies[0].v[0], bodies[1].v[0], bodies[2].v[0]));
                 }});
  all.push_back({"billiard-break", "a ball hits two at once, e = 0", {"angle between the centres [deg]", 62, 150},
                 friction, billiardBreak});
  all.push_back({"cubes", "a column of cubes lands", {"cubes", 1, 3, Axis::Spacing::kWhole}, friction, columnOf,
                 columnScene, [](const std::vector<BodyVelocity>& bodies) {
                   VectorXd v(3 * static_cast<Eigen::Index>(bodies.size()));
                   for (std::size_t k = 0; k < bodies.size(); ++k) {
                     v.segment(3 * static_cast<Eigen::Index>(k), 3) << bodies[k].v[0], bodies[k].v[2], -bodies[k].w[1];
                   }
                   return v;
                 }});
  return all;
}

}  // namespace rigor::atlas
