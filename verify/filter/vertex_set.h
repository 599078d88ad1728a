// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <vector>

#include "verify/filter/ball.h"
#include "verify/kernel/run.h"

namespace rigor::verify::filter {

/// The vertices y = v - centre of a part, rounded to doubles, to decide most of them at once: what comes out needs a
/// closer look, the rest is proved. All bounds include every rounding; NaN and infinity decide nothing.
class VertexSet {
 public:
  /// Of a round part, its core.
  VertexSet(const kernel::Part& part, const kernel::Vector3& centre);

  /// Vertices of which some f = base + y.weight in the balls may have a coefficient that is not positive, in order.
  /// @pre equal degrees.
  void findUndecided(const BallPolynomial& base, const BallPolynomial (&weight)[3], std::vector<int>& undecided) const;

  /// Vertices that may be the farthest along an axis; at least one, unless the set is empty.
  void findFarthest(const kernel::Vector3& axis, std::vector<int>& farthest) const;

 private:
  /// Vertices that lie near each other, and their box.
  struct Cluster {
    std::size_t first, last;
    double low[3], high[3];
  };
  void cluster(std::size_t first, std::size_t last);
  /// Whether low[c] + y.weight is positive of all y in the box, for all c < terms.
  static bool isAbove(const Cluster& cluster, const double* low, const BallPolynomial (&weight)[3], int terms);

  std::vector<int> number_;   // Of a place: the vertex. Those of a cluster follow each other.
  std::vector<double> y_[3];  // By place. Three arrays: the loops take one coefficient for all vertices.
  double reach_[3] = {};      // Largest |y|.
  std::vector<Cluster> clusters_;
};

}  // namespace rigor::verify::filter
