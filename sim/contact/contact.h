// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "advance/manifold.h"
#include "friction/coulomb.h"
#include "sim/sink.h"

namespace rigor::sim {

/// Stands for no-slip where sticking has no solution [-].
inline constexpr double kLargeFriction = 10;

/// One touching (or nearly touching) point of two parts, or end of a joint's range: its features about the two centres
/// of mass, its law, and what it last did. Normals point from A to B; contact velocity is that of B's point relative to
/// A's.
struct Contact {
  PairKey pair;
  int pair_index = -1;              ///< Near pair of the step that it belongs to.
  advance::ContactFeature feature;  ///< As found, in body frames.
  int slot_a = -1, slot_b = -1;     ///< Moving bodies of the island; -1: fixed.
  int robot = -1,
      limit = -1;  ///< Not of two parts but of a joint of the island's robot, without surfaces and slots: an end of its
                   ///< range (SystemRobot::limits) or, numbered after all of these, its friction (brakes).
  double hold = 0;  ///< Of a brake: RobotBrake::hold [N].

  // Feature about the centres of mass, body axes [m].
  /// kFixedInA, kFixedInB: rows n, t1, t2 in the plane's owner, so that the tangents turn smoothly with it. kNearest:
  /// in the world, where it was found; they turn as little as n does.
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
  double offset = 0;                               ///< n.(plane point - centre of the owner).
  Eigen::Vector3d a{0, 0, 0}, b{0, 0, 0};          ///< Vertex, or first vertex of the edge.
  Eigen::Vector3d a_edge{0, 0, 0}, b_edge{0, 0, 0};  ///< kEdges, kNearest: second minus first vertex.

  /// Round solids whose cores a and b are of; null: a and b are points of the surface.
  const geom::Round *round_a = nullptr, *round_b = nullptr;

  double friction = 0, restitution = 0;

  friction::ContactMode mode = friction::ContactMode::kFree;  ///< In the last solution: the next one's guess.
  Eigen::Vector2d direction{1, 0};                        ///< Slip direction in the contact's tangent frame.
  Eigen::Vector3d force{0, 0, 0};  ///< Of the last solution (normal, tangents) [N]: guess for the next.
  double start_gap = 0;  ///< At the start of the step [m]; of a plane beside which the bodies touch it may be negative.
  bool of_event = false;  ///< A new contact of an event within the step: it has no start.
  double target = 0;     ///< Gap at the end of the step [m].
  bool slides = false;  ///< Has a slip velocity: friction is -mu f_n direction whatever the acceleration.
  bool in_patch = true;  ///< False: a further corner of a patch that others carry; certified, not solved for.
  bool was_held = false;  ///< In the step before.
  bool slips = false;     ///< Held, and its slip was fast enough to count, when the step began.
  bool was_slipping = false;  ///< The same of the step before.
  bool held = false;      ///< Takes part in the contact problem of the step.
  bool pressed = false;  ///< Not loaded, but the end of the step has to keep it off: see Stepper::placeEnds.
  bool loaded = false;   ///< Carries force at the end of the step.
  bool lets_go = false;  ///< The step ends where it carries no force any more.
  bool let_go = false;   ///< A step before ended so, and it has carried none since: open, though still within the band.

  bool isLimit() const { return limit >= 0; }  ///< Of a joint: the end of a range, or a brake.
  bool isBrake() const { return hold > 0; }
  /// Whether it is the other one, seen at another time.
  bool isSameAs(const Contact& other) const {
    return pair == other.pair && limit == other.limit && feature.sameVertices(other.feature);
  }
};

}  // namespace rigor::sim
