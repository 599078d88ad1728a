// SPDX-License-Identifier: MIT
#include "geom/walls.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "geom/predicates.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

/// +1 where x lies above the line through a and b, which run along a wall, -1 below, 0 on it, exactly.
int sideOf(const Vector3d& a, const Vector3d& b, const Vector3d& x, int axis) {
  if (a[2] == b[2]) return (x[2] > a[2]) - (x[2] < a[2]);
  Vector3d across = a;  // The plane through the line and across the wall.
  across[axis] += 1 + std::abs(across[axis]);
  const bool onward = b[1 - axis] > a[1 - axis];
  const int sign = orient3d(a, b, across, x);
  return onward == (axis == 1) ? sign : -sign;
}

/// Walls in one plane that face one way, by where they begin.
struct Row {
  std::vector<const Wall*> walls;
  std::vector<double> reached;  // The farthest end of those up to here.
};

class Matching {
 public:
  Matching(std::span<const Polytope* const> parts, std::vector<WallJoint>& joints) : parts_(parts), joints_(joints) {}

  /// @returns whether the walls of a row that faces the other way cover a wall.
  bool match(const Wall& wall, const Row& others) {
    bool whole = true;
    double reached = wall.from.along;
    // Those before this one all end before the wall begins.
    auto at = std::ranges::upper_bound(others.reached, wall.from.along) - others.reached.begin();
    for (; at < std::ssize(others.walls) && others.walls[at]->from.along < wall.to.along; ++at) {
      const Wall& other = *others.walls[at];
      if (!(other.to.along > wall.from.along)) continue;
      findJoints(wall, other);
      if (!covers(other, wall)) continue;
      if (other.from.along > reached) whole = false;
      reached = std::max(reached, other.to.along);
    }
    return whole && reached >= wall.to.along;
  }

 private:
  std::span<const Polytope* const> parts_;
  std::vector<WallJoint>& joints_;

  Vector3d vertex(const Wall& wall, int v) const { return parts_[wall.part]->vertex(v); }

  /// Whether `other` is as high and as deep as `wall` wherever both are.
  bool covers(const Wall& other, const Wall& wall) const {
    for (const bool end : {false, true}) {
      const Wall::Side &own = end ? wall.to : wall.from, &its = end ? other.to : other.from;
      // At the end of their overlap one of them has corners.
      const bool is_own = end ? own.along <= its.along : own.along >= its.along;
      const Wall &cornered = is_own ? wall : other, &lined = is_own ? other : wall;
      const Wall::Side& side = is_own ? own : its;
      const int high = sideOf(vertex(lined, lined.from.high), vertex(lined, lined.to.high),
                              vertex(cornered, side.high), wall.axis),
                low = sideOf(vertex(lined, lined.from.low), vertex(lined, lined.to.low), vertex(cornered, side.low),
                             wall.axis);
      if (is_own ? high > 0 || low < 0 : high < 0 || low > 0) return false;
    }
    return true;
  }

  void findJoints(const Wall& wall, const Wall& other) {
    const Polytope& part = *parts_[wall.part];
    for (const Wall::Side& side : {other.from, other.to}) {
      if (!(side.along > wall.from.along && side.along < wall.to.along)) continue;
      for (const auto& [tail, head] :
           {std::pair(wall.from.high, wall.to.high), std::pair(wall.from.low, wall.to.low)})
        for (const int v : {side.low, side.high}) {
          if (sideOf(part.vertex(tail), part.vertex(head), vertex(other, v), wall.axis) != 0) continue;
          const auto ends = part.neighbours(tail);
          const auto found = std::ranges::find(ends, head) - ends.begin();
          joints_.push_back({wall.part, part.vertexEdges(tail)[found], other.part, v});
        }
    }
  }
};

}  // namespace

bool asWall(const Polytope& polytope, int part, int face, Wall& wall) {
  const auto loop = polytope.faceVertices(face);
  if (loop.size() != 4) return false;
  for (const int axis : {0, 1}) {
    const auto across = [&](int i) { return polytope.vertex(loop[i])[axis]; };
    const auto along = [&](int i) { return polytope.vertex(loop[i % 4])[1 - axis]; };
    if (across(0) != across(1) || across(0) != across(2) || across(0) != across(3)) continue;
    for (const int first : {0, 1}) {
      if (along(first) != along(first + 1) || along(first + 2) != along(first + 3)) continue;
      wall = {part, face, axis, polytope.face(face).normal[axis] > 0, across(0), {}, {}};
      wall.from = {along(first), loop[first], loop[first + 1]};
      wall.to = {along(first + 2), loop[(first + 2) % 4], loop[(first + 3) % 4]};
      for (Wall::Side* side : {&wall.from, &wall.to})
        if (polytope.vertex(side->low)[2] > polytope.vertex(side->high)[2]) std::swap(side->low, side->high);
      if (wall.from.along > wall.to.along) std::swap(wall.from, wall.to);
      return wall.from.along < wall.to.along;
    }
  }
  return false;
}

std::vector<WallJoint> matchWalls(std::span<const Polytope* const> parts, std::vector<Wall> walls,
                                  const std::function<void(const Wall&)>& covered) {
  std::ranges::sort(walls, {}, [](const Wall& w) {
    return std::tuple(w.axis, w.at, w.positive, w.from.along, w.part, w.face);
  });
  std::vector<WallJoint> joints;
  Matching matching(parts, joints);
  for (auto begin = walls.begin(), end = begin; begin != walls.end(); begin = end) {
    end = std::find_if(begin, walls.end(), [&](const Wall& w) { return w.axis != begin->axis || w.at != begin->at; });
    Row rows[2];  // By which way they face.
    for (auto wall = begin; wall != end; ++wall) {
      Row& row = rows[wall->positive];
      row.walls.push_back(&*wall);
      row.reached.push_back(row.reached.empty() ? wall->to.along : std::max(row.reached.back(), wall->to.along));
    }
    for (const Row& row : rows)
      for (const Wall* wall : row.walls)
        if (matching.match(*wall, rows[!wall->positive])) covered(*wall);
  }
  return joints;
}

}  // namespace rigor::geom
