// SPDX-License-Identifier: MIT
#include "compare/joint_path.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "dynamics/joint_curve.h"
#include "dynamics/kinematics.h"
#include "dynamics/quaternion.h"
#include "dynamics/rigid_body.h"

namespace rigor::compare {

using Eigen::VectorXd;

namespace {

/// The error falls with the fourth power: what needs more has lost its way, and is shown as it is.
constexpr int kMostParts = 64;

}  // namespace

JointPath::JointPath(const methods::World& world, const sim::SystemState& from, double t0, bool cubic)
    : world_(world), from_(from), h_(world.time - t0), straight_(from.size()), pose_(from.size()),
      velocity_(from.size()) {
  for (std::size_t r = 0; r < from.robots.size(); ++r) {
    const sim::SystemRobot &a = from.robots[r], &b = world.state.robots[r];
    const dynamics::ArticulatedModel& model = *a.model;
    workspaces_.emplace_back(model);
    VectorXd mean(model.numVelocities());
    dynamics::difference(model, a.state.q, b.state.q, mean);
    mean /= h_;
    Ends ends{a.state, b.state, VectorXd::Zero(mean.size()), VectorXd::Zero(mean.size())};
    if (cubic) {
      ends.start_rate = (6 * mean - 4 * a.state.v - 2 * b.state.v) / h_;
      ends.end_rate = (2 * a.state.v + 4 * b.state.v - 6 * mean) / h_;
    } else {
      ends.start.v = ends.end.v = mean;
    }
    robots_.push_back(std::move(ends));
  }
  for (std::size_t slot = 0; slot < from.size(); ++slot) {
    const geom::Pose &a = from[slot].state.pose, &b = world.state[slot].state.pose;
    straight_[slot] << (b.p - a.p) / h_,
        dynamics::rotationVector(dynamics::multiply(b.q, dynamics::conjugate(a.q))) / h_;
  }
}

void JointPath::place(double u) {
  for (std::size_t slot = 0; slot < from_.size(); ++slot) {
    if (from_[slot].robot >= 0) continue;
    const geom::Pose& a = from_[slot].state.pose;
    velocity_[slot] = straight_[slot];
    pose_[slot] = {dynamics::rotate(a.q, u * h_ * straight_[slot].tail<3>()), a.p + u * h_ * straight_[slot].head<3>()};
  }
  for (std::size_t r = 0; r < robots_.size(); ++r) {
    const Ends& ends = robots_[r];
    const sim::SystemRobot& robot = from_.robots[r];
    dynamics::ArticulatedState state = ends.start;
    VectorXd rate = ends.start_rate;
    dynamics::interpolateJoints(*robot.model, {ends.start, ends.start_rate}, {ends.end, ends.end_rate}, h_, u, state,
                                rate);
    dynamics::ArticulatedWorkspace& workspace = workspaces_[r];
    dynamics::calcKinematics(*robot.model, state, workspace);
    for (std::size_t i = 0; i < robot.links.size(); ++i) {
      const std::size_t slot = robot.first_slot + i;
      const Eigen::Vector3d centre = dynamics::linkCentre(*robot.model, workspace, robot.links[i]);
      pose_[slot] = {dynamics::linkPose(*robot.model, workspace, robot.links[i]).q, centre};
      velocity_[slot] = dynamics::linkVelocity(*robot.model, workspace, robot.links[i], centre);
    }
  }
  // Ends are the method's own, to the bit.
  const sim::SystemState* end = u == 0 ? &from_ : u == 1 ? &world_.state : nullptr;
  for (std::size_t slot = 0; end && slot < end->size(); ++slot) pose_[slot] = (*end)[slot].state.pose;
}

/// How far cubics over a part of the time are from where links are in its middle [m].
double JointPath::error(double from, double to) {
  std::vector<check::Track> tracks(pose_.size());
  for (const double u : {from, to}) {
    place(u);
    for (std::size_t slot = 0; slot < tracks.size(); ++slot) {
      tracks[slot].time.push_back(u * h_);
      tracks[slot].pose.push_back(pose_[slot]), tracks[slot].velocity.push_back(velocity_[slot]);
    }
  }
  place(0.5 * (from + to));
  double most = 0;
  for (std::size_t slot = 0; slot < tracks.size(); ++slot) {
    if (from_[slot].robot < 0) continue;
    const geom::Pose shown =
        check::pieceBetween(tracks[slot], 0, check::Interpolation::kHermite).at(0.5 * (from + to) * h_);
    const double turned = (shown.rotation() - pose_[slot].rotation()).norm();
    most = std::max(most, (shown.p - pose_[slot].p).norm() + turned * world_.scales().length);
  }
  return most;
}

int JointPath::parts(double fit) {
  for (int parts = 1; parts <= kMostParts; parts *= 2) {
    bool fits = true;  // Not with NaN.
    for (int k = 0; k < parts && fits; ++k) fits = error(double(k) / parts, double(k + 1) / parts) <= fit;
    if (fits) return parts;
  }
  return 1;
}

}  // namespace rigor::compare
