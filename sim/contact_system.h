// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "dynamics/rigid_body.h"
#include "impact/coulomb.h"
#include "sim/contact.h"

namespace rigor::sim {

using dynamics::Vector6d;

/// A body as the contact equations see it.
struct SystemBody {
  const dynamics::RigidBody* model = nullptr;
  dynamics::RigidBodyState state;
  Vector6d acceleration = Vector6d::Zero();  ///< Result of solveAccelerations().
};

/// The contact equations of one island at one configuration: Jacobians, Delassus matrix, and the Coulomb problems on
/// them for velocities and accelerations. Holds the workspace of the event loop: no allocation in the steady state.
class ContactSystem {
 public:
  /// Kinematics of a contact at the current configuration.
  struct Kinematics {
    double gap;                                  ///< [m]
    Eigen::Vector3d point;                       ///< World [m].
    Eigen::Matrix3d frame;                       ///< Rows: n, t1, t2; world.
    Eigen::Matrix<double, 3, 6> Ja, Jb;          ///< Contact velocity = Ja u_a + Jb u_b.
    Eigen::Matrix<double, 6, 3> WJa, WJb;        ///< Inverse mass times J^T.
    Eigen::Vector3d bias;                        ///< J' u: contact acceleration without body acceleration.
  };

  /// Recomputes everything that depends on positions and velocities. `fixed_pose(i)` of the two bodies of each contact
  /// come with the contact's slots: slot -1 reads fixed_a / fixed_b.
  void update(std::span<const SystemBody> bodies, std::span<const Contact> contacts,
              std::span<const geom::Pose> fixed_a, std::span<const geom::Pose> fixed_b, bool with_delassus = true);

  /// Takes the contacts that are `held` now into the contact problem, at the configuration of the last update().
  void assembleHeld(std::span<const Contact> contacts);

  const Kinematics& operator[](int contact) const { return kinematics_[contact]; }
  /// Contact velocity (n, t1, t2) of contact c [m/s].
  Eigen::Vector3d contactVelocity(std::span<const SystemBody> bodies, const Contact& contact, int c) const;

  /// Solves for contact forces on the `held` contacts and the bodies' accelerations under gravity. Modes and directions of
  /// the contacts are guesses in, results out. @returns the worst status; on kFailed accelerations are unset.
  impact::CoulombStatus solveAccelerations(std::span<SystemBody> bodies, std::span<Contact> contacts,
                                           const Eigen::Vector3d& gravity);
  /// Solves for impulses over a window h: end velocities obey Coulomb's law at velocity level.
  /// `with_bias` adds h J' u, the change of J over the window; leave it out where J is already that of the end. Result: velocities().
  impact::CoulombStatus solveVelocities(std::span<const SystemBody> bodies, std::span<Contact> contacts,
                                        const Eigen::Vector3d& gravity, double h, bool with_bias = true);
  std::span<const Vector6d> velocities() const { return velocities_; }
  /// Force or impulse on contact c of the last solve (n, t1, t2).
  Eigen::Vector3d impulse(int c) const;

  /// Mass-orthogonal projection of the velocities onto {J_n u = 0 on held, J_t u = 0 on held and sticking contacts}, which
  /// cannot increase kinetic energy; redundant rows allowed.
  void projectVelocities(std::span<SystemBody> bodies, std::span<const Contact> contacts);
  /// Moves the bodies so that the gaps of the loaded contacts become their `target`. One Newton step, mass-orthogonal.
  /// @returns the largest |gap - target| before the move.
  double projectGaps(std::span<SystemBody> bodies, std::span<const Contact> contacts);

 private:
  void gather(std::span<const Contact> contacts);
  void assemble(std::span<const Contact> contacts);
  impact::CoulombStatus solve(std::span<Contact> contacts, double duration);
  void applyRows(std::span<SystemBody> bodies, std::span<const Contact> contacts, bool positions);

  std::vector<Kinematics> kinematics_;
  std::vector<int> held_, row_of_;            // Contacts in the problem; place of each contact in it, -1 if none.
  Eigen::MatrixXd A_;                         // Delassus matrix of the held contacts.
  Eigen::VectorXd b_, f_;
  std::vector<double> mu_;
  std::vector<unsigned char> slides_;
  std::vector<Eigen::Vector2d> direction_, direction_out_;
  std::vector<impact::ContactMode> modes_;
  std::vector<Vector6d> velocities_;
  std::vector<Eigen::Matrix3d> rotation_, inverse_inertia_;
  // Constrained rows of a projection: (contact, axis).
  std::vector<int> rows_, pivots_;
  Eigen::MatrixXd S_;
  Eigen::VectorXd rhs_, lambda_;
  impact::CoulombSolver solver_;
};

}  // namespace rigor::sim
