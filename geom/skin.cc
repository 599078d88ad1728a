// SPDX-License-Identifier: MIT
#include "geom/skin.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

/// A direction in which a part faces at a feature may have other vertices this share of its size above the feature:
/// normals of coplanar faces are equal up to rounding only.
constexpr double kFacingShare = 1e-9;
/// Directions whose sine of the angle between them is below this are the same.
constexpr double kSameSine = 1e-6;

/// Numbers of equal points are equal; in the order of coordinates.
std::vector<int> numberPoints(const std::vector<Vector3d>& points, int& count) {
  std::vector<int> order(points.size()), number(points.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int i) { return std::tuple(points[i][0], points[i][1], points[i][2], i); };
  std::sort(order.begin(), order.end(), [&](int i, int j) { return key(i) < key(j); });
  count = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && points[order[k]] != points[order[k - 1]]) ++count;
    number[order[k]] = count;
  }
  if (!points.empty()) ++count;
  return number;
}

/// n projected on the combinations with positive factors of up to three directions; zero where there is none.
template <std::size_t count>
Vector3d projected(const std::array<Vector3d, count>& directions, const Vector3d& n) {
  Eigen::Matrix<double, 3, count> D;
  for (std::size_t k = 0; k < count; ++k) D.col(static_cast<int>(k)) = directions[k];
  const Eigen::Matrix<double, count, count> gram = D.transpose() * D;
  if (!(gram.determinant() > kSameSine * kSameSine)) return Vector3d::Zero();
  const Eigen::Matrix<double, count, 1> factors = gram.inverse() * (D.transpose() * n);
  if (!(factors.array() >= 0).all()) return Vector3d::Zero();
  return D * factors;
}

}  // namespace

Skin::Skin(std::span<const Polytope* const> parts) {
  std::vector<Vector3d> points;
  int faces = 0;
  for (const Polytope* part : parts) {
    first_vertex_.push_back(static_cast<int>(points.size()));
    first_face_.push_back(faces);
    for (int v = 0; v < part->numVertices(); ++v) points.push_back(part->vertex(v));
    faces += part->numFaces();
  }
  int count = 0;
  point_ = numberPoints(points, count);

  // Faces with the same corners: those of two parts are inside.
  std::vector<std::vector<int>> corners;
  std::vector<std::pair<int, int>> owner;  // Part, face.
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (int f = 0; f < parts[p]->numFaces(); ++f) {
      auto& loop = corners.emplace_back();
      for (const int v : parts[p]->faceVertices(f)) loop.push_back(point_[first_vertex_[p] + v]);
      std::sort(loop.begin(), loop.end());
      owner.emplace_back(static_cast<int>(p), f);
    }
  std::vector<int> order(corners.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int i, int j) { return std::tie(corners[i], i) < std::tie(corners[j], j); });
  hidden_.assign(corners.size(), 0);
  for (std::size_t k = 1; k < order.size(); ++k)
    if (corners[order[k]] == corners[order[k - 1]]) hidden_[order[k]] = hidden_[order[k - 1]] = 1;

  first_normal_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (std::size_t f = 0; f < corners.size(); ++f)
    for (const int p : corners[f]) first_normal_[p + 1] += !hidden_[f];
  std::partial_sum(first_normal_.begin(), first_normal_.end(), first_normal_.begin());
  normal_at_.resize(static_cast<std::size_t>(first_normal_.back()));
  std::vector<int> next(first_normal_.begin(), first_normal_.end() - 1);
  for (std::size_t f = 0; f < corners.size(); ++f) {
    if (hidden_[f]) continue;
    for (const int p : corners[f]) normal_at_[next[p]++] = static_cast<int>(normals_.size());
    normals_.push_back(parts[owner[f].first]->face(owner[f].second).normal);
  }
}

Vector3d Skin::nearest(int part, const Polytope& polytope, Feature feature, const Vector3d& n) const {
  if (feature.kind == Feature::Kind::kFace) return n;
  const bool edge = feature.kind == Feature::Kind::kEdge;
  const int v = edge ? polytope.edge(feature.index).tail : feature.index,
            w = edge ? polytope.edge(feature.index).head : v;
  const int p = point_[first_vertex_[part] + v], q = point_[first_vertex_[part] + w];
  const auto isAt = [&](int normal, int point) {
    const auto begin = normal_at_.begin() + first_normal_[point], end = normal_at_.begin() + first_normal_[point + 1];
    return std::find(begin, end, normal) != end;
  };
  std::vector<Vector3d> directions;
  for (int k = first_normal_[p]; k < first_normal_[p + 1]; ++k) {
    const Vector3d& m = normals_[normal_at_[k]];
    const bool known = std::any_of(directions.begin(), directions.end(), [&](const Vector3d& d) {
      return d.cross(m).norm() <= kSameSine && d.dot(m) > 0;
    });
    if (known || !isAt(normal_at_[k], q)) continue;
    const double highest = (m.transpose() * polytope.vertices()).maxCoeff();
    if (highest - m.dot(polytope.vertex(v)) <= kFacingShare * polytope.size()) directions.push_back(m);
  }
  if (directions.empty()) return n;

  Vector3d best = directions[0];
  const auto offer = [&](const Vector3d& candidate) {
    const double length = candidate.norm();
    if (length > 0 && n.dot(candidate) > length * n.dot(best)) best = candidate / length;
  };
  for (std::size_t i = 0; i < directions.size(); ++i) {
    offer(directions[i]);
    for (std::size_t j = i + 1; j < directions.size(); ++j) {
      offer(projected<2>({directions[i], directions[j]}, n));
      for (std::size_t k = j + 1; k < directions.size(); ++k)
        offer(projected<3>({directions[i], directions[j], directions[k]}, n));
    }
  }
  return (best - n).norm() <= kSameSine ? n : best;
}

}  // namespace rigor::geom
