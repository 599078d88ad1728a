// SPDX-License-Identifier: MIT
#include "verify/kernel/motion.h"

#include <algorithm>
#include <limits>

namespace rigor::verify::kernel {

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
  const bool whole = (from == piece.t0 && to == piece.t1) || piece.still();
  const Number h = whole ? Number(1) : Number(piece.t1) - piece.t0;
  const auto over = [&, t0 = piece.t0](auto f) { return whole ? f : f.over(Number(from) - t0, Number(to) - t0, h); };
  const auto q = [&](int k) { return over(Polynomial::bezier(piece.q[0] + k, 4, piece.q_degree)); };
  const auto p = [&](int k) { return over(Polynomial::bezier(piece.p[0] + k, 3, piece.p_degree)); };
  Motion m{{q(0), Vector(q(1), q(2), q(3))}, {p(0), p(1), p(2)}, 1};
  for (int i = 0; i < piece.p_degree; ++i) m.denominator = m.denominator * h;
  return m;
}

}  // namespace rigor::verify::kernel
