// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "friction/body_graph.h"

namespace rigor::friction {

/// Impulses of least norm (scaled: sum of f^2 d over the contacts) among those that obey the law and make the same
/// velocities.
///
/// Where contacts are more than bodies can tell apart, impulses are not unique and a solver's answer depends on where
/// it started. The least of them do not: they are the one solution of a convex problem, so neither the order of
/// contacts nor the start matters. Contacts that slip keep f_t = -mu f_n w_t / |w_t|, those that open carry nothing.
/// Solved by the proximal point iteration on the graph of bodies.
class LeastNorm {
 public:
  /// @param v  Scaled velocities that f makes.  @param f  In: impulses that obey the law. Out: the least.
  /// @returns false, with f as it was, where the result would obey it with a residual above `tolerance` [m/s].
  bool project(const Problem& problem, BodyGraph& graph, std::span<const double> v, std::span<Eigen::Vector3d> f,
               double tolerance);

 private:
  std::vector<Eigen::Matrix3d> S_;
  std::vector<Eigen::Vector3d> g_, p_;
  std::vector<double> y_, rhs_, F_;
};

}  // namespace rigor::friction
