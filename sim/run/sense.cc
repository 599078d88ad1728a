// SPDX-License-Identifier: MIT
#include <Eigen/Geometry>

#include "dynamics/kinematics.h"
#include "sim/run/run.h"

namespace rigor::sim {

using Eigen::Vector3d;

/// Notes what acted on the links of robots whose controllers sense: what is final, over the current pieces of the group
/// or at a jump.
void Run::sense(const Group& group, const ImpulseRecord& acted) {
  for (const int i : group.bodies) {
    const int number = bodies[i].robot;
    if (!leadsRobot(i) || robots[number].loads.empty()) continue;
    std::vector<LinkLoad>& loads = robots[number].loads;
    joint_ledgers_[number].eachPush(bodies, parts, acted, [&](int link, const Vector3d& x, const Vector3d& P) {
      loads[link].P += P, loads[link].K += x.cross(P);
      loads[link].touches = true;
    });
  }
}

/// What the sensors of a robot say as its controller takes the sample that is due, and starts them anew.
const dynamics::Readings& Run::readSensors(RobotRuntime& robot) const {
  dynamics::Readings& readings = robot.readings;
  if (robot.loads.empty()) return readings;
  const dynamics::ArticulatedModel& model = *robot.model;
  dynamics::ArticulatedWorkspace& workspace = *robot.workspace;
  dynamics::calcKinematics(model, robot.state, workspace);
  dynamics::calcAccelerations(model, robot.acceleration, workspace);
  readings.effort = robot.control.tau;
  readings.links.resize(model.numLinks());
  const double span = robot.control.samples > 0 ? robot.controller->period() : 0;
  for (int l = 0; l < model.numLinks(); ++l) {
    LinkLoad& load = robot.loads[l];
    dynamics::LinkReading& reading = readings.links[l];
    const geom::Pose X = dynamics::linkPose(model, workspace, l);
    const Eigen::Matrix3d R = X.rotation();
    reading.touches = load.touches;
    reading.force = span > 0 ? Vector3d(load.P / span) : Vector3d::Zero();
    reading.torque = span > 0 ? Vector3d((load.K - X.p.cross(load.P)) / span) : Vector3d::Zero();
    const Vector3d a = dynamics::linkAcceleration(model, workspace, l, X.p).head<3>();
    reading.specific_force = R.transpose() * (a - scene.gravity);
    reading.angular_velocity = R.transpose() * dynamics::linkVelocity(model, workspace, l, X.p).tail<3>();
    load = {};
  }
  return readings;
}

}  // namespace rigor::sim
