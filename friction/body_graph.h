// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

#include "friction/block_factor.h"
#include "friction/problem.h"

namespace rigor::friction {

/// The matrix 1 + sum J_c^T S_c J_c of a problem on the graph of its bodies, with a 3 x 3 matrix S_c for each contact,
/// and its factors. Its unknowns are velocities of bodies, never impulses: contacts that say the same thing only add
/// up.
class BodyGraph {
 public:
  /// Finds the graph. The problem must outlive what follows.
  void set(const Problem& problem);
  /// @returns false where the matrix is singular.
  [[nodiscard]] bool factor(std::span<const Eigen::Matrix3d> S);
  void solve(double* v) { factor_.solve(v); }

 private:
  void addOne(const Problem::Side& side, const Eigen::Matrix3d& S);
  void addPair(const Problem::Side& a, const Problem::Side& b, const Eigen::Matrix3d& S, int edge);

  const Problem* problem_ = nullptr;
  BlockFactor factor_;
  std::vector<int> sizes_, edge_;  // edge_: number of each contact's edge, -1 where one side is fixed.
  std::vector<std::pair<int, int>> edges_;
  std::vector<int> first_edge_, next_edge_;
};

}  // namespace rigor::friction
