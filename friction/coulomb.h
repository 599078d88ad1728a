// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "friction/contact_mode.h"

namespace rigor::friction {

/// The contact problem with Coulomb's smooth cone: find f with a = A f + b and, for every contact i (rows 3i: normal,
/// 3i + 1, 3i + 2: tangential),
///   0 <= f_n  complementary to  a_n >= 0,
///   |f_t| <= mu f_n,  f_t = -mu f_n a_t/|a_t| where a_t != 0;
/// contacts with `slides` true slide already: f_t = -mu f_n direction whatever a_t is.
/// The same law serves accelerations (f forces), velocities (f impulses) and every stage of an integrator.
struct CoulombProblem {
  Eigen::Ref<const Eigen::MatrixXd> A;    ///< 3m x 3m, symmetric positive semidefinite (Delassus); rank may be low.
  Eigen::Ref<const Eigen::VectorXd> b;    ///< 3m.
  std::span<const double> mu;             ///< m, >= 0, kNoSlip allowed.
  std::span<const unsigned char> slides;  ///< m.
  std::span<const Eigen::Vector2d> direction;  ///< m, unit where slides.
  /// m, or none. Contacts of one tangent: their rows 3i and 3i + 2 are coupled to nothing, as of the pads that brake
  /// joints, and cost no unknowns while they stick.
  std::span<const unsigned char> one_tangent = {};
};

enum class CoulombStatus {
  kSolved,       ///< Residual of the natural map below the tight tolerance.
  kApproximate,  ///< Below the loose tolerance: usable by a caller that checks its own result.
  kFailed,       ///< Neither: f must not be used (inconsistent problems - Painleve - end here too).
};

struct CoulombOptions {
  double tolerance = 1e-7;        ///< Natural-map residual, relative to the scale of b (and of A f). kSolved.
  double loose_tolerance = 1e-5;  ///< The same, kApproximate.
  int max_set_changes = 24;       ///< Per attempt of the active-set search; up to 240 for many contacts.
  bool persistent = true;         ///< False: without the graph's slow attempts, for callers that can do without.
};

/// What CoulombSolver::solve() tries, in this order, until one has an answer. docs/contact-solver.md shows the table.
enum class CoulombAttempt : unsigned char { kSearch, kGuess, kGraph, kSqueeze };
inline constexpr int kNumCoulombAttempts = 4;

struct CoulombAttemptRow {
  CoulombAttempt attempt;
  const char* name;
  const char* condition;  ///< When it is tried.
  const char* does;
};
std::span<const CoulombAttemptRow> coulombAttempts();

struct CoulombWorkspace;

/// Solver with its workspace. One per thread. No allocation once it has seen the largest m.
///
/// Guarantee: kSolved and kApproximate only where the natural-map residual of the answer, computed from the original A
/// and b, is within the tolerance; f_n >= 0 exactly, and |f_t| <= mu f_n up to rounding. Where contacts are redundant
/// the forces are about those of least norm, of more than 8 contacts those nearest to the ones given; rows of them that
/// contradict each other by less than the loose tolerance, and violate nothing else, are kApproximate. Velocity-level
/// problems (b = J v) always have a solution, acceleration-level ones with `slides` may have none, or several.
///
/// Cost with a right guess: one factorisation of the active rows (0.2 us for 1, 0.7 us for 4 contacts, 35 us for a
/// stack of 10 boxes with 40; only the band counts); a problem without solution costs up to a millisecond for few
/// contacts.
class CoulombSolver {
 public:
  CoulombSolver();
  ~CoulombSolver();
  CoulombSolver(const CoulombSolver&) = delete;
  CoulombSolver& operator=(const CoulombSolver&) = delete;

  /// @param modes  In: a guess (warm start). Out: the modes of the solution.
  /// @param direction_out  Out: slip directions of contacts in mode kSlip.
  /// @param f  In: a guess. Out: the solution.
  [[nodiscard]] CoulombStatus solve(const CoulombProblem& problem, std::span<ContactMode> modes,
                                    std::span<Eigen::Vector2d> direction_out, Eigen::Ref<Eigen::VectorXd> f,
                                    const CoulombOptions& options = {});

  /// Natural-map residual of the last solution, against the original A, scaled as in CoulombOptions.
  double residual() const;

  struct Count {
    long tried = 0, solved = 0;
  };
  struct Stats {
    long solves = 0, set_changes = 0, failures = 0;
    Count attempts[kNumCoulombAttempts];
    const Count& of(CoulombAttempt a) const { return attempts[static_cast<int>(a)]; }
  };
  const Stats& stats() const;

 private:
  std::unique_ptr<CoulombWorkspace> work_;
};

}  // namespace rigor::friction
