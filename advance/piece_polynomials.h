// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "advance/motion_piece.h"
#include "geom/shape.h"

namespace rigor::advance {

/// What gap polynomials need of one body's motion over [ta, tb], computed once a body and interval and shared by all
/// its pairs: p, the entries of M(q) and q.q as polynomials of s = (t - ta)/(tb - ta), in scaled Bernstein form
/// (advance/scaled_bernstein.h), each with a bound of its rounding error against the exact motion. Quaternions far from
/// unit length are scaled by a power of two first: only ratios of M and q.q mean something.
///
/// About 100 ns, on a whole piece or a part of one; less for a body that does not turn. No allocation.
struct PiecePolynomials {
  PiecePolynomials() = default;
  /// @pre piece.t0 <= ta < tb <= piece.t1. `piece` must outlive this: exact arithmetic and bisection go back to it.
  PiecePolynomials(const MotionPiece& piece, double ta, double tb);

  const MotionPiece* piece = nullptr;
  double ta = 0, tb = 0;   ///< [s]
  bool turns = false;      ///< q_degree > 0: M and Q have degree 6, else 0.
  bool valid = false;      ///< All finite and moderate, q.q > 0 proved on [ta, tb]; else only exact arithmetic decides.
  double M[3][3][7] = {};  ///< M(q), row and column.
  double Q[7] = {};        ///< q.q
  double p[3][4] = {};     ///< [m]; degree 3 always.
  double q_magnitude = 0;  ///< Bounds |coefficients| of M and Q.
  double q_error = 0;      ///< Error of M and Q, relative to q_magnitude, in units of 2^-53.
  double p_error[3] = {};  ///< Error of p [m].
};

/// A convex part of a moving body, for advance/gap_polynomial.h and advance/certificate.h.
struct MovingPart {
  const geom::Shape* shape = nullptr;  ///< Body frame.
  Eigen::Vector3d centre{0, 0, 0};     ///< Body-fixed point that the piece's p follows, body frame [m].
  const PiecePolynomials* motion = nullptr;
};

}  // namespace rigor::advance
