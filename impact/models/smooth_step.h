// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <vector>

#include "impact/lcp/contact_rows.h"
#include "impact/lcp/lemke.h"
#include "impact/random_stream.h"

namespace rigor::impact {

/// One step of the Routh set model with Coulomb's round cone: impulses f = (n_i, t_i), v' = A f + b, with
///   0 <= n_i <= limit_i:  v'_n >= 0 where n = 0,  = 0 between,  <= 0 where n = limit;
///   |t_i| <= mu_i (given_i + n_i),  t_i = -mu_i (given_i + n_i) v'_t / |v'_t| where v'_t != 0.
/// v'_n is the velocity after given_i acted too: b includes A given.
///
/// Guarantee on kSolved: the natural map
///   n - clamp(n - v'_n, 0, limit),  t - P(t - v'_t),  P the projection on the disc of radius mu (given + n),
/// computed from A and b as given, is at most `tolerance` times the larger of |b|, |A f| and 1e-3 (all of order one).
///
/// Block Gauss-Seidel sweeps from a random start in the cone, in a random order, so that where a step has several
/// solutions none is preferred by the contacts' order or the frame; then semismooth Newton steps with a line search,
/// and again. Which of several solutions is found, and how often, is that of their basins. No allocation once it has
/// seen the largest problem. Cost: some 6 factorisations of all rows.
class SmoothStep {
 public:
  /// @param lcp  Prepared with round cones.
  void prepare(const ContactLcp& lcp);
  const ContactRows& rows() const { return rows_; }

  /// @param b  Scaled contact velocities without any of these impulses. @param limit, given  m, scaled.
  /// @param start  Scaled impulses to start from, or null: a random start.
  [[nodiscard]] LcpStatus solve(const double* b, const double* limit, const double* given, double tolerance,
                                const double* start, RandomStream& random);
  /// Scaled, of the last solution, with `given`.
  const double* impulse() const { return f_.data(); }
  double residual() const { return residual_; }

 private:
  struct Disc;
  Disc disc(std::size_t contact, const double* f) const;
  int linearise();
  bool isSettled() const;
  // For a number of rows that the compiler knows; 0: any.
  template <int kRows>
  double evaluate(const double* f, double* map);
  template <int kRows>
  bool newton(double tolerance);
  template <int kRows>
  void sweep();
  template <int kRows>
  bool descend(int sweeps, double tolerance);

  ContactRows rows_;
  std::vector<double> mu_;
  const double *limit_ = nullptr, *given_ = nullptr;
  // Vectors that keep their room: the number of rows changes from impact to impact. f_ is without given_ inside
  // solve().
  std::vector<double> b_, f_, trial_, y_, map_, trial_map_, step_, right_, lu_;
  std::vector<int> pivot_, place_;  // place_: of each contact's rows in lu_, -1 for none
  std::vector<std::size_t> order_;  // of the contacts in a sweep
  double residual_ = 0, scale_ = 1;
};

}  // namespace rigor::impact
