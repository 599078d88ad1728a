// SPDX-License-Identifier: MIT
// Proved here: no step of any order reaches the first contact (one-sided, strict, against dense sampling of the
// constant-twist motion in long double); the Taylor bounds lie below the gap at every sample; and higher order needs
// few evaluations: the count to reach an event at 1e-12 s, first order against second and third.
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

/// A vertex of A over a plane of B, both turning.
struct VertexOverPlane {
  Body A, B;
  Eigen::Vector3d vertex, n;
  double offset;
  Eigen::Vector3d da{0, 0, 0};

  long double gapAt(long double t) const {
    const Vec v = A.centreAt(t) + A.turned(vertex - A.centre, t) + da.cast<long double>() * (t * t / 2);
    const Vec normal = B.turned(n, t);
    const Vec point = B.centreAt(t) + B.turned(offset * n - B.centre, t);
    return normal.dot(v - point);
  }
  /// The state at t as a new start; the twists are constant.
  VertexOverPlane at(double t) const {
    VertexOverPlane s = *this;
    s.A.centre = A.centreAt(t).cast<double>();
    s.B.centre = B.centreAt(t).cast<double>();
    s.vertex = (A.centreAt(t) + A.turned(vertex - A.centre, t)).cast<double>();
    s.n = B.turned(n, t).cast<double>();
    s.offset = static_cast<double>(B.turned(n, t).dot(B.centreAt(t) + B.turned(offset * n - B.centre, t)));
    return s;
  }
  VertexPlaneBound bound(double horizon) const {
    return VertexPlaneBound(n, offset, vertex, A.twist, A.centre, B.twist, B.centre, horizon, da);
  }
};

VertexOverPlane randomCase(std::mt19937& rng, double size) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto random3 = [&] { return Eigen::Vector3d(normal(rng), normal(rng), normal(rng)); };
  VertexOverPlane s;
  s.n = random3().normalized();
  s.B.centre = size * random3();
  s.offset = s.n.dot(s.B.centre) + size * uniform(rng);
  s.vertex = s.offset * s.n + s.n.cross(random3()) * size;
  s.vertex += s.n * (size * std::pow(10.0, -6 * uniform(rng)));
  s.A.centre = s.vertex + size * random3();
  s.A.twist = {size * 3 * random3(), 5 * random3()};
  s.B.twist = {size * random3(), rng() % 3 ? Eigen::Vector3d(3 * random3()) : Eigen::Vector3d::Zero()};
  return s;
}

TEST(SafeStep, TaylorBoundsLieBelowTheGap) {
  std::mt19937 rng(1);
  for (int trial = 0; trial < 400; ++trial) {
    const double size = std::pow(10.0, int(rng() % 7) - 3), H = 0.1 * std::pow(10.0, -double(rng() % 4));
    VertexOverPlane s = randomCase(rng, size);
    if (trial % 3 == 0) s.da = size * Eigen::Vector3d(0, 0.3, -9);
    const VertexPlaneBound b = s.bound(H);
    for (int i = 0; i <= 50; ++i) {
      const long double t = static_cast<long double>(H) * i / 50, g = s.gapAt(t);
      const long double rounding = 1e-14L * size;
      EXPECT_GE(g + rounding, b.g0 + t * (b.g1 - t * b.K2 / 2)) << trial << " t/H = " << i / 50.0;
      EXPECT_GE(g + rounding, b.g0 + t * (b.g1 + t * (b.g2 / 2 - t * b.K3 / 6))) << trial << " t/H = " << i / 50.0;
    }
    // g1 and g2 by central differences of the exact motion.
    const long double e = 1e-5L;
    EXPECT_NEAR(double((s.gapAt(e / 10) - s.gapAt(-e / 10)) / (e / 5)), b.g1, 1e-7 * size);
    EXPECT_NEAR(double((s.gapAt(e) - 2 * s.gapAt(0) + s.gapAt(-e)) / (e * e)), b.g2, 1e-5 * size);
  }
}

