// SPDX-License-Identifier: MIT
#include "impact/sets/polytope_union.h"

#include <algorithm>
#include <cmath>

#include "elementary/require.h"

namespace rigor::impact {
namespace {

using Rationals = std::vector<mpq_class>;

mpq_class heightOf(const Rationals& halfspace, const Rationals& x) {
  mpq_class sum = halfspace[0];
  for (size_t i = 0; i < x.size(); ++i) sum += halfspace[i + 1] * x[i];
  return sum;
}

PolytopeUnion::Piece pieceOf(const ExactCone& polytope) {
  PolytopeUnion::Piece piece;
  piece.dimension = polytope.dimension() - 1;
  for (const ExactVector& ray : polytope.rays()) piece.vertices.push_back(ray.point());
  std::sort(piece.vertices.begin(), piece.vertices.end());
  for (const ExactVector& equality : polytope.equalities()) piece.equalities.push_back(equality.rationals());
  for (const ExactVector& halfspace : polytope.halfspaces()) {
    Rationals plane = halfspace.rationals();
    std::vector<int> facet;
    for (size_t k = 0; k < piece.vertices.size(); ++k) {
      if (sgn(heightOf(plane, piece.vertices[k])) == 0) facet.push_back(static_cast<int>(k));
    }
    if (facet.empty()) continue;  // The boundary at infinity of a point.
    piece.halfspaces.push_back(std::move(plane));
    piece.facets.push_back(std::move(facet));
  }
  return piece;
}

/// Rows (b, a) with |a| = 1. The large integers of a plane are brought to order one before they become doubles.
Eigen::MatrixXd roundedPlanes(const std::vector<Rationals>& planes) {
  if (planes.empty()) return {};
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(planes.size()), static_cast<Eigen::Index>(planes[0].size()));
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    const Rationals& plane = planes[static_cast<size_t>(k)];
    mpq_class largest = 0;
    for (size_t i = 1; i < plane.size(); ++i) largest = std::max<mpq_class>(largest, abs(plane[i]));
    for (size_t i = 0; i < plane.size(); ++i)
      rows(k, static_cast<Eigen::Index>(i)) = mpq_class(plane[i] / largest).get_d();
    rows.row(k) /= rows.row(k).tail(rows.cols() - 1).norm();
  }
  return rows;
}

/// The maximal proper intersections of a face (vertices, sorted) with the facets.
std::vector<std::vector<int>> facetsOf(const std::vector<int>& face, const std::vector<std::vector<int>>& facets) {
  std::vector<std::vector<int>> found;
  for (const std::vector<int>& facet : facets) {
    std::vector<int> common;
    std::set_intersection(face.begin(), face.end(), facet.begin(), facet.end(), std::back_inserter(common));
    if (!common.empty() && common.size() < face.size()) found.push_back(std::move(common));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<std::vector<int>> maximal;
  for (const std::vector<int>& a : found) {
    const bool inside = std::any_of(found.begin(), found.end(), [&](const std::vector<int>& b) {
      return a != b && std::includes(b.begin(), b.end(), a.begin(), a.end());
    });
    if (!inside) maximal.push_back(a);
  }
  return maximal;
}

/// Distance of x from the affine hull of the points.
double distanceFrom(const std::vector<Eigen::VectorXd>& points, const std::vector<int>& face, Eigen::VectorXd x) {
  const Eigen::VectorXd& origin = points[static_cast<size_t>(face[0])];
  x -= origin;
  const double none =
      1e-12;  // Of lengths in the face: directions that are combinations of those before, up to rounding.
  std::vector<Eigen::VectorXd> basis;
  for (int k : face) {
    Eigen::VectorXd d = points[static_cast<size_t>(k)] - origin;
    const double length = d.norm();
    for (int twice = 0; twice < 2; ++twice) {
      for (const Eigen::VectorXd& b : basis) d -= b.dot(d) * b;
    }
    if (d.norm() > none * length) basis.push_back(d.normalized());
  }
  for (const Eigen::VectorXd& b : basis) x -= b.dot(x) * b;
  return x.norm();
}

/// Pyramids over the facets that do not hold the first vertex.
double volumeOf(const std::vector<Eigen::VectorXd>& points, const std::vector<int>& face, int dimension,
                const std::vector<std::vector<int>>& facets) {
  if (dimension <= 0) return 1;
  if (dimension == 1)
    return (points[static_cast<size_t>(face.back())] - points[static_cast<size_t>(face.front())]).norm();
  double sum = 0;
  for (const std::vector<int>& facet : facetsOf(face, facets)) {
    if (facet.front() == face.front()) continue;
    sum += distanceFrom(points, facet, points[static_cast<size_t>(face.front())]) *
           volumeOf(points, facet, dimension - 1, facets) / dimension;
  }
  return sum;
}

/// Twice the area of the triangle, signed.
mpq_class turn(const Rationals& a, const Rationals& b, const Rationals& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

}  // namespace

mpq_class ExactQuantity::at(const std::vector<mpq_class>& point) const {
  mpq_class value = offset;
  for (size_t i = 0; i < of.size(); ++i) value += of[i] * point[i];
  return value;
}

std::vector<ExactQuantity> quantitiesOf(const ExactProblem& problem) {
  std::vector<ExactQuantity> quantities;
  for (const ExactProblem::Row& row : problem.rows()) {
    if (!row.name.empty()) quantities.push_back({row.name, 0, row.of});
  }
  for (size_t i = 0; i < problem.velocityMap().size(); ++i) {
    quantities.push_back(
        {std::string("v").append(std::to_string(i)), problem.velocityOffset()[i], problem.velocityMap()[i]});
  }
  return quantities;
}

PolytopeUnion::PolytopeUnion(const ExactSet& set) {
  for (const ExactSet::Final& final : set.final()) pieces_.push_back(pieceOf(final.polytope));
  std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) { return a.vertices < b.vertices; });
  for (const Piece& piece : pieces_)
    rounded_.push_back({roundedPlanes(piece.equalities), roundedPlanes(piece.halfspaces)});
}

