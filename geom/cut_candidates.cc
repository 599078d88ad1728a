// SPDX-License-Identifier: MIT
#include "geom/cut_candidates.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "geom/sticking_out.h"

namespace rigor::geom {

using Eigen::Vector3d;

namespace {

constexpr size_t kMostEdges = 200, kMostFaces = 12, kMostBisectors = 4;
/// Planes whose normals and places differ by less are one.
constexpr double kSamePlane = 1e-6;
constexpr double kSideWidth = 1e-6;      // A side that is thinner, relative to the solid, is none.
constexpr double kConcaveShare = 0.3;    // Of the hull's volume: what concave edges that stay cost.
constexpr double kUnevenShare = 0.01;    // Of the hull's volume: among equal cuts the one in the middle.
constexpr size_t kAllCorners = 64;       // Hulls of so few need no choice among them.

double weightOf(const TriangleSolid::ConcaveEdge& edge) {
  return 0.5 * (1 - edge.left.dot(edge.right)) * (edge.b - edge.a).norm();
}

struct Weighed {
  CutPlane plane;
  double weight;
};

/// Adds a plane, or its weight to that of the same plane.
void addPlane(const CutPlane& plane, double weight, double size, std::vector<Weighed>& planes) {
  for (Weighed& known : planes) {
    const double sign = known.plane.normal.dot(plane.normal) < 0 ? -1 : 1;
    if ((known.plane.normal - sign * plane.normal).cwiseAbs().maxCoeff() < kSamePlane &&
        std::abs(known.plane.offset - sign * plane.offset) < kSamePlane * size) {
      known.weight += weight;
      return;
    }
  }
  planes.push_back({plane, weight});
}

void takeHeaviest(std::vector<Weighed> planes, size_t most, std::vector<CutPlane>& into) {
  std::stable_sort(planes.begin(), planes.end(),
                   [](const Weighed& a, const Weighed& b) { return a.weight > b.weight; });
  for (size_t i = 0; i < std::min(most, planes.size()); ++i) into.push_back(planes[i].plane);
}

/// Unit vectors, and in between.
const std::vector<Vector3d>& directions() {
  static const std::vector<Vector3d> all = [] {
    std::vector<Vector3d> some;
    for (int x = -2; x <= 2; ++x)
      for (int y = -2; y <= 2; ++y)
        for (int z = -2; z <= 2; ++z) {
          const int sum = x * x + y * y + z * z;
          if ((sum >= 1 && sum <= 3) || sum == 5) some.emplace_back(x, y, z);
        }
    return some;
  }();
  return all;
}

/// Takes points and keeps those that their hull's volume needs, about.
class HullSketch {
 public:
  void add(const Vector3d& p) {
    if (few_.size() <= kAllCorners && std::find(few_.begin(), few_.end(), p) == few_.end()) few_.push_back(p);
    if (few_.size() <= kAllCorners) return;
    if (farthest_.empty()) {
      farthest_.assign(directions().size(), few_[0]);
      reach_.assign(directions().size(), -std::numeric_limits<double>::infinity());
      for (const Vector3d& known : few_) reach(known);
    } else {
      reach(p);
    }
  }
  double volume() const {
    try {
      return volumeOf(Polytope::fromPoints(farthest_.empty() ? few_ : farthest_));
    } catch (const GeometryError&) {
      return 0;
    }
  }

 private:
  void reach(const Vector3d& p) {
    const std::vector<Vector3d>& all = directions();
    for (size_t d = 0; d < all.size(); ++d) {
      const double along = all[d].dot(p);
      if (along > reach_[d]) reach_[d] = along, farthest_[d] = p;
    }
  }
  std::vector<Vector3d> few_, farthest_;
  std::vector<double> reach_;
};

/// Sketches both sides and says how wide they are.
struct Sides {
  HullSketch hull[2];
  double width[2] = {0, 0};

