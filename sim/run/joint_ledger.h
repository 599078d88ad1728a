// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "sim/runtime.h"
#include "sim/sink.h"
#include "sim/step/step_impulses.h"

namespace rigor::sim {

/// What the joints of a robot did, over a piece or at a jump: the impulse and moment that the balances of momentum of
/// the links beyond a joint leave for it (docs/equations.md): as seen from the world, or from the heaviest link of a
/// robot that floats. So every link's balance holds to rounding, but that of that link: what is missing there is the
/// error of the step. Balls do nothing about their point: what is missing there is shared by joint and link.
class JointLedger {
 public:
  /// @param first_body  Of link 0.
  JointLedger(const dynamics::Robot& robot, int id, int first_body);

  /// A piece of every link, or (t0 = t1) a jump of their velocities.
  struct Interval {
    double t0, t1;
    const Eigen::VectorXd& effort;  ///< Of the actuators; empty: none.
    Eigen::Vector3d gravity;
    std::span<const BodyRuntime> bodies;
    std::span<const PartRuntime> parts;
    /// Velocities of a body at the two ends.
    std::function<std::pair<Vector6d, Vector6d>(int body)> velocities;
  };
  /// Visits the impulses P on the robot's links, world axes, with the points x where they act.
  using VisitPush = std::function<void(int link, const Eigen::Vector3d& x, const Eigen::Vector3d& P)>;
  void eachPush(std::span<const BodyRuntime> bodies, std::span<const PartRuntime> parts, const ImpulseRecord& record,
                const VisitPush& visit) const;

  /// Adds a wrench a joint, and one of its actuator. Contacts are in the record already; so are limits, as scalars
  /// along their coordinate, which become wrenches. @pre all impulses lie in the interval. O(joints + contacts)
  void add(const Interval& interval, ImpulseRecord& record);

 private:
  struct Link {
    BodyImpulse sum;       // What it felt, and what is left for its joint.
    Eigen::Vector3d p;     // Its centre at the start [m].
    bool moves;
  };
  int heaviestFrom(int root) const;
  void feel(int link, const Eigen::Vector3d& x, const Eigen::Vector3d& P, const Eigen::Vector3d& moment);
  void balance(const Interval& at, int link);
  Eigen::Vector3d axisOf(const Interval& at, int joint, double time) const;
  std::pair<Eigen::Vector3d, Eigen::Vector3d> effortOf(const Interval& at, int joint, double time) const;
  Eigen::Vector3d damped(const Interval& at, int joint) const;
  void limits(const Interval& at, ImpulseRecord& record);

  const dynamics::Robot& robot_;
  int id_, first_body_;
  struct Hanging {
    int joint, beyond;  // The link on the side that hangs on the joint.
  };
  std::vector<Hanging> order_;  // Those beyond others before these.
  std::vector<Link> links_;
};

}  // namespace rigor::sim
