// SPDX-License-Identifier: MIT
#include "sim/robot_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/scales.h"
#include "sim/simulation.h"

namespace rigor::sim {

namespace {

constexpr double kLeastRoom = 8;        // Of a joint's range, in gaps: both ends never are in the contact band at once.
constexpr double kStartRounding =
    1e-9;  // [rad] or of the range: starts outside by less are rounding of the user's numbers.

}  // namespace

std::string RobotLimit::name() const {
  std::string text;  // Of a URDF file: any characters.
  for (const char c : joint) {
    if (c == '"' || c == '\\') text += '\\';
    text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return fmt::format(R"("joint":"{}","end":"{}")", text, isUpper() ? "upper" : "lower");
}

std::vector<RobotLimit> robotLimits(const dynamics::Robot& robot, int first_body, double length) {
  const dynamics::ArticulatedModel& model = *robot.model;
  length = std::max(length, leastLength(robot));
  std::vector<RobotLimit> limits;
  for (const dynamics::JointLimit& limit : dynamics::jointLimits(model)) {
    const int j = model.jointOf(limit.dof);
    const auto& joint = model.joint(j);
    using dynamics::JointType;
    const bool shifts =
        joint.type == JointType::kPrismatic || (joint.type == JointType::kPlanar && limit.dof - joint.v < 2);
    const int child = first_body + joint.child, parent = joint.parent < 0 ? child : first_body + joint.parent;
    const double restitution = robot.limit_restitution.empty() ? 0 : robot.limit_restitution[j];
    limits.push_back(
        {limit, shifts ? 1.0 : length, restitution, {parent, -1, child, -1}, robot.name + "/" + joint.name});
  }
  return limits;
}

advance::BernsteinPolynomial gapOver(const RobotLimit& limit, const dynamics::ArticulatedState& start,
                                     const dynamics::ArticulatedState& end, double h) {
  const double g0 = limit.length * limit.limit.gap(start.q), g1 = limit.length * limit.limit.gap(end.q);
  const double third = limit.length * h / 3;
  advance::BernsteinPolynomial f;
  f.degree = 3;
  f.c[0] = g0, f.c[1] = g0 + third * limit.limit.rate(start.v);
  f.c[2] = g1 - third * limit.limit.rate(end.v), f.c[3] = g1;
  return f;
}

void separateFromLimits(const dynamics::Robot& robot, const std::vector<RobotLimit>& limits, double gap,
                        dynamics::ArticulatedState& state, std::vector<std::string>& warnings) {
  for (const RobotLimit& limit : limits) {
    const auto& joint = robot.model->joint(robot.model->jointOf(limit.limit.dof));
    double& q = state.q[limit.limit.position];
    if (!((joint.upper - joint.lower) * limit.length >= kLeastRoom * gap))
      throw SceneError(
          fmt::format("joint '{}' may move from {:.9g} to {:.9g} only; a range this small is that of a fixed joint",
                      limit.joint, joint.lower, joint.upper),
          limit.links.body_b);
    const double room = joint.upper - joint.lower;  // Infinite where there is one end only.
    const double rounding = kStartRounding * (std::isfinite(room) ? room : 1);
    if (!(limit.limit.gap(state.q) >= -rounding))
      throw SceneError(fmt::format("joint '{}' starts at {:.9g}, beyond its {} limit {:.9g}", limit.joint, q,
                                   limit.isUpper() ? "upper" : "lower", limit.limit.bound),
                       limit.links.body_b);
    const double need = gap - limit.gap(state);
    if (!(need > 0)) continue;
    q = limit.limit.bound + limit.limit.sign * gap / limit.length;
    warnings.push_back(fmt::format("joint '{}' started at its {} limit and was moved by {:.3g}", limit.joint,
                                   limit.isUpper() ? "upper" : "lower", need / limit.length));
  }
}

}  // namespace rigor::sim
