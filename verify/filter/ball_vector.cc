// SPDX-License-Identifier: MIT
#include "verify/filter/ball_vector.h"

#include <cmath>
#include <limits>

namespace rigor::verify::filter {
namespace {

/// Where on a curve.
struct Place {
  Ball u, rest = 1;  // rest = 1 - u
  enum { kStart, kInside, kEnd } where = kStart;
};

// Value and derivative with respect to u of one coordinate, control points `stride` apart: at the ends those of
// the outermost control points, elsewhere by de Casteljau.
void evaluate(const double* control, int stride, int n, const Place& at, Ball& value, Ball& rate) {
  if (at.where != Place::kInside || n == 0) {
    const int end = at.where == Place::kEnd ? n : 0, first = at.where == Place::kEnd ? n - 1 : 0;
    value = control[stride * end];
    rate = 0;
    if (n == 0) return;
    rate = control[stride * (first + 1)];
    rate -= control[stride * first];
    rate *= n;
    return;
  }
  Ball c[4];
  for (int i = 0; i <= n; ++i) c[i] = control[stride * i];
  rate = 0;
  for (int level = n; level > 0; --level) {
    if (level == 1) {
      rate = c[1];
      rate -= c[0];
      rate *= n;
    }
    for (int i = 0; i < level; ++i) {
      c[i] *= at.rest;
      addProduct(c[i + 1], at.u, c[i]);
    }
  }
  value = c[0];
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

BallInstant ballInstantOf(const kernel::Piece& piece, double t) {
  BallInstant at;
  const bool still = piece.p_degree == 0 && piece.q_degree == 0;
  Place place;
  Ball per_time;
  if (!still) {
    Ball h = piece.t1;
    h -= piece.t0;
    per_time = inverse(h);
    if (t == piece.t1) {
      place.where = Place::kEnd;
    } else if (t != piece.t0) {
      place.where = Place::kInside;
      place.u = t;
      place.u -= piece.t0;
      place.u *= per_time;
      place.rest -= place.u;
    }
  }
  Ball q[4], rate[4], norm;
  for (int k = 0; k < 3; ++k) {
    evaluate(piece.p[0] + k, 3, piece.p_degree, place, at.p[k], at.v[k]);
    at.v[k] *= per_time;
  }
  for (int k = 0; k < 4; ++k) {
    evaluate(piece.q[0] + k, 4, piece.q_degree, place, q[k], rate[k]);
    addProduct(q[k], q[k], norm);
  }
  const Ball per_norm = inverse(norm);
  Ball twice = per_norm;
  twice *= 2;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    Ball diagonal, low, high, spin;
    addProduct(q[0], q[0], diagonal), addProduct(q[i + 1], q[i + 1], diagonal);
    subtractProduct(q[j + 1], q[j + 1], diagonal), subtractProduct(q[k + 1], q[k + 1], diagonal);
    multiply(q[i + 1], q[j + 1], low), subtractProduct(q[0], q[k + 1], low);
    multiply(q[i + 1], q[k + 1], high), addProduct(q[0], q[j + 1], high);
    multiply(diagonal, per_norm, at.R[i][i]);
    multiply(low, twice, at.R[j][i]);
    multiply(high, twice, at.R[k][i]);
    // w = 2 vec(q' q*) / |q|^2
    multiply(q[0], rate[i + 1], spin), subtractProduct(rate[0], q[i + 1], spin);
    subtractProduct(rate[j + 1], q[k + 1], spin), addProduct(rate[k + 1], q[j + 1], spin);
    spin *= twice;
    multiply(spin, per_time, at.w[i]);
  }
  return at;
}

}  // namespace rigor::verify::filter
