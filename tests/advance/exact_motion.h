// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <random>
#include <variant>
#include <vector>

#include "advance/motion_piece.h"
#include "advance/piece_polynomials.h"
#include "advance/witness.h"
#include "geom/polytope.h"

/// The oracle of the tests in this folder: motions, gaps and witness claims in exact rationals (GMP), written on their
/// own: power basis where the library uses scaled Bernstein, division where it uses none.
namespace rigor::advance::oracle {

using Q = mpq_class;
using Vec = std::array<Q, 3>;

inline Vec vec(const Eigen::Vector3d& v) { return {Q(v[0]), Q(v[1]), Q(v[2])}; }
inline Vec operator+(const Vec& a, const Vec& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec operator-(const Vec& a, const Vec& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Q dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Polynomial in the power basis of s.
struct Power {
  std::vector<Q> c;
  Q operator()(const Q& s) const {
    Q sum = 0;
    for (size_t k = c.size(); k-- > 0;) sum = sum * s + c[k];
    return sum;
  }
};
inline Power operator+(const Power& a, const Power& b) {
  Power r = a;
  r.c.resize(std::max(a.c.size(), b.c.size()));
  for (size_t k = 0; k < b.c.size(); ++k) r.c[k] += b.c[k];
  return r;
}
inline Power operator*(const Power& a, const Power& b) {
  Power r;
  r.c.resize(a.c.size() + b.c.size() - 1);
  for (size_t i = 0; i < a.c.size(); ++i)
    for (size_t j = 0; j < b.c.size(); ++j) r.c[i + j] += a.c[i] * b.c[j];
  return r;
}
inline Power operator*(const Q& x, const Power& a) { return Power{{x}} * a; }
inline Power operator-(const Power& a, const Power& b) { return a + Q(-1) * b; }

inline Q choose(unsigned n, unsigned k) {
  Q r = 1;
  for (unsigned i = 1; i <= k; ++i) r = r * Q(n - k + i) / Q(i);
  return r;
}

/// Unscaled Bernstein coefficients of degree n.
inline std::vector<Q> bernstein(const Power& f, unsigned n) {
  std::vector<Q> b(n + 1);
  for (unsigned k = 0; k <= n; ++k)
    for (unsigned i = 0; i <= k && i < f.c.size(); ++i) b[k] += choose(k, i) / choose(n, i) * f.c[i];
  return b;
}

/// f >= 0 on [0, 1], by bisection; gives up (false) at the depth limit.
inline bool notNegative(std::vector<Q> b, int depth = 60) {
  if (std::all_of(b.begin(), b.end(), [](const Q& c) { return sgn(c) >= 0; })) return true;
  if (depth == 0 || sgn(b.front()) < 0 || sgn(b.back()) < 0) return false;
  std::vector<Q> left(b.size()), right(b.size());
  for (size_t level = 0; level < b.size(); ++level) {
    left[level] = b.front();
    right[b.size() - 1 - level] = b[b.size() - 1 - level];
    for (size_t k = 0; k + level + 1 < b.size(); ++k) b[k] = (b[k] + b[k + 1]) / 2;
  }
  return notNegative(left, depth - 1) && notNegative(right, depth - 1);
}
inline bool notNegative(const Power& f) { return notNegative(bernstein(f, static_cast<unsigned>(f.c.size() - 1))); }

/// The motion as polynomials of s on [ta, tb], t = ta + s (tb - ta).
struct Motion {
  Power q[4], p[3], M[3][3], qq;

  Motion(const MotionPiece& piece, double ta, double tb) {
    Power u{{Q(0)}};
    if (piece.p_degree > 0 || piece.q_degree > 0) {
      const Q h = Q(piece.t1) - Q(piece.t0);
      u = Power{{(Q(ta) - Q(piece.t0)) / h, (Q(tb) - Q(ta)) / h}};
    }
    const Power v = Power{{Q(1)}} - u;
    const auto bezier = [&](int n, auto value) {
      Power sum{{Q(0)}};
      for (int i = 0; i <= n; ++i) {
        Power term{{choose(n, i) * Q(value(i))}};
        for (int j = 0; j < n; ++j) term = term * (j < i ? u : v);
        sum = sum + term;
      }
      return sum;
    };
    for (int c = 0; c < 4; ++c) q[c] = bezier(piece.q_degree, [&](int i) { return piece.q[i][c]; });
    for (int k = 0; k < 3; ++k) p[k] = bezier(piece.p_degree, [&](int i) { return piece.p[i][k]; });
    // Rows of M(q) from q v q*: (w^2 - u.u) v + 2 u (u.v) + 2 w u x v.
    const Power uu = q[1] * q[1] + q[2] * q[2] + q[3] * q[3], ww = q[0] * q[0];
    qq = ww + uu;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        M[i][j] = Q(2) * (q[i + 1] * q[j + 1]);
        if (i == j) M[i][j] = M[i][j] + ww - uu;
        if (i != j) M[i][j] = M[i][j] + Q((j - i + 3) % 3 == 1 ? -2 : 2) * (q[0] * q[4 - i - j]);
      }
  }
  std::array<Power, 3> turn(const Vec& v) const {
    std::array<Power, 3> r;
    for (int i = 0; i < 3; ++i) r[i] = v[0] * M[i][0] + v[1] * M[i][1] + v[2] * M[i][2];
    return r;
  }
};

using PowerVec = std::array<Power, 3>;
inline Power dot(const PowerVec& a, const PowerVec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline PowerVec cross(const PowerVec& a, const PowerVec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// |qA|^2 |qB|^2 times y - x in the world, x of A and y of B given in the bodies' frames, about the centres.
inline PowerVec between(const Motion& A, const Vec& x, const Motion& B, const Vec& y) {
  const PowerVec Ax = A.turn(x), By = B.turn(y);
  PowerVec d;
  for (int k = 0; k < 3; ++k) d[k] = A.qq * B.qq * (B.p[k] - A.p[k]) + A.qq * By[k] - B.qq * Ax[k];
  return d;
}

/// A rational r >= sqrt(x), within a relative 2^-100.
inline Q rootUp(const Q& x) {
  if (sgn(x) <= 0) return 0;
  mpf_class f(x, 512);
  const Q r(sqrt(f));
  if (r * r == x) return r;
  return r + r / Q(mpz_class(1) << 100);
}

struct Part {
  const geom::Shape* shape;
  Eigen::Vector3d centre;
  const MotionPiece* piece;
};

inline std::vector<Vec> vertices(const Part& part) {
  std::vector<Vec> v;
  const auto& P = std::get<geom::Polytope>(*part.shape);
  for (int i = 0; i < P.numVertices(); ++i) v.push_back(vec(P.vertex(i)) - vec(part.centre));
  return v;
}

/// The claim of a witness, exactly: every vertex pair, no support function, the definition of witness.h to the letter.
inline bool holds(const Part& A, const Part& B, const Witness& w) {
  if (!(w.gap > 0) || !(w.t0 < w.t1)) return false;
  const Motion a(*A.piece, w.t0, w.t1), b(*B.piece, w.t0, w.t1);
  const std::vector<Vec> vb = vertices(B);
  const Q g(w.gap);
  if (const auto* half = std::get_if<geom::HalfSpace>(A.shape)) {
    if (w.axis.kind != AxisKind::kFixedInA || w.axis.axis != half->normal) return false;
    const Vec normal = vec(half->normal);
    const Q offset = Q(half->offset) - dot(normal, vec(A.centre)), norm = rootUp(dot(normal, normal));
    for (const Vec& y : vb) {
      // normal.(R_A^T (y_W - p_A)) |qA|^2 |qB|^2 * |qA|^2: between() with x = 0 carries both squares.
      const Power value = dot(a.turn(normal), between(a, {0, 0, 0}, b, y)) - (offset + g * norm) * (a.qq * a.qq * b.qq);
      if (!notNegative(value)) return false;
    }
    return true;
  }
  const std::vector<Vec> va = vertices(A);
  if (w.axis.kind != AxisKind::kEdges) {
    const bool in_a = w.axis.kind == AxisKind::kFixedInA;
    const Motion& owner = in_a ? a : b;
    const Vec axis = vec(w.axis.axis);
    const Q norm = rootUp(dot(axis, axis));
    if (sgn(norm) == 0) return false;
    for (const Vec& x : va)
      for (const Vec& y : vb)
        if (!notNegative(dot(owner.turn(axis), between(a, x, b, y)) - g * norm * (owner.qq * a.qq * b.qq)))
          return false;
    return true;
  }
  const Vec ea = va.at(w.axis.a1) - va.at(w.axis.a0), eb = vb.at(w.axis.b1) - vb.at(w.axis.b0);
  const Q L(w.cross), s(w.cosine), square = dot(ea, ea) * dot(eb, eb);
  if (sgn(L) <= 0 || sgn(s) < 0 || L * L + s * s < square) return false;
  const PowerVec ta = a.turn(ea), tb = b.turn(eb), n = cross(ta, tb);
  const Power turned = dot(ta, tb), scale = a.qq * b.qq;
  if (sgn(s) > 0 && !notNegative(turned - s * scale) && !notNegative(Q(-1) * turned - s * scale)) return false;
  // between() of a pair is that of the centres and of each vertex with the other's centre.
  const auto bezier = [](const Power& f) { return bernstein(f, 27); };  // n 12, p 3, both |q|^2 6.
  const std::vector<Q> centres = bezier(dot(n, between(a, {0, 0, 0}, b, {0, 0, 0})) - g * L * (scale * scale));
  std::vector<std::vector<Q>> of_a, of_b;
  for (const Vec& x : va) of_a.push_back(bezier(b.qq * dot(n, a.turn(x))));
  for (const Vec& y : vb) of_b.push_back(bezier(a.qq * dot(n, b.turn(y))));
  for (const auto& x : of_a)
    for (const auto& y : of_b) {
      std::vector<Q> claim = centres;
      for (size_t k = 0; k < claim.size(); ++k) claim[k] += y[k] - x[k];
      if (!notNegative(claim)) return false;
    }
  return true;
}

/// Square of the exact world position difference etc. is not needed: y - x at s, exactly.
inline Vec pointAt(const Motion& m, const Vec& about_centre, const Q& s) {
  Vec r;
  const auto turned = m.turn(about_centre);
  const Q qq = m.qq(s);
  for (int k = 0; k < 3; ++k) r[k] = m.p[k](s) + turned[k](s) / qq;
  return r;
}

/// A random smooth piece: a cubic near `position`, moving `speed` metres and turning about `angle` radians.
inline MotionPiece randomPiece(std::mt19937& rng, const Eigen::Vector3d& position, double speed, double angle,
                               double t0, double t1, int p_degree = 3, int q_degree = 3) {
  std::normal_distribution<double> normal;
  MotionPiece piece;
  piece.t0 = t0;
  piece.t1 = t1;
  piece.p_degree = p_degree;
  piece.q_degree = q_degree;
  const auto random3 = [&] { return Eigen::Vector3d(normal(rng), normal(rng), normal(rng)); };
  const Eigen::Vector3d v = speed * random3();
  for (int i = 0; i <= p_degree; ++i)
    piece.p[i] = position + (p_degree ? double(i) / p_degree : 0) * v + 0.2 * speed * random3();
  Eigen::Vector4d q(normal(rng), normal(rng), normal(rng), normal(rng));
  q.normalize();
  const Eigen::Vector4d dq = 0.5 * angle * Eigen::Vector4d(normal(rng), normal(rng), normal(rng), normal(rng));
  for (int i = 0; i <= q_degree; ++i)
    piece.q[i] = 1.3 * q + (q_degree ? double(i) / q_degree : 0) * dq +
                 0.1 * angle * Eigen::Vector4d(normal(rng), normal(rng), normal(rng), normal(rng));
  return piece;
}

}  // namespace rigor::advance::oracle
