// SPDX-License-Identifier: MIT
#pragma once
#include <bitset>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "impact/sets/exact_vector.h"

namespace rigor::impact {

/// A computation with exact sets went beyond its limits of work or size.
class ExactLimit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Is told now and then how much of a computation is done; false ends it there, with what was found.
using GoesOn = std::function<bool(std::int64_t done, std::int64_t of)>;

/// What a computation may do: counted in steps that do not depend on the machine.
struct ExactBudget {
  std::int64_t work = 0;   ///< Done so far: products of entries, about.
  std::int64_t limit = 0;  ///< 0: none.
  GoesOn goes_on = nullptr;
  std::int64_t next_told = 0;
  /// @throws ExactLimit beyond the limit, and where it does not go on.
  void spend(std::int64_t steps) {
    work += steps;
    if (limit <= 0) return;
    if (work > limit) throw ExactLimit("the limit of work");
    if (!goes_on || work < next_told) return;
    next_told = work + kBetween;
    if (!goes_on(work, limit)) throw ExactLimit("an interruption");
  }
  static constexpr std::int64_t kBetween = 300'000;  // Some 50 ms.
};

/// A polyhedral cone of Q^d in both descriptions: generators (rays, lines) and constraints (half-spaces a.x >= 0,
/// equalities). Polytopes are cones over (w, w x) with w >= 0.
///
/// Double description method (Motzkin et al. 1953; adjacency by incidence, Fukuda and Prodon 1996): everything is
/// exact. After construction and after minimise() no generator and no constraint is superfluous. Cost of a constraint:
/// pairs of rays it separates, times rays. At most kMostEntries rays or half-spaces.
class ExactCone {
 public:
  static constexpr size_t kMostEntries = 1024;
  using Incidence = std::bitset<kMostEntries>;

  /// All of Q^d.
  static ExactCone whole(int dimension, ExactBudget* budget);
  /// All nonnegative combinations of `generators`.
  static ExactCone ofGenerators(int dimension, const std::vector<ExactVector>& generators, ExactBudget* budget);

  /// The cone of all its generators and these. @pre nothing is superfluous.
  ExactCone joined(const std::vector<ExactVector>& generators) const;

  /// Cuts with a.x >= 0, or a.x = 0. Redundant half-spaces may remain until minimise().
  void intersect(const ExactVector& a, bool equality);
  void minimise();

  int ambient() const { return dimension_; }
  const std::vector<ExactVector>& rays() const { return rays_; }
  const std::vector<ExactVector>& lines() const { return lines_; }
  const std::vector<ExactVector>& halfspaces() const { return halfspaces_; }
  const std::vector<ExactVector>& equalities() const { return equalities_; }
  /// Dimension of the cone itself.
  int dimension() const { return dimension_ - static_cast<int>(equalities_.size()); }
  bool contains(const ExactVector& x) const;
  /// Every generator of `other` lies in this one.
  bool contains(const ExactCone& other) const;

 private:
  bool cutLines(const ExactVector& a, bool equality);
  bool areAdjacent(size_t i, size_t j) const;
  void updateRank();
  ExactCone polar() const;

  int dimension_ = 0;
  int rank_ = 0;  // at most the dimension of the span of the rays modulo the lines: enough for a necessary condition
  ExactBudget* budget_ = nullptr;
  std::vector<ExactVector> rays_, lines_, halfspaces_, equalities_;
  std::vector<Incidence> on_;  // of each ray: the half-spaces whose boundary it lies on
};

/// Are the union of two cones and the cone of all their generators one set? Exact. If so, `hull` is that cone.
[[nodiscard]] bool joinIfConvex(const ExactCone& a, const ExactCone& b, ExactBudget* budget, ExactCone& hull);

}  // namespace rigor::impact
