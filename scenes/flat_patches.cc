// SPDX-License-Identifier: MIT
#include "scenes/flat_patches.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "geom/predicates.h"

namespace rigor::scenes {
namespace {

using Eigen::Vector3d;
using Triangles = std::span<const std::array<int, 3>>;
using Points = std::span<const Vector3d>;

/// Which triangle runs along an edge in a direction.
class HalfEdges {
 public:
  HalfEdges(std::size_t points, Triangles triangles) : first_(points + 1, 0), halves_(3 * triangles.size()) {
    for (const auto& corners : triangles)
      for (const int tail : corners) ++first_[static_cast<std::size_t>(tail) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<int> next(first_.begin(), first_.end() - 1);
    for (std::size_t t = 0; t < triangles.size(); ++t)
      for (int k = 0; k < 3; ++k)
        halves_[next[triangles[t][k]]++] = {triangles[t][(k + 1) % 3], static_cast<int>(t)};
  }

  /// -1 for none, or several.
  int triangle(int tail, int head) const {
    int found = -1;
    for (int i = first_[tail]; i < first_[tail + 1]; ++i) {
      if (halves_[i].head != head) continue;
      if (found >= 0) return -1;
      found = halves_[i].triangle;
    }
    return found;
  }

 private:
  struct Half {
    int head, triangle;
  };
  std::vector<int> first_;  // Of each tail.
  std::vector<Half> halves_;
};

/// Whether the way from a over b to c turns left, seen from above, by so much that no rounding hides it.
bool turnsLeft(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  constexpr double kClear = 1e-6;
  const Eigen::Vector2d u = (b - a).head<2>(), v = (c - b).head<2>();
  return u[0] * v[1] - u[1] * v[0] > kClear * u.norm() * v.norm();
}

/// Pairs of triangles that make a flat convex quadrilateral: first across what is the longest edge of both seen from
/// above, as halves of a cell lie, then any.
class Pairs {
 public:
  Pairs(Points points, Triangles triangles, const HalfEdges& halves)
      : points_(points), triangles_(triangles), halves_(halves), patch_of(triangles.size(), -1) {
    for (const bool longest : {true, false})
      for (int t = 0; t < static_cast<int>(triangles.size()); ++t) join(t, longest);
    for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
      if (patch_of[t] >= 0) continue;
      patch_of[t] = static_cast<int>(patches.size());
      patches.push_back({{triangles[t][0], triangles[t][1], triangles[t][2], -1}, 3, t});
    }
  }

 private:
  Points points_;
  Triangles triangles_;
  const HalfEdges& halves_;

  double length(int t, int k) const {
    return (points_[triangles_[t][(k + 1) % 3]] - points_[triangles_[t][k]]).head<2>().squaredNorm();
  }
  bool isLongest(int t, int k) const {
    return length(t, k) >= length(t, (k + 1) % 3) && length(t, k) >= length(t, (k + 2) % 3);
  }
  void join(int t, bool longest) {
    for (int k = 0; k < 3 && patch_of[t] < 0; ++k) {
      if (longest && !isLongest(t, k)) continue;
      const int i = triangles_[t][k], j = triangles_[t][(k + 1) % 3], over = triangles_[t][(k + 2) % 3];
      const int other = halves_.triangle(j, i);
      if (other < 0 || patch_of[other] >= 0 || halves_.triangle(i, j) != t) continue;
      const int own = static_cast<int>(std::ranges::find(triangles_[other], j) - triangles_[other].begin());
      if (longest && !isLongest(other, own)) continue;
      const int under = triangles_[other][(own + 2) % 3];
      if (geom::orient3d(points_[over], points_[i], points_[j], points_[under]) != 0 ||
          !turnsLeft(points_[over], points_[i], points_[under]) ||
          !turnsLeft(points_[under], points_[j], points_[over]))
        continue;
      patch_of[t] = patch_of[other] = static_cast<int>(patches.size());
      patches.push_back({{i, under, j, over}, 4, std::min(t, other)});
    }
  }

 public:
  std::vector<int> patch_of;  // Of each triangle.
  std::vector<FlatPatch> patches;
};

/// Rectangles along x and y put together.
class Rectangles {
 public:
  Rectangles(Points points, const HalfEdges& halves, Pairs& pairs)
      : points_(points), halves_(halves), pairs_(pairs), free_(pairs.patches.size(), 0) {
    std::vector<int> order;
    for (int p = 0; p < static_cast<int>(pairs.patches.size()); ++p)
      if (turnToLeast(pairs.patches[p])) free_[p] = 1, order.push_back(p);
    std::ranges::sort(order, [&](int p, int q) {
      const Vector3d &a = at(p, 0), &b = at(q, 0);
      return std::pair(a[1], a[0]) < std::pair(b[1], b[0]);
    });
    for (const int p : order)
      if (free_[p]) grow(p);
  }

