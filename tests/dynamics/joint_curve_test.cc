// SPDX-License-Identifier: MIT
// Proves: the joints' curve between two states goes through both, is one motion (its velocities are those of its
// positions), and approaches a smooth motion with order 6 in position, 5 in velocity, 4 in acceleration. Oracle:
// motions in closed form, rotations as the product of two turns about fixed axes.
#include "dynamics/joint_curve.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "tests/allocation_counter.h"
#include "random_tree.h"

namespace rigor::dynamics {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

struct Instant {
  ArticulatedState state;
  VectorXd dv;
};

/// Coordinates that swing; quaternions turn about two axes that swing with them.
class Swing {
 public:
  Swing(const ArticulatedModel& model, RandomTree& random)
      : model_(model),
        rate_(random.numbers(model.numVelocities(), 2)),
        phase_(random.numbers(model.numVelocities(), 3)) {
    for (int i = 0; i < model.numVelocities(); ++i) axes_.push_back(random.vector(1).normalized());
  }

  Instant at(double t) const {
    Instant now{ArticulatedState(model_), VectorXd::Zero(model_.numVelocities())};
    const auto scalar = [&](int q, int v) {
      const double x = rate_[v] * t + phase_[v];
      now.state.q[q] = std::sin(x), now.state.v[v] = rate_[v] * std::cos(x),
      now.dv[v] = -rate_[v] * rate_[v] * std::sin(x);
    };
    const auto turn = [&](int q, int v) {
      double angle[2], speed[2], change[2];
      for (int i = 0; i < 2; ++i) {
        const double x = rate_[v + i] * t + phase_[v + i];
        angle[i] = std::sin(x), speed[i] = rate_[v + i] * std::cos(x),
        change[i] = -rate_[v + i] * rate_[v + i] * std::sin(x);
      }
      const Vector3d &a = axes_[v], &b = axes_[v + 1];
      const Eigen::Quaterniond first(Eigen::AngleAxisd(angle[0], a)), both = first * Eigen::AngleAxisd(angle[1], b);
      now.state.q.segment<4>(q) << both.w(), both.vec();
      const Vector3d turned = first * b;
      now.state.v.segment<3>(v) = speed[0] * a + speed[1] * turned;
      now.dv.segment<3>(v) = change[0] * a + change[1] * turned + speed[0] * speed[1] * a.cross(turned);
    };
    for (const ArticulatedModel::Node& node : model_.nodes().subspan(1)) {
      if (node.kind == ArticulatedModel::Node::kFloating) {
        for (int k = 0; k < 3; ++k) scalar(node.q + k, node.v + k);
        turn(node.q + 3, node.v + 3);
      } else if (node.kind == ArticulatedModel::Node::kSpherical) {
        turn(node.q, node.v);
      } else {
        scalar(node.q, node.v);
      }
    }
    return now;
  }

 private:
  const ArticulatedModel& model_;
  VectorXd rate_, phase_;
  std::vector<Vector3d> axes_;
};

/// Largest errors of (q, v, v') at samples of a step of length h.
Vector3d errors(const ArticulatedModel& model, const Swing& swing, double h) {
  const Instant start = swing.at(0.3), end = swing.at(0.3 + h);
  Instant found = start;
  VectorXd off(model.numVelocities());
  Vector3d worst = Vector3d::Zero();
  for (const double u : {0.2, 0.5, 0.7}) {
    interpolateJoints(model, {start.state, start.dv}, {end.state, end.dv}, h, u, found.state, found.dv);
    const Instant exact = swing.at(0.3 + u * h);
    difference(model, exact.state.q, found.state.q, off);
    worst = worst.cwiseMax(Vector3d(off.norm(), (found.state.v - exact.state.v).norm(), (found.dv - exact.dv).norm()));
  }
  return worst;
}

TEST(JointCurve, ApproachesMotionsWithItsOrders) {
  RandomTree random(5);
  for (int k = 0; k < 20; ++k) {
    const ArticulatedModel model = random.model({.links = 6, .floating = k % 2 == 0});
    const Swing swing(model, random);
    const Vector3d coarse = errors(model, swing, 0.04), fine = errors(model, swing, 0.02);
    // Powers of two: the orders, less what is left of the next ones.
    EXPECT_GT(std::log2(coarse[0] / fine[0]), 5.6);
    EXPECT_GT(std::log2(coarse[1] / fine[1]), 4.6);
    EXPECT_GT(std::log2(coarse[2] / fine[2]), 3.6);
    EXPECT_LT(fine[0], 1e-8);
  }
}

TEST(JointCurve, GoesThroughItsEndsAndMovesAsItsVelocitiesSay) {
  RandomTree random(6);
  for (int k = 0; k < 20; ++k) {
    const ArticulatedModel model = random.model({.links = 6, .floating = k % 2 == 0});
    const Swing swing(model, random);
    const double h = 0.4;
    const Instant start = swing.at(0), end = swing.at(h);
    Instant found = start, other = start;
    VectorXd off(model.numVelocities());
    const auto take = [&](double u, Instant& into) {
      interpolateJoints(model, {start.state, start.dv}, {end.state, end.dv}, h, u, into.state, into.dv);
    };
    for (const Instant* exact : {&start, &end}) {
      take(exact == &end ? 1 : 0, found);
      EXPECT_LT((found.state.q - exact->state.q).norm(), 1e-13);
      EXPECT_LT((found.state.v - exact->state.v).norm(), 1e-13);
      EXPECT_LT((found.dv - exact->dv).norm(), 1e-12);
    }
    const double step = 1e-5;
    for (const double u : {0.3, 0.6}) {
      take(u - step / h, other);
      const VectorXd before = other.state.v;
      const VectorXd q = other.state.q;
      take(u + step / h, other);
      difference(model, q, other.state.q, off);
      take(u, found);
      EXPECT_LT((off / (2 * step) - found.state.v).norm(), 1e-8);
      EXPECT_LT(((other.state.v - before) / (2 * step) - found.dv).norm(), 1e-8);
    }
    const long allocations = rigor::allocations();
    take(0.5, found);
    EXPECT_EQ(rigor::allocations(), allocations);
  }
}

}  // namespace
}  // namespace rigor::dynamics
