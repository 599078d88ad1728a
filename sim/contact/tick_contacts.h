// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "friction/solver.h"
#include "sim/contact/contact_system.h"

namespace rigor::sim {

/// Of everything in a tick: of bodies by slot, of robots their coordinates'. Those of links follow from the latter.
struct TickVelocities {
  std::vector<Vector6d> bodies;
  std::vector<Eigen::VectorXd> robots;
};

/// The contact problem of one tick of a crowd, at velocity level (friction/problem.h): bodies and robots with the
/// inertia that they have where they were placed last, impulses of the last solution as guess.
class TickContacts {
 public:
  /// Bodies and robots, and their velocities without contacts. @pre `system` has placed them.
  void setBodies(const SystemState& bodies, const TickVelocities& free_velocities, ContactSystem& system);
  /// Begins a new set of contacts of those bodies.
  void clearContacts();
  /// Contact c of the system.
  /// @param offset  Of the normal velocity [m/s].  @param guess  Impulse [N s].
  void add(const Contact& contact, int c, const ContactSystem& system, double offset, const Eigen::Vector3d& guess);
  /// The same of a brake: a pad, a body of its own that its joint's friction presses on by `impulse` in the tick [N s].
  void addBrake(const Contact& contact, int c, ContactSystem& system, double impulse, const Eigen::Vector3d& guess);
  /// Velocities that obey the law within `tolerance` [m/s], but for those of links, and impulses by contact in the
  /// order of add().
  /// @returns false where there is only the best that was found.
  [[nodiscard]] bool solve(double tolerance, TickVelocities& u);
  /// Exchanges the impulses of the last solution for those of least norm that make the same velocities, if any obey the
  /// law as well.
  void spread(double tolerance) { (void)solver_.takeLeastNorm(tolerance); }
  Eigen::Vector3d impulse(int k) const { return solver_.impulse(k); }
  const friction::Solver& solver() const { return solver_; }

 private:
  struct BodyData {
    int slot;
    double mass;
    Eigen::Matrix3d inertia;
    Vector6d velocity;
  };
  struct RobotData {
    Eigen::MatrixXd inertia;
    Eigen::VectorXd velocity;
  };
  const Eigen::Matrix3Xd& rowsOf(int c, int body, const ContactSystem& system, const Eigen::Matrix<double, 3, 6>& own,
                                 Eigen::Matrix3Xd& rows) const;

  std::vector<RobotData> robots_;  // Bodies 0, 1, ... of the problem,
  std::vector<BodyData> bodies_;   // and the others.
  std::vector<int> owner_;         // By slot: the body of the problem.
  Eigen::Matrix3Xd rows_a_, rows_b_;  // Of the contact at hand.
  friction::Problem problem_;
  friction::Solver solver_;
};

}  // namespace rigor::sim
