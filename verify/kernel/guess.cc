// SPDX-License-Identifier: MIT
#include "verify/kernel/guess.h"

#include <algorithm>
#include <cmath>

namespace rigor::verify::kernel {
namespace {

/// Of the height of a solid: vertices this much below the highest one lie on the same face.
constexpr double kFace = 1.0 / 1024;
/// Points on the edge across from the first vertex are this much inside.
constexpr double kInside = 1 - 0x1p-48;

double product(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector3 difference(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

// Barycentric coordinates of x's projection into a triangle. @returns whether it lies inside.
bool project(const Vector3& x, const Vector3& a, const Vector3& b, const Vector3& c, double& s, double& t) {
  const Vector3 u = difference(b, a), v = difference(c, a), w = difference(x, a);
  const double uu = product(u, u), uv = product(u, v), vv = product(v, v), wu = product(w, u), wv = product(w, v),
               det = uu * vv - uv * uv;
  s = (wu * vv - wv * uv) / det, t = (wv * uu - wu * uv) / det;
  return s >= 0 && t >= 0 && s + t <= 1;
}

// The same of a segment's nearest point: a + (b - a) s.
double projectOnSegment(const Vector3& x, const Vector3& a, const Vector3& b, double& distance_sq) {
  const Vector3 u = difference(b, a);
  Vector3 w = difference(x, a);
  const double length = product(u, u), s = length > 0 ? std::clamp(product(w, u) / length, 0.0, 1.0) : 0;
  for (int k = 0; k < 3; ++k) w[k] -= s * u[k];
  distance_sq = product(w, w);
  return s;
}

}  // namespace

FacePoint guessNearest(const Vector3& x, const Vector3& up, const std::vector<Vector3>& vertices) {
  double top = -HUGE_VAL, low = HUGE_VAL;
  for (const Vector3& v : vertices) top = std::max(top, product(up, v)), low = std::min(low, product(up, v));
  std::vector<std::size_t> face;
  for (std::size_t i = 0; i < vertices.size(); ++i)
    if (product(up, vertices[i]) >= top - (top - low) * kFace) face.push_back(i);
  FacePoint point;
  if (face.empty()) return point;
  for (std::size_t i = 0; i < face.size(); ++i)
    for (std::size_t j = i + 1; j < face.size(); ++j)
      for (std::size_t k = j + 1; k < face.size(); ++k) {
        double s, t;
        if (!project(x, vertices[face[i]], vertices[face[j]], vertices[face[k]], s, t)) continue;
        if (const double sum = s + t; sum > kInside) s *= kInside / sum, t *= kInside / sum;
        return {face[i], face[j], face[k], s, t};
      }
  double least = HUGE_VAL, distance_sq;
  point.a = point.b = point.c = face[0];
  for (std::size_t i = 0; i < face.size(); ++i)
    for (std::size_t j = i + 1; j < face.size(); ++j)
      if (const double s = projectOnSegment(x, vertices[face[i]], vertices[face[j]], distance_sq); distance_sq < least)
        least = distance_sq, point = {face[i], face[j], face[i], s, 0};
  return point;
}

}  // namespace rigor::verify::kernel
