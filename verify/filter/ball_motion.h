// SPDX-License-Identifier: MIT
#pragma once
#include "verify/filter/ball.h"
#include "verify/kernel/run.h"

namespace rigor::verify::filter {

/// A body's published motion over an interval: p = position / denominator [m]; rotations are homogeneous in q.
struct BallMotion {
  BallPolynomial p[3], q[4];
  Ball denominator;             ///< > 0
  BallPolynomial norm;          ///< |q|^2
  BallPolynomial matrix[3][3];  ///< M(q); R = M / |q|^2
};

/// norm and matrix from q. `work` is scratch.
void setRotation(BallMotion& motion, BallPolynomial& work);

}  // namespace rigor::verify::filter
