// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>
#include <vector>

#include "geom/pose.h"
#include "geom/shape.h"
#include "scenes/document.h"
#include "scenes/shape_reader.h"

namespace rigor::scenes {

/// A surface that is seen from above (+z) everywhere, as triangles that are counter-clockwise from there.
struct TerrainSurface {
  static constexpr long kMostTriangles = 2'000'000;  ///< What a machine's memory holds the prisms of.

  std::vector<Eigen::Vector3d> points;         ///< [m]
  std::vector<std::array<int, 3>> triangles;
};

/// A grid over a rectangle of full lengths `size` [m] about the origin: `heights` row by row, rows along y and columns
/// along x, both from the negative end. Each cell is halved from its corner of least x and y to the opposite one.
/// @pre at least two rows and columns; heights.size() = rows columns.
TerrainSurface gridSurface(const std::vector<double>& heights, int rows, int columns, const Eigen::Vector2d& size);

/// The solid between the surface and the height `base`, placed at `pose`: a prism below each of its flat patches
/// (scenes/flat_patches.h), or below each triangle where the pose turns it. Walls between prisms are the same vertices,
/// bit for bit, or upright along x or y (geom/skin.h). @throws geom::GeometryError naming a triangle that is not seen
/// from above or does not lie above the base. O(n log n)
std::vector<geom::Shape> prismsBelow(const TerrainSurface& surface, double base, const geom::Pose& pose = {});

/// `heightfield: {heights or file, size, scale, thickness}` (docs/scenes.md). @throws LoadError at the offending value.
std::vector<geom::Shape> readHeightField(const Value& value, const ShapeContext& context);
/// `terrain: {file, scale, thickness}`. @throws LoadError.
std::vector<geom::Shape> readTerrain(const Value& value, const ShapeContext& context);

}  // namespace rigor::scenes
