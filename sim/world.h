// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dynamics/robot.h"
#include "geom/pose.h"
#include "geom/shape.h"
#include "impact/resolver.h"

namespace rigor::sim {

/// Surface of a body; a pair uses the geometric mean of its frictions (no-slip wins) and the larger restitution.
struct Material {
  double friction = 0.3;   ///< >= 0, or impact::kNoSlip.
  double restitution = 0;  ///< [0, 1].
};

/// A rigid body as the user describes it. A fixed body needs no mass.
struct Body {
  std::string name;
  bool fixed = false;
  std::vector<geom::Shape> parts;  ///< Convex, body frame; half-spaces on fixed bodies only.
  double mass = 0;                                             ///< [kg]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();           ///< About `centre`, body axes [kg m^2].
  Eigen::Vector3d centre{0, 0, 0};                             ///< Centre of mass, body frame [m].
  Material material;
  geom::Pose pose;                                             ///< Of the body origin, at t = 0.
  Eigen::Vector3d velocity{0, 0, 0};                           ///< Of the body origin, world [m/s].
  Eigen::Vector3d angular_velocity{0, 0, 0};                   ///< World [rad/s].
  int robot = -1, link = -1;  ///< Of Scene::robots; pose and velocities are then those that the robot's state gives.
  std::vector<int> ignored;        ///< Bodies that it never collides with.
};

/// A mechanism of links and joints in a scene. Every link is a body of the scene, named `robot/link`, in the model's
/// order and one after the other; those fixed to the world are fixed bodies.
struct SceneRobot {
  dynamics::Robot robot;
  int first_body = 0;
};

/// Options of the event loop. A value of 0 for a length or speed means: derived from the size of the scene's bodies.
struct SolverOptions {
  double max_step = 0.1;            ///< Longest step of a moving body [s].
  double gap = 0;                   ///< Nominal gap delta of a contact [m]; default 1e-8 m for a 0.1 m body, scaled.
  double velocity_tolerance = 2e-3; ///< Integration error of a step, as a velocity [m/s] of a 0.1 m body in g = 9.81.
  double joint_fit = 0;             ///< Links follow their joints' motion this closely [m]; default gap / 10.
  double capture_speed = 0;         ///< Contacts that hit slower do not rebound [m/s]; default 1e-2 sqrt(g L).
  double event_window = 1e-4;       ///< Contacts that would be hit within this time at rest belong to one event [s].
  long max_steps = 0;               ///< Budget of steps, 0 for none; reaching it ends the run with kBudget.
};

/// A file that a scene is made of: its own text, or one that it names.
struct SceneFile {
  std::string name;                            ///< As the loader asked for it.
  std::string role;  ///< What the content is (scenes/files.h): "scene", "named", "found", "expanded".
  std::shared_ptr<const std::string> content;  ///< Never null.
};

/// Everything a run starts from.
struct Scene {
  std::string name, description;
  Eigen::Vector3d gravity{0, 0, -9.81};  ///< [m/s^2]
  double until = 1;                      ///< [s]
  std::string impact_model = "routh";
  impact::ImpactOptions impact{.smooth_cone = true};  ///< Round cones, as in sustained contact.
  SolverOptions solver;
  std::vector<Body> bodies;
  std::vector<SceneRobot> robots;
  std::string text;  ///< The scene file's text, as recorded.
  std::string path;  ///< Where it came from, for messages.
  /// All that were read for it, its own text first; empty for scenes that a program made, or changed: of its robots'
  /// controllers, too.
  std::vector<SceneFile> files;
};

}  // namespace rigor::sim
