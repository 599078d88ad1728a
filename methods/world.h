// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "advance/manifold.h"
#include "sim/contact/contact_list.h"
#include "sim/runtime.h"
#include "sim/scales.h"
#include "sim/system_state.h"
#include "sim/world.h"

namespace rigor::methods {

/// A scene in motion as the published methods see it: one state of all bodies at one time, and what touches there.
///
/// Model, contact features, friction and scales are those of the event loop; what differs is how a method moves them.
/// Bodies that move have slots, in the order of the scene. Nothing here keeps bodies apart.
class World {
 public:
  /// @param scene  As sim::Simulation::scene() gives it: touching starts are moved apart to the nominal gap. Must
  /// outlive this.
  explicit World(const sim::Scene& scene);
  World(const World&) = delete;  // State refers to it.
  World& operator=(const World&) = delete;

  const sim::Scene& scene() const { return scene_; }
  const sim::Scales& scales() const { return scales_; }
  int numSlots() const { return static_cast<int>(state.size()); }
  int bodyOf(int slot) const { return body_of_slot_[slot]; }
  int slotOf(int body) const { return slot_of_body_[body]; }  ///< -1: fixed.
  const Eigen::Vector3d& centreOf(int slot) const { return bodies_[body_of_slot_[slot]].centre; }
  std::span<const sim::BodyRuntime> bodies() const { return bodies_; }
  std::span<const sim::PartRuntime> parts() const { return parts_; }

  /// Two parts that may collide. A half-space is A.
  struct Pair {
    int part_a, part_b;
    geom::SeparationCache cache;
  };
  std::vector<Pair>& pairs() { return pairs_; }
  /// Pose of the body ORIGIN of a part in `at`.
  geom::Pose originPose(const sim::SystemState& at, int part) const;

  /// All features of `at` that are nearer than the contact band, or, where `ahead` > 0 [s], that may close within it at
  /// the bodies' speeds and gravity; joint limits likewise. Placed. O(pairs)
  void findContacts(sim::SystemState& at, double ahead, sim::ContactList& contacts);

  /// Velocities of everything after a time h without contacts: gravity, Euler's torque, joints' forces; first order. By
  /// slot and robot.
  void freeVelocities(sim::SystemState& at, double h, std::vector<sim::Vector6d>& bodies,
                      std::vector<Eigen::VectorXd>& robots);
  /// Gives everything these velocities, links' own following from their robots' coordinates.
  void setVelocities(sim::SystemState& at, const std::vector<sim::Vector6d>& bodies,
                     const std::vector<Eigen::VectorXd>& robots);
  /// Moves everything for a time h at constant velocities: straight, and about a fixed axis.
  void drift(sim::SystemState& at, double h);
  /// Links' poses and velocities from their robots' coordinates.
  void writeLinks(sim::SystemState& at) { equations_.writeLinks(at); }
  /// Kinetic and potential [J].
  double energy(const sim::SystemState& at) { return equations_.energy(at, scene_.gravity); }
  bool isLink(int slot) const { return state[slot].robot >= 0; }

  /// Takes the controllers' samples that are due by `time`. @returns when the next one is; infinity for none.
  double control(double now);

  sim::SystemState state;
  double time = 0;  ///< [s]

 private:
  void addBody(int index);
  void addRobots();
  void listPairs();
  void addLimits(const sim::SystemState& at, double ahead, sim::ContactList& contacts) const;
  double reachOf(const sim::SystemState& at, const Pair& pair, double ahead) const;
  bool isFar(const sim::SystemState& at, const Pair& pair, double reach) const;
  bool mayCollide(int part_a, int part_b) const;

  const sim::Scene& scene_;
  sim::Scales scales_;
  std::vector<sim::BodyRuntime> bodies_;
  std::vector<sim::PartRuntime> parts_;
  std::vector<int> slot_of_body_, body_of_slot_;
  std::vector<std::vector<int>> links_;
  std::vector<std::vector<sim::RobotLimit>> limits_;
  struct Control {
    const dynamics::Controller* controller;
    dynamics::ControllerState state;
    std::unique_ptr<dynamics::ArticulatedWorkspace> workspace;
    int robot;  ///< Of the state.
  };
  std::vector<Control> controls_;
  std::vector<Pair> pairs_;
  advance::ManifoldFinder manifold_;
  std::vector<advance::ContactFeature> features_;
  sim::ContactSystem equations_;
};

}  // namespace rigor::methods
