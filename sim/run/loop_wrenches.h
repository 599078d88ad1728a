// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "sim/run/joint_interval.h"

namespace rigor::sim {

/// What the loops of a robot (ArticulatedModel::loops) did over a piece or at a jump. Balances of momentum leave that
/// open. Of all wrenches those of least norm are taken with which the joints of the tree do along what they leave free
/// what the model says (dampers, springs, rotors; friction as if it slid on), and with which trees that float balance
/// as a whole. Linear least squares.
class LoopWrenches {
 public:
  /// @param roots  Links of trees that float, to which what their links feel is handed on.
  LoopWrenches(const dynamics::Robot& robot, int first_body, std::span<const HangingLink> order,
               std::span<const int> roots);

  struct Wrench {
    int on, from;  ///< Links: it acts on the first, its opposite on the second; dynamics::kWorld: none.
    Eigen::Vector3d x, P, moment;  ///< At a point of the loop; world.
  };
  /// @param links  What is left for joints and loops. @returns one a loop, in the model's order. O((joints + loops)^3)
  std::span<const Wrench> find(const JointInterval& at, std::span<const LinkBalance> links);

 private:
  struct Motion {  // Of a link at an instant.
    Eigen::Vector3d p, v, w;
    Eigen::Matrix3d R;
  };
  // What is known of a joint, world axes at the middle of the interval.
  struct Known {
    Eigen::Vector3d x;
    std::array<Eigen::Vector3d, 3> axes;
    std::array<bool, 3> turns;
    std::array<double, 3> does;
    int count = 0;
    double trust = 1;  // Of its rows in the sum of squares: less where friction may do more or less.
  };
  enum class Instant { kStart, kMiddle, kEnd };

  Motion motionOf(const JointInterval& at, int link, Instant instant) const;
  void know(const JointInterval& at, int joint, Known& known) const;
  double coordinateOf(int joint, const Motion& parent, const Motion& child, double near) const;
  void addLoops(const JointInterval& at);
  void handOn(std::span<const LinkBalance> links, Eigen::Ref<Eigen::VectorXd> rows);

  const dynamics::Robot& robot_;
  int first_body_;
  std::vector<HangingLink> order_;
  std::vector<int> roots_;
  std::vector<char> follows_;      // Joints that follow others or are followed: nothing is known along their axes.
  std::vector<Known> known_;       // As order_.
  std::vector<BodyImpulse> sums_;  // Of links.
  std::vector<Wrench> wrenches_;
  struct Unknown {
    int loop;
    Eigen::Vector3d axis;
    bool turns;
  };
  std::vector<Unknown> unknowns_;
  double length_ = 1;  // That makes moments of forces [m].
  Eigen::MatrixXd columns_;
  Eigen::VectorXd rows_, found_;
};

}  // namespace rigor::sim
