// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "friction/body_graph.h"

namespace rigor::friction {

struct InteriorOptions {
  double tolerance = 1e-9;  ///< Residual to reach [m/s].
  int iterations = 15;
};

/// Primal-dual interior point steps for the contact problem as a pair of second-order cones: impulses in Coulomb's
/// cone, and w + (mu |w_t|, 0, 0) in its dual (De Saxce), with |w_t| taken from the step before. Cones are scaled to
/// self-dual ones by diag(1/mu, 1, 1), steps by Nesterov and Todd's scaling with Mehrotra's predictor and corrector;
/// the Schur complement 1 + J^T W^2 J is on the graph of bodies. Where nothing slides it converges by itself in about
/// ten steps, whatever the masses; sliding stalls it: a start for ProximalNewton. Contacts without friction are
/// half-lines. Not for kSticks and kSliding.
class InteriorPoint {
 public:
  struct Result {
    double residual;
    int iterations;
  };
  /// @param f  Out: the best impulses met, in their cones, scaled.
  Result solve(const Problem& problem, BodyGraph& graph, std::span<Eigen::Vector3d> f, const InteriorOptions& options);

 private:
  struct Cone {
    Eigen::Vector3d x, z, dx, dz;         ///< Scaled to the self-dual cone; w_n offset by the shift.
    Eigen::Vector3d scaled, rhs;          ///< lambda = W z = W^-1 x; the right-hand side of complementarity.
    Eigen::Matrix3d W, inverse_W;
    double mu = 0;
    bool line = false;                    ///< Without friction.
  };
  void start(const Problem& problem);
  static void startCone(Cone& cone, double size);
  bool scale(Cone& cone) const;
  bool direction(const Problem& problem, BodyGraph& graph);
  double longestStep() const;
  void shift(const Problem& problem);
  double candidate(const Problem& problem);

  std::vector<Cone> cones_;
  std::vector<double> v_, dv_, dual_, room_;
  std::vector<Eigen::Vector3d> primal_, f_, best_;
  std::vector<Eigen::Matrix3d> S_;
};

}  // namespace rigor::friction
