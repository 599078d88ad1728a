// SPDX-License-Identifier: MIT
#include "verify/filter/ball_vector.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verify/kernel/rational.h"

namespace rigor::verify::filter {
namespace {

/// Where on a piece's curves.
struct Place {
  double u = 0, rest = 1;  // rest = 1 - u, to nearest
  Ball per_time;           // du / dt
  enum { kStart, kInside, kEnd } where = kStart;

  Place(const kernel::Piece& piece, double t) {
    if (piece.p_degree == 0 && piece.q_degree == 0) return;
    if (t != piece.t0) where = t == piece.t1 ? kEnd : kInside;
    if (where == kInside) u = kernel::shareOf(piece, t), rest = 1 - u;  // The instant that the kernel takes.
    Ball h = piece.t1;
    h -= piece.t0;
    per_time = inverse(h);
  }
};

// Of u in [0, 1], by de Casteljau: three levels at most, each of which rounds four times, relative to the largest
// control point.
constexpr double kCurveRounding = 16 * kToNearest;

/// n + 1 control points become the curve's value, the first of them. @returns what each coordinate may be off by.
template <int size>
double evaluate(double (&c)[4][size], int n, const Place& at) {
  if (n == 0 || at.where == Place::kStart) return 0;
  if (at.where == Place::kEnd) {
    std::copy_n(c[n], size, c[0]);
    return 0;
  }
  double largest = 0;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k < size; ++k) largest = std::max(largest, std::abs(c[i][k]));  // NaN stays in c.
  for (int level = n; level > 0; --level)
    for (int i = 0; i < level; ++i)
      for (int k = 0; k < size; ++k) c[i][k] = at.rest * c[i][k] + at.u * c[i + 1][k];
  return kCurveRounding * largest + kBallUnderflow;
}

/// Its derivative with respect to time: n times the curve of the control points' differences.
template <int size>
double evaluateRate(double (&c)[4][size], int n, const Place& at) {
  if (n == 0) return std::fill_n(c[0], size, 0.0), 0;
  double largest = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < size; ++k) {
      c[i][k] = n * (c[i + 1][k] - c[i][k]);
      largest = std::max(largest, std::abs(c[i][k]));
    }
  evaluate(c, n - 1, at);
  for (double& entry : c[0]) entry *= at.per_time.value;
  const double per_time = std::abs(at.per_time.value);
  return largest * (2 * kCurveRounding * per_time + at.per_time.radius) + kBallUnderflow * (1 + per_time);
}

/// M(q) / |q|^2, q known to `radius`.
struct Orientation {
  double q[4], radius, reach;   // reach: |q| added up.
  double per_norm, norm_share;  // 1 / |q|^2, and what |q|^2 may be off by, relative.

  Orientation(const double (&value)[4], double off) : radius(off), reach(0) {
    double norm = 0;
    for (int k = 0; k < 4; ++k) q[k] = value[k], reach += std::abs(q[k]), norm += q[k] * q[k];
    per_norm = 1 / norm;
    norm_share = sumRadius() * per_norm + 5 * kToNearest;
    if (!(norm_share < 0.25)) norm_share = std::numeric_limits<double>::infinity();
  }
  // Four products of two, or twice two of them: of their roundings below.
  double sumRadius() const { return 2 * reach * radius + 4 * radius * radius + 8 * kBallUnderflow; }
  // Each entry of M is at most |q|^2: rounded like it, and divided.
  void turn(BallPose& pose) const {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      const double low = q[i + 1] * q[j + 1] - q[0] * q[k + 1], high = q[i + 1] * q[k + 1] + q[0] * q[j + 1];
      const double diagonal = q[0] * q[0] + q[i + 1] * q[i + 1] - q[j + 1] * q[j + 1] - q[k + 1] * q[k + 1];
      pose.R[i][i] = diagonal * per_norm;
      pose.R[j][i] = 2 * low * per_norm;
      pose.R[k][i] = 2 * high * per_norm;
    }
    pose.R_radius = 2 * norm_share + 8 * kToNearest;
  }
};

void copyControl(const kernel::Piece& piece, double (&p)[4][3], double (&q)[4][4]) {
  std::copy_n(piece.p[0], 3 * (piece.p_degree + 1), p[0]);
  std::copy_n(piece.q[0], 4 * (piece.q_degree + 1), q[0]);
}

