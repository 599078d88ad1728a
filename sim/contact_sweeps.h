// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "sim/contact/contact_system.h"

namespace rigor::sim {

/// Impulses of many contacts at velocity level, by block Gauss-Seidel over the contact graph.
///
/// For every contact c with the velocity w_c = J_c u + (offset_c, 0, 0):
///   0 <= lambda_n  complementary to  w_n >= 0,   |lambda_t| <= mu lambda_n,  lambda_t against w_t where it slips,
/// with u = base + sum W J^T lambda. Matrix-free: one sweep visits each contact once and touches its two bodies, so the
/// cost is proportional to the contacts (about 0.1 us each), and impulses from the last step are a good start.
/// Sweeps go to and fro: no preferred direction through a pile. Impulses obey the cone exactly, whenever it stops.
class ContactSweeps {
 public:
  struct Row {
    const ContactSystem::Kinematics* at = nullptr;
    int slot_a = -1, slot_b = -1;
    double mu = 0;      ///< Infinity: never slips while pressed.
    double offset = 0;  ///< Of the normal velocity [m/s].
    Eigen::Vector3d impulse{0, 0, 0};
    Eigen::Matrix3d block, inverse;  ///< Delassus block of the contact, and its inverse (zero where singular).
    double slip_share = 0;           ///< 1 / (bound of the tangential block).
  };
  std::vector<Row> rows;

  /// Adds W J^T impulse of all rows to the velocities. Call after the kinematics have changed.
  void prepare();
  void addImpulses(std::span<Vector6d> u) const;
  /// @returns the largest change of a contact velocity in the last sweep [m/s]: below `tolerance` unless it took all sweeps.
  double solve(std::span<Vector6d> u, int max_sweeps, double tolerance);

  long sweeps = 0;  ///< Of all calls.
};

}  // namespace rigor::sim
