// SPDX-License-Identifier: MIT
#include "check/trajectory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics/rigid_body.h"
#include "elementary/require.h"

namespace rigor::check {
namespace {

/// Limit of every number in input files (docs/scenes.md).
constexpr double kLargest = 1e100;
/// How far, relative to its coordinates, a fixed body's track may lie from the scene's pose: digits of a text file.
constexpr double kFixedTolerance = 1e-9;

bool allowed(const geom::Pose& pose) {
  return pose.p.allFinite() && pose.q.allFinite() && pose.p.cwiseAbs().maxCoeff() <= kLargest &&
         pose.q.cwiseAbs().maxCoeff() <= kLargest && pose.q.squaredNorm() > 0;
}

bool same(const geom::Pose& a, const geom::Pose& b) { return a.p == b.p && (a.q == b.q || a.q == -b.q); }

bool near(const geom::Pose& a, const geom::Pose& b) {
  const double scale = 1 + a.p.norm();
  return (a.p - b.p).norm() <= kFixedTolerance * scale && (a.rotation() - b.rotation()).norm() <= kFixedTolerance;
}

void checkTrack(const Track& track, const std::string& what) {
  const auto fail = [&](std::size_t i, const std::string& reason) {
    throw TrajectoryError(fmt::format("{}, sample {}: {}", what, i, reason));
  };
  for (std::size_t i = 0; i < track.time.size(); ++i) {
    if (!(std::abs(track.time[i]) <= kLargest))
      fail(i, fmt::format("the time {} is not allowed; finite seconds", track.time[i]));
    if (!allowed(track.pose[i]))
      fail(i,
           "the pose is not finite, larger than 1e100, or has a zero quaternion; position [m] and quaternion [w, x, y, "
           "z]");
    if (!track.velocity.empty() && !(track.velocity[i].cwiseAbs().maxCoeff() <= kLargest))
      fail(i, "the velocity is not finite or larger than 1e100");
    if (i == 0) continue;
    if (!(track.time[i] >= track.time[i - 1]))
      fail(i, fmt::format("the time {} is before that of the sample before it, {}; times ascend", track.time[i],
                          track.time[i - 1]));
    if (track.time[i] == track.time[i - 1] && !same(track.pose[i], track.pose[i - 1]))
      fail(i, fmt::format("two poses at the time {}; only velocities may differ at one time", track.time[i]));
  }
}

}  // namespace

advance::MotionPiece pieceBetween(const Track& track, std::size_t i, Interpolation interpolation) {
  RIGOR_REQUIRE(i + 1 < track.time.size() && track.time[i] < track.time[i + 1]);
  const geom::Pose& a = track.pose[i];
  geom::Pose b = track.pose[i + 1];
  if (a.q.dot(b.q) < 0) b.q = -b.q;
  advance::MotionPiece piece;
  piece.t0 = track.time[i], piece.t1 = track.time[i + 1];
  const bool cubic = interpolation == Interpolation::kHermite;
  const int last = cubic ? 3 : 1;
  piece.p_degree = piece.q_degree = last;
  piece.p[0] = a.p, piece.p[last] = b.p;
  piece.q[0] = a.q, piece.q[last] = b.q;
  if (cubic) {
    const double third = (piece.t1 - piece.t0) / 3;
    const Velocity &v0 = track.velocity[i], &v1 = track.velocity[i + 1];
    piece.p[1] = a.p + third * v0.head<3>();
    piece.p[2] = b.p - third * v1.head<3>();
    piece.q[1] = a.q + third * dynamics::quaternionRate(a.q, v0.tail<3>());
    piece.q[2] = b.q - third * dynamics::quaternionRate(b.q, v1.tail<3>());
  } else {
    if (a.p == b.p) piece.p_degree = 0;
    if (a.q == b.q) piece.q_degree = 0;
  }
  return piece;
}

void matchScene(Trajectory& trajectory, const sim::Scene& scene, const std::string& path) {
  double begin = HUGE_VAL, end = -HUGE_VAL;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const sim::Body& body = scene.bodies[b];
    Track& track = trajectory.tracks[b];
    const std::string what = fmt::format("{}: body '{}'", path, body.name);
    if (track.empty()) {
      if (!body.fixed)
        throw TrajectoryError(what + " has no samples; every moving body of the scene needs a trajectory");
      continue;
    }
    checkTrack(track, what);
    if (body.fixed) {
      for (const geom::Pose& pose : track.pose)
        if (!near(pose, body.pose))
          throw TrajectoryError(what +
                                " is fixed in the scene and moves, or stands elsewhere, here; leave it out or free it");
      track = {};
      continue;
    }
    begin = std::min(begin, track.time.front()), end = std::max(end, track.time.back());
  }
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Track& track = trajectory.tracks[b];
    if (track.empty() || (track.time.front() == begin && track.time.back() == end)) continue;
    throw TrajectoryError(fmt::format(
        "{}: body '{}' is known from {} to {} s, others from {} to {} s; all bodies must span the same time", path,
        scene.bodies[b].name, track.time.front(), track.time.back(), begin, end));
  }
}

}  // namespace rigor::check
