// SPDX-License-Identifier: MIT
#include "scenes/terrain.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>

#include "elementary/require.h"
#include "scenes/flat_patches.h"
#include "scenes/mesh.h"

namespace rigor::scenes {

using Eigen::Vector3d;

TerrainSurface gridSurface(const std::vector<double>& heights, int rows, int columns, const Eigen::Vector2d& size) {
  RIGOR_REQUIRE(rows >= 2 && columns >= 2 && heights.size() == static_cast<std::size_t>(rows) * columns);
  TerrainSurface surface;
  surface.points.reserve(heights.size());
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      surface.points.emplace_back(size[0] * c / (columns - 1) - 0.5 * size[0], size[1] * r / (rows - 1) - 0.5 * size[1],
                                  heights[static_cast<std::size_t>(r) * columns + c]);
  for (int r = 0; r + 1 < rows; ++r)
    for (int c = 0; c + 1 < columns; ++c) {
      const int corner = r * columns + c, right = corner + 1, behind = corner + columns, opposite = behind + 1;
      surface.triangles.push_back({corner, right, opposite});
      surface.triangles.push_back({corner, opposite, behind});
    }
  return surface;
}

std::vector<geom::Shape> prismsBelow(const TerrainSurface& surface, double base, const geom::Pose& pose) {
  // The corners of all prisms once, so that walls that two of them share are equal.
  const bool moved = !(pose.p.isZero(0) && pose.q.tail<3>().isZero(0));
  const Eigen::Matrix3d R = pose.rotation();
  const auto placed = [&](const Vector3d& x) -> Vector3d { return moved ? Vector3d(pose.p + R * x) : x; };
  std::vector<Vector3d> top, bottom;
  for (const Vector3d& x : surface.points) {
    top.push_back(placed(x));
    bottom.push_back(placed({x[0], x[1], base}));
  }
  const auto refuse = [](std::size_t triangle, const std::string& reason) {
    throw geom::GeometryError(fmt::format("triangle {} of the surface {}", triangle, reason));
  };
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto [i, j, k] = surface.triangles[t];
    const Vector3d &a = surface.points[i], &b = surface.points[j], &c = surface.points[k];
    if (!((b - a).cross(c - a)[2] > 0)) refuse(t, "is not seen from above: its corners run clockwise or it is upright");
    if (!(std::min({a[2], b[2], c[2]}) > base)) refuse(t, fmt::format("does not lie above {:.6g} m", base));
  }
  std::vector<geom::Shape> prisms;
  std::vector<Vector3d> corners;
  const auto add = [&](std::span<const int> patch, int triangle) {
    corners.clear();
    for (const int i : patch) corners.push_back(top[i]);
    for (const int i : patch) corners.push_back(bottom[i]);
    try {
      prisms.emplace_back(geom::Polytope::fromPoints(corners));
    } catch (const geom::GeometryError& error) {
      refuse(static_cast<std::size_t>(triangle), std::string("has no solid below it: ") + error.what());
    }
  };
  // Turned, walls between prisms are flat up to roundings only.
  const bool upright = pose.q.tail<3>().isZero(0);
  if (!upright) {
    prisms.reserve(surface.triangles.size());
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) add(surface.triangles[t], static_cast<int>(t));
    return prisms;
  }
  const std::vector<FlatPatch> patches = flatPatches(top, surface.triangles);
  prisms.reserve(patches.size());
  for (const FlatPatch& patch : patches)
    add(std::span(patch.corners).first(static_cast<std::size_t>(patch.count)), patch.triangle);
  return prisms;
}

namespace {

constexpr const char* kNumbersAllowed = "rows of the same count of finite numbers, separated by spaces or commas";

struct HeightRows {
  std::vector<double> heights;
  int rows = 0, columns = 0;
};

/// A row a line; empty lines do not count.
HeightRows readRows(const std::string& text, const std::string& path) {
  HeightRows result;
  int line_number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line(text.data() + start, end - start);
    start = end + 1, ++line_number;
    int count = 0;
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r,;", at)) != std::string_view::npos;) {
      const std::string_view word = line.substr(at, line.find_first_of(" \t\r,;", at) - at);
      double height = 0;
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), height);
      if (error != std::errc() || stop != word.data() + word.size() || !std::isfinite(height))
        throw LoadError(path, {line_number, static_cast<int>(at) + 1}, "found " + std::string(word.substr(0, 40)),
                        kNumbersAllowed);
      result.heights.push_back(height);
      ++count, at += word.size();
    }
    if (count == 0) continue;
    if (result.rows++ == 0) result.columns = count;
    if (count != result.columns)
      throw LoadError(path, {line_number, 1},
                      fmt::format("{} numbers after rows of {}", count, result.columns), kNumbersAllowed);
  }
  return result;
}

const std::string& contentOf(const Value& file, const ShapeContext& context, std::string& path) {
  path = (std::filesystem::path(context.folder) / file.text()).string();
  if (!context.files.contains(path))
    file.fail("file " + path + " does not exist", "a file, relative to the scene file");
  return context.files.read(path, "a file that can be read");
}

