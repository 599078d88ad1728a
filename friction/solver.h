// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "friction/body_graph.h"
#include "friction/interior_point.h"
#include "friction/least_norm.h"
#include "friction/problem.h"
#include "friction/proximal_newton.h"

namespace rigor::friction {

/// What solve() tries, in this order, until one has reached the tolerance. docs/contact-solver.md shows the table
/// `attempts()`.
enum class Attempt : unsigned char { kGuess, kWarm, kCentral, kCold, kGentle, kSoft, kOnward };
inline constexpr int kNumAttempts = 7;

struct AttemptRow {
  Attempt attempt;
  const char* name;
  const char* condition;  ///< When it is tried.
  const char* does;
};
std::span<const AttemptRow> attempts();

struct SolverOptions {
  double tolerance = 1e-9;    ///< Residual to reach [m/s] (Problem::residual).
  int iterations = 400;       ///< Newton steps of one attempt.
  bool persistent =
      true;  ///< False: give up after the attempts that solve nearly all (for callers that can change their problem).
  int patience = 1 << 30;  ///< Newton steps of an attempt in which its residual may fail to halve. Fewer than
                           ///< `iterations`: what may have no solution.
};

/// Contact problems of 1 to 5,000 contacts, friction 0 to no-slip, mass ratios to 1e8.
///
/// Guarantee: solved() only where the residual of the impulses returned, computed from the problem's data, is within
/// the tolerance; the impulses are in their cones (f_n >= 0 exactly, |f_t| <= mu f_n up to rounding) and velocities()
/// are exactly what they make of u0. Same problem, same bits: no threads, no clocks. Velocity-level problems with
/// finite friction always have a solution; those with kSliding or infinite friction may have none. Cost:
/// docs/contact-solver.md. No allocation while the graph of bodies stays the same. One per thread.
class Solver {
 public:
  struct Count {
    long tried = 0, solved = 0, iterations = 0;
  };
  /// @returns whether the tolerance was reached; if not, the best impulses found are the result.
  [[nodiscard]] bool solve(const Problem& problem, const SolverOptions& options);

  double residual() const { return residual_; }  ///< Of the result [m/s].
  std::span<const Eigen::Vector3d> scaledImpulses() const { return f_; }
  Eigen::Vector3d impulse(int contact) const { return problem_->impulse(contact, f_[contact]); }
  /// Velocity of body i, to `out` of its size.
  void velocity(int i, double* out) const { problem_->velocity(i, v_.data(), out); }

  /// Exchanges the impulses for those of least norm that make the same velocities (friction/least_norm.h). @returns
  /// false, with the impulses as they were, where none were found that obey the law as well as they did.
  bool takeLeastNorm(double tolerance);

  const Count& count(Attempt a) const { return counts_[static_cast<int>(a)]; }
  long solves() const { return solves_; }

 private:
  bool applies(Attempt a, const SolverOptions& options) const;
  void run(Attempt a, const SolverOptions& options);
  void proximal(const SolverOptions& options, double stiffness, double growth);

  const Problem* problem_ = nullptr;
  BodyGraph graph_;
  ProximalNewton proximal_;
  InteriorPoint interior_;
  LeastNorm least_norm_;
  double residual_ = 0;
  bool sticks_ = false, slides_ = false;
  int last_iterations_ = 0;
  std::vector<Eigen::Vector3d> f_, trial_;
  std::vector<double> v_, room_;
  std::array<Count, kNumAttempts> counts_;
  long solves_ = 0;
};

}  // namespace rigor::friction
