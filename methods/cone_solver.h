// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "friction/problem.h"

namespace rigor::methods {

/// The convex relaxation of the contact problem (Anitescu, Optimization-based simulation of nonsmooth rigid multibody
/// dynamics, 2006): the cone complementarity problem
///   K_mu contains f, K_mu* contains w = J u + offset, f.w = 0,   K_mu = { |f_t| <= mu f_n },
/// the optimality condition of  min f.(J M^-1 J^T) f / 2 + f.(J u0 + offset)  over the cones. u is unique; a solution
/// exists wherever the constraints have one, as where no offset is negative. Where a contact slips with speed s, it
/// separates at w_n = mu s: that is what convexity costs.
///
/// By Nesterov's accelerated projected gradients with restarts (Mazhar, Heyn, Negrut and Tasora, Using Nesterov's
/// method to accelerate multibody dynamics with friction and contact, 2015). The step is a bound of the largest
/// eigenvalue by power iteration, so the objective falls.
class ConeSolver {
 public:
  /// @returns whether the residual max unit |f - P(f - w)| [m/s] reached the tolerance within `iterations`.
  [[nodiscard]] bool solve(const friction::Problem& problem, double tolerance, int iterations = 200000);

  std::span<const Eigen::Vector3d> scaledImpulses() const { return f_; }
  void velocity(int body, double* out) const { problem_->velocity(body, v_.data(), out); }
  double residual() const { return residual_; }  ///< [m/s]

 private:
  double largestEigenvalue();
  void velocities(std::span<const Eigen::Vector3d> f);
  double residualAt(std::span<const Eigen::Vector3d> f);

  const friction::Problem* problem_ = nullptr;
  std::vector<Eigen::Vector3d> f_, y_, next_, best_;
  std::vector<double> v_;
  double residual_ = 0;
};

/// The point of the cone { |f_t| <= mu f_n } that is nearest to z. mu may be infinite.
Eigen::Vector3d nearestOfCone(const Eigen::Vector3d& z, double mu);

}  // namespace rigor::methods
