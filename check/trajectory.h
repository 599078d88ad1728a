// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <stdexcept>
#include <string>
#include <vector>

#include "advance/motion_piece.h"
#include "geom/pose.h"
#include "sim/world.h"

namespace rigor::check {

/// A trajectory that cannot be read or does not fit the scene. what() is complete: FILE:LINE:COL (or FILE: and the name
/// of the array), what was found, what is allowed.
struct TrajectoryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Velocity = Eigen::Matrix<double, 6, 1>;  ///< v of the body origin [m/s], w [rad/s], both in the world.

/// What is known of one body: its poses at some times. Quaternions need not be normalised.
struct Track {
  std::vector<double> time;           ///< [s], not descending; two samples at one time have the same pose.
  std::vector<geom::Pose> pose;       ///< Of the body origin (or of `centre`), a row a time.
  std::vector<Velocity> velocity;     ///< A row a time, or empty: not known.
  Eigen::Vector3d centre{0, 0, 0};    ///< Body-fixed point that the samples follow, body frame [m].

  bool empty() const { return time.empty(); }
};

/// One motion of all bodies, as another program computed it.
struct Trajectory {
  std::string branch = "0";
  std::vector<Track> tracks;  ///< By body of the scene; empty for those that stay where the scene has them.
};

enum class Interpolation {
  kLinear,   ///< Straight: position and un-normalised quaternion linear in time between two samples.
  kHermite,  ///< Cubic through both samples with their velocities.
};

/// The motion between samples i and i + 1 of a track, about the point that it follows. The quaternion's sign is turned
/// to the nearer of the two that mean the same rotation; its norm stays, so that M(q)/(q.q) at a sample is exactly the
/// sample's rotation.
///
///   kHermite:  p_1 = p_0 + h v_0 / 3,  q_1 = q_0 + h (w_0 q_0 / 2) / 3, and the same at the end.
///
/// @pre time[i] < time[i + 1]; velocities where kHermite.
advance::MotionPiece pieceBetween(const Track& track, std::size_t i, Interpolation interpolation);

/// Holds a trajectory against its scene: times in order, poses finite with q != 0, every moving body there, fixed
/// bodies either left out or where the scene has them (their tracks are dropped). @throws TrajectoryError that begins
/// with `path`.
void matchScene(Trajectory& trajectory, const sim::Scene& scene, const std::string& path);

}  // namespace rigor::check
