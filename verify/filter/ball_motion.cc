// SPDX-License-Identifier: MIT
#include "verify/filter/ball_motion.h"

#include "verify/filter/ball_algebra.h"

namespace rigor::verify::filter {

// |q|^2 and M(q) from the ten products of the components.
void setRotation(BallMotion& m, BallPolynomial& work) {
  const int degree = 2 * m.q[0].degree;
  m.norm.setZero(degree);
  for (auto& row : m.matrix)
    for (BallPolynomial& entry : row) entry.setZero(degree);
  for (int k = 0; k < 4; ++k) {
    multiply(m.q[k], m.q[k], work);
    addTimes(1, work, m.norm);
    for (int i = 0; i < 3; ++i) addTimes(k == 0 || k == i + 1 ? 1 : -1, work, m.matrix[i][i]);
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    multiply(m.q[i + 1], m.q[j + 1], work);
    addTimes(2, work, m.matrix[i][j]);
    addTimes(2, work, m.matrix[j][i]);
    multiply(m.q[0], m.q[k + 1], work);
    addTimes(-2, work, m.matrix[i][j]);
    addTimes(2, work, m.matrix[j][i]);
  }
}

}  // namespace rigor::verify::filter
