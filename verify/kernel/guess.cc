// SPDX-License-Identifier: MIT
#include "verify/kernel/guess.h"

#include <algorithm>
#include <cmath>

#include "verify/kernel/laws.h"

namespace rigor::verify::kernel {
namespace {

constexpr double kMostTurns = 10;

/// Of the height of a solid: vertices this much below the highest one lie on the same face, or nearly do.
constexpr double kSameFace = 0x1p-40, kFace = 1.0 / 1024;
/// Of those that nearly do, as many as are nearest.
constexpr std::size_t kNearest = 48;
/// Of the height: what is found no farther away is near.
constexpr double kNear = 0x1p-20;
/// Points on the edge across from the first vertex are this much inside.
constexpr double kInside = 1 - 0x1p-48;

double product(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector3 difference(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

// Barycentric coordinates of x's projection into a triangle. @returns whether it lies inside.
bool project(const Vector3& x, const Vector3& a, const Vector3& b, const Vector3& c, double& s, double& t,
             double& distance_sq) {
  const Vector3 u = difference(b, a), v = difference(c, a);
  Vector3 w = difference(x, a);
  const double uu = product(u, u), uv = product(u, v), vv = product(v, v), wu = product(w, u), wv = product(w, v),
               det = uu * vv - uv * uv;
  s = (wu * vv - wv * uv) / det, t = (wv * uu - wu * uv) / det;
  for (int k = 0; k < 3; ++k) w[k] -= s * u[k] + t * v[k];
  distance_sq = product(w, w);
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

// On the triangle, if x's projection is inside and no farther than `least`.
bool improve(const Vector3& x, const std::vector<Vector3>& v, std::size_t a, std::size_t b, std::size_t c,
             double& least, FacePoint& point) {
  double s, t, distance_sq;
  if (!project(x, v[a], v[b], v[c], s, t, distance_sq) || !(distance_sq < least)) return false;
  if (const double sum = s + t; sum > kInside) s *= kInside / sum, t *= kInside / sum;
  least = distance_sq, point = {a, b, c, s, t};
  return true;
}

// On vertices, segments and triangles of the nearest of these, where they are nearer than `least`.
void improveNear(const Vector3& x, const std::vector<Vector3>& v, std::vector<std::size_t> some, double& least,
                 FacePoint& point) {
  const auto distance = [&](std::size_t i) {
    const Vector3 d = difference(v[i], x);
    return product(d, d);
  };
  std::sort(some.begin(), some.end(), [&](std::size_t i, std::size_t j) { return distance(i) < distance(j); });
  some.resize(std::min(some.size(), kNearest));
  if (!some.empty() && distance(some[0]) < least) {
    least = distance(some[0]);
    point = {some[0], some[0], some[0], 0, 0};
  }
  for (std::size_t i = 0; i < some.size(); ++i)
    for (std::size_t j = i + 1; j < some.size(); ++j) {
      double distance_sq;
      if (const double s = projectOnSegment(x, v[some[i]], v[some[j]], distance_sq); distance_sq < least)
        least = distance_sq, point = {some[i], some[j], some[i], s, 0};
      for (std::size_t k = j + 1; k < some.size(); ++k) improve(x, v, some[i], some[j], some[k], least, point);
    }
}

}  // namespace

FacePoint guessNearest(const Vector3& x, const Vector3& up, const std::vector<Vector3>& vertices) {
  double top = -HUGE_VAL, low = HUGE_VAL, least = HUGE_VAL;
  for (const Vector3& v : vertices) top = std::max(top, product(up, v)), low = std::min(low, product(up, v));
  const auto within = [&](double share) {
    std::vector<std::size_t> face;
    for (std::size_t i = 0; i < vertices.size(); ++i)
      if (product(up, vertices[i]) >= top - (top - low) * share) face.push_back(i);
    return face;
  };
  FacePoint point;
  std::vector<std::size_t> face = within(kSameFace);
  for (std::size_t i = 0; i < face.size(); ++i)
    for (std::size_t j = i + 1; j < face.size(); ++j)
      for (std::size_t k = j + 1; k < face.size(); ++k)
        if (improve(x, vertices, face[i], face[j], face[k], least, point)) return point;  // All others are as near.
  improveNear(x, vertices, within(kFace), least, point);
  // Planes that no face carries lean over the edges and corners that they touch.
  const double near = kNear * (top - low);
  if (least > near * near) improveNear(x, vertices, within(1), least, point);
  return point;
}

double guessNear(const Joint& joint, double impulse, double h, double u0, double u1) {
  if (joint.upper - joint.lower < kLessThanATurn) return (joint.lower + joint.upper) / 2;
  const double rate = (u0 + u1) / 2, friction = rate == 0 ? 0 : std::copysign(joint.friction, rate),
               others = joint.damping * rate + joint.armature * (u1 - u0) / h + friction;
  return joint.rest - (impulse / h + others) / joint.stiffness;
}

double guessAngle(double sine, double cosine, double near) {
  const double angle = std::atan2(sine, cosine), turns = std::round((near - angle) / (2 * M_PI));
  return static_cast<float>(angle + (std::abs(turns) < kMostTurns ? turns : 0) * (2 * M_PI));
}

int guessPlace(double size_sq) {
  const double size = std::sqrt(size_sq);
  return size > 0 && size < HUGE_VAL ? (std::ilogb(size) >> 6) - 1 : 0;
}

double guessRatio(Polynomial f, const Polynomial& of) {
  f.elevate(of.degree());
  double most = 0;
  for (int i = 0; i <= f.degree(); ++i)
    most = std::max(most, std::abs(Rational(f.coefficients()[i], of.coefficients()[i]).get_d()));
  return most;
}

double guessWindow(double speed_sq, double length) { return length / std::sqrt(speed_sq); }

}  // namespace rigor::verify::kernel
