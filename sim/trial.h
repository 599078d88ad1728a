// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "advance/certificate.h"
#include "advance/piece_polynomials.h"
#include "geom/separation.h"
#include "sim/contact_system.h"

namespace rigor::sim {

/// Two parts that may meet in a step, and what is known of both their motions.
struct NearPair {
  int part_a, part_b;   // Indices into parts.
  int slot_a, slot_b;   // Moving bodies of the island, -1 for others.
  int next_of_b = -1;   // Next pair with the same part_b.
  int first_contact = -1;  // Of contacts_, where a crowd looks for them.
  geom::SeparationCache cache;
  double tb = 0;        // End of what is known of both motions, at most the end of the step [s].
  advance::MovingPart A, B;  // On [t0, tb].
  advance::PiecePolynomials own_a, own_b;  // Where the shared ones of the step do not fit.
  std::vector<advance::SeparatingAxis> axes;  // Candidates for the certificate, in the order in which they were found.
};

/// What an integration of the step came to.
struct Trial {
  double h = 0;
  SystemState ends;
  std::vector<Vector6d> a0, a1;  // Accelerations at the two ends.
  double error = 0;              // [m/s]
  bool velocity_level = false;   // One was tried.
  bool gains_energy = false;     // Too much for the velocities to be scaled: not to be used.
  bool settled = true;           // Its end is on the constraints.
  bool placed = false;           // The contact equations are at its end, where that is not.
  double stop = 1;               // Share of it at which a slip comes to a stop; 1: none does,
  int stop_contact = -1;         // that of this contact.
};

/// Velocity and acceleration of a body at a stage of an integration; q: of the quaternion.
struct StageRate {
  Eigen::Vector3d v;
  Eigen::Vector4d q;
  Vector6d a;
};

/// The same of a robot's coordinates.
struct RobotRate {
  Eigen::VectorXd q, v;
};

/// What a decision says about a contact.
struct DecidedContact {
  impact::ContactMode mode;
  Eigen::Vector2d direction;
  bool slides;
};

/// Of the contact problem at a stage.
struct ContactSolution {
  impact::ContactMode mode;
  Eigen::Vector2d direction;
  Eigen::Vector3d force;
};

/// A contact of a crowd under which a cubic dips.
struct LiftRow {
  double need;  // Raise of the inner control points that the contact asks for [m].
  Eigen::Vector3d normal;
  double multiplier;
};

}  // namespace rigor::sim
