// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "advance/motion_piece.h"
#include "advance/witness.h"
#include "dynamics/robot.h"
#include "elementary/require.h"

namespace rigor::sim {

/// One body's motion over one accepted step, final.
struct PieceRecord {
  int body;
  long step;  ///< Number of the accepted step that made it.
  advance::MotionPiece piece;
  Eigen::Vector3d v_start, w_start, v_end,
      w_end;  ///< Centre velocity and angular velocity, world; v_end before any impact.
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

/// `kind` is one of kEventKinds (sim/event_kinds.h), which is the one list of them; what each means stands in
/// docs/record-format.md.
struct EventRecord {
  double time;
  std::string_view kind;
  int body_a = -1, body_b = -1;
  std::string detail;  ///< A JSON object, or empty.
};

struct ImpactContactRecord {
  PairKey pair;
  Eigen::Vector3d point, normal;  ///< World; the normal points from A to B, as a witness's.
  double friction, restitution;
  Eigen::Vector3d impulse;           ///< Normal, tangent 1, tangent 2 [N s].
  Eigen::Vector3d tangent{0, 0, 0};  ///< Tangent 1, world, unit; tangent 2 = normal x tangent. Zero: none.
  /// Of an impact at a joint's limit (parts of `pair` -1): JSON fields that name it; the impulse is then along the
  /// coordinate, inwards [N m s] or [N s], the normal the joint's axis.
  std::string limit = {};
};

struct ImpactRecord {
  double time;
  std::string_view model;
  std::vector<int> bodies;
  std::vector<Eigen::Matrix<double, 6, 1>> before, after;  ///< (v of the centre, w), world, a row a body.
  std::vector<ImpactContactRecord> contacts;
};

/// What acted besides gravity over a step (t0 < t1), or at a jump (t0 = t1: impacts, projections, stops). Everything
/// that changes a body's momentum is in one of these records, so that a checker can balance it (docs/record-format.md,
/// table `impulses`).
///
/// Flat, so that one object can be filled again and again without allocation: add a contact or wrench, then its
/// impulses.
struct ImpulseRecord {
  /// P [N s] at an instant of [t0, t1], world axes. `moment` [N m s]: of wrenches, about the joint's point.
  struct Impulse {
    double time;
    Eigen::Vector3d P, moment;
    Eigen::Vector3d axis{0, 0, 0};  ///< Of a contact of kind kNearest: advance::frozenAt() this instant.
  };
  /// One feature of a pair. P acts on B and -P on A, at one point: kFixedInA: vertex b0 of B, against A along `axis`
  /// (A's frame); kFixedInB: vertex a0 of A, against B along `axis` (B's frame); kEdges: the point of A's edge a0 a1
  /// nearest to B's edge b0 b1; kNearest: advance::placeFeature(). The normal points from A to B, as a witness's.
  struct Contact {
    PairKey pair;
    advance::SeparatingAxis feature;
    int first = 0, count = 0;  ///< Of `impulses`.
  };
  /// What one joint did: on the child at the joint's point, the opposite on the parent.
  struct Wrench {
    enum class Source : unsigned char {
      kJoint,
      kActuator,
      kLimit
    };  ///< kJoint: what keeps it together, damping and friction included.
    Source source;
    int robot, joint;  ///< Of Scene::robots; of its model's joints.
    int first = 0, count = 0;
  };

  double t0 = 0, t1 = 0;  ///< [s]
  long step = 0;          ///< As of the pieces; of a jump, that of the step after it.
  std::vector<Contact> contacts;
  std::vector<Wrench> wrenches;
  std::vector<Impulse> impulses;

  void clear() { contacts.clear(), wrenches.clear(), impulses.clear(); }
  void addContact(const PairKey& pair, const advance::SeparatingAxis& feature) {
    contacts.push_back({pair, feature, static_cast<int>(impulses.size()), 0});
  }
  void addWrench(Wrench::Source source, int robot, int joint) {
    wrenches.push_back({source, robot, joint, static_cast<int>(impulses.size()), 0});
  }
  /// Of the contact that was added last. @pre the last call that added something added it, or an impulse of it.
  void addToContact(double time, const Eigen::Vector3d& P) {
    RIGOR_REQUIRE(!contacts.empty() &&
                  contacts.back().first + contacts.back().count == static_cast<int>(impulses.size()));
    impulses.push_back({time, P, Eigen::Vector3d::Zero()}), ++contacts.back().count;
  }
  void addToWrench(double time, const Eigen::Vector3d& P, const Eigen::Vector3d& moment) {
    impulses.push_back({time, P, moment}), ++wrenches.back().count;
  }
};

/// A robot's coordinates over a step.
struct JointRecord {
  const dynamics::Robot& robot;
  int number;                               ///< Of Scene::robots.
  double time;                              ///< Of its start.
  const dynamics::ArticulatedState& state;  ///< At the start, after impacts,
  const dynamics::ArticulatedState& end;    ///< and at the end, before any.
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
  /// Those of a step come after its pieces, those of a jump before the pieces that start there.
  virtual void impulses(const ImpulseRecord&) {}
  virtual void joints(const JointRecord&) {}
  /// Everything before `time` has been handed over; a good moment to commit. `state` continues the run bit-exactly,
  /// with what is handed over from here on. Empty: this moment has none, go on from an earlier one.
  virtual void checkpoint(double /*time*/, long /*step*/, const std::vector<unsigned char>& /*state*/) {}
};

}  // namespace rigor::sim
