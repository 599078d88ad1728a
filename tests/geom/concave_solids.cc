// SPDX-License-Identifier: MIT
#include "tests/geom/concave_solids.h"

#include <cmath>
#include <map>
#include <numbers>

namespace rigor::geom::testing_solids {

using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

/// Points of equal coordinates are one; triangles without area are none.
class Builder {
 public:
  void add(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    const std::array<int, 3> t{number(a), number(b), number(c)};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
  }
  void addQuad(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
    add(a, b, c), add(a, c, d);
  }
  ClosedMesh mesh;

 private:
  int number(const Vector3d& p) {
    const auto [at, is_new] =
        numbers_.try_emplace({p[0] + 0, p[1] + 0, p[2] + 0}, static_cast<int>(mesh.points.size()));
    if (is_new) mesh.points.push_back(p);
    return at->second;
  }
  std::map<std::array<double, 3>, int> numbers_;
};

}  // namespace

ClosedMesh cells(const std::array<std::vector<double>, 3>& lines, const std::function<bool(int, int, int)>& filled) {
  Builder builder;
  const std::array<int, 3> count{static_cast<int>(lines[0].size()) - 1, static_cast<int>(lines[1].size()) - 1,
                                 static_cast<int>(lines[2].size()) - 1};
  const auto is = [&](const std::array<int, 3>& c) {
    for (int k = 0; k < 3; ++k)
      if (c[k] < 0 || c[k] >= count[k]) return false;
    return filled(c[0], c[1], c[2]);
  };
  for (int x = 0; x < count[0]; ++x)
    for (int y = 0; y < count[1]; ++y)
      for (int z = 0; z < count[2]; ++z) {
        const std::array<int, 3> cell{x, y, z};
        if (!is(cell)) continue;
        for (int k = 0; k < 3; ++k)
          for (const int side : {0, 1}) {
            std::array<int, 3> beyond = cell;
            beyond[k] += side == 1 ? 1 : -1;
            if (is(beyond)) continue;
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            const auto corner = [&](int u, int v) {
              Vector3d p;
              p[k] = lines[k][cell[k] + side], p[i] = lines[i][cell[i] + u], p[j] = lines[j][cell[j] + v];
              return p;
            };
            if (side == 1) builder.addQuad(corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
            else builder.addQuad(corner(0, 0), corner(0, 1), corner(1, 1), corner(1, 0));
          }
      }
  return builder.mesh;
}

ClosedMesh turned(const std::vector<Vector2d>& loop, int steps) {
  Builder builder;
  const auto at = [&](size_t i, int step) {
    const double angle = 2 * std::numbers::pi * (step % steps) / steps;
    const Vector2d& p = loop[i % loop.size()];
    return Vector3d(p[0] * std::cos(angle), p[0] * std::sin(angle), p[1]);
  };
  for (size_t i = 0; i < loop.size(); ++i)
    for (int s = 0; s < steps; ++s) builder.addQuad(at(i, s), at(i, s + 1), at(i + 1, s + 1), at(i + 1, s));
  return builder.mesh;
}

ClosedMesh lPrism() {
  return cells({{{0, 0.1, 0.3}, {0, 0.1, 0.3}, {0, 0.1}}}, [](int x, int y, int) { return x == 0 || y == 0; });
}

ClosedMesh uPrism() {
  return cells({{{0, 0.1, 0.2, 0.3}, {0, 0.1}, {0, 0.1, 0.3}}}, [](int x, int, int z) { return x != 1 || z == 0; });
}

ClosedMesh boxWithHole() {
  return cells({{{0, 0.2, 0.3, 0.4}, {0, 0.1, 0.2, 0.3}, {0, 0.1}}},
               [](int x, int y, int) { return x != 1 || y != 1; });
}

ClosedMesh ring() {
  std::vector<Vector2d> loop;
  for (int i = 0; i < 12; ++i) {
    const double angle = 2 * std::numbers::pi * i / 12;
    loop.emplace_back(0.2 + 0.05 * std::cos(angle), 0.05 * std::sin(angle));
  }
  return turned(loop, 24);
}

ClosedMesh cup() {
  return turned({{0, 0}, {0.05, 0}, {0.05, 0.1}, {0.04, 0.1}, {0.04, 0.01}, {0, 0.01}}, 20);
}

}  // namespace rigor::geom::testing_solids
