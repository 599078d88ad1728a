// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>
#include <functional>
#include <vector>

namespace rigor::geom::testing_solids {

struct ClosedMesh {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<int, 3>> triangles;
};

/// The boundary of cells of a grid: `lines[k]` are the places of its planes across axis k.
ClosedMesh cells(const std::array<std::vector<double>, 3>& lines,
                 const std::function<bool(int x, int y, int z)>& filled);

/// A closed loop of (r, z), counter-clockwise with r to the right, turned about the z axis in `steps`. r = 0 allowed.
ClosedMesh turned(const std::vector<Eigen::Vector2d>& loop, int steps);

ClosedMesh lPrism();        ///< In x, y: 0.3 x 0.3 with arms of 0.1; 0.1 thick.
ClosedMesh uPrism();        ///< In x, z: 0.3 x 0.3, walls and floor of 0.1; 0.1 thick.
ClosedMesh boxWithHole();   ///< 0.4 x 0.3 x 0.1 with a hole of 0.1 x 0.1 along z.
ClosedMesh ring();          ///< A torus: radii 0.2 and 0.05.
ClosedMesh cup();           ///< Radius 0.05, height 0.1, wall and floor of 0.01.

}  // namespace rigor::geom::testing_solids
