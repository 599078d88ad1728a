// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "advance/motion_piece.h"
#include "advance/witness.h"
#include "dynamics/robot.h"

namespace rigor::sim {

/// One body's motion over one accepted step, final.
struct PieceRecord {
  int body;
  long step;  ///< Number of the accepted step that made it.
  advance::MotionPiece piece;
  Eigen::Vector3d v_start, w_start, v_end, w_end;  ///< Centre velocity and angular velocity, world; v_end before any impact.
};

/// Parts of a pair: A is a half-space, or else the body with the smaller number.
struct PairKey {
  int body_a, part_a, body_b, part_b;
  friend bool operator==(const PairKey&, const PairKey&) = default;
};

struct WitnessRecord {
  PairKey pair;
  advance::Witness witness;
};

/// kind: "contact-made", "contact-broken", "contact-changed", "impact", "rest", "closure", "slip-stop", "cut", "fork", "warning",
/// "limit-reached", "limit-left".
struct EventRecord {
  double time;
  std::string_view kind;
  int body_a = -1, body_b = -1;
  std::string detail;  ///< A JSON object, or empty.
};

struct ImpactContactRecord {
  PairKey pair;
  Eigen::Vector3d point, normal;  ///< World; the normal points from A to B, see sim/contact.h.
  double friction, restitution;
  Eigen::Vector3d impulse;           ///< Normal, tangent 1, tangent 2 [N s].
  Eigen::Vector3d tangent{0, 0, 0};  ///< Tangent 1, world, unit; tangent 2 = normal x tangent. Zero: none.
  /// Of an impact at a joint's limit (parts of `pair` -1): JSON fields that name it; the impulse is then along the coordinate, inwards
  /// [N m s] or [N s], the normal the joint's axis.
  std::string limit = {};
};

struct ImpactRecord {
  double time;
  std::string_view model;
  std::vector<int> bodies;
  std::vector<Eigen::Matrix<double, 6, 1>> before, after;  ///< (v of the centre, w), world, a row a body.
  std::vector<ImpactContactRecord> contacts;
};

/// A robot's coordinates at the start of a step.
struct JointRecord {
  const dynamics::Robot& robot;
  double time;
  const dynamics::ArticulatedState& state;  ///< After impacts.
  const Eigen::VectorXd& effort;            ///< Of the actuators over the step; empty: none.
};

/// Receives what a simulation makes, in order of completion. A piece, witness or event that was handed over is final.
/// An exception thrown by a sink (a full disk) ends the run and is passed on.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void piece(const PieceRecord&) {}
  virtual void witness(const WitnessRecord&) {}
  virtual void event(const EventRecord&) {}
  virtual void impact(const ImpactRecord&) {}
  virtual void joints(const JointRecord&) {}
  /// Everything before `time` has been handed over; a good moment to commit. `state` continues the run bit-exactly, with
  /// what is handed over from here on. Empty: this moment has none, go on from an earlier one.
  virtual void checkpoint(double /*time*/, long /*step*/, const std::vector<unsigned char>& /*state*/) {}
};

}  // namespace rigor::sim