  Sides(const SolidPiece& piece, const CutPlane& plane, double rounding) {
    std::vector<double> above;
    int first = 0;
    for (const int end : piece.ends) {
      const int count = end - first;
      above.clear();
      bool has[2] = {false, false};
      for (int i = 0; i < count; ++i) {
        const double a = plane.above(piece.points[first + i]);
        above.push_back(a);
        has[0] = has[0] || a > rounding, has[1] = has[1] || a < -rounding;
      }
      for (int i = 0; i < count; ++i) {
        const Vector3d &p = piece.points[first + i], &q = piece.points[first + (i + 1) % count];
        const double a = above[i], b = above[(i + 1) % count];
        if (has[0] && a >= -rounding) add(0, p, a);
        if (has[1] && a <= rounding) add(1, p, -a);
        if (std::min(a, b) < -rounding && std::max(a, b) > rounding) {
          const Vector3d cut = crossing(plane, p, q);
          add(0, cut, 0), add(1, cut, 0);
        }
      }
      first = end;
    }
    for (const Vector3d& corner : piece.cell_corners) {
      const double a = plane.above(corner);
      if (a >= -rounding) add(0, corner, a);
      if (a <= rounding) add(1, corner, -a);
    }
  }
  void add(int side, const Vector3d& p, double above) {
    hull[side].add(p);
    width[side] = std::max(width[side], above);
  }
};

}  // namespace

double volumeOf(const Polytope& polytope) {
  double six = 0;
  const Vector3d& o = polytope.centre();
  for (int f = 0; f < polytope.numFaces(); ++f) {
    const auto loop = polytope.faceVertices(f);
    const Vector3d a = polytope.vertex(loop[0]) - o;
    for (size_t i = 2; i < loop.size(); ++i)
      six += a.dot((polytope.vertex(loop[i - 1]) - o).cross(polytope.vertex(loop[i]) - o));
  }
  return six / 6;
}

std::vector<CutPlane> cutCandidates(const SolidPiece& piece, double solid_size) {
  std::vector<CutPlane> planes;
  std::vector<TriangleSolid::ConcaveEdge> edges = piece.concave;
  std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return weightOf(a) > weightOf(b); });
  if (edges.size() > kMostEdges) edges.resize(kMostEdges);
  std::vector<Weighed> faces, bisectors;
  for (const TriangleSolid::ConcaveEdge& edge : edges) {
    const double weight = weightOf(edge);
    addPlane(planeThrough(edge.a, edge.left), weight, solid_size, faces);
    addPlane(planeThrough(edge.a, edge.right), weight, solid_size, faces);
    const Vector3d across = edge.left - edge.right;
    if (across.norm() > kSamePlane)
      addPlane(planeThrough(edge.a, across.normalized()), weight, solid_size, bisectors);
  }
  takeHeaviest(std::move(faces), kMostFaces, planes);
  takeHeaviest(std::move(bisectors), kMostBisectors, planes);
  Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Vector3d& p : piece.points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  for (int k = 0; k < 3; ++k)
    for (const double share : {0.5, 0.25, 0.75})
      planes.push_back(planeThrough(low + share * (high - low), Vector3d::Unit(k)));
  return planes;
}

double costOfCut(const SolidPiece& piece, double solid_size, const CutPlane& plane) {
  const double rounding = kCutRounding * solid_size;
  const Sides sides(piece, plane, rounding);
  if (!(std::min(sides.width[0], sides.width[1]) > kSideWidth * solid_size))
    return std::numeric_limits<double>::infinity();
  double all = 0, left = 0;
  for (const TriangleSolid::ConcaveEdge& edge : piece.concave) {
    const double weight = weightOf(edge);
    all += weight;
    if (std::max(std::abs(plane.above(edge.a)), std::abs(plane.above(edge.b))) > rounding) left += weight;
  }
  HullSketch whole;
  for (const Vector3d& p : piece.points) whole.add(p);
  for (const Vector3d& p : piece.cell_corners) whole.add(p);
  const double a = sides.hull[0].volume(), b = sides.hull[1].volume();
  const double scale = whole.volume();
  return a + b + scale * ((all > 0 ? kConcaveShare * left / all : 0) +
                          kUnevenShare * std::abs(a - b) / std::max(a + b, 1e-300));
}

}  // namespace rigor::geom
