// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/lcp/contact_rows.h"

namespace rigor::impact {

/// All solutions of one step of the Routh set model, for problems of few contacts: 0 <= ln <= limit with, per contact,
///   separated   ln = 0,        vn' >= 0,
///   compressing 0 <= ln <= limit, vn' = 0,      either with stick, slip along one of the cone's directions, or
///   (spatial) saturated   ln = limit,    vn' <= 0,        slip between two neighbouring ones.
/// Where contacts give impulses back (`returns`), ln lies between given and given + limit instead, and those that
/// separate have friction, too: they stick or slip as the saturated ones do. In each combination of modes impulses and
/// velocities are linear in (J v, limit), and so are the conditions under which it holds: rows that are computed once a
/// problem, so that a step is a scan of inner products. The scan takes the two conditions that reject most of a mode
/// first, side by side for all modes; few modes are looked at further.
///
/// Guarantee: v' of every basic solution of the step's LCP is found, each once, in rounding arithmetic; combinations
/// that leave impulses open are represented by the mean of the vertices of their solutions, so that nothing depends on
/// the contacts' order (where impulses are returned, their shares matter). Answers are candidates: the caller checks
/// each against the LCP. A planar contact has 7 modes, a spatial one with k edges 4 k + 3, a frictionless one 3; with
/// returns 9, 6 k + 3, 3.
class StepModes {
 public:
  /// @returns false where the modes would be more than `max_modes`, or the solution is unique anyway (no friction, or
  /// one contact with A_nn > mu |A_nt|): then there is nothing to solve here.
  /// @pre sizes and values were checked (ContactLcp::prepare()); friction is finite.
  bool prepare(const ImpactProblem& problem, const std::vector<double>& friction, int cone_edges, int max_modes,
               bool returns = false);

  const ContactRows& rows() const { return contact_rows_; }

  /// Finds the distinct solutions of the step from contact velocities b = J v with these limits, scaled as in
  /// ContactRows. @param given  m, scaled like limits; @pre null if and only if prepared without `returns`.
  /// @returns their number.
  int solve(const double* b, const double* limit, const double* given = nullptr);
  /// Impulses of solution k, with those given, like the rows of J, scaled as the limits.
  const double* impulse(int k) const { return impulse_.data() + static_cast<std::size_t>(k) * rows_; }
  /// Contact velocities after it, scaled.
  const double* velocity(int k) const { return velocity_.data() + static_cast<std::size_t>(k) * rows_; }
  /// Replaces solution k by the last one.
  void drop(int k);

 private:
  struct Contact {
    int row, tangents;
    double mu;
  };
  struct Mode {
    int first_condition, conditions, impulses;  // offsets in rows of width_
  };
  struct Equations;
  struct ContactPart;
  void addMode(const std::vector<int>& choice);
  void arrangeScan(const Eigen::VectorXd& velocity);

  ContactRows contact_rows_;
  std::vector<Contact> contacts_;
  std::vector<double> cos_, sin_;
  bool returns_ = false;
  int rows_ = 0, width_ = 0;  // of J; that and the contacts' limits, and what they give
  std::vector<Mode> modes_;
  std::vector<double> condition_, map_;  // rows of width_
  // The first kScanned conditions of all modes: for each a number a mode for every entry of the input; modes in lanes.
  std::vector<double> scan_, worst_;
  std::vector<int> passed_;
  int lanes_ = 0;
  std::vector<double> input_, impulse_, velocity_;  // of the solutions found, rows_ each,
  std::vector<int> times_;                          // and how often it was met
  int found_ = 0;
};

/// Modes of one contact: tangent rows 0, 1 or 2.
[[nodiscard]] int numStepModes(int tangents, int cone_edges, bool returns = false);

}  // namespace rigor::impact
