// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <random>

#include "dynamics/articulated_state.h"

namespace rigor::dynamics {

/// Random mechanisms for tests: every joint type, branches, several links a joint deep.
class RandomTree {
 public:
  struct Wishes {
    int links = 8;
    bool floating = false;  ///< The first link floats; otherwise it hangs on a random joint in the world.
    bool fixed_joints = true, damping = false, armature = false;
    bool simple = false;  ///< Joints of one coordinate alone, but for the first.
  };

  explicit RandomTree(unsigned seed) : engine_(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  Eigen::Vector3d vector(double scale) { return scale * Eigen::Vector3d(number(-1, 1), number(-1, 1), number(-1, 1)); }
  Eigen::Vector4d quaternion() {
    std::normal_distribution<double> normal;
    return Eigen::Vector4d(normal(engine_), normal(engine_), normal(engine_), normal(engine_)).normalized();
  }
  Eigen::VectorXd numbers(int count, double scale) {
    Eigen::VectorXd x(count);
    for (double& value : x) value = number(-scale, scale);
    return x;
  }

  /// A solid of mass points.
  LinkDescription link(const std::string& name);
  ArticulatedModel model(const Wishes& wishes);
  /// Any configuration (quaternions of length 0.5 to 2) and velocity of size `speed`.
  ArticulatedState state(const ArticulatedModel& model, double speed = 2);

 private:
  std::mt19937_64 engine_;
};

}  // namespace rigor::dynamics
