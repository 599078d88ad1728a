// SPDX-License-Identifier: MIT
#include "compare/tracks.h"

#include <algorithm>

#include "compare/joint_path.h"

namespace rigor::compare {

namespace {

constexpr double kJointFit = 0.1;  // Of the nominal gap: how closely links follow, as SolverOptions::joint_fit.

}  // namespace

Tracks::Tracks(const sim::Scene& scene) : scene_(scene) {
  trajectory_.tracks.resize(scene.bodies.size());
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (!scene.bodies[b].fixed) trajectory_.tracks[b].centre = scene.bodies[b].centre;
}

void Tracks::add(int body, double time, geom::Pose pose, const check::Velocity& velocity) {
  check::Track& track = trajectory_.tracks[body];
  if (!track.pose.empty() && track.pose.back().q.dot(pose.q) < 0) pose.q = -pose.q;
  track.time.push_back(time), track.pose.push_back(pose), track.velocity.push_back(velocity);
  end_ = std::max(end_, time);
}

/// Samples from the last state to this one, along joints.
void Tracks::followJoints(const methods::World& world) {
  JointPath path(world, last_, end_, cubic_);
  const double from = end_, h = world.time - from;
  const int parts = path.parts(kJointFit * world.scales().gap);
  const int within = cubic_ ? 1 : 0;  // States of such methods have the velocities of their ends already.
  for (int k = within; k <= parts - within; ++k) {
    const double u = double(k) / parts;
    path.place(u);
    const double time = k == 0 ? from : k == parts ? world.time : from + u * h;
    for (int slot = 0; slot < world.numSlots(); ++slot)
      if (k == 0 || k == parts || world.isLink(slot))
        add(world.bodyOf(slot), time, path.pose(slot), path.velocity(slot));
  }
}

void Tracks::state(const methods::World& world) {
  if (!last_.robots.empty() && world.time > end_) followJoints(world);
  if (!world.state.robots.empty()) last_ = world.state;
  for (int slot = 0; slot < world.numSlots(); ++slot)
    add(world.bodyOf(slot), world.time, world.state[slot].state.pose, world.state[slot].state.velocity());
}

void Tracks::piece(const sim::PieceRecord& record) {
  const auto twist = [](const Eigen::Vector3d& v, const Eigen::Vector3d& w) {
    return (check::Velocity() << v, w).finished();
  };
  add(record.body, record.piece.t0, record.piece.start(), twist(record.v_start, record.w_start));
  add(record.body, record.piece.t1, record.piece.end(), twist(record.v_end, record.w_end));
  if (next_) next_->piece(record);
}

std::size_t Tracks::sampleAt(int body, double time) const {
  const std::vector<double>& times = trajectory_.tracks[body].time;
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  return after == times.begin() ? 0 : static_cast<std::size_t>(after - times.begin()) - 1;
}

geom::Pose Tracks::pose(int body, double time) const { return trajectory_.tracks[body].pose[sampleAt(body, time)]; }
check::Velocity Tracks::velocity(int body, double time) const {
  return trajectory_.tracks[body].velocity[sampleAt(body, time)];
}

double Tracks::energy(double time) const {
  double sum = 0;
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    if (trajectory_.tracks[b].empty()) continue;
    const sim::Body& body = scene_.bodies[b];
    const geom::Pose X = pose(static_cast<int>(b), time);
    const check::Velocity u = velocity(static_cast<int>(b), time);
    const Eigen::Vector3d w = X.rotation().transpose() * u.tail<3>();
    sum +=
        0.5 * (body.mass * u.head<3>().squaredNorm() + w.dot(body.inertia * w)) - body.mass * scene_.gravity.dot(X.p);
  }
  return sum;
}

}  // namespace rigor::compare
