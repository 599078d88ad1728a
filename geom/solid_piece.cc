// SPDX-License-Identifier: MIT
#include "geom/solid_piece.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "geom/sticking_out.h"

namespace rigor::geom {

using Eigen::Vector3d;

namespace {

/// Planes that meet at a smaller angle (determinant of three unit normals) leave no corner that counts.
constexpr double kLeastDeterminant = 1e-6;

/// The corners that a further plane makes with two of those before.
void addCellCorners(const TriangleSolid& solid, double rounding, SolidPiece& piece) {
  const int last = static_cast<int>(piece.planes.size()) - 1;
  const CutPlane& third = piece.planes[last].first;
  for (int i = 0; i < last; ++i) {
    for (int j = 0; j < i; ++j) {
      const CutPlane *const three[3] = {&piece.planes[i].first, &piece.planes[j].first, &third};
      Eigen::Matrix3d normals;
      Vector3d offsets;
      for (int k = 0; k < 3; ++k) normals.row(k) = three[k]->normal.transpose(), offsets[k] = three[k]->offset;
      if (!(std::abs(normals.determinant()) > kLeastDeterminant)) continue;
      Vector3d corner = normals.inverse() * offsets;
      for (const CutPlane* plane : three)
        if (plane->axis >= 0) corner[plane->axis] = plane->offset;
      const bool kept = std::all_of(piece.planes.begin(), piece.planes.end(), [&](const auto& plane) {
        return plane.second * plane.first.above(corner) >= -rounding;
      });
      // Surface in a plane that cuts is gone: corners on it count, whichever side they are rounded to.
      if (kept && (solid.contains(corner) || solid.surface().distance(corner) <= 2 * rounding))
        piece.cell_corners.push_back(corner);
    }
  }
}

}  // namespace

CutPlane planeThrough(const Vector3d& point, Vector3d normal) {
  CutPlane plane;
  for (int k = 0; k < 3; ++k) {
    if (normal[(k + 1) % 3] != 0 || normal[(k + 2) % 3] != 0) continue;
    plane.axis = k;
    normal = Vector3d::Unit(k);
  }
  plane.normal = normal;
  plane.offset = plane.axis >= 0 ? point[plane.axis] : normal.dot(point);
  return plane;
}

std::vector<Vector3d> SolidPiece::corners() const {
  std::vector<Vector3d> all = points;
  all.insert(all.end(), cell_corners.begin(), cell_corners.end());
  return all;
}

SolidPiece wholeSolid(const TriangleSolid& solid) {
  SolidPiece piece;
  for (const auto& triangle : solid.surface().triangles()) {
    for (const int corner : triangle) piece.points.push_back(solid.points()[corner]);
    piece.ends.push_back(static_cast<int>(piece.points.size()));
  }
  piece.concave = solid.concaveEdges();
  return piece;
}

Vector3d crossing(const CutPlane& plane, Vector3d p, Vector3d q) {
  if (std::lexicographical_compare(q.data(), q.data() + 3, p.data(), p.data() + 3)) std::swap(p, q);
  const double a = plane.above(p), b = plane.above(q);
  Vector3d cut = p + a / (a - b) * (q - p);
  if (plane.axis >= 0) cut[plane.axis] = plane.offset;
  return cut;
}

SolidPiece cutPiece(const SolidPiece& piece, const TriangleSolid& solid, const CutPlane& plane, double side) {
  const double rounding = kCutRounding * solid.size();
  SolidPiece kept;
  kept.planes = piece.planes;
  kept.planes.emplace_back(plane, side);
  std::vector<double> above;
  for (size_t polygon = 0; polygon < piece.ends.size(); ++polygon) {
    const int first = polygon == 0 ? 0 : piece.ends[polygon - 1], count = piece.ends[polygon] - first;
    above.clear();
    for (int i = 0; i < count; ++i) {
      const double a = side * plane.above(piece.points[first + i]);
      above.push_back(std::abs(a) <= rounding ? 0 : a);
    }
    if (*std::max_element(above.begin(), above.end()) <= 0) continue;  // Beyond, or in the plane.
    for (int i = 0; i < count; ++i) {
      const int next = (i + 1) % count;
      if (above[i] >= 0) kept.points.push_back(piece.points[first + i]);
      if ((above[i] > 0 && above[next] < 0) || (above[i] < 0 && above[next] > 0))
        kept.points.push_back(crossing(plane, piece.points[first + i], piece.points[first + next]));
    }
    kept.ends.push_back(static_cast<int>(kept.points.size()));
  }
  for (const Vector3d& corner : piece.cell_corners)
    if (side * plane.above(corner) >= -rounding) kept.cell_corners.push_back(corner);
  addCellCorners(solid, rounding, kept);
  for (TriangleSolid::ConcaveEdge edge : piece.concave) {
    const double a = side * plane.above(edge.a), b = side * plane.above(edge.b);
    if (a <= rounding && b <= rounding) continue;  // Beyond; or in the plane, which resolves it.
    if (a < -rounding || b < -rounding) (a < b ? edge.a : edge.b) = crossing(plane, edge.a, edge.b);
    kept.concave.push_back(edge);
  }
  return kept;
}

}  // namespace rigor::geom
