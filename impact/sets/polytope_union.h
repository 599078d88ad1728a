// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <Eigen/Core>
#include <string>
#include <vector>

#include "impact/sets/exact_set.h"

namespace rigor::impact {

/// What an outcome is described by: an affine function of the coordinates of an ExactProblem.
struct ExactQuantity {
  std::string name;           ///< vn0, vt0_0, ..., v0, ...: contact velocities, then velocities.
  mpq_class offset;
  std::vector<mpq_class> of;  ///< rank

  mpq_class at(const std::vector<mpq_class>& point) const;
};

/// Contact by contact the normal and tangential velocities, then the velocities.
[[nodiscard]] std::vector<ExactQuantity> quantitiesOf(const ExactProblem& problem);

/// A union of polytopes of outcomes, in the coordinates of an ExactProblem: exact vertices and half-spaces.
class PolytopeUnion {
 public:
  struct Piece {
    int dimension = 0;
    std::vector<std::vector<mpq_class>> vertices;  ///< rank numbers each; in lexicographic order.
    std::vector<std::vector<mpq_class>> halfspaces, equalities;  ///< (b, a): b + a.x >= 0, = 0; rank + 1 numbers each.
    std::vector<std::vector<int>> facets;          ///< Of each half-space: the vertices on it.
  };
  struct Extreme {
    mpq_class value;
    int piece = 0, vertex = 0;  ///< The first of those that attain it.
  };

  PolytopeUnion() = default;
  explicit PolytopeUnion(const ExactSet& set);

  const std::vector<Piece>& pieces() const { return pieces_; }
  bool empty() const { return pieces_.empty(); }
  /// Largest dimension of a piece; -1 of none.
  int dimension() const;
  /// Largest violation of a half-space or equality of the piece that `x` violates least, as a distance to its boundary
  /// plane: a lower bound of the Euclidean distance in coordinates; 0 inside, up to rounding.
  double violation(const Eigen::Ref<const Eigen::VectorXd>& x) const;
  /// Largest value of a quantity on the union (its smallest: of the negated one). @pre not empty.
  Extreme largest(const ExactQuantity& quantity) const;
  Extreme smallest(const ExactQuantity& quantity) const;
  /// The piece's shadow in the plane of two quantities: corners counter-clockwise (1 or 2 where it is flat), exact.
  std::vector<std::vector<mpq_class>> project(int piece, const ExactQuantity& x, const ExactQuantity& y) const;
  /// Volume of a piece in its own dimension, in the metric |map x|: columns of `map` are the images of the coordinates'
  /// axes.
  double volume(int piece, const Eigen::Ref<const Eigen::MatrixXd>& map) const;

 private:
  struct Rounded {
    Eigen::MatrixXd equalities, halfspaces;  // rows (b, a) with |a| = 1
  };

  Extreme extreme(const ExactQuantity& quantity, int sign) const;
  std::vector<Piece> pieces_;
  std::vector<Rounded> rounded_;
};

}  // namespace rigor::impact
