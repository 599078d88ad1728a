// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <memory>
#include <vector>

#include "dynamics/articulated_description.h"

namespace rigor::dynamics {

/// A mechanism in Simbody. All vectors are in the order of the joints as listed, each with its own coordinates as
/// JointType says. A header and a file of its own: Simbody's headers are C++17.
class SimbodyTwin {
 public:
  /// `floating_centre`: the point of a floating link that its coordinates are of, link frame.
  SimbodyTwin(const std::vector<LinkDescription>& links, const std::vector<JointDescription>& joints,
              const Eigen::Vector3d& floating_centre, const Eigen::Vector3d& gravity);
  ~SimbodyTwin();

  void set(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  Eigen::MatrixXd massMatrix() const;
  Eigen::VectorXd inverseDynamics(const Eigen::VectorXd& dv) const;
  Eigen::VectorXd forwardDynamics(const Eigen::VectorXd& tau) const;
  Eigen::Vector3d point(int link, const Eigen::Vector3d& local) const;
  Eigen::VectorXd velocity(int link, const Eigen::Vector3d& local) const;  ///< (v of the point, w)
  Eigen::MatrixXd pointJacobian(int link, const Eigen::Vector3d& local) const;
  Eigen::Vector3d pointBias(int link, const Eigen::Vector3d& local) const;  ///< J' v

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor::dynamics
