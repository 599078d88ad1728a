// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "impact/resolver.h"

namespace rigor::viewer {

/// What is proved of all outcomes of an impact without restitution, along axes: rows * velocity.
struct ProvedSet {
  struct Range {
    double low = 0, high = 0;
  };
  /// Polytopes of which every point is an outcome: their vertices, a number an axis [m/s].
  std::vector<std::vector<std::vector<double>>> pieces;
  /// The vertices of all of them, or extremes that a search found, each once: how an impact gets there, segment by
  /// segment (impact::outcomesAlong). Empty for one to which no chain of forces was found.
  std::vector<std::vector<impact::ImpactOutcome>> ways;
  std::vector<Range> inner;  ///< Of each axis: between two outcomes.
  std::vector<Range> outer;  ///< Of each axis: no outcome lies outside. Equal to `inner` where the set is complete.
  bool complete = false;     ///< `pieces` are the whole set.
  int cone_edges = 0;        ///< Directions that stand for the round cone of spatial contacts; 0: there are none.
  std::string note;          ///< What is not there, and why.
  bool empty() const { return outer.empty(); }
};

/// The exact set where it is found in some seconds; else what a search reached and bounds from outside. Empty, with a
/// note, for problems that rebound. Nothing is said of what an interruption cut off.
/// @param cone_edges  Directions that stand for the round cone of a spatial contact. @param goes_on  Asked now and
/// then; false: ends. @param effort  Of the work that a search and bounds may take, those seconds: a share in (0, 1].
ProvedSet proveOutcomes(const impact::ImpactProblem& problem, int cone_edges, const Eigen::MatrixXd& rows,
                        const std::function<bool()>& goes_on, double effort = 1);

}  // namespace rigor::viewer
