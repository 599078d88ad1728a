// SPDX-License-Identifier: MIT
#include "geom/point_set.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "geom/gjk.h"
#include "geom/hull.h"
#include "geom/penetration.h"
#include "geom/relative_pose.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;
using Kind = Feature::Kind;

/// A hull of distinct points, however thin; none if they are exactly in a plane.
struct ThinHull {
  std::vector<Vector3d> points;
  FaceLoops loops;
};

std::optional<ThinHull> thinHull(std::span<const Vector3d> points) {
  ThinHull hull;
  for (int i : distinctPoints(points)) hull.points.push_back(points[i]);
  if (hull.points.size() < 4) return std::nullopt;
  Vector3d low = hull.points[0], high = low;
  for (const Vector3d& p : hull.points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  try {
    hull.loops = convexHull(hull.points, kPlaneRounding * (high - low).stableNorm());
  } catch (const GeometryError&) {
    return std::nullopt;
  }
  return hull;
}

std::optional<Polytope> solid(const Eigen::Matrix3Xd& points) {
  try {
    return Polytope::fromPoints({reinterpret_cast<const Vector3d*>(points.data()), size_t(points.cols())});
  } catch (const GeometryError&) {
    return std::nullopt;  // Flat, straight or a point.
  }
}

/// The feature that input points span, `points` in any order, repetitions allowed.
Feature carrier(const int* points, int count) {
  std::vector<int> v(points, points + count);
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
  return {v.size() == 1 ? Kind::kVertex : v.size() == 2 ? Kind::kEdge : Kind::kFace, v[0]};
}

/// A unit vector that is normal to the plane or line of the points, or any if they span space.
Vector3d flatNormal(const Eigen::Matrix3Xd& points) {
  const Vector3d o = points.col(0);
  Eigen::Index far, wide;
  const double length_sq = (points.colwise() - o).colwise().squaredNorm().maxCoeff(&far);
  if (!(length_sq > 0)) return {0, 0, 1};
  const Vector3d along = (points.col(far) - o).stableNormalized();
  Eigen::Matrix3Xd across = points.colwise() - o;
  for (int i = 0; i < across.cols(); ++i) across.col(i) = along.cross(across.col(i)).eval();
  const double width_sq = across.colwise().squaredNorm().maxCoeff(&wide);
  if (width_sq > 1e-24 * length_sq) return across.col(wide).stableNormalized();
  int k;
  along.cwiseAbs().minCoeff(&k);
  return along.cross(Vector3d::Unit(k)).normalized();
}

}  // namespace

PointSet::PointSet(std::span<const Vector3d> points) {
  if (points.empty()) throw GeometryError("no points");
  points_.resize(3, points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite())
      throw GeometryError("point " + std::to_string(i) + " has a coordinate that is not finite");
    if (!(points[i].cwiseAbs().maxCoeff() <= 1e100)) {
      throw GeometryError("point " + std::to_string(i) + " has a coordinate beyond 1e100 m");
    }
    points_.col(i) = points[i];
  }
  size_ = (points_.rowwise().maxCoeff() - points_.rowwise().minCoeff()).stableNorm();
}

std::vector<Vector3d> PointSet::extremes() const {
  std::vector<Vector3d> all;
  for (int i = 0; i < points_.cols(); ++i) all.push_back(points_.col(i));
  if (all.size() <= 4 || !(size_ > 0)) return all;
  const auto corners = [](const ThinHull& hull, const Vector3d* except) {
    std::vector<bool> used(hull.points.size(), false);
    for (const auto& loop : hull.loops) {
      for (int v : loop) used[v] = true;
    }
    std::vector<Vector3d> result;
    for (size_t v = 0; v < used.size(); ++v) {
      if (used[v] && !(except && hull.points[v] == *except)) result.push_back(hull.points[v]);
    }
    return result;
  };
  if (const auto hull = thinHull(all)) return corners(*hull, nullptr);
  // A flat set becomes the base of a pyramid.
  const Vector3d apex = all[0] + size_ * flatNormal(points_);
  all.push_back(apex);
  if (const auto hull = thinHull(all)) return corners(*hull, &apex);
  all.pop_back();
  // A straight set: its two ends.
  Eigen::Index far, other;
  (points_.colwise() - points_.col(0)).colwise().stableNorm().maxCoeff(&far);
  (points_.colwise() - points_.col(far)).colwise().stableNorm().maxCoeff(&other);
  return {all[far], all[other]};
}

Separation separation(const PointSet& A, const Pose& X_WA, const PointSet& B, const Pose& X_WB) {
  const RelativePose X(X_WA, X_WB);
  if (!X.R.allFinite() || !X.t.allFinite() || !X.RA.allFinite()) return {0, X_WA.p, X_WB.p, {0, 0, 1}, {}, {}};
  const GjkResult found = gjkWide(A.points(), X_WA, B.points(), X_WB);
  if (found.status != GjkResult::Status::kTouching) {
    return {found.distance, found.point_a, found.point_b, found.normal, carrier(found.vertex_a, found.count),
            carrier(found.vertex_b, found.count)};
  }

  // The face of the Minkowski difference A - B that is nearest to the origin, in the frame of A.
  Vector3d outward{0, 0, 1};
  double depth = 0;
  const auto solid_a = solid(A.points()), solid_b = solid(B.points());
  if (solid_a && solid_b) {
    const Separation deepest = penetration(*solid_a, X_WA, *solid_b, X_WB);
    outward = -(X.RA.transpose() * deepest.normal);
    depth = -deepest.distance;
  } else {
    std::vector<Vector3d> differences;
    for (const Vector3d& q : B.extremes()) {
      for (const Vector3d& p : A.extremes()) differences.push_back(p - X.toA(q));
    }
    if (const auto sum = thinHull(differences)) {
      depth = std::numeric_limits<double>::infinity();
      for (const auto& loop : sum->loops) {
        const Vector3d normal = loopArea(sum->points, loop).normal;
        const double offset = normal.dot(sum->points[loop[0]]);
        if (offset < depth) depth = offset, outward = normal;
      }
    } else {  // All in one plane: moving apart across it costs nothing.
      Eigen::Matrix3Xd all(3, differences.size());
      for (size_t i = 0; i < differences.size(); ++i) all.col(i) = differences[i];
      outward = flatNormal(all);
    }
  }

  Separation result{-depth, {}, {}, -(X.RA * outward), carrier(found.vertex_a, found.count),
                    carrier(found.vertex_b, found.count)};
  touchingPoints(A.points(), X_WA, B.points(), X_WB, result);
  return result;
}

}  // namespace rigor::geom
