// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

namespace rigor::dynamics {

/// What ideal sensors on a link say when its robot's controller samples.
struct LinkReading {
  bool touches = false;            ///< A contact acted on it since the sample before.
  Eigen::Vector3d force{0, 0, 0},  ///< Of its contacts, world axes, about the link's origin: means since the sample
      torque{0, 0, 0};             ///< before, impacts included [N], [N m].
  Eigen::Vector3d specific_force{0, 0, 0},  ///< An IMU at its origin, link axes: acceleration - gravity [m/s^2], of the
      angular_velocity{0, 0, 0};            ///< motion before the sample; [rad/s].
};

/// Of all links of the robot's model, in their order; none where nobody measures (published methods).
struct Readings {
  std::vector<LinkReading> links;
  Eigen::VectorXd effort;  ///< Of the actuators since the sample before [N m] or [N]; nv entries, zero at first.
};

}  // namespace rigor::dynamics
