// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "friction/solver.h"
#include "sim/contact/contact_system.h"

namespace rigor::sim {

/// The contact problem of one tick of a crowd, at velocity level (friction/problem.h): bodies with the inertia that
/// they start with, contacts where they were placed last, impulses of the last solution as guess.
class TickContacts {
 public:
  /// Bodies and their velocities without contacts.
  void setBodies(const SystemState& bodies, std::span<const Vector6d> free_velocities);
  /// Begins a new set of contacts of those bodies.
  void clearContacts();
  /// @param offset  Of the normal velocity [m/s].  @param guess  Impulse [N s].
  void add(const Contact& contact, const ContactSystem::Kinematics& at, double offset, const Eigen::Vector3d& guess);
  /// Velocities that obey the law within `tolerance` [m/s], and impulses by contact in the order of add().
  /// @returns false where there is only the best that was found.
  [[nodiscard]] bool solve(double tolerance, bool persistent, std::span<Vector6d> u);
  Eigen::Vector3d impulse(int k) const { return solver_.impulse(k); }
  const friction::Solver& solver() const { return solver_; }

 private:
  struct BodyData {
    double mass;
    Eigen::Matrix3d inertia;
    Vector6d velocity;
  };
  std::vector<BodyData> bodies_;
  friction::Problem problem_;
  friction::Solver solver_;
};

}  // namespace rigor::sim
