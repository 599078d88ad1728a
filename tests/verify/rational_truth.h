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
  std::vector<Q3> points;
  for (const kernel::Vector3& v : body.parts[0].vertices) {
    Q3 y, r;
    for (int k = 0; k < 3; ++k) y.x[k] = Q(v[k]) - Q(body.centre[k]);
    // y + 2 q0 (u x y) + 2 u x (u x y), over n
    Q3 c;
    for (int k = 0; k < 3; ++k) c.x[k] = q[1 + (k + 1) % 3] * y.x[(k + 2) % 3] - q[1 + (k + 2) % 3] * y.x[(k + 1) % 3];
    for (int k = 0; k < 3; ++k) {
      const Q cc = q[1 + (k + 1) % 3] * c.x[(k + 2) % 3] - q[1 + (k + 2) % 3] * c.x[(k + 1) % 3];
      r.x[k] = evaluate(k, piece.p_degree, piece.p) + y.x[k] + 2 * (q[0] * c.x[k] + cc) / n;
    }
    points.push_back(r);
  }
  return points;
}

/// Two boxes (vertices as geom::Polytope::box() numbers them) are apart along a face normal or a product of edges.
inline bool boxesAreApart(const std::vector<Q3>& a, const std::vector<Q3>& b) {
  std::vector<Q3> axes, edges;
  for (const auto* box : {&a, &b})
    for (const int corner : {1, 2, 4}) {
      Q3 e;
      for (int k = 0; k < 3; ++k) e.x[k] = (*box)[corner].x[k] - (*box)[0].x[k];
      edges.push_back(e);
    }
  axes = edges;
  for (int i = 0; i < 3; ++i)
    for (int j = 3; j < 6; ++j) {
      Q3 n;
      for (int k = 0; k < 3; ++k)
        n.x[k] = edges[i].x[(k + 1) % 3] * edges[j].x[(k + 2) % 3] - edges[i].x[(k + 2) % 3] * edges[j].x[(k + 1) % 3];
      axes.push_back(n);
    }
  for (const Q3& n : axes) {
    const auto range = [&](const std::vector<Q3>& box) {
      Q low = dotOf(n, box[0]), high = low;
      for (const Q3& v : box) low = std::min(low, dotOf(n, v)), high = std::max(high, dotOf(n, v));
      return std::pair(low, high);
    };
    const auto [low_a, high_a] = range(a);
    const auto [low_b, high_b] = range(b);
    if (high_a < low_b || high_b < low_a) return true;
  }
  return false;
}

}  // namespace rigor::verify::truth
