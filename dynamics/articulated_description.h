// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "geom/pose.h"

namespace rigor::dynamics {

/// Speed below which the friction of a joint is viscous [rad/s] or [m/s] where these algorithms apply it: one that
/// holds a load tau of at most its friction F creeps at kStictionSpeed tau / sqrt(F^2 - tau^2). The event loop does not
/// let them (ArticulatedWorkspace::friction_apart): there friction holds exactly.
inline constexpr double kStictionSpeed = 1e-4;

/// Parent of a joint that hangs in the world.
inline constexpr int kWorld = -1;

/// Thrown for links and joints of which no mechanism can be made. what() is `ELEMENT: reason`; `element` names the
/// joint or link, such as `joint lf_knee`.
struct ModelError : std::invalid_argument {
  ModelError(std::string element_name, const std::string& reason)
      : std::invalid_argument(element_name + ": " + reason), element(std::move(element_name)) {}
  std::string element;
};

/// How a joint lets its child move. Coordinates q and velocities v of each, in the joint frame J (on the parent's
/// side):
enum class JointType {
  kFixed,      ///< None.
  kRevolute,   ///< Angle about `axis` [rad].
  kPrismatic,  ///< Shift along `axis` [m].
  kUniversal,  ///< Angle about `axis`, then about `axis2`, which the first turns [rad].
  kPlanar,     ///< Shifts along two axes normal to `axis` (planarAxes) [m], then the angle about it [rad].
  kSpherical,  ///< q: quaternion [w, x, y, z] of the child in J, any length but zero; v: angular velocity, axes of J
               ///< [rad/s].
  kFloating,   ///< Free in the WORLD, whatever the parent. q: centre of mass [m], quaternion; v: (v, w) of it, world
               ///< axes.
};

/// A rigid link. Massless links are allowed where something heavy hangs behind them. Links joined by fixed joints are
/// one body, and it is that body whose inertia must be possible: one of them by itself may be a point mass.
struct LinkDescription {
  std::string name;
  double mass = 0;                                    ///< [kg], >= 0
  Eigen::Vector3d centre{0, 0, 0};                    ///< Centre of mass, link frame [m].
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< About `centre`, link axes [kg m^2]; zero where the mass is.
};

/// A joint. Its child's frame coincides with J where all coordinates are zero. Limits, effort, speed, damping and
/// armature hold for each of its coordinates; quaternions have no limits.
struct JointDescription {
  std::string name;
  JointType type = JointType::kFixed;
  int parent = kWorld, child = 0;                           ///< Indices of links.
  geom::Pose origin;                                        ///< X_PJ, J in the parent link's frame.
  Eigen::Vector3d axis{1, 0, 0}, axis2{0, 1, 0};            ///< In J, any length but zero.
  double lower = -std::numeric_limits<double>::infinity();  ///< [rad] or [m]
  double upper = std::numeric_limits<double>::infinity();   ///< [rad] or [m], >= lower
  double effort = std::numeric_limits<double>::infinity();  ///< Largest |force| of the actuator [N m] or [N].
  double speed = std::numeric_limits<double>::infinity();   ///< Beyond it the actuator does not drive [rad/s] or [m/s].
  double damping = 0;                                       ///< Force = -damping v [N m s] or [N s/m].
  double friction = 0;  ///< Coulomb friction [N m] or [N]; not of spherical joints. Regularised, the force is
                        ///< -friction v / sqrt(v^2 + kStictionSpeed^2).
  double armature = 0;  ///< Inertia of the rotor seen at the joint [kg m^2] or [kg].
  double stiffness =
      0;  ///< Of a spring: force = -stiffness (q - rest); revolute and prismatic joints [N m/rad] or [N/m].
  double rest = 0;       ///< [rad] or [m]
  /// The joint that this one follows, such as the second finger of a gripper: q = ratio q_leader + offset. Both
  /// revolute or prismatic; the follower has no coordinate of its own, and its limits narrow those of its leader.
  std::string leader;
  double ratio = 1, offset = 0;
};

/// What a constraint between two links that no joint joins demands of a frame on each.
enum class LoopType {
  kPoint,  ///< Their origins coincide.
  kHinge,  ///< Their origins and the directions of their z axes coincide.
  kWeld,   ///< They coincide.
};

/// Closes a loop of the tree: frame A on one link, frame B on another, either of them in the world instead (kWorld).
struct LoopDescription {
  std::string name;
  LoopType type = LoopType::kPoint;
  int link_a = kWorld, link_b = kWorld;
  geom::Pose frame_a, frame_b;  ///< In their links, or in the world.
};

/// The two unit axes of a planar joint: right-handed with the unit vector `axis`.
void planarAxes(const Eigen::Vector3d& axis, Eigen::Vector3d& first, Eigen::Vector3d& second);

}  // namespace rigor::dynamics
