// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "friction/body_graph.h"

namespace rigor::friction {

struct ProximalOptions {
  double tolerance = 1e-9;   ///< Residual to reach (Problem::residual) [m/s].
  double stiffness = 1;      ///< rho to start from.
  double growth = 5;
  int iterations = 400;      ///< Newton steps in all,
  int patience = 1 << 30;    ///< and those in which the residual may fail to halve: what has no solution ends there.
};

/// Proximal Newton method (method of multipliers) on the graph of bodies.
///
/// For anchors a and a stiffness rho the inner problem  F(v) = v - v0 - J^T P(a - rho w(v)) = 0  is solved by
/// semismooth Newton steps with the matrix 1 + rho J^T G J, G = dP/dz: unsymmetric where contacts slip, as friction
/// follows the normal force within the step. Then a := P, and rho grows; where it is not solved, rho shrinks. As a
/// moves, rho need not be infinite: the answer has no compliance left in it. Each inner problem starts from a step with
/// the branches of P at the solution before. Redundant contacts need no care: their impulses end near the anchors.
class ProximalNewton {
 public:
  struct Result {
    double residual;    ///< Of the impulses returned, from the problem's data.
    int iterations;     ///< Newton steps taken.
  };
  /// @param f  In: impulses to start from. Out: the best found. Scaled, in their cones.
  Result solve(const Problem& problem, BodyGraph& graph, std::span<Eigen::Vector3d> f, const ProximalOptions& options);

 private:
  double evaluate(const Problem& problem, double rho, const std::vector<double>& v, std::vector<Eigen::Vector3d>& z,
                  std::vector<Eigen::Vector3d>& p, std::vector<double>& F) const;
  double inner(const Problem& problem, BodyGraph& graph, double rho, double size, double goal, int max_steps,
               int& steps);
  double largestChange(const Problem& problem, const std::vector<double>& F, double goal) const;
  double predict(const Problem& problem, BodyGraph& graph, double rho, double size);

  std::vector<double> v_, trial_, best_v_, F_, F_trial_, F_best_, step_, room_, start_;
  std::vector<Eigen::Vector3d> a_, z_, p_, z_trial_, p_trial_, z_best_, p_best_, best_, z_solved_;
  std::vector<Eigen::Matrix3d> S_;
};

}  // namespace rigor::friction
