// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "check/trajectory.h"
#include "sim/world.h"

namespace rigor::check {

/// Reads the motions of a scene's bodies, by the file's ending:
///
///   .csv          the columns of `rigor export`'s states.csv: time, body, px..pz, qw..qz; vx..vz and wx..wz, and
///   branch, are optional,
///                 other columns are not looked at, and rows may come in any order of bodies
///   .npz          NumPy archive: `time` (n), and for each body an array named as the body, n x 7 (position, quaternion
///   wxyz) or
///                 n x 13 (and v, w); float64 or float32
///   .h5 .hdf5     as `rigor export --format hdf5` writes it: groups branches/ID/bodies/BODY with time, position,
///   orientation
///                 and, optional, velocity, angular_velocity
///
/// A trajectory a branch, in the order of the file. Each is held against the scene (matchScene()).
/// @throws TrajectoryError.
std::vector<Trajectory> readTrajectories(const std::string& path, const sim::Scene& scene);

/// One format each, without matchScene(). @throws TrajectoryError, formats::FileError.
std::vector<Trajectory> readCsv(const std::string& path, const sim::Scene& scene);
std::vector<Trajectory> readNpz(const std::string& path, const sim::Scene& scene);
std::vector<Trajectory> readHdf5(const std::string& path, const sim::Scene& scene);

}  // namespace rigor::check
