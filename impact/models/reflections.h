// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace rigor::impact {

/// Elastic impacts as sequences of reflections, in the space of the m normal velocities (Seghete & Murphey, Sec. III).
///
/// An impact at contact i alone reflects: w <- w - 2 (w_i / A_ii) A e_i, A = J_n M^-1 J_n' (their Eq. (7)). A sequence
/// of reflections is MINIMAL (their Definition 1) if it leaves no contact approaching and no proper subsequence does.
///
/// Two readings had to be chosen. (1) Every reflection acts on a contact that approaches at that moment, as in the
/// recursion of Sec. III: contacts push. For two contacts Definition 1 implies it; for three or more it would otherwise
/// admit sequences that pull, often infinitely many. The subsequences that a sequence is held against are any. (2) The
/// paper's set S holds the contacts that approach before; here all contacts of the problem count, as in its own
/// Newton's cradle, where the second contact only touches.
struct ReflectionSequence {
  std::vector<int> contacts;        ///< In the order of the reflections; the sequence found first.
  Eigen::VectorXd normal_velocity;  ///< m, after.
  Eigen::VectorXd impulse;          ///< m, >= 0: sums over the sequence.
  double count = 0;                 ///< Minimal sequences with this outcome; exact up to 2^53. Only from findAll.
};

enum class ReflectionStatus {
  kComplete,  ///< Every minimal sequence was found.
  kNone,      ///< There is none: the contacts are jammed.
  kBudget,    ///< Stopped by `max_work` or by memory: there may be more.
};

struct ReflectionOptions {
  double tolerance = 1e-10;         ///< w_i >= -tolerance max|w before| does not approach [-].
  std::size_t max_work = 50000000;  ///< Reflections looked at, subsequences included.
};

/// Finds the minimal sequences by depth-first search, the contact that approaches fastest (in the kinetic metric,
/// w_i / sqrt(A_ii)) first; equal ones in the order given by `rank`. The first sequence found is thus the one that
/// always serves the fastest contact, as far as that is minimal.
///
/// Prefixes that reached the same velocity with the same velocities of their subsequences are continued once, so that
/// reflection groups (a cradle of 7 balls: 1,100,742,210 sequences) take as many steps as they have elements.
/// Cost: exponential in the length of the sequences where nothing repeats; bounded by `max_work`.
/// @param A  m x m. @param w  m, before. @param rank  A permutation of the contacts that breaks ties.
[[nodiscard]] ReflectionStatus findAllReflections(const Eigen::MatrixXd& A, const Eigen::VectorXd& w,
                                                  const std::vector<int>& rank, const ReflectionOptions& options,
                                                  std::vector<ReflectionSequence>& sequences);

/// The first of them alone. kComplete: found.
[[nodiscard]] ReflectionStatus findFirstReflections(const Eigen::MatrixXd& A, const Eigen::VectorXd& w,
                                                    const std::vector<int>& rank, const ReflectionOptions& options,
                                                    ReflectionSequence& sequence);

}  // namespace rigor::impact
