// SPDX-License-Identifier: MIT
#include "geom/skin.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "geom/point_numbers.h"
#include "geom/walls.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

/// A direction in which a part faces at a feature may have other vertices this share of its size above the feature:
/// normals of coplanar faces are equal up to rounding only.
constexpr double kFacingShare = 1e-9;
/// Directions whose sine of the angle between them is below this are the same.
constexpr double kSameSine = 1e-6;

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
  std::size_t vertices = 0, faces = 0, corners = 0;
  for (const Polytope* part : parts) {
    first_vertex_.push_back(static_cast<int>(vertices));
    first_face_.push_back(static_cast<int>(faces));
    vertices += static_cast<std::size_t>(part->numVertices()), faces += static_cast<std::size_t>(part->numFaces());
    for (const Polytope::Face& face : part->faces()) corners += static_cast<std::size_t>(face.count);
  }
  int count = 0;
  point_ = numberPoints(parts, count);

  // Faces with the same corners: those of two parts are inside.
  std::vector<int> corner_of;  // Points of each face, ascending, face after face.
  std::vector<std::size_t> first_corner{0};
  corner_of.reserve(corners), first_corner.reserve(faces + 1);
  std::vector<int> first_of;  // By number of their corners: the first face that has them.
  Numbering numbering;
  hidden_.assign(faces, 0);
  const auto cornersOf = [&](std::size_t face) {
    return std::span(corner_of).subspan(first_corner[face], first_corner[face + 1] - first_corner[face]);
  };
  for (std::size_t p = 0, f = 0; p < parts.size(); ++p)
    for (int own = 0; own < parts[p]->numFaces(); ++own, ++f) {
      for (const int v : parts[p]->faceVertices(own)) corner_of.push_back(point_[first_vertex_[p] + v]);
      first_corner.push_back(corner_of.size());
      const std::span<int> its = cornersOf(f);
      std::sort(its.begin(), its.end());
      std::uint64_t hash = 0;
      for (const int point : its) hash = mixed(hash, static_cast<std::uint64_t>(point));
      const auto number = static_cast<std::size_t>(numbering.number(
          hash, [&](int i) { return std::ranges::equal(cornersOf(static_cast<std::size_t>(first_of[i])), its); }));
      if (number == first_of.size()) first_of.push_back(static_cast<int>(f));
      else hidden_[f] = hidden_[first_of[number]] = 1;
    }

  hideWalls(parts);
  hides_ = std::ranges::find(hidden_, 1) != hidden_.end();

  // Which faces are around which points: at their corners, and at joints on their edges.
  std::vector<int> normal_of(faces, -1);
  std::vector<std::pair<int, int>> extra;  // Points and normals.
  for (std::size_t p = 0, f = 0; p < parts.size(); ++p)
    for (int own = 0; own < parts[p]->numFaces(); ++own, ++f)
      if (!hidden_[f]) normal_of[f] = static_cast<int>(normals_.size()), normals_.push_back(parts[p]->face(own).normal);
  for (const Joint& joint : joints_)
    for (const int side : {parts[joint.part]->edge(joint.edge).left, parts[joint.part]->edge(joint.edge).right})
      if (const int normal = normal_of[first_face_[joint.part] + side]; normal >= 0)
        extra.emplace_back(joint.point, normal);
  first_normal_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (std::size_t f = 0; f < faces; ++f)
    for (const int p : cornersOf(f)) first_normal_[p + 1] += !hidden_[f];
  for (const auto& [p, normal] : extra) ++first_normal_[p + 1];
  std::partial_sum(first_normal_.begin(), first_normal_.end(), first_normal_.begin());
  normal_at_.resize(static_cast<std::size_t>(first_normal_.back()));
  std::vector<int> next(first_normal_.begin(), first_normal_.end() - 1);
  for (std::size_t f = 0; f < faces; ++f)
    if (!hidden_[f])
      for (const int point : cornersOf(f)) normal_at_[next[point]++] = normal_of[f];
  for (const auto& [p, normal] : extra) normal_at_[next[p]++] = normal;
}

/// Walls that others cover piece by piece, and the corners of those on edges of theirs.
void Skin::hideWalls(std::span<const Polytope* const> parts) {
  std::vector<Wall> walls;
  Wall wall;
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (int f = 0; f < parts[p]->numFaces(); ++f)
      if (const int part = static_cast<int>(p); !isInside(part, f) && asWall(*parts[p], part, f, wall))
        walls.push_back(wall);
  const auto hide = [&](const Wall& w) { hidden_[static_cast<std::size_t>(first_face_[w.part] + w.face)] = 1; };
  for (const WallJoint& joint : matchWalls(parts, std::move(walls), hide)) {
    const Polytope& part = *parts[joint.part];
    const Polytope::Edge& edge = part.edge(joint.edge);
    const Vector3d start = part.vertex(edge.tail), along = part.vertex(edge.head) - start,
                   x = parts[joint.other_part]->vertex(joint.vertex);
    joints_.push_back({joint.part, joint.edge, point_[first_vertex_[joint.other_part] + joint.vertex],
                       (x - start).dot(along) / along.squaredNorm()});
  }
  const auto key = [](const Joint& j) { return std::tuple(j.part, j.edge, j.share, j.point); };
  std::ranges::sort(joints_, {}, key);
  const auto same = [&](const Joint& a, const Joint& b) { return key(a) == key(b); };
  joints_.erase(std::unique(joints_.begin(), joints_.end(), same), joints_.end());
}

/// The points between which x lies on an edge: its ends, or joints.
std::array<int, 2> Skin::endsAround(int part, const Polytope& polytope, int edge, const Vector3d& x) const {
  const Polytope::Edge& its = polytope.edge(edge);
  std::array<int, 2> ends{point_[first_vertex_[part] + its.tail], point_[first_vertex_[part] + its.head]};
  const auto key = [](const Joint& j) { return std::pair(j.part, j.edge); };
  const std::pair own(part, edge);
  const std::span on_edge(std::ranges::lower_bound(joints_, own, {}, key),
                          std::ranges::upper_bound(joints_, own, {}, key));
  if (on_edge.empty()) return ends;
  const Vector3d along = polytope.vertex(its.head) - polytope.vertex(its.tail);
  const double share = (x - polytope.vertex(its.tail)).dot(along) / along.squaredNorm();
  const auto behind = std::ranges::upper_bound(on_edge, share, {}, &Joint::share);
  if (behind != on_edge.begin()) ends[0] = std::prev(behind)->point;
  if (behind != on_edge.end()) ends[1] = behind->point;
  return ends;
}

Vector3d Skin::nearest(int part, const Polytope& polytope, Feature feature, const Vector3d& n,
                       const Vector3d& x) const {
  if (feature.kind == Feature::Kind::kFace) return n;
  const bool edge = feature.kind == Feature::Kind::kEdge;
  const int v = edge ? polytope.edge(feature.index).tail : feature.index, own = point_[first_vertex_[part] + v];
  const auto [p, q] = edge ? endsAround(part, polytope, feature.index, x) : std::array<int, 2>{own, own};
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