 private:
  Points points_;
  const HalfEdges& halves_;
  Pairs& pairs_;
  std::vector<char> free_;  // Of each patch.

  const Vector3d& at(int patch, int corner) const { return points_[pairs_.patches[patch].corners[corner]]; }
  int corner(int patch, int k) const { return pairs_.patches[patch].corners[k]; }

  /// Turns a rectangle's corners so that the one of least x and y is the first. @returns whether it is one.
  bool turnToLeast(FlatPatch& patch) const {
    if (patch.count != 4) return false;
    for (int k = 0; k < 4; ++k, std::rotate(patch.corners.begin(), patch.corners.begin() + 1, patch.corners.end())) {
      const auto x = [&](int i, int axis) { return points_[patch.corners[i]][axis]; };
      if (x(0, 1) == x(1, 1) && x(2, 1) == x(3, 1) && x(0, 0) == x(3, 0) && x(1, 0) == x(2, 0) && x(0, 0) < x(1, 0) &&
          x(0, 1) < x(3, 1))
        return true;
    }
    return false;
  }

  /// The rectangle over the side from corner k to the next one, in the same plane, where it has that whole side; -1.
  int beside(int patch, int k) const {
    const int i = corner(patch, k), j = corner(patch, (k + 1) % 4), triangle = halves_.triangle(j, i);
    if (triangle < 0) return -1;
    const int next = pairs_.patch_of[triangle];
    if (!free_[next] || corner(next, (k + 3) % 4) != i || corner(next, (k + 2) % 4) != j) return -1;
    // Corners in pairs that are parallel where the rectangles go on along an axis: that costs little.
    const bool flat = geom::orient3d(at(patch, (k + 3) % 4), at(patch, k), at(patch, (k + 1) % 4),
                                     at(next, (k + 1) % 4)) == 0 &&
                      geom::orient3d(at(patch, (k + 2) % 4), at(patch, (k + 1) % 4), at(patch, k), at(next, k)) == 0;
    return flat ? next : -1;
  }

  bool isRim(int patch, int k) const { return halves_.triangle(corner(patch, (k + 1) % 4), corner(patch, k)) < 0; }

  /// Whether each side of a block of rows is at the rim as a whole, or nowhere.
  bool hasWholeSides(const std::vector<std::vector<int>>& rows, std::size_t height, std::size_t width) const {
    for (std::size_t c = 1; c < width; ++c)
      if (isRim(rows[0][c], 0) != isRim(rows[0][0], 0) ||
          isRim(rows[height - 1][c], 2) != isRim(rows[height - 1][0], 2))
        return false;
    for (std::size_t r = 1; r < height; ++r)
      if (isRim(rows[r][width - 1], 1) != isRim(rows[0][width - 1], 1) || isRim(rows[r][0], 3) != isRim(rows[0][0], 3))
        return false;
    return true;
  }

  void grow(int seed) {
    std::vector<std::vector<int>> rows(1);
    for (int p = seed; p >= 0; p = beside(p, 1)) rows[0].push_back(p);
    std::size_t width = rows[0].size(), best_width = 1, best_height = 1;
    for (std::size_t height = 1;; ++height) {
      for (std::size_t w = width; w * height > best_width * best_height; --w)
        if (hasWholeSides(rows, height, w)) best_width = w, best_height = height;
      std::vector<int> row;
      for (std::size_t c = 0; c < width; ++c) {
        const int p = beside(rows[height - 1][c], 2);
        if (p < 0 || (c > 0 && corner(p, 3) != corner(row.back(), 2))) break;
        row.push_back(p);
      }
      width = row.size();
      if (width == 0) break;
      rows.push_back(std::move(row));
    }
    std::array<int, 4> corners{corner(seed, 0), corner(rows[0][best_width - 1], 1),
                               corner(rows[best_height - 1][best_width - 1], 2), corner(rows[best_height - 1][0], 3)};
    for (std::size_t r = 0; r < best_height; ++r)
      for (std::size_t c = 0; c < best_width; ++c)
        free_[rows[r][c]] = 0, pairs_.patches[rows[r][c]].count = 0;  // One stands for all.
    pairs_.patches[seed].corners = corners, pairs_.patches[seed].count = 4;
  }
};

}  // namespace

std::vector<FlatPatch> flatPatches(Points points, Triangles triangles) {
  const HalfEdges halves(points.size(), triangles);
  Pairs pairs(points, triangles, halves);
  Rectangles(points, halves, pairs);
  std::vector<FlatPatch> patches = std::move(pairs.patches);
  std::erase_if(patches, [](const FlatPatch& patch) { return patch.count == 0; });
  std::ranges::sort(patches, {}, &FlatPatch::triangle);
  return patches;
}

}  // namespace rigor::scenes
