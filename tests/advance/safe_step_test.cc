// SPDX-License-Identifier: MIT
// Proved here: no step reaches the first contact of whole bodies (one-sided, strict, against dense sampling of the
// constant-twist motion in long double); chains' bounds are those of a chain that moves as they say.
// Oracle: Rodrigues' formula for the motion, in long double.
#include "advance/safe_step.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace rigor::advance {
namespace {

using Vec = Eigen::Matrix<long double, 3, 1>;

struct Body {
  Twist twist;
  Eigen::Vector3d centre{0, 0, 0};

  Vec centreAt(long double t) const { return centre.cast<long double>() + t * twist.velocity.cast<long double>(); }
  /// exp([w] t) r, by Rodrigues' formula.
  Vec turned(const Eigen::Vector3d& r, long double t) const {
    const Vec w = twist.angular_velocity.cast<long double>(), x = r.cast<long double>();
    const long double speed = w.norm();
    if (speed == 0) return x;
    const Vec k = w / speed;
    const long double angle = speed * t;
    return x * std::cos(angle) + k.cross(x) * std::sin(angle) + k * k.dot(x) * (1 - std::cos(angle));
  }
};

TEST(SafeStep, FirstOrderBoundHoldsForWholeBodies) {
  // Two boxes' worth of vertices along a kept direction d: Eq. (4) from the support planes' gap.
  std::mt19937 rng(4);
  std::normal_distribution<double> normal;
  const auto random3 = [&] { return Eigen::Vector3d(normal(rng), normal(rng), normal(rng)); };
  for (int trial = 0; trial < 100; ++trial) {
    Body A, B;
    A.twist = {random3(), 3 * random3()};
    B.twist = {random3(), 3 * random3()};
    const Eigen::Vector3d d = random3().normalized();  // From A to B.
    std::vector<Eigen::Vector3d> va, vb;
    double ra = 0, rb = 0, reach = 0, depth = 0;
    for (int i = 0; i < 8; ++i) {
      va.push_back(0.1 * random3());
      vb.push_back(0.1 * random3());
      ra = std::max(ra, va.back().norm());
      rb = std::max(rb, vb.back().norm());
      reach = std::max(reach, d.dot(va.back()));
      depth = std::min(depth, d.dot(vb.back()));
    }
    const double gap = 1e-3;
    B.centre = d * (reach - depth + gap);
    const SafeStep step = firstOrderStep(gap, approachSpeed(d, A.twist, ra, B.twist, rb), 1);
    for (int i = 0; i <= 20; ++i) {
      const long double t = static_cast<long double>(step.step) * i / 20;
      long double highest = -1e9L, lowest = 1e9L;
      for (const auto& v : va) highest = std::max(highest, d.cast<long double>().dot(A.centreAt(t) + A.turned(v, t)));
      for (const auto& v : vb) lowest = std::min(lowest, d.cast<long double>().dot(B.centreAt(t) + B.turned(v, t)));
      EXPECT_GT(lowest - highest, i < 20 ? 0.0L : -1e-15L) << trial;
    }
  }
}

TEST(SafeStep, ChainBoundsContainThePlanarChain) {
  // A planar chain of revolute joints, straight along x, all turning at q': the tip's speed across is sum_j q'_j
  // (length beyond j).
  std::vector<ChainJoint> joints(4);
  for (ChainJoint& joint : joints) joint = {false, 0, 0.5, 1.0};
  const double radius = 0.5;
  double tip = 0;
  for (int j = 0; j < 4; ++j) tip += 0.5 * ((3 - j) * 1.0 + 2 * radius);
  EXPECT_NEAR(chainSpeed({0, 1, 0}, {}, joints, radius), tip, 1e-15);
  // Eq. (11): gamma_1 for the base's turning; its velocity along d alone.
  EXPECT_NEAR(chainSpeed({0, 1, 0}, {{7, 2, 0}, {0, 0, 3}}, joints, radius), tip + 2 + 3 * (3 + 1), 1e-14);
  joints[1] = {true, 0.25, 2, 99};  // A drawn-out slide: |q| + |q'| to its length, |q'| to the speed.
  const double mixed = 0.5 * 1 + 0.5 * 2 + 2 + 0.5 * (1 + 2.25 + 2);
  EXPECT_NEAR(chainSpeed({0, 1, 0}, {}, joints, radius), mixed, 1e-15);
  EXPECT_NEAR(chainPivotSpeed({0, 0, 1}, 1, joints, {2, 0, 0}, 0.5), (1 + 1.5 + 2) * 0.5, 1e-15);
  EXPECT_NEAR(pivotSpeed({0, 0, 1}, {3, 0, 5}, {0, 4, 0}, 2), 14, 1e-15);
}

TEST(SafeStep, BadDataTouches) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(firstOrderStep(nan, 1, 1).status, StepStatus::kTouching);
  EXPECT_EQ(firstOrderStep(1, nan, 1).status, StepStatus::kTouching);
  EXPECT_EQ(firstOrderStep(0, 1, 1).status, StepStatus::kTouching);
  EXPECT_EQ(firstOrderStep(1, 0, 2).status, StepStatus::kReachedHorizon);
}

}  // namespace
}  // namespace rigor::advance
