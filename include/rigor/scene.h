// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rigor/types.h"

namespace rigor {

/// A joint of a robot, and where its numbers stand among the robot's coordinates.
struct Joint {
  std::string name, type;
  int q = 0, num_q = 0;  ///< Of positions: radians, metres, quaternions [w x y z].
  int v = 0, num_v = 0;  ///< Of velocities and forces.
};

struct RobotInfo {
  std::string name;
  std::vector<std::string> links;
  std::vector<Joint> joints;
  int num_q = 0, num_v = 0;
};

/// What ideal sensors on a robot's link say when its controller samples. Those of contact are means since the sample
/// before, impacts included; what acts at the sample itself counts for the next.
struct LinkReading {
  bool touches = false;       ///< A contact acted on the link.
  Vector3 force{}, torque{};  ///< Of its contacts, world axes, about the link's origin [N], [N m].
  Vector3 specific_force{},
      angular_velocity{};  ///< An IMU at its origin, link axes: acceleration - gravity [m/s^2], [rad/s].
};

/// Of all links of a robot, in the order of RobotInfo::links; none where a published method moves the bodies.
struct Readings {
  std::span<const LinkReading> links;
  std::span<const double> effort;  ///< Of the actuators since the sample before: num_v, zero at first [N m] or [N].
};

/// A law that turns the state of a robot into joint forces, sampled at its own rate; between samples the forces are
/// held. Derive to bring one's own.
///
/// Contract: the forces depend on the arguments alone, so that runs repeat to the bit and branches of a tree go on
/// independently; calls may come from several threads. Forces are cut to the actuators' effort and speed limits.
class Controller {
 public:
  virtual ~Controller() = default;
  virtual double period() const = 0;                    ///< Time between samples [s], > 0.
  virtual std::size_t memorySize() const {
    return 0;
  }  ///< Numbers that it keeps from sample to sample; zero at the start.
  /// @param q,v  Coordinates and velocities as RobotInfo lays them out. @param tau  Out: num_v forces [N m] or [N];
  /// zero at first; those of floating joints are ignored.
  virtual void forces(double time, std::span<const double> q, std::span<const double> v, std::span<double> memory,
                      std::span<double> tau) const = 0;
  /// Whether it reads sensors: then this is called in place of forces().
  virtual bool senses() const { return false; }
  virtual void forcesSensing(double time, std::span<const double> q, std::span<const double> v,
                             const Readings& /*readings*/, std::span<double> memory, std::span<double> tau) const {
    forces(time, q, v, memory, tau);
  }
};

struct BodyInfo {
  std::string name;
  bool fixed = false;
  double mass = 0;   ///< [kg]
  State start;       ///< At t = 0.
  std::string robot; ///< Whose link it is; empty: none.
};

/// What a run starts from. A value: cheap to copy, never changed; with...() return changed copies.
class Scene {
 public:
  /// A YAML or JSON file (docs/scenes.md). @throws InputError with the place.
  static Scene load(const std::string& path);
  /// The same from text; `path` is for messages, and files that the scene names are looked for beside it.
  static Scene parse(const std::string& text, const std::string& path = "scene.yaml");

  const std::string& name() const;
  const std::string& description() const;
  const std::string& text() const;
  const std::string& path() const;
  const std::string& impactModel() const;
  double until() const;  ///< [s]
  Vector3 gravity() const;
  const std::vector<BodyInfo>& bodies() const;
  const std::vector<RobotInfo>& robots() const;
  const std::vector<std::string>& warnings() const;  ///< Of the loader, a line each.
  /// Place of a body among bodies(). @throws InputError that lists the names.
  int body(const std::string& name) const;

  Scene withUntil(double until) const;
  /// @throws InputError for a name that is no model for runs.
  Scene withImpactModel(const std::string& name) const;
  /// Records of it do not embed the scene's text, which is not this scene's: they are proved about their model.
  /// @throws InputError for a robot that the scene has not.
  Scene withController(const std::string& robot, std::shared_ptr<const Controller> controller) const;

  /// Where a robot's links are at n configurations, as another program lists them: the numbers of the joints one after
  /// the other in the order of RobotInfo::joints, fixed ones left out, floating ones as position and quaternion [w x y
  /// z] of the link's frame. MuJoCo's qpos is that.
  /// @param q  n rows. @returns a row of n * 7 numbers a link, in the order of RobotInfo::links: position and
  /// quaternion of its origin, world.
  /// @throws InputError for a robot that the scene has not, or rows of another length than configurationSize().
  std::vector<std::vector<double>> linkPoses(const std::string& robot, std::span<const double> q, std::size_t n) const;
  /// Numbers of a row of linkPoses().
  std::size_t configurationSize(const std::string& robot) const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  explicit Scene(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

}  // namespace rigor
