// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "friction/contact_mode.h"

namespace rigor::friction {

/// Contacts of bodies with masses, as the solvers of this folder see them: find impulses f and velocities u with
///   M (u - u0) = sum J_c^T f_c,    w_c = J_c u + offset_c    (rows n, t1, t2; 0 <= f_n  complementary to  w_n >= 0),
/// and Coulomb's law (ContactLaw) between f_t and w_t. The non-associated law: no lift of slipping contacts.
///
/// A body is a block of velocities with a mass matrix: 6 of a free body, as many as its coordinates of a robot. A
/// contact has rows on one or two of them. The same problem holds accelerations (f forces) and velocities (f impulses).
///
/// It is stored in units of its own: velocities v = L^T u with M = L L^T, so that mass is 1; contacts divided by the
/// root of d = trace(J M^-1 J^T) / 3, so that all contacts weigh the same. Mass ratios become ratios of rows.
/// No allocation once it has seen as many bodies and contacts.
class Problem {
 public:
  struct Body {
    int size;   ///< Velocities.
    int first;  ///< Place of them in the vector of all velocities.
    int mass;   ///< Place of L, size x size, column-major.
  };
  struct Side {
    int body = -1;  ///< -1: does not move.
    int rows = 0;   ///< Place of the scaled rows, 3 x size, row by row.
  };
  struct Contact {
    Side side[2];
    Eigen::Vector3d offset{0, 0, 0};     ///< Scaled.
    Eigen::Vector2d direction{1, 0};     ///< kSliding: unit.
    double mu = 0;
    double unit = 0;                     ///< sqrt(d); 0: no side moves. w = unit * scaled w, f = scaled f / unit.
    ContactLaw law = ContactLaw::kFrictionless;
  };

  void clear();
  /// @param mass  size x size, symmetric, positive definite (else valid() is false from here on).
  /// @returns its number.
  int addBody(const Eigen::Ref<const Eigen::MatrixXd>& mass, const Eigen::Ref<const Eigen::VectorXd>& free_velocity);
  /// A free body: its mass, the inertia about its centre in world axes.
  int addFreeBody(double mass, const Eigen::Matrix3d& inertia, const Eigen::Matrix<double, 6, 1>& free_velocity);
  /// Rows of a side that does not move (body -1) are not read. Both sides may not be the same body: add their rows
  /// first.
  /// @param mu  >= 0, kNoSlip allowed.  @param guess  Impulse to start from, zero if unknown.  @returns its number.
  int addContact(int body_a, const Eigen::Ref<const Eigen::Matrix3Xd>& rows_a, int body_b,
                 const Eigen::Ref<const Eigen::Matrix3Xd>& rows_b, const Eigen::Vector3d& offset, double mu,
                 const Eigen::Vector3d& guess = Eigen::Vector3d::Zero());
  /// The last contact added slides already in this direction (unit), unless it is frictionless. No-slip is not allowed
  /// there.
  void setSliding(const Eigen::Vector2d& direction);

  int numBodies() const { return static_cast<int>(bodies_.size()); }
  int numContacts() const { return static_cast<int>(contacts_.size()); }
  int numVelocities() const { return static_cast<int>(free_.size()); }
  bool valid() const { return valid_; }  ///< All masses positive definite, all numbers finite.

  const Body& body(int i) const { return bodies_[i]; }
  std::span<const Body> bodies() const { return bodies_; }
  std::span<const Contact> contacts() const { return contacts_; }
  const double* rows(const Side& side) const { return rows_.data() + side.rows; }
  std::span<const double> freeVelocity() const { return free_; }         ///< Scaled.
  std::span<const Eigen::Vector3d> guess() const { return guess_; }      ///< Scaled.

  /// Scaled impulses to those of the caller's units, and velocities of body i to the caller's.
  Eigen::Vector3d impulse(int contact, const Eigen::Vector3d& scaled) const;
  void velocity(int body, const double* scaled, double* out) const;

  /// How far f is from a solution: max over contacts of unit * |f - P(f - w)| with v = v0 + J^T f; zero exactly at one,
  /// in the units of w (m/s). P projects the normal on f_n >= 0 and friction on the disc of radius mu times that normal
  /// (the natural map of the law with steps 1 / d). NaN counts as infinite. It is at least the rounding of f: impulses
  /// that press two sides against each other without end would hide any w. `v` is room for numVelocities().
  double residual(std::span<const Eigen::Vector3d> f, double* v) const;

 private:
  void scaleSide(Side& side, const Eigen::Ref<const Eigen::Matrix3Xd>& rows, double& trace);

  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
  std::vector<double> mass_, free_, rows_;
  std::vector<Eigen::Vector3d> guess_;
  bool valid_ = true;
};

/// The projection of the natural map: of z = f - step * w, scaled.
Eigen::Vector3d project(const Problem::Contact& c, const Eigen::Vector3d& z);

}  // namespace rigor::friction
