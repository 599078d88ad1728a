// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "verify/kernel/run.h"

/// Whether boxes are apart, in rationals: the truth that verdicts are held against. Shares nothing with the checker but
/// the plain data.
namespace rigor::verify::truth {

using Q = mpq_class;
struct Q3 {
  Q x[3];
};
inline Q dotOf(const Q3& a, const Q3& b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }

/// The vertices of a body's first part in the world, at the share `u` of a piece.
inline std::vector<Q3> verticesAt(const kernel::Body& body, const kernel::Piece& piece, const Q& u) {
  const auto evaluate = [&](int k, int degree, const auto& control) {
    std::vector<Q> b;
    for (int i = 0; i <= degree; ++i) b.emplace_back(control[i][k]);
    for (int level = degree; level > 0; --level)
      for (int i = 0; i < level; ++i) b[i] = (1 - u) * b[i] + u * b[i + 1];
    return b[0];
  };
  Q q[4], n = 0;
  for (int k = 0; k < 4; ++k) q[k] = evaluate(k, piece.q_degree, piece.q), n += q[k] * q[k];
  const Q p[3] = {evaluate(0, piece.p_degree, piece.p), evaluate(1, piece.p_degree, piece.p),
                  evaluate(2, piece.p_degree, piece.p)};
  std::vector<Q3> points;
  for (const kernel::Vector3& v : body.parts[0].vertices) {
    Q3 y, r;
    for (int k = 0; k < 3; ++k) y.x[k] = Q(v[k]) - Q(body.centre[k]);
    // y + 2 q0 (u x y) + 2 u x (u x y), over n
    Q3 c;
    for (int k = 0; k < 3; ++k) c.x[k] = q[1 + (k + 1) % 3] * y.x[(k + 2) % 3] - q[1 + (k + 2) % 3] * y.x[(k + 1) % 3];
    for (int k = 0; k < 3; ++k) {
      const Q cc = q[1 + (k + 1) % 3] * c.x[(k + 2) % 3] - q[1 + (k + 2) % 3] * c.x[(k + 1) % 3];
      r.x[k] = p[k] + y.x[k] + 2 * (q[0] * c.x[k] + cc) / n;
    }
    points.push_back(r);
  }
  return points;
}

/// Two boxes (vertices as geom::Polytope::box() numbers them) are apart along a face normal or a product of edges.
inline bool boxesAreApart(const std::vector<Q3>& a, const std::vector<Q3>& b) {
  // In integers, times the common denominator: rationals would spend their time on reducing fractions.
  struct Z3 {
    mpz_class x[3];
  };
  mpz_class denominator = 1;
  for (const auto* box : {&a, &b})
    for (const Q3& v : *box)
      for (const Q& x : v.x) denominator = lcm(denominator, x.get_den());
  std::vector<Z3> boxes[2], axes, edges;
  for (const auto* box : {&a, &b})
    for (const Q3& v : *box) {
      Z3& z = boxes[box == &b].emplace_back();
      for (int k = 0; k < 3; ++k) z.x[k] = v.x[k].get_num() * (denominator / v.x[k].get_den());
    }
  for (const std::vector<Z3>& box : boxes)
    for (const int corner : {1, 2, 4}) {
      Z3 e;
      for (int k = 0; k < 3; ++k) e.x[k] = box[corner].x[k] - box[0].x[k];
      edges.push_back(e);
    }
  axes = edges;
  for (int i = 0; i < 3; ++i)
    for (int j = 3; j < 6; ++j) {
      Z3 n;
      for (int k = 0; k < 3; ++k)
        n.x[k] = edges[i].x[(k + 1) % 3] * edges[j].x[(k + 2) % 3] - edges[i].x[(k + 2) % 3] * edges[j].x[(k + 1) % 3];
      axes.push_back(n);
    }
  for (const Z3& n : axes) {
    const auto range = [&](const std::vector<Z3>& box) {
      mpz_class low, high, along;
      for (const Z3& v : box) {
        along = n.x[0] * v.x[0] + n.x[1] * v.x[1] + n.x[2] * v.x[2];
        if (&v == &box[0] || along < low) low = along;
        if (&v == &box[0] || along > high) high = along;
      }
      return std::pair(low, high);
    };
    const auto [low_a, high_a] = range(boxes[0]);
    const auto [low_b, high_b] = range(boxes[1]);
    if (high_a < low_b || high_b < low_a) return true;
  }
  return false;
}

}  // namespace rigor::verify::truth
