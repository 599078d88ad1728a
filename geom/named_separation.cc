// SPDX-License-Identifier: MIT
#include "geom/named_separation.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "geom/point_set.h"
#include "geom/polytope.h"

namespace rigor::geom {

using Eigen::Vector3d;

namespace {

/// Scales lengths by 2^-k and quaternions by any power of two, both exactly, so that nothing over- or underflows when
/// squared: 1e100 and 1e-300 are then as good as 1. Returns k.
int normaliseScale(PlacedPoints& a, PlacedPoints& b) {
  double largest = 0;
  for (PlacedPoints* body : {&a, &b}) {
    int exponent;
    std::frexp(body->pose.q.cwiseAbs().maxCoeff(), &exponent);
    for (int i = 0; i < 4; ++i) body->pose.q[i] = std::ldexp(body->pose.q[i], -exponent);
    largest = std::max(largest, body->pose.p.cwiseAbs().maxCoeff());
    for (const auto& v : body->vertices) largest = std::max(largest, v.cwiseAbs().maxCoeff());
  }
  int k = 0;
  if (largest > 0) std::frexp(largest, &k);
  for (PlacedPoints* body : {&a, &b}) {
    for (int i = 0; i < 3; ++i) body->pose.p[i] = std::ldexp(body->pose.p[i], -k);
    for (auto& v : body->vertices)
      for (int i = 0; i < 3; ++i) v[i] = std::ldexp(v[i], -k);
  }
  return k;
}

/// Squared distance [m^2] of x from the triangle (or segment, or point) of a, b, c.
double distanceSq(const Vector3d& x, const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const auto toSegment = [&](const Vector3d& u, const Vector3d& v) {
    const Vector3d d = v - u;
    const double dd = d.squaredNorm();
    const double t = dd > 0 ? std::clamp((x - u).dot(d) / dd, 0., 1.) : 0;
    return (x - u - t * d).squaredNorm();
  };
  const Vector3d n = (b - a).cross(c - a);
  const bool inside =
      n.dot((b - a).cross(x - a)) > 0 && n.dot((c - b).cross(x - b)) > 0 && n.dot((a - c).cross(x - c)) > 0;
  if (inside) return n.dot(x - a) * n.dot(x - a) / n.squaredNorm();
  return std::min({toSegment(a, b), toSegment(b, c), toSegment(c, a)});
}

/// Names a polytope's feature. Its vertices are input points bit for bit and in input order.
NamedFeature namedFeature(const Polytope& P, const Feature& feature, const PlacedPoints& body) {
  NamedFeature result{feature.kind, {}};
  if (feature.kind == Feature::Kind::kVertex) result.vertices = {feature.index};
  if (feature.kind == Feature::Kind::kEdge)
    result.vertices = {P.edge(feature.index).tail, P.edge(feature.index).head};
  if (feature.kind == Feature::Kind::kFace) {
    const auto loop = P.faceVertices(feature.index);
    result.vertices.assign(loop.begin(), loop.end());
  }
  for (int& v : result.vertices) {
    const auto at = std::find(body.vertices.begin(), body.vertices.end(), P.vertex(v));
    v = static_cast<int>(at - body.vertices.begin());
  }
  return result;
}

/// Names the feature of a flat, straight or single-point set: its first vertex is known, the others are those that with
/// it come closest to spanning the point.
NamedFeature namedFeature(const Feature& feature, const PlacedPoints& body, const Vector3d& point) {
  const Vector3d x = body.pose.rotation().transpose() * (point - body.pose.p);
  const auto& v = body.vertices;
  const auto first = static_cast<size_t>(feature.index);
  NamedFeature result{feature.kind, {feature.index}};
  if (feature.kind == Feature::Kind::kVertex) return result;
  const bool edge = feature.kind == Feature::Kind::kEdge;
  double best_sq = INFINITY;
  for (size_t i = 0; i < v.size(); ++i)
    for (size_t j = edge ? i : i + 1; j < (edge ? i + 1 : v.size()); ++j)
      if (const double sq = distanceSq(x, v[first], v[i], v[j]); i != first && j != first && sq < best_sq) {
        best_sq = sq;
        result.vertices = {feature.index, static_cast<int>(i)};
        if (!edge) result.vertices.push_back(static_cast<int>(j));
      }
  return result;
}

NamedSeparation separate(const PlacedPoints& a, const PlacedPoints& b) {
  try {
    const auto A = Polytope::fromPoints(a.vertices), B = Polytope::fromPoints(b.vertices);
    SeparationCache cache;
    const auto s = separation(A, a.pose, B, b.pose, cache);
    return {s, namedFeature(A, s.feature_a, a), namedFeature(B, s.feature_b, b)};
  } catch (const GeometryError&) {
    // Not solid: slower, and for any set of points.
    const PointSet A(a.vertices), B(b.vertices);
    const auto s = separation(A, a.pose, B, b.pose);
    return {s, namedFeature(s.feature_a, a, s.point_a), namedFeature(s.feature_b, b, s.point_b)};
  }
}

}  // namespace

const char* featureKindName(Feature::Kind kind) {
  return kind == Feature::Kind::kVertex ? "vertex" : kind == Feature::Kind::kEdge ? "edge" : "face";
}

NamedSeparation namedSeparation(PlacedPoints a, PlacedPoints b) {
  const int k = normaliseScale(a, b);
  NamedSeparation answer = separate(a, b);
  Separation& s = answer.separation;
  s.distance = std::ldexp(s.distance, k);
  for (Vector3d* v : {&s.point_a, &s.point_b})
    for (int i = 0; i < 3; ++i) (*v)[i] = std::ldexp((*v)[i], k);
  return answer;
}

}  // namespace rigor::geom
