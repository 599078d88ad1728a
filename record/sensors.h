// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "record/export.h"

namespace rigor::record {

/// What sensors on a robot's link say at an instant. Those of contact: as means over the time since the instant before,
/// so that their sum times that time is all that acted, impacts included.
struct SensorRow {
  double time;           ///< [s]
  int link;              ///< Body.
  bool touches = false;  ///< A contact acted on it since the instant before.
  Eigen::Vector3d force{0, 0, 0},
      torque{0, 0, 0};  ///< Of its contacts, world, about the link's origin at `time` [N], [N m].
  Eigen::Vector3d specific_force,
      angular_velocity;  ///< An IMU at its origin, link axes: acceleration - gravity [m/s^2]; [rad/s].
};

/// Calls `use` for each row of sensors.csv, by time, then link: the root link and all links that touch something in the
/// branch, of each robot, at the samples of its controller, or at `times`. None of robots without a controller where no
/// times are asked for. At a joint of two pieces the IMU says what was before. The specific force is that of the
/// published cubics, of second order in their length. O(contacts + rows log n). @throws RecordError.
void forEachSensor(Reader& reader, const std::string& branch, const std::function<void(const SensorRow&)>& use,
                   const ExportTimes& times = {});

/// The same of one link, at given ascending times in the branch.
std::vector<SensorRow> sensorsOf(Reader& reader, const std::string& branch, int link, const std::vector<double>& times);

}  // namespace rigor::record
