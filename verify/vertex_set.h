// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "verify/ball.h"
#include "verify/exact.h"
#include "verify/record_file.h"

namespace rigor::verify {

/// The vertices y = v - centre of a part, rounded to doubles, to decide most of them without exact arithmetic: what
/// comes out needs the exact look, the rest is proved. All bounds include every rounding; NaN and infinity decide
/// nothing.
class VertexSet {
 public:
  VertexSet(const Part& part, const Vector3& centre);

  /// The lowest set bit of all coordinates of vertices and centre: y is a multiple of 2^lowestBit().
  int lowestBit() const { return lowest_bit_; }

  /// Vertices of which f = base + (y / 2^unit).weight may have a coefficient that is not positive, in order.
  /// @pre equal degrees.
  void findUndecided(const Polynomial& base, const Polynomial (&weight)[3], int unit,
                     std::vector<int>& undecided) const;
  /// The same of all polynomials that lie in the balls, unit 0.
  void findUndecided(const BallPolynomial& base, const BallPolynomial (&weight)[3], std::vector<int>& undecided) const;

  /// Vertices that may be the farthest along an axis; at least one, unless the set is empty.
  void findFarthest(const Vector3& axis, std::vector<int>& farthest) const;

 private:
  int lowest_bit_;
  std::vector<double> y_[3];  // Three arrays: the loops take one coefficient for all vertices.
  double reach_[3] = {};      // Largest |y|.
};

}  // namespace rigor::verify