TEST(SafeStep, NoStepReachesContact) {
  std::mt19937 rng(2);
  int advanced = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const double size = std::pow(10.0, int(rng() % 7) - 3), H = 0.05;
    const VertexOverPlane s = randomCase(rng, size);
    const double speed =
        approachSpeed(s.n, s.A.twist, (s.vertex - s.A.centre).norm(), s.B.twist,
                      (s.vertex - s.B.centre).norm() + (s.A.twist.velocity - s.B.twist.velocity).norm() * H +
                          2 * (s.vertex - s.A.centre).norm());
    const VertexPlaneBound b = s.bound(H);
    for (const SafeStep& step : {firstOrderStep(b.g0, speed, H), secondOrderStep(b), thirdOrderStep(b)}) {
      ASSERT_NE(step.status, StepStatus::kTouching);
      ASSERT_GT(step.step, 0);
      ASSERT_LE(step.step, H);
      advanced += step.status == StepStatus::kAdvanced;
      for (int i = 0; i < 200; ++i) EXPECT_GT(s.gapAt(static_cast<long double>(step.step) * i / 200), 0) << trial;
      EXPECT_GE(s.gapAt(step.step), -1e-14L * size) << trial;
    }
    EXPECT_GE(thirdOrderStep(b).step, secondOrderStep(b).step);
  }
  EXPECT_GT(advanced, 300);
}

/// Evaluations until a step is shorter than 1e-12 s.
template <typename Step>
int countEvaluations(const VertexOverPlane& start, Step step) {
  double t = 0;
  for (int count = 1; count <= 100000; ++count) {
    const SafeStep h = step(start.at(t));
    if (h.status == StepStatus::kTouching || h.step < 1e-12) return count;
    if (h.status == StepStatus::kReachedHorizon && t > 1) return -1;
    t += h.step;
    EXPECT_GT(start.gapAt(t), -1e-15L);
  }
  return 100000;
}

TEST(SafeStep, HigherOrderNeedsFewEvaluations) {
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  double sums[3] = {0, 0, 0};
  int worst_second = 0, worst_third = 0;
  const int kCases = 50;
  for (int trial = 0; trial < kCases; ++trial) {
    // A corner of a 0.1 m die that spins fast and sinks slowly over a plane at rest: the bounding sphere of the
    // first-order bound moves some ten times as fast as the corner approaches.
    VertexOverPlane s;
    s.n = {0, 0, 1};
    s.offset = 0;
    s.A.centre = {0, 0, 0.0876};
    s.vertex = s.A.centre + 0.0866 * Eigen::Vector3d(0.2 * normal(rng), 0.2 * normal(rng), -3).normalized();
    s.A.twist = {Eigen::Vector3d(normal(rng), normal(rng), -0.2),
                 20 * Eigen::Vector3d(normal(rng), normal(rng), normal(rng)).normalized()};
    const double radius = 0.0866, H = 0.05;
    const auto first = [&](const VertexOverPlane& x) {
      return firstOrderStep(x.n.dot(x.vertex) - x.offset, approachSpeed(x.n, x.A.twist, radius, x.B.twist, 0), H);
    };
    const int n1 = countEvaluations(s, first);
    const int n2 = countEvaluations(s, [&](const VertexOverPlane& x) { return secondOrderStep(x.bound(H)); });
    const int n3 = countEvaluations(s, [&](const VertexOverPlane& x) { return thirdOrderStep(x.bound(H)); });
    sums[0] += n1, sums[1] += n2, sums[2] += n3;
    worst_second = std::max(worst_second, n2);
    worst_third = std::max(worst_third, n3);
  }
  RecordProperty("first_order", std::to_string(sums[0] / kCases));
  RecordProperty("second_order", std::to_string(sums[1] / kCases));
  RecordProperty("third_order", std::to_string(sums[2] / kCases));
  EXPECT_LE(worst_second, 20);
  EXPECT_LE(worst_third, 10);
  EXPECT_GE(sums[0] / kCases, 100);  // The bound is as slow as the paper says,
  EXPECT_LE(sums[1] / kCases, 10);   // and these are not.
  EXPECT_LE(sums[2] / kCases, 7.5);
}

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
  for (int which = 0; which < 4; ++which) {
    VertexOverPlane s;
    s.n = {0, 0, 1};
    s.offset = 0;
    s.vertex = {0, 0, 1};
    s.A.twist.velocity = {0, 0, -1};
    EXPECT_EQ(secondOrderStep(s.bound(0.5)).status, StepStatus::kReachedHorizon);
    (which == 0 ? s.vertex : which == 1 ? s.A.twist.velocity : which == 2 ? s.A.twist.angular_velocity : s.n)[2] = nan;
    EXPECT_EQ(secondOrderStep(s.bound(2)).step, 0) << which;
    EXPECT_EQ(thirdOrderStep(s.bound(2)).step, 0) << which;
  }
}

}  // namespace
}  // namespace rigor::advance
