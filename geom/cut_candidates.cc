// SPDX-License-Identifier: MIT
#include "geom/cut_candidates.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
constexpr double kLongShare = 0.05;      // Of the hull's volume: among such the one across what is long.
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

/// Unit vectors, and in between; of two opposite ones the one.
const Eigen::ArrayX3d& directions() {
  static const Eigen::ArrayX3d all = [] {
    std::vector<Vector3d> some;
    for (int x = -2; x <= 2; ++x)
      for (int y = -2; y <= 2; ++y)
        for (int z = -2; z <= 2; ++z) {
          const int sum = x * x + y * y + z * z;
          const bool first = x > 0 || (x == 0 && (y > 0 || (y == 0 && z > 0)));
          if (first && ((sum >= 1 && sum <= 3) || sum == 5)) some.emplace_back(x, y, z);
        }
    Eigen::ArrayX3d rows(some.size(), 3);
    for (size_t d = 0; d < some.size(); ++d) rows.row(d) = some[d].transpose().array();
    return rows;
  }();
  return all;
}

/// Takes points and keeps those that their hull's volume needs, about.
class HullSketch {
 public:
  void add(const Vector3d& p) {
    if (count_ <= kAllCorners) {
      ++count_;
      few_.push_back(p);
      if (count_ <= kAllCorners) return;
      const Eigen::Index count = directions().rows();
      high_.setConstant(count, -std::numeric_limits<double>::infinity());
      low_ = -high_;
      along_.resize(count);
      highest_.resize(count), lowest_.resize(count);
      for (const Vector3d& known : few_) reach(known);
    } else {
      reach(p);
    }
  }
  double volume() const {
    std::vector<Vector3d> points = few_;
    if (count_ > kAllCorners) {
      points = highest_;
      points.insert(points.end(), lowest_.begin(), lowest_.end());
    }
    try {
      return volumeOf(Polytope::fromPoints(points));
    } catch (const GeometryError&) {
      return 0;
    }
  }

 private:
  void reach(const Vector3d& p) {
    const Eigen::ArrayX3d& all = directions();
    along_ = all.col(0) * p[0] + all.col(1) * p[1] + all.col(2) * p[2];
    if (!(along_ > high_ || along_ < low_).any()) return;
    for (Eigen::Index d = 0; d < along_.size(); ++d) {
      if (along_[d] > high_[d]) high_[d] = along_[d], highest_[d] = p;
      if (along_[d] < low_[d]) low_[d] = along_[d], lowest_[d] = p;
    }
  }
  size_t count_ = 0;
  std::vector<Vector3d> few_, highest_, lowest_;
  Eigen::ArrayXd high_, low_, along_;
};

/// Sketches both sides and says how wide they are.
struct Sides {
  HullSketch hull[2];
  double width[2] = {0, 0};
  Eigen::AlignedBox3d box[2];

  double extents() const { return 0.5 * (box[0].sizes().sum() + box[1].sizes().sum()); }
  void add(int side, const Vector3d& p, double above) {
    hull[side].add(p);
    box[side].extend(p);
    width[side] = std::max(width[side], above);
  }
};

bool isBefore(const Vector3d& a, const Vector3d& b) {
  return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
}

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

CutCosts::CutCosts(const SolidPiece& piece, double solid_size) : piece_(piece), solid_size_(solid_size) {
  std::vector<int> order(piece.points.size()), number(piece.points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) {
    const Vector3d &p = piece.points[i], &q = piece.points[j];
    return p == q ? i < j : isBefore(p, q);
  });
  std::vector<int> first_at(piece.points.size());  // Of each place the first corner there.
  for (size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && piece.points[order[k]] == piece.points[order[k - 1]];
    first_at[order[k]] = same ? first_at[order[k - 1]] : order[k];
  }
  for (size_t i = 0; i < first_at.size(); ++i) {
    const bool is_first = first_at[i] == static_cast<int>(i);
    number[i] = is_first ? static_cast<int>(points_.size()) : number[first_at[i]];
    if (is_first) points_.push_back(piece.points[i]);
  }
  int first = 0;
  for (const int end : piece.ends) {
    for (int i = first; i < end; ++i)
      edges_.push_back(std::minmax(number[i], number[i + 1 < end ? i + 1 : first]));
    first = end;
  }
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  HullSketch whole;
  Eigen::AlignedBox3d box;
  for (const Vector3d& p : points_) whole.add(p), box.extend(p);
  for (const Vector3d& p : piece.cell_corners) whole.add(p), box.extend(p);
  extents_ = box.sizes().sum();
  volume_ = whole.volume();
  for (const TriangleSolid::ConcaveEdge& edge : piece.concave) concave_ += weightOf(edge);
}

double CutCosts::of(const CutPlane& plane) const {
  const double rounding = kCutRounding * solid_size_;
  Sides sides;
  std::vector<double> above;
  for (const Vector3d& p : points_) {
    const double a = plane.above(p);
    above.push_back(a);
    if (a > rounding) sides.add(0, p, a);
    if (a < -rounding) sides.add(1, p, -a);
  }
  // Corners in the plane are those of a side to which surface goes on from them.
  for (const auto& [i, j] : edges_) {
    const double low = std::min(above[i], above[j]), high = std::max(above[i], above[j]);
    if (low < -rounding && high > rounding) {
      const Vector3d cut = crossing(plane, points_[i], points_[j]);
      sides.add(0, cut, 0), sides.add(1, cut, 0);
    } else if (high > rounding && low <= rounding) {
      sides.add(0, points_[above[i] < above[j] ? i : j], 0);
    } else if (low < -rounding && high >= -rounding) {
      sides.add(1, points_[above[i] < above[j] ? j : i], 0);
    }
  }
  for (const Vector3d& corner : piece_.cell_corners) {
    const double a = plane.above(corner);
    if (a >= -rounding) sides.add(0, corner, a);
    if (a <= rounding) sides.add(1, corner, -a);
  }
  if (!(std::min(sides.width[0], sides.width[1]) > kSideWidth * solid_size_))
    return std::numeric_limits<double>::infinity();
  double left = 0;
  for (const TriangleSolid::ConcaveEdge& edge : piece_.concave)
    if (std::max(std::abs(plane.above(edge.a)), std::abs(plane.above(edge.b))) > rounding) left += weightOf(edge);
  const double a = sides.hull[0].volume(), b = sides.hull[1].volume();
  return a + b + volume_ * ((concave_ > 0 ? kConcaveShare * left / concave_ : 0) +
                            kUnevenShare * std::abs(a - b) / std::max(a + b, 1e-300) +
                            kLongShare * sides.extents() / extents_);
}

}  // namespace rigor::geom