int PolytopeUnion::dimension() const {
  int largest = -1;
  for (const Piece& piece : pieces_) largest = std::max(largest, piece.dimension);
  return largest;
}

double PolytopeUnion::violation(const Eigen::Ref<const Eigen::VectorXd>& x) const {
  Eigen::VectorXd homogeneous(x.size() + 1);
  homogeneous << 1, x;
  double least = HUGE_VAL;
  for (const Rounded& piece : rounded_) {
    double worst = 0;
    if (piece.equalities.rows() > 0) worst = std::max(worst, (piece.equalities * homogeneous).cwiseAbs().maxCoeff());
    if (piece.halfspaces.rows() > 0) worst = std::max(worst, -(piece.halfspaces * homogeneous).minCoeff());
    least = std::min(least, worst);
  }
  return least;
}

PolytopeUnion::Extreme PolytopeUnion::extreme(const ExactQuantity& quantity, int sign) const {
  Extreme best;
  bool any = false;
  for (size_t p = 0; p < pieces_.size(); ++p) {
    for (size_t k = 0; k < pieces_[p].vertices.size(); ++k) {
      const mpq_class value = quantity.at(pieces_[p].vertices[k]);
      if (any && sign * cmp(value, best.value) <= 0) continue;
      best = {value, static_cast<int>(p), static_cast<int>(k)};
      any = true;
    }
  }
  return best;
}

PolytopeUnion::Extreme PolytopeUnion::largest(const ExactQuantity& quantity) const {
  RIGOR_REQUIRE(!pieces_.empty());
  return extreme(quantity, 1);
}
PolytopeUnion::Extreme PolytopeUnion::smallest(const ExactQuantity& quantity) const {
  RIGOR_REQUIRE(!pieces_.empty());
  return extreme(quantity, -1);
}

std::vector<std::vector<mpq_class>> PolytopeUnion::project(int piece, const ExactQuantity& x,
                                                           const ExactQuantity& y) const {
  std::vector<Rationals> points;
  for (const Rationals& vertex : pieces_[static_cast<size_t>(piece)].vertices)
    points.push_back({x.at(vertex), y.at(vertex)});
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() <= 2) return points;
  // Andrew's chain: the lower boundary, then the upper one.
  std::vector<Rationals> hull;
  for (const bool upper : {false, true}) {
    const size_t first = hull.size();
    for (size_t k = 0; k < points.size(); ++k) {
      const Rationals& next = upper ? points[points.size() - 1 - k] : points[k];
      while (hull.size() >= first + 2 && sgn(turn(hull[hull.size() - 2], hull.back(), next)) <= 0) hull.pop_back();
      hull.push_back(next);
    }
    hull.pop_back();
  }
  return hull;
}

double PolytopeUnion::volume(int piece, const Eigen::Ref<const Eigen::MatrixXd>& map) const {
  const Piece& p = pieces_[static_cast<size_t>(piece)];
  std::vector<Eigen::VectorXd> points;
  std::vector<int> all;
  for (const Rationals& vertex : p.vertices) {
    Eigen::VectorXd x(static_cast<Eigen::Index>(vertex.size()));
    for (size_t i = 0; i < vertex.size(); ++i) x[static_cast<Eigen::Index>(i)] = vertex[i].get_d();
    all.push_back(static_cast<int>(points.size()));
    points.push_back(map * x);
  }
  return volumeOf(points, all, p.dimension, p.facets);
}

}  // namespace rigor::impact
