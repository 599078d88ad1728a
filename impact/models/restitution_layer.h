// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/models/reflections.h"
#include "impact/problem/impact_problem.h"

namespace rigor::impact {

/// What the layers of one impact share: all contacts' normals J in the kinetic metric.
struct NormalResponse {
  Eigen::MatrixXd inverse_mass;     ///< M^-1, n x n.
  Eigen::MatrixXd inverse_mass_Jt;  ///< M^-1 J', n x m.
  Eigen::MatrixXd delassus;         ///< J M^-1 J', m x m.
  std::vector<int> rank;            ///< The contacts in the order that breaks ties (reflections.h).
  double still = 0;                 ///< Normal velocities up to this one are zero [m/s].
};

/// A part of an impact: some contacts reflect, and the others are held as a plastic impact holds them.
///
/// The motion is projected onto the null space of the held contacts' normals, orthogonally in the kinetic metric
/// (Seghete & Murphey, Eq. (11)). Reflections of the others (Eq. (7)) then stay in that space: with each come the
/// impulses of the held contacts that keep it there. Where nothing is held this is their elastic impact, and where all
/// are, their plastic one. The kinetic energy does not rise; no contact approaches.
class RestitutionLayer {
 public:
  /// @param moving  The contacts that reflect, ascending.
  /// @param share  Of the outcome, from 0 to 1.
  RestitutionLayer(const ImpactProblem& problem, const NormalResponse& response, std::vector<int> moving, double share);

  /// The first minimal sequence of reflections, or all of them. kComplete with one empty sequence: nothing approaches.
  [[nodiscard]] ReflectionStatus findFirst(const ReflectionOptions& options);
  [[nodiscard]] ReflectionStatus findAll(const ReflectionOptions& options);
  const std::vector<ReflectionSequence>& sequences() const { return sequences_; }

  /// Adds the share of what a sequence does to the impulses of all m contacts, and to the velocity after (n).
  void add(const ReflectionSequence& sequence, const NormalResponse& response, Eigen::VectorXd& impulse,
           Eigen::VectorXd& velocity) const;
  /// Does the projection alone pull at a contact, by more than `share` of its strongest impulse?
  [[nodiscard]] bool pulls(double share) const;

 private:
  bool approaches() const;
  void hold(const ImpactProblem& problem, const NormalResponse& response);

  double share_;
  std::vector<int> moving_, held_, rank_;  // rank_: of moving_, by their places there
  Eigen::VectorXd velocity_;               // after the projection, n
  Eigen::VectorXd held_impulse_;           // of the projection
  Eigen::MatrixXd held_per_impulse_;       // what held_ answer to a unit impulse of each of moving_
  Eigen::MatrixXd delassus_;               // of moving_, among the motions that held_ allow
  Eigen::VectorXd approach_;               // of moving_, after the projection
  std::vector<ReflectionSequence> sequences_;
};

}  // namespace rigor::impact
