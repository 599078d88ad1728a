// SPDX-License-Identifier: MIT
// Quickhull with exact signs: no tolerance, so no inconsistent topology.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "geom/hull.h"
#include "elementary/require.h"
#include "geom/polytope.h"
#include "geom/predicates.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

class ExactHull {
 public:
  explicit ExactHull(std::span<const Vector3d> points) : points_(points) {}

  FaceLoops triangles() {
    start();
    for (size_t f = 0; f < faces_.size(); ++f) {  // Grows while it is walked.
      while (faces_[f].alive && !faces_[f].outside.empty()) add(farthest(faces_[f]), int(f));
    }
    FaceLoops loops;
    for (const Triangle& t : faces_) {
      if (t.alive) loops.push_back({t.corner[0], t.corner[1], t.corner[2]});
    }
    return loops;
  }

 private:
  struct Triangle {
    std::array<int, 3> corner;
    std::array<int, 3> beyond{-1, -1, -1};  // Neighbour across corner[i] -> corner[i + 1].
    std::vector<int> outside{};             // Points strictly above, each in one list only.
    bool alive = true;
    int visit = -1;
  };

  bool sees(int p, const Triangle& t) const {
    return orient3d(points_[t.corner[0]], points_[t.corner[1]], points_[t.corner[2]], points_[p]) > 0;
  }

  int farthest(const Triangle& t) const {
    const Vector3d o = points_[t.corner[0]];
    const Vector3d n = (points_[t.corner[1]] - o).cross(points_[t.corner[2]] - o);
    return *std::max_element(t.outside.begin(), t.outside.end(), [&](int p, int q) {
      return n.dot(points_[p] - o) < n.dot(points_[q] - o);  // Only a choice: its rounding is harmless.
    });
  }

  /// A tetrahedron of positive volume, as large as simple scans find.
  void start() {
    const int n = int(points_.size());
    const auto best = [&](auto&& value) {
      int arg = 0;
      for (int i = 1; i < n; ++i) {
        if (value(i) > value(arg)) arg = i;
      }
      return arg;
    };
    const int a = best([&](int i) { return -points_[i][0]; });
    const int b = best([&](int i) { return (points_[i] - points_[a]).squaredNorm(); });
    const Vector3d along = points_[b] - points_[a];
    const int c = best([&](int i) { return along.cross(points_[i] - points_[a]).squaredNorm(); });
    const Vector3d normal = along.cross(points_[c] - points_[a]);
    int d = best([&](int i) { return std::abs(normal.dot(points_[i] - points_[a])); });
    int sign = orient3d(points_[a], points_[b], points_[c], points_[d]);
    for (int i = 0; i < n && sign == 0; ++i) sign = orient3d(points_[a], points_[b], points_[c], points_[d = i]);
    if (sign == 0) throw GeometryError("all points lie in a plane");
    const int e = sign > 0 ? c : b, f = sign > 0 ? b : c;  // (a, e, f) has d below it.
    for (const auto& corner : {std::array{a, e, f}, std::array{a, f, d}, std::array{f, e, d}, std::array{e, a, d}}) {
      faces_.push_back({corner});
    }
    std::map<std::pair<int, int>, int> edges;
    for (int t = 0; t < 4; ++t) {
      for (int i = 0; i < 3; ++i) edges[{faces_[t].corner[i], faces_[t].corner[(i + 1) % 3]}] = t;
    }
    for (Triangle& t : faces_) {
      for (int i = 0; i < 3; ++i) t.beyond[i] = edges[{t.corner[(i + 1) % 3], t.corner[i]}];
    }
    for (int p = 0; p < n; ++p) {
      if (p != a && p != b && p != c && p != d) assign(p, 0);
    }
  }

  /// Puts p into the list of the first face from `first` on that it sees; into none if it is inside.
  void assign(int p, size_t first) {
    for (size_t f = first; f < faces_.size(); ++f) {
      if (faces_[f].alive && sees(p, faces_[f])) {
        faces_[f].outside.push_back(p);
        return;
      }
    }
  }

  /// Replaces all faces that p sees by the cone from p over their horizon.
  void add(int p, int seed) {
    std::vector<int> visible{seed};
    struct Horizon {
      int tail, head, beyond;
    };
    std::vector<Horizon> horizon;
    faces_[seed].visit = p;
    faces_[seed].alive = false;
    for (size_t i = 0; i < visible.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const int g = faces_[visible[i]].beyond[k];
        if (faces_[g].visit != p) {
          if (sees(p, faces_[g])) {
            faces_[g].alive = false;
            faces_[g].visit = p;
            visible.push_back(g);
          }
        }
        if (faces_[g].alive) {
          const auto& corner = faces_[visible[i]].corner;
          horizon.push_back({corner[k], corner[(k + 1) % 3], g});
        }
      }
    }
    const size_t first = faces_.size();
    std::map<int, int> starting;  // Horizon vertex -> new face whose base starts there.
    for (const Horizon& h : horizon) {
      starting[h.tail] = int(faces_.size());
      Triangle t{{h.tail, h.head, p}};
      t.beyond[0] = h.beyond;
      Triangle& other = faces_[h.beyond];
      for (int k = 0; k < 3; ++k) {
        if (other.corner[k] == h.head && other.corner[(k + 1) % 3] == h.tail) other.beyond[k] = int(faces_.size());
      }
      faces_.push_back(t);
    }
    for (size_t f = first; f < faces_.size(); ++f) {
      const int next = starting.at(faces_[f].corner[1]);
      faces_[f].beyond[1] = next;
      faces_[next].beyond[2] = int(f);
    }
    for (int v : visible) {
      for (int q : faces_[v].outside) {
        if (q != p) assign(q, first);
      }
      faces_[v].outside = {};
    }
  }

  std::span<const Vector3d> points_;
  std::vector<Triangle> faces_;
};

}  // namespace

FaceLoops exactHull(std::span<const Vector3d> points) {
  RIGOR_REQUIRE(points.size() >= 4);
  return ExactHull(points).triangles();
}

}  // namespace rigor::geom
