// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sim/run/joint_interval.h"
#include "sim/run/loop_wrenches.h"
#include "sim/runtime.h"
#include "sim/sink.h"

namespace rigor::sim {

/// What the joints of a robot did, over a piece or at a jump: the impulse and moment that the balances of momentum of
/// the links beyond a joint leave for it (docs/equations.md): as seen from the world, or from the heaviest link of a
/// robot that floats. So every link's balance holds to rounding, but that of that link: what is missing there is the
/// error of the step. Balls do nothing about their point: what is missing there is shared by joint and link. What loops
/// did comes first (LoopWrenches); they are numbered after the joints.
class JointLedger {
 public:
  /// @param first_body  Of link 0.
  JointLedger(const dynamics::Robot& robot, int id, int first_body);

  /// Visits the impulses P on the robot's links, world axes, with the points x where they act.
  using VisitPush = std::function<void(int link, const Eigen::Vector3d& x, const Eigen::Vector3d& P)>;
  void eachPush(std::span<const BodyRuntime> bodies, std::span<const PartRuntime> parts, const ImpulseRecord& record,
                const VisitPush& visit) const;

  /// Adds a wrench a joint and loop, and one of each actuator. Contacts are in the record already; so are limits, as
  /// scalars along their coordinate, which become wrenches. @pre all impulses lie in the interval. O(joints + contacts)
  void add(const JointInterval& interval, ImpulseRecord& record);

 private:
  int heaviestFrom(int root) const;
  void feel(int link, const Eigen::Vector3d& x, const Eigen::Vector3d& P, const Eigen::Vector3d& moment);
  void feelBetween(int on, int from, const Eigen::Vector3d& x, const Eigen::Vector3d& P, const Eigen::Vector3d& moment);
  Eigen::Vector3d pointOf(const JointInterval& at, int joint, double time) const;
  void balance(const JointInterval& at, int link);
  Eigen::Vector3d axisOf(const JointInterval& at, int joint, double time) const;
  std::pair<Eigen::Vector3d, Eigen::Vector3d> effortOf(const JointInterval& at, int joint, double time) const;
  Eigen::Vector3d damped(const JointInterval& at, int joint) const;
  void limits(const JointInterval& at, ImpulseRecord& record);
  void handOn(const JointInterval& at, int joint, double time, const Eigen::Vector3d& P, const Eigen::Vector3d& moment);
  void drive(const JointInterval& at, ImpulseRecord& record);
  void closeLoops(const JointInterval& at, ImpulseRecord& record);

  const dynamics::Robot& robot_;
  int id_, first_body_;
  std::vector<HangingLink> order_;  // Those beyond others before these.
  std::vector<LinkBalance> links_;
  std::unique_ptr<LoopWrenches> loops_;  // Null: none.
};

}  // namespace rigor::sim
