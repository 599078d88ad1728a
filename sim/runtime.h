// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Geometry>
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "advance/motion_piece.h"
#include "dynamics/articulated_workspace.h"
#include "dynamics/controllers/readings.h"
#include "sim/system_state.h"
#include "sim/world.h"

namespace rigor::sim {

class BodyTree;
class LazySkin;
struct PartTree;
enum class Acting : unsigned char;

/// One convex part at run time.
struct PartRuntime {
  int body = 0, part = 0;
  const geom::Shape* shape = nullptr;
  double radius = 0;  ///< max |vertex - centre of the body| [m]; infinity for a half-space.
  Eigen::AlignedBox3d box;  ///< Body frame [m]; empty for a half-space.
};

/// What steps change of a body. `state` and `piece` belong together: the piece ends where the state is, at `clock`.
struct BodyMotion {
  dynamics::RigidBodyState state;   ///< At `clock`; velocities after any impact there.
  double clock = 0;                 ///< End of `piece` [s]; +infinity for a fixed body.
  advance::MotionPiece piece;       ///< Current motion,
  bool flies = false;               ///< which is free flight: gravity alone acts on it.
  /// Turns what is published to the flight that it shows, at the piece's start and at `clock` (world, unit): a curve
  /// that others cut ends beside its flight, which goes on as if nothing had been cut. Velocities are of what is
  /// published, with the flight's energy.
  Eigen::Vector4d beside_start{1, 0, 0, 0}, beside{1, 0, 0, 0};
  std::vector<advance::MotionPiece> past;  ///< Motions before it of which claims speak that may be proved anew.
  Vector6d v_start = Vector6d::Zero(),
           v_end = Vector6d::Zero();  ///< Velocities at the piece's ends, before impacts there.
  Vector6d v_back =
      Vector6d::Zero();  ///< Velocity at the piece's start if its step is taken back: what acted there stands.
  long step = 0;                    ///< Number of the step that made the piece.
  Vector6d push = Vector6d::Zero();  ///< Applied from outside, see SystemBody...
  double push_end = 0;               ///< ... until then [s].

  bool rests() const { return piece.p_degree == 0 && piece.q_degree == 0; }
};

/// One body at run time.
struct BodyRuntime : BodyMotion {
  bool fixed = false;
  dynamics::RigidBody model;
  Eigen::Vector3d centre{0, 0, 0};  ///< Centre of mass, body frame [m].
  Material material;
  int first_part = 0, num_parts = 0;
  double radius = 0;                ///< Of the parts, about the centre [m].
  double reach = 0;                 ///< Of a link: the same of its parts, or its mass, and of its joints' points [m].
  int robot = -1, link = -1;        ///< Whose link it is; its state is what follows from the robot's.
  std::vector<int> ignored;         ///< Bodies that it never collides with, ascending.
  std::shared_ptr<const PartTree> part_tree;  ///< Of a fixed body of many parts (sim/run/part_tree.h); else null.
  std::shared_ptr<const LazySkin> skin;       ///< Of a fixed body of several parts; else null.

  bool collidesWith(int other) const { return !std::binary_search(ignored.begin(), ignored.end(), other); }
};

/// What contacts have done to a link since its robot's controller sampled.
struct LinkLoad {
  Eigen::Vector3d P{0, 0, 0}, K{0, 0, 0};  ///< About the world's origin [N s], [N m s].
  bool touches = false;
};

/// What steps change of a robot.
struct RobotMotion {
  dynamics::ArticulatedState state;   ///< At the links' clock; velocities after any impact there.
  Eigen::VectorXd acceleration;       ///< v' there.
  dynamics::ArticulatedState start;   ///< The same at the start of the links' pieces.
  Eigen::VectorXd start_acceleration;
  Eigen::VectorXd effort;             ///< Of the actuators until the next sample; empty: none.
  dynamics::ControllerState control;
  std::vector<LinkLoad> loads;        ///< Of all links, for a controller that senses; else none.
};

/// One robot at run time. Its moving links are bodies that always belong to one group.
struct RobotRuntime : RobotMotion {
  const dynamics::ArticulatedModel* model = nullptr;
  std::vector<int> links;             ///< Of the model, those that move; ascending, as their bodies.
  int first_body = 0;                 ///< Body of links[0]; the others follow, with fixed ones between.
  std::vector<CarriedLink> carried;   ///< Of all of `links`, carriers first.
  std::vector<RobotLimit> limits;
  std::vector<RobotBrake> brakes;
  std::vector<char> locked;           ///< By velocity: its loops hold it fast. Empty: none.
  const dynamics::Controller* controller = nullptr;  ///< Null for none.
  dynamics::Readings readings;        ///< Its room.
  std::shared_ptr<dynamics::ArticulatedWorkspace> workspace;  ///< The controller's scratch.

  /// Body of links[k].
  int bodyOf(std::size_t k) const { return first_body + links[k] - links[0]; }
};

/// Box around everywhere that a body with `radius` about its centre gets to during a piece: its control hull, widened
/// [m].
void pieceBox(const advance::MotionPiece& piece, double radius, Eigen::Vector3d& lower, Eigen::Vector3d& upper);

/// Coordinates of a step of length h at the share u of it, velocities as what acts on the contacts has changed them by
/// then: cubics through values and rates at both ends, in halves with the acceleration of each.
/// @param acceleration  In: at the end, or of the second half. Out: the same of the step that ends there.
/// @param rate  Scratch; no allocation where it and the results have their sizes.
void interpolateRobot(const dynamics::ArticulatedModel& model, const dynamics::ArticulatedState& start,
                      const Eigen::VectorXd& start_acceleration, const dynamics::ArticulatedState& end, double h,
                      double u, Acting acting, dynamics::ArticulatedState& state, Eigen::VectorXd& acceleration,
                      Eigen::VectorXd& rate);

/// Everything that moves, as a step finds it.
struct RunState {
  std::span<const BodyRuntime> bodies;
  std::span<const PartRuntime> parts;
  std::span<const RobotRuntime> robots;
  const BodyTree* tree;  ///< Of the boxes of all bodies' pieces.
};

}  // namespace rigor::sim
