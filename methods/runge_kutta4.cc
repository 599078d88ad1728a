// SPDX-License-Identifier: MIT
#include <Eigen/Geometry>

#include "methods/free_motion.h"

namespace rigor::methods {

using Eigen::Vector3d;

void RungeKutta4::evaluate(const World& world, sim::SystemState& at, const Loads& loads, Rate& rate) {
  rate.bodies.resize(at.size()), rate.q.resize(at.robots.size()), rate.v.resize(at.robots.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i].robot >= 0) continue;
    const sim::SystemBody& b = at[i];
    const Eigen::Matrix3d R = b.state.pose.rotation();
    rate.bodies[i].segment<3>(0) = b.state.v;
    rate.bodies[i].segment<4>(3) = dynamics::quaternionRate(b.state.pose.q, b.state.w);
    rate.bodies[i].segment<3>(7) = world.scene().gravity + loads.bodies[i].head<3>() / b.model->mass;
    rate.bodies[i].segment<3>(10) = dynamics::gyroscopicAcceleration(*b.model, R, b.state.w) +
                                    dynamics::worldInverseInertia(*b.model, R) * loads.bodies[i].tail<3>();
  }
  for (std::size_t r = 0; r < at.robots.size(); ++r) {
    sim::SystemRobot& robot = at.robots[r];
    const Eigen::VectorXd actuators = robot.effort;
    robot.effort = actuators.size() > 0 ? Eigen::VectorXd(actuators + loads.robots[r]) : loads.robots[r];
    sim::RobotEquations equations;
    equations.update(robot);
    equations.freeAcceleration(robot, world.scene().gravity, rate.v[r]);
    robot.effort = actuators;
    rate.q[r].resize(robot.state.q.size());
    dynamics::calcConfigurationRate(*robot.model, robot.state.q, robot.state.v, rate.q[r]);
  }
}

void RungeKutta4::move(const sim::SystemState& from, const Rate& rate, double h, sim::SystemState& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].robot >= 0) continue;
    const auto& k = rate.bodies[i];
    const dynamics::RigidBodyState& s = from[i].state;
    to[i].state = {{s.pose.q + h * k.segment<4>(3), s.pose.p + h * k.segment<3>(0)},
                   s.v + h * k.segment<3>(7),
                   s.w + h * k.segment<3>(10)};
  }
  for (std::size_t r = 0; r < from.robots.size(); ++r) {
    to.robots[r].state.q = from.robots[r].state.q + h * rate.q[r];
    to.robots[r].state.v = from.robots[r].state.v + h * rate.v[r];
  }
}

bool RungeKutta4::advance(const World& world, sim::SystemState& state, double h, const Loads& loads) {
  stage_ = state;
  evaluate(world, stage_, loads, k_[0]);
  for (int s = 1; s < 4; ++s) {
    move(state, k_[s - 1], s < 3 ? h / 2 : h, stage_);
    evaluate(world, stage_, loads, k_[s]);
  }
  for (std::size_t i = 0; i < state.size(); ++i)
    if (state[i].robot < 0)
      k_[0].bodies[i] = (k_[0].bodies[i] + 2 * (k_[1].bodies[i] + k_[2].bodies[i]) + k_[3].bodies[i]) / 6;
  for (std::size_t r = 0; r < state.robots.size(); ++r) {
    k_[0].q[r] = (k_[0].q[r] + 2 * (k_[1].q[r] + k_[2].q[r]) + k_[3].q[r]) / 6;
    k_[0].v[r] = (k_[0].v[r] + 2 * (k_[1].v[r] + k_[2].v[r]) + k_[3].v[r]) / 6;
  }
  stage_ = state;
  move(stage_, k_[0], h, state);
  for (sim::SystemBody& body : state)
    if (body.robot < 0) body.state.pose.q.normalize();
  for (sim::SystemRobot& robot : state.robots) sim::normaliseQuaternions(*robot.model, robot.state.q);
  if (!state.robots.empty()) equations_.writeLinks(state);
  return true;
}

}  // namespace rigor::methods