HeightRows heightsOf(const Value& value, const ShapeContext& context) {
  const auto given = value.find("heights"), file = value.find("file");
  if (given && file) file->fail(file->name() + " beside heights", "heights or a file");
  HeightRows rows;
  if (file) {
    std::string path;
    const std::string& text = contentOf(*file, context, path);
    try {
      rows = readRows(text, path);
    } catch (const LoadError& broken) {
      // The reader's message names the place in the file; the scene line that wants it comes first.
      file->fail(fmt::format("heights: {}", broken.what()), "a file of heights");
    }
  } else {
    const Value list = value.at("heights");
    for (const Value& row : list.items("rows of heights [m]")) {
      const std::vector<double> numbers = row.numbers(-1, "heights [m]");
      if (rows.rows++ == 0) rows.columns = static_cast<int>(numbers.size());
      if (static_cast<int>(numbers.size()) != rows.columns)
        row.fail(fmt::format("{} has {} numbers", row.name(), numbers.size()),
                 fmt::format("{}, as in the first row", rows.columns));
      rows.heights.insert(rows.heights.end(), numbers.begin(), numbers.end());
    }
  }
  const Value& at = file ? *file : *given;
  if (rows.rows < 2 || rows.columns < 2)
    at.fail(fmt::format("{} has {} rows and {} columns", at.name(), rows.rows, rows.columns), "at least two of each");
  if (2L * rows.rows * rows.columns > TerrainSurface::kMostTriangles)
    at.fail(fmt::format("{} has {} heights", at.name(), rows.heights.size()),
            fmt::format("at most {}", TerrainSurface::kMostTriangles / 2));
  return rows;
}

std::vector<geom::Shape> solidBelow(const Value& at, const TerrainSurface& surface) {
  double lowest = HUGE_VAL;
  Eigen::AlignedBox2d extent;
  for (const Vector3d& x : surface.points) lowest = std::min(lowest, x[2]), extent.extend(x.head<2>());
  const auto given = at.find("thickness");
  // Deep enough that nothing starts below it unseen.
  const double thickness = given ? given->positive("m") : 0.1 * extent.sizes().maxCoeff();
  try {
    return prismsBelow(surface, lowest - thickness);
  } catch (const geom::GeometryError& error) {
    at.fail(at.name() + ": " + error.what(), "a surface that is seen from above everywhere");
  }
}

/// Equal points as one: files may hold those of each triangle by themselves.
void joinEqualPoints(TerrainSurface& surface) {
  std::vector<int> order(surface.points.size()), one(order.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) {
    const Vector3d& x = surface.points[i];
    return std::tuple(x[0], x[1], x[2], i);
  };
  std::ranges::sort(order, {}, key);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && surface.points[order[k]] == surface.points[order[k - 1]];
    one[order[k]] = same ? one[order[k - 1]] : order[k];
  }
  for (auto& triangle : surface.triangles)
    for (int& corner : triangle) corner = one[corner];
}

void requireFixed(const Value& value, const ShapeContext& context) {
  if (!context.fixed) value.fail(value.name() + " on a body that moves", "on fixed bodies only");
}

}  // namespace

std::vector<geom::Shape> readHeightField(const Value& value, const ShapeContext& context) {
  requireFixed(value, context);
  value.fields({"heights", "file", "size", "scale", "thickness"});
  HeightRows rows = heightsOf(value, context);
  if (const auto scale = value.find("scale"))
    for (const double factor = scale->number(); double& height : rows.heights) height *= factor;
  const Value size = value.at("size");
  const std::vector<Value> lengths = size.items("2 lengths [m]");
  if (lengths.size() != 2) size.refuse("a list of 2 lengths, along x and y [m]");
  return solidBelow(value, gridSurface(rows.heights, rows.rows, rows.columns,
                                       {lengths[0].positive("m"), lengths[1].positive("m")}));
}

std::vector<geom::Shape> readTerrain(const Value& value, const ShapeContext& context) {
  requireFixed(value, context);
  value.fields({"file", "scale", "thickness"});
  const Value file = value.at("file");
  std::string path;
  contentOf(file, context, path);
  Vector3d scale(1, 1, 1);
  if (const auto field = value.find("scale"))
    scale = field->isList() ? field->vector3() : Vector3d::Constant(field->positive(""));
  if (!(scale.minCoeff() > 0)) value.at("scale").refuse("numbers > 0");
  Mesh mesh;
  try {
    mesh = readMesh(path, context.files);
  } catch (const LoadError& broken) {
    file.fail(fmt::format("mesh: {}", broken.what()), "an OBJ or STL file");
  }
  if (mesh.triangles.empty() || static_cast<long>(mesh.triangles.size()) > TerrainSurface::kMostTriangles)
    file.fail(fmt::format("mesh of {} triangles", mesh.triangles.size()),
              fmt::format("1 to {}", TerrainSurface::kMostTriangles));
  TerrainSurface surface{std::move(mesh.vertices), std::move(mesh.triangles)};
  for (Vector3d& x : surface.points) x = x.cwiseProduct(scale);
  joinEqualPoints(surface);
  return solidBelow(value, surface);
}

}  // namespace rigor::scenes
