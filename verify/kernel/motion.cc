// SPDX-License-Identifier: MIT
#include "verify/kernel/motion.h"

#include <algorithm>
#include <limits>

namespace rigor::verify::kernel {
namespace {

// Bezier points of the same polynomial on [from, to], times h^n: blossoms at n - i starts and i ends, both measured from
// t0 as the h is.
std::vector<Polynomial> restricted(std::vector<Polynomial> points, const Polynomial& start, const Polynomial& end,
                                   const Polynomial& h) {
  const auto evaluate = [&](std::vector<Polynomial>& b, const Polynomial& x, const Polynomial& rest) {
    for (std::size_t j = 0; j + 1 < b.size(); ++j) b[j] = (b[j] * rest).addProduct(b[j + 1], x);
    b.pop_back();
  };
  const Polynomial before = h - start, behind = h - end;
  std::vector<Polynomial> result(points.size());
  for (std::size_t i = points.size(); i-- > 0; evaluate(points, start, before)) {
    std::vector<Polynomial> ends = points;
    while (ends.size() > 1) evaluate(ends, end, behind);
    result[i] = ends[0];
  }
  return result;
}

}  // namespace

Vector vectorOf(const Vector3& v) { return {{v[0], v[1], v[2]}}; }

Piece fixedPose(const Body& body) {
  Piece piece;
  piece.t0 = -std::numeric_limits<double>::infinity();
  piece.t1 = std::numeric_limits<double>::infinity();
  std::copy_n(body.position.data(), 3, piece.p[0]);
  std::copy_n(body.orientation.data(), 4, piece.q[0]);
  std::fill_n(piece.velocity, 12, 0.0);
  return piece;
}

Motion motionOver(const Piece& piece, double from, double to) {
  const bool whole = (from == piece.t0 && to == piece.t1) || (piece.p_degree == 0 && piece.q_degree == 0);
  Polynomial start, end, h;
  if (!whole) {
    start = Polynomial(from) - piece.t0;
    end = Polynomial(to) - piece.t0;
    h = Polynomial(piece.t1) - piece.t0;
  }
  const auto over = [&](int k, int degree, const auto& control) {
    std::vector<Polynomial> points;
    for (int i = 0; i <= degree; ++i) points.emplace_back(control[i][k]);
    return Polynomial::bezier(whole ? points : restricted(points, start, end, h));
  };
  Motion m;
  m.denominator = Polynomial(1);
  for (int i = 0; !whole && i < piece.p_degree; ++i) m.denominator = m.denominator * h;
  for (int k = 0; k < 3; ++k) m.p[k] = over(k, piece.p_degree, piece.p);
  const Polynomial w = over(0, piece.q_degree, piece.q);
  const Vector v{{over(1, piece.q_degree, piece.q), over(2, piece.q_degree, piece.q), over(3, piece.q_degree, piece.q)}};
  // M = (w^2 - v.v) 1 + 2 v v' + 2 w [v]x
  const Polynomial ww = w * w, vv = dot(v, v), two = 2;
  m.norm = ww + vv;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    m.matrix[i][i] = ww - vv + v[i] * v[i] * two;
    m.matrix[i][j] = (v[i] * v[j] - w * v[k]) * two;
    m.matrix[j][i] = (v[i] * v[j] + w * v[k]) * two;
  }
  return m;
}

Vector rotate(const Motion& m, const Vector& v) {
  Vector out;
  for (int i = 0; i < 3; ++i) out[i] = dot({{m.matrix[i][0], m.matrix[i][1], m.matrix[i][2]}}, v);
  return out;
}

Vector rotateBack(const Motion& m, const Vector& v) {
  Vector out;
  for (int i = 0; i < 3; ++i) out[i] = dot({{m.matrix[0][i], m.matrix[1][i], m.matrix[2][i]}}, v);
  return out;
}

}  // namespace rigor::verify::kernel
