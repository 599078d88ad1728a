// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/problem/impact_problem.h"

namespace rigor::impact {

/// Decides from independent outcomes, one after the other, whether they cover the set that they are drawn from.
///
/// Guarantee: the rule is met although a fresh outcome lies within `radius` of a known one with a probability below
/// `probability` in at most the share `risk` of all runs, for any set and any distribution of outcomes on it.
///
/// Known ones are the outcomes kept so far: an outcome is kept unless it lies within `radius` of one kept before (a
/// hit). Let p_k be the probability that outcome k is a hit given those before; it never decreases. At checkpoints N_1
/// < N_2 <
/// ..., a factor 1.25 apart, the hits h among the last half of the outcomes are counted. While p_k < P they are
/// dominated by a binomial variable with parameter P, so that the lower limit of Clopper and Pearson, the p with
/// P(Bin(B, p) >= h) = risk_j, exceeds P by chance with probability at most risk_j = risk / (j (j + 1)), which sum to
/// risk. The first checkpoint is the first at which no miss at all would suffice. Later outcomes only raise the
/// coverage.
///
/// Distances are kinetic, relative to |v-|. Cost of an outcome: O(n) for each kept one near it, found in a grid.
class CoverageRule {
 public:
  /// @throws std::invalid_argument unless radius > 0, 0 < probability < 1, 0 < risk < 1.
  CoverageRule(const ImpactProblem& problem, double radius, double probability, double risk);

  /// Counts one more outcome. @returns true from the checkpoint on at which the rule is met.
  bool add(const Eigen::Ref<const Eigen::VectorXd>& velocity);
  /// A last checkpoint at the present outcome, where the outcomes end before the rule is met.
  bool finish();

  bool met() const { return met_; }
  /// Lower limit of the probability at the last checkpoint, one-sided with that checkpoint's risk; 0 before the first.
  double lowerLimit() const { return lower_limit_; }
  long outcomes() const { return static_cast<long>(hit_.size()); }
  long kept() const { return kept_; }

 private:
  void check();

  Eigen::MatrixXd factor_;  // U / |v-|, U'U = M: distances are Euclid's of U v
  double radius_, probability_, risk_;
  Eigen::VectorXd x_;
  std::vector<double> points_;                      // kept outcomes, n numbers each
  std::vector<int> cell_next_, cell_head_;          // chains of the hash grid over two coordinates
  std::vector<unsigned char> hit_;
  long kept_ = 0, next_check_ = 0;
  int checks_ = 0;
  double lower_limit_ = 0;
  bool met_ = false;
};

/// The p with P(X >= hits) = risk for X binomial of `trials` and p: below it with probability at most `risk`. 0 for 0
/// hits.
[[nodiscard]] double clopperPearsonLower(long hits, long trials, double risk);

}  // namespace rigor::impact
