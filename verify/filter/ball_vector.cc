// SPDX-License-Identifier: MIT
#include "verify/filter/ball_vector.h"

#include <cmath>
#include <limits>

#include "verify/kernel/rational.h"

namespace rigor::verify::filter {
namespace {

/// Where on a piece's curves.
struct Place {
  Ball u, rest = 1;  // rest = 1 - u
  Ball per_time;     // du / dt
  enum { kStart, kInside, kEnd } where = kStart;

  Place(const kernel::Piece& piece, double t) {
    if (piece.p_degree == 0 && piece.q_degree == 0) return;
    if (t != piece.t0) where = t == piece.t1 ? kEnd : kInside;
    Ball h = piece.t1;
    h -= piece.t0;
    per_time = inverse(h);
    if (where != kInside) return;
    u = kernel::shareOf(piece, t);  // The instant that the kernel takes.
    rest -= u;
  }
};

// Value of one coordinate, control points `stride` apart: at the ends that of the outermost control point, elsewhere
// by de Casteljau.
Ball valueAt(const double* control, int stride, int n, const Place& at) {
  if (at.where != Place::kInside || n == 0) return control[at.where == Place::kEnd ? stride * n : 0];
  Ball c[4];
  for (int i = 0; i <= n; ++i) c[i] = control[stride * i];
  for (int level = n; level > 0; --level) {
    for (int i = 0; i < level; ++i) {
      c[i] *= at.rest;
      addProduct(c[i + 1], at.u, c[i]);
    }
  }
  return c[0];
}

// Its derivative with respect to time: n times the curve of the control points' differences.
Ball rateAt(const double* control, int stride, int n, const Place& at) {
  if (n == 0) return 0;
  Ball c[3];
  for (int i = 0; i < n; ++i) {
    c[i] = control[stride * (i + 1)];
    c[i] -= control[stride * i];
  }
  if (at.where == Place::kInside) {
    for (int level = n - 1; level > 0; --level) {
      for (int i = 0; i < level; ++i) {
        c[i] *= at.rest;
        addProduct(c[i + 1], at.u, c[i]);
      }
    }
  }
  Ball& rate = c[at.where == Place::kEnd ? n - 1 : 0];
  rate *= n;
  rate *= at.per_time;
  return rate;
}

// 2 / |q|^2
Ball poseAt(const kernel::Piece& piece, const Place& place, Ball (&q)[4], BallPose& pose) {
  for (int k = 0; k < 3; ++k) pose.p[k] = valueAt(piece.p[0] + k, 3, piece.p_degree, place);
  Ball norm;
  for (int k = 0; k < 4; ++k) {
    q[k] = valueAt(piece.q[0] + k, 4, piece.q_degree, place);
    addProduct(q[k], q[k], norm);
  }
  const Ball per_norm = inverse(norm);
  Ball twice = per_norm;
  twice *= 2;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    Ball diagonal, low, high;
    addProduct(q[0], q[0], diagonal), addProduct(q[i + 1], q[i + 1], diagonal);
    subtractProduct(q[j + 1], q[j + 1], diagonal), subtractProduct(q[k + 1], q[k + 1], diagonal);
    multiply(q[i + 1], q[j + 1], low), subtractProduct(q[0], q[k + 1], low);
    multiply(q[i + 1], q[k + 1], high), addProduct(q[0], q[j + 1], high);
    multiply(diagonal, per_norm, pose.R[i][i]);
    multiply(low, twice, pose.R[j][i]);
    multiply(high, twice, pose.R[k][i]);
  }
  return twice;
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

BallPose ballPoseOf(const kernel::Piece& piece, double t) {
  BallPose pose;
  Ball q[4];
  poseAt(piece, Place(piece, t), q, pose);
  return pose;
}

BallInstant ballInstantOf(const kernel::Piece& piece, double t) {
  BallInstant at;
  const Place place(piece, t);
  Ball q[4], rate[4];
  const Ball twice = poseAt(piece, place, q, at);
  for (int k = 0; k < 3; ++k) at.v[k] = rateAt(piece.p[0] + k, 3, piece.p_degree, place);
  for (int k = 0; k < 4; ++k) rate[k] = rateAt(piece.q[0] + k, 4, piece.q_degree, place);
  for (int i = 0; i < 3; ++i) {  // w = 2 vec(q' q*) / |q|^2
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    Ball spin;
    multiply(q[0], rate[i + 1], spin), subtractProduct(rate[0], q[i + 1], spin);
    subtractProduct(rate[j + 1], q[k + 1], spin), addProduct(rate[k + 1], q[j + 1], spin);
    multiply(spin, twice, at.w[i]);
  }
  return at;
}

}  // namespace rigor::verify::filter
