// SPDX-License-Identifier: MIT
#include "geom/sticking_out.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <vector>

namespace rigor::geom {

using Eigen::Vector3d;

namespace {

constexpr int kMostLooks = 6000;
constexpr int kProbes = 64;
constexpr double kWithin = 1.25;       // Of the greatest distance, where it is more than enough.
constexpr double kFinest = 1.0 / 16;   // Of `enough`: boxes that small are not halved.

struct Box {
  Vector3d centre, half;
  double most;   // Bound of the distance of its points from the solid.
  double above;  // Bound of its centre's distance from the surface.
};

/// By bound, then by place: the same order whatever the queue.
struct Later {
  bool operator()(const Box& a, const Box& b) const {
    if (a.most != b.most) return a.most < b.most;
    return std::lexicographical_compare(a.centre.data(), a.centre.data() + 3, b.centre.data(), b.centre.data() + 3);
  }
};

class Search {
 public:
  Search(const Polytope& polytope, const TriangleSolid& solid, double enough, double least)
      : polytope_(polytope),
        solid_(solid),
        enough_(enough),
        rounding_(kCutRounding * solid.size()),
        planes_(planesOf(polytope, rounding_)),
        vertices_(sortedVertices(polytope)),
        over_(planes_.rows(), 3),
        entering_(solid.points(), trianglesWithin()),
        least_(least) {}

  StickingOut run(double stop_beyond) {
    const Vector3d low = polytope_.vertices().rowwise().minCoeff(), high = polytope_.vertices().rowwise().maxCoeff();
    if (entering_.triangles().empty() && solid_.contains(polytope_.centre())) return {0, rounding_};
    look(0.5 * (low + high), 0.5 * (high - low), std::numeric_limits<double>::infinity());
    for (int looks = 0; !boxes_.empty() && looks < kMostLooks; looks += 2) {
      const Box box = boxes_.top();
      if (box.most <= std::max(enough_, kWithin * least_) || least_ > stop_beyond) break;
      if (box.half.norm() < kFinest * enough_) break;
      boxes_.pop();
      int axis = 0;
      box.half.maxCoeff(&axis);
      Vector3d half = box.half, shift = Vector3d::Zero();
      shift[axis] = half[axis] *= 0.5;
      look(box.centre - shift, half, box.above + half[axis]);
      look(box.centre + shift, half, box.above + half[axis]);
    }
    const double open = boxes_.empty() ? 0 : boxes_.top().most;
    return {least_, std::max({least_, open, settled_}) + rounding_};
  }

 private:
  /// Of each face its normal, and its offset less the rounding.
  static Eigen::ArrayX4d planesOf(const Polytope& polytope, double rounding) {
    Eigen::ArrayX4d planes(polytope.numFaces(), 4);
    for (int f = 0; f < polytope.numFaces(); ++f) {
      const Polytope::Face& face = polytope.face(f);
      planes.row(f) << face.normal[0], face.normal[1], face.normal[2], face.offset - rounding;
    }
    return planes;
  }

  bool inPolytope(const Vector3d& p) const {
    for (const Polytope::Face& face : polytope_.faces())
      if (face.normal.dot(p) > face.offset) return false;
    return true;
  }

  /// @param near  What the surface's distance from the centre is at most.
  void look(const Vector3d& centre, const Vector3d& half, double near) {
    bool centre_within = true;
    for (const Polytope::Face& face : polytope_.faces()) {
      const double above = face.normal.dot(centre) - face.offset;
      if (above > face.normal.cwiseAbs().dot(half)) return;
      centre_within = centre_within && above <= 0;
    }
    const double distance = solid_.surface().distance(centre, near), reach = half.norm(), most = distance + reach;
    if (most <= std::max(settled_, least_)) return;
    // Where no surface is between them, all points are on the side of one.
    const bool uniform = distance > reach || entering_.distance(centre, reach) >= reach;
    const bool counts = centre_within && distance > least_;
    if ((uniform && (centre_within || distance > reach)) || counts) {
      const bool inside = solid_.contains(centre);
      if (inside && uniform) return;
      if (!inside && counts) least_ = distance;
    } else if (uniform) {
      const Vector3d low = centre - half, high = centre + half;
      const Vector3d towards = polytope_.centre().cwiseMax(low).cwiseMin(high);
      if (inPolytope(towards) && solid_.contains(towards)) return;
    }
    if (most <= enough_) settled_ = std::max(settled_, most);
    else boxes_.push({centre, half, most, distance});
  }

