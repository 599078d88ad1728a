// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "api/input_errors.h"
#include "rigor/scene.h"
#include "scenes/loader.h"
#include "sim/world.h"

namespace rigor {

struct Scene::Impl {
  sim::Scene scene;
  scenes::SceneSource source;
  std::vector<BodyInfo> bodies;
  std::vector<RobotInfo> robots;
  bool own_controller = false;  ///< One that no file has.
};

/// What a run of a scene starts from. A scene that another program would not understand (controllers and impact models
/// of one's own) has no text: its records are proved about their model.
sim::Scene startOf(const Scene& scene);

inline Vector3 toArray(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }
inline Quaternion toArray(const Eigen::Vector4d& q) { return {q[0], q[1], q[2], q[3]}; }
inline Eigen::Vector3d toEigen(const Vector3& v) { return {v[0], v[1], v[2]}; }

}  // namespace rigor
