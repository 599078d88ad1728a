// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "impact/sets/scaled_force.h"

namespace rigor::impact {

/// Finds a potential (impact/sets/potential.h) that is small at the start, in doubles, in the kinetic metric.
struct PotentialTask {
  int contacts = 0;
  Eigen::MatrixXd forms;                 ///< Rows of length one: normals of all contacts, then features.
  std::vector<ScaledForce> forces;
  Eigen::VectorXd start, goal;           ///< Of length one.
  std::vector<std::vector<int>> parts;   ///< Signs of the forms that some states inside have.
};

struct FoundPotential {
  Eigen::MatrixXd square, linear, cross;    ///< linear: a row for each form; cross: above the diagonal.
  std::vector<Eigen::MatrixXd> products;    ///< Of each part without approaching contacts, upper triangles.
  double value = 0;                         ///< At the start.
  /// x'S_s x of a part.
  [[nodiscard]] Eigen::MatrixXd of(const std::vector<int>& signs, const Eigen::MatrixXd& forms) const;
};

/// A barrier method: rows "no force raises it along an extreme ray of the cone where it acts", relaxed by 1e-5, and
/// positive definite matrices where contacts have ended. Deterministic.
/// @param work  what is left, less what it took. @returns false where it ends before a point inside is found.
[[nodiscard]] bool findPotential(const PotentialTask& task, const std::function<bool()>& goes_on, std::int64_t& work,
                                 FoundPotential& found);

}  // namespace rigor::impact