  /// Those of the surface that come into the polytope, not only onto its boundary.
  Triangles trianglesWithin() {
    const Vector3d low = polytope_.vertices().rowwise().minCoeff(), high = polytope_.vertices().rowwise().maxCoeff();
    Triangles within;
    solid_.surface().visitIn(low, high, [&](const std::array<int, 3>& triangle) {
      if (enters(triangle)) within.push_back(triangle);
    });
    return within;
  }

  bool enters(const std::array<int, 3>& triangle) {
    const Vector3d corners[3] = {solid_.points()[triangle[0]], solid_.points()[triangle[1]],
                                 solid_.points()[triangle[2]]};
    // Beyond one face as a whole: most are; of those that lie on the hull it is one at a corner.
    const auto beyond = [&](int f) {
      return std::all_of(corners, corners + 3, [&](const Vector3d& p) { return over(f, p) >= 0; });
    };
    if (beyond(last_beyond_)) return false;
    if (const int v = vertexAt(corners[0]); v >= 0) {
      for (const int e : polytope_.vertexEdges(v))
        for (const int f : {polytope_.edge(e).left, polytope_.edge(e).right})
          if (beyond(f)) return false;
    }
    for (int k = 0; k < 3; ++k)
      over_.col(k) = planes_.col(0) * corners[k][0] + planes_.col(1) * corners[k][1] + planes_.col(2) * corners[k][2] -
                     planes_.col(3);
    Eigen::Index face;
    if (over_.rowwise().minCoeff().maxCoeff(&face) >= 0) {
      last_beyond_ = static_cast<int>(face);
      return false;
    }
    std::vector<Vector3d> polygon(corners, corners + 3), cut;
    for (int f = 0; f < planes_.rows(); ++f) {
      if (over_.row(f).maxCoeff() <= 0) continue;  // It cuts nothing.
      cut.clear();
      for (size_t i = 0; i < polygon.size(); ++i) {
        const Vector3d &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
        const double a = over(f, p), b = over(f, q);
        if (a <= 0) cut.push_back(p);
        if ((a < 0 && b > 0) || (a > 0 && b < 0)) cut.push_back(p + a / (a - b) * (q - p));
      }
      polygon.swap(cut);
      if (polygon.empty()) return false;
    }
    return true;
  }

  /// Of a point above a face, that is lower by the rounding.
  double over(int f, const Vector3d& p) const {
    return planes_(f, 0) * p[0] + planes_(f, 1) * p[1] + planes_(f, 2) * p[2] - planes_(f, 3);
  }

  /// The polytope's vertex at a point; -1: none.
  int vertexAt(const Vector3d& p) const {
    const auto at = std::lower_bound(vertices_.begin(), vertices_.end(), p,
                                     [&](int v, const Vector3d& q) { return isBefore(polytope_.vertex(v), q); });
    return at != vertices_.end() && polytope_.vertex(*at) == p ? *at : -1;
  }

  static bool isBefore(const Vector3d& a, const Vector3d& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  }

  static std::vector<int> sortedVertices(const Polytope& polytope) {
    std::vector<int> vertices(polytope.numVertices());
    std::iota(vertices.begin(), vertices.end(), 0);
    std::sort(vertices.begin(), vertices.end(),
              [&](int a, int b) { return isBefore(polytope.vertex(a), polytope.vertex(b)); });
    return vertices;
  }

  const Polytope& polytope_;
  const TriangleSolid& solid_;
  double enough_, rounding_;
  Eigen::ArrayX4d planes_;
  std::vector<int> vertices_;  // Sorted by place.
  Eigen::ArrayX3d over_;
  int last_beyond_ = 0;
  TriangleTree entering_;
  double least_, settled_ = 0;
  std::priority_queue<Box, std::vector<Box>, Later> boxes_;
};

/// The greatest distance of some points half way between two corners, as far as the first that is beyond a bound.
double probed(const Polytope& polytope, const TriangleSolid& solid, double stop_beyond) {
  const int count = polytope.numVertices(), step = std::max(1, count / kProbes);
  double most = 0;
  for (int v = 0; v < count && most <= stop_beyond; v += step) {
    const Vector3d middle = 0.5 * (polytope.vertex(v) + polytope.vertex((v + count / 2) % count));
    const double distance = solid.surface().distance(middle);
    if (distance > most && !solid.contains(middle)) most = distance;
  }
  return most;
}

}  // namespace

StickingOut stickingOut(const Polytope& polytope, const TriangleSolid& solid, double enough, double stop_beyond) {
  const double least = probed(polytope, solid, stop_beyond);  // Most joins fail here.
  if (least > stop_beyond) return {least, std::numeric_limits<double>::infinity()};
  return Search(polytope, solid, enough, least).run(stop_beyond);
}

}  // namespace rigor::geom