Orientation poseAt(const kernel::Piece& piece, const Place& place, BallPose& pose) {
  double p[4][3], q[4][4];
  copyControl(piece, p, q);
  pose.p.radius = evaluate(p, piece.p_degree, place);
  std::copy_n(p[0], 3, pose.p.x);
  const double off = evaluate(q, piece.q_degree, place);
  const Orientation orientation(q[0], off);
  orientation.turn(pose);
  return orientation;
}

}  // namespace

// |1 / x - 1 / v| <= r / (|v| (|v| - r)), at most twice r / v^2.
Ball inverse(const Ball& x) {
  const double size = std::abs(x.value), value = 1 / x.value;
  if (!(x.radius * 2.5 <= size) || !std::isfinite(value)) return {0, std::numeric_limits<double>::infinity()};
  return {value, 2.5 * x.radius * value * value + 0x1p-52 * std::abs(value) + 0x1p-1000};
}

// sqrt(v) - sqrt(v - r) <= r / (2 sqrt(v - r)), at most r / sqrt(v) for r <= .4 v.
Ball rootOf(const Ball& square) {
  const double value = std::sqrt(square.value);
  if (!(square.radius * 2.5 <= square.value) || !(value > 0)) return {0, std::numeric_limits<double>::infinity()};
  return {value, square.radius / value + 0x1p-52 * value};
}

double upperRootOf(const Ball& square) {
  const double most = square.upper();
  return most <= 0 ? 0 : std::sqrt(most) * (1 + 0x1p-50);
}

double lowerRootOf(const Ball& square) {
  const double least = -(-square).upper();
  return least > 0 ? std::sqrt(least) * (1 - 0x1p-50) : 0;
}

BallVector product(const double (&rows)[3][3], const BallVector& v) {
  BallVector out;
  const double size = v.reach();
  double largest = 0;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) out.x[i] += rows[i][k] * v.x[k];
    largest = std::max(largest, std::abs(rows[i][0]) + std::abs(rows[i][1]) + std::abs(rows[i][2]));
  }
  out.radius = largest * (v.radius + 4 * kToNearest * size) + 4 * kBallUnderflow;
  return out;
}

BallVector BallPose::turn(const BallVector& arm) const {
  BallVector out;
  for (int i = 0; i < 3; ++i) out.x[i] = R[0][i] * arm.x[0] + R[1][i] * arm.x[1] + R[2][i] * arm.x[2];
  out.radius = turnedRadius(arm);
  return out;
}

BallVector BallPose::turnBack(const BallVector& u) const {
  BallVector out;
  for (int i = 0; i < 3; ++i) out.x[i] = R[i][0] * u.x[0] + R[i][1] * u.x[1] + R[i][2] * u.x[2];
  out.radius = turnedRadius(u);
  return out;
}

BallPose ballPoseOf(const kernel::Piece& piece, double t) {
  BallPose pose;
  poseAt(piece, Place(piece, t), pose);
  return pose;
}

// w = 2 vec(q' q*) / |q|^2
BallInstant ballInstantOf(const kernel::Piece& piece, double t) {
  BallInstant at;
  const Place place(piece, t);
  const Orientation of = poseAt(piece, place, at);
  double v[4][3], rates[4][4];
  copyControl(piece, v, rates);
  at.v.radius = evaluateRate(v, piece.p_degree, place);
  std::copy_n(v[0], 3, at.v.x);
  const double off = evaluateRate(rates, piece.q_degree, place), (&q)[4] = of.q, (&rate)[4] = rates[0];
  double rate_reach = 0;
  for (const double x : rate) rate_reach += std::abs(x);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3 + 1, k = (i + 2) % 3 + 1;
    at.w.x[i] = 2 * (q[0] * rate[i + 1] - rate[0] * q[i + 1] - rate[j] * q[k] + rate[k] * q[j]) * of.per_norm;
  }
  const double sum_radius = of.reach * off + rate_reach * of.radius + 4 * of.radius * off +
                            5 * kToNearest * of.reach * rate_reach + 8 * kBallUnderflow;
  // 1 / (1 - s) of s below a quarter is at most 4 / 3.
  at.w.radius = 4 * sum_radius * of.per_norm + 2 * at.w.reach() * (of.norm_share + 4 * kToNearest) + kBallUnderflow;
  return at;
}

}  // namespace rigor::verify::filter
