// SPDX-License-Identifier: MIT
// Proves: a tree whose loops are closed by constraints moves as the mechanism does. Oracles: the same mechanism with a
// joint in place of the constraint, one body in place of two that are welded, the parallelogram linkage in closed form.
// Joints that loops hold to second order: chains that are as long as the way between their ends, which have no other
// configuration, against ones that are longer, and linkages that lie flat, which do.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "dynamics/articulated_state.h"
#include "dynamics/forward_dynamics.h"
#include "dynamics/kinematics.h"
#include "dynamics/loop_constraints.h"
#include "dynamics/rigid_loops.h"

namespace rigor::dynamics {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

const Vector3d kDown(0, 0, -9.81);

LinkDescription solidLink(const std::string& name, double mass, const Vector3d& centre) {
  LinkDescription link;
  link.name = name, link.mass = mass, link.centre = centre;
  link.inertia << 0.5, 0.05, -0.02, 0.05, 0.7, 0.03, -0.02, 0.03, 0.6;
  link.inertia *= mass;
  return link;
}

JointDescription jointTo(const std::string& name, JointType type, int parent, int child,
                         const Vector3d& origin = {0, 0, 0}) {
  JointDescription joint;
  joint.name = name, joint.type = type, joint.parent = parent, joint.child = child;
  joint.origin.p = origin, joint.axis = {0, 0, 1};
  return joint;
}

struct Case {
  ArticulatedModel model;
  ArticulatedWorkspace workspace;
  ArticulatedState state;
  explicit Case(ArticulatedModel made) : model(std::move(made)), workspace(model), state(model) {}
  VectorXd accelerate() {
    calcKinematics(model, state, workspace);
    factorInertia(model, workspace);
    VectorXd dv(model.numVelocities());
    calcForwardDynamics(model, workspace, state.v, VectorXd::Zero(model.numVelocities()), kDown, dv);
    calcAccelerations(model, dv, workspace);
    return dv;
  }
};

/// Acceleration of link 0 in a pendulum made by a joint, and in one made by a constraint at the same pose and velocity.
void expectSamePendulum(JointType type, LoopType loop_type) {
  const geom::Pose hung{Eigen::Vector4d(0.9, 0.2, -0.3, 0.1).normalized(), {0.3, -0.2, 0.7}};
  JointDescription joint = jointTo("j", type, kWorld, 0);
  joint.origin = hung;
  Case tree(ArticulatedModel({solidLink("a", 2, {0.3, 0.1, -0.4})}, {joint}));
  if (type == JointType::kSpherical) tree.state.q = Eigen::Vector4d(0.7, 0.1, 0.5, -0.2).normalized();
  else tree.state.q[0] = 0.8;
  tree.state.v = VectorXd::LinSpaced(tree.model.numVelocities(), 1.1, -0.7);
  tree.accelerate();

  LoopDescription loop{"l", loop_type, 0, kWorld, {}, hung};
  Case closed(ArticulatedModel({solidLink("a", 2, {0.3, 0.1, -0.4})},
                               {jointTo("base", JointType::kFloating, kWorld, 0)}, {loop}));
  const geom::Pose at = linkPose(tree.model, tree.workspace, 0);
  const Vector6d v = linkVelocity(tree.model, tree.workspace, 0, at.p);
  setFloating(closed.model, 0, at, v.head<3>(), v.tail<3>(), closed.state);
  closed.accelerate();
  EXPECT_LE(largestLoopGap(closed.model, closed.workspace), 1e-14);
  const Vector3d centre = linkCentre(tree.model, tree.workspace, 0);
  EXPECT_LE((linkAcceleration(closed.model, closed.workspace, 0, centre) -
             linkAcceleration(tree.model, tree.workspace, 0, centre))
                .norm(),
            1e-12);
}

TEST(Loops, APointInTheWorldIsASphericalJoint) { expectSamePendulum(JointType::kSpherical, LoopType::kPoint); }
TEST(Loops, AHingeInTheWorldIsARevoluteJoint) { expectSamePendulum(JointType::kRevolute, LoopType::kHinge); }

TEST(Loops, WeldedBodiesAreOne) {
  const std::vector<LinkDescription> links = {solidLink("a", 2, {0.1, 0, 0}), solidLink("b", 3, {0, 0.2, 0.1})};
  const geom::Pose X_AB{Eigen::Vector4d(0.8, -0.1, 0.5, 0.3).normalized(), {0.5, -0.4, 0.2}};
  JointDescription fixed = jointTo("f", JointType::kFixed, 0, 1);
  fixed.origin = X_AB;
  Case one(ArticulatedModel(links, {jointTo("base", JointType::kFloating, kWorld, 0), fixed}));
  const geom::Pose at{Eigen::Vector4d(0.6, 0.4, 0.1, -0.5).normalized(), {1, 2, 3}};
  const Vector3d v(0.3, -0.6, 0.2), w(1.5, -2, 0.7);
  setFloating(one.model, 0, at, v, w, one.state);
  one.accelerate();

  Case two(ArticulatedModel(
      links, {jointTo("ja", JointType::kFloating, kWorld, 0), jointTo("jb", JointType::kFloating, kWorld, 1)},
      {{"weld", LoopType::kWeld, 0, 1, X_AB, {}}}));
  setFloating(two.model, 0, at, v, w, two.state);
  const geom::Pose b = linkPose(one.model, one.workspace, 1);
  setFloating(two.model, 1, b, linkVelocity(one.model, one.workspace, 1, b.p).head<3>(), w, two.state);
  two.accelerate();
  EXPECT_LE(largestLoopGap(two.model, two.workspace), 1e-14);
  for (int link = 0; link < 2; ++link)
    EXPECT_LE(
        (linkAcceleration(two.model, two.workspace, link, b.p) - linkAcceleration(one.model, one.workspace, link, b.p))
            .norm(),
        1e-12)
        << link;
}

/// Cranks of length L about y at x = 0 and x = D, a coupler of length D between them that never turns.
Case parallelogram(double L, double D, bool spatial_rows) {
  std::vector<LinkDescription> links = {solidLink("a", 2, {0.1, 0, -0.3}), solidLink("c", 3, {0.4, 0, 0.1}),
                                        solidLink("b", 1, {-0.05, 0, -0.2})};
  std::vector<JointDescription> joints = {jointTo("ja", JointType::kRevolute, kWorld, 0),
                                          jointTo("jc", JointType::kRevolute, 0, 1, {0, 0, -L}),
                                          jointTo("jb", JointType::kRevolute, kWorld, 2, {D, 0, 0})};
  for (JointDescription& joint : joints) joint.axis = {0, 1, 0};
  LoopDescription loop{"pin", spatial_rows ? LoopType::kHinge : LoopType::kPoint, 1, 2, {}, {}};
  const Eigen::Vector4d along_y = Eigen::Vector4d(1, -1, 0, 0).normalized();  // Turns z to y.
  loop.frame_a = {along_y, {D, 0, 0}}, loop.frame_b = {along_y, {0, 0, -L}};
  return Case(ArticulatedModel(links, joints, {loop}));
}

TEST(Loops, ParallelogramLinkageSwingsAsItsClosedForm) {
  const double L = 0.6, D = 0.9, g = 9.81;
  for (const bool hinge : {false, true}) {  // Of five rows two are independent.
    for (const double angle : {-1.2, 0.4, 2.5}) {
      Case linkage = parallelogram(L, D, hinge);
      const double rate = 1.7;
      linkage.state.q = Vector3d(angle, -angle, angle), linkage.state.v = Vector3d(rate, -rate, rate);
      const VectorXd dv = linkage.accelerate();
      EXPECT_LE(largestLoopGap(linkage.model, linkage.workspace), 1e-14);
      // (I_a + I_b + m_c L^2) q'' = torque of gravity; q turns -z to -(sin q, ., cos q).
      const auto about = [](const LinkDescription& link) {
        return link.inertia(1, 1) + link.mass * link.centre.squaredNorm();
      };
      const auto torque = [&](const LinkDescription& link) {  // y component of c x (0, 0, -m g)
        const double x = std::cos(angle) * link.centre[0] + std::sin(angle) * link.centre[2];
        return link.mass * g * x;
      };
      const auto a = linkage.model.link(0), c = linkage.model.link(1), b = linkage.model.link(2);
      const double expected =
          (torque(a) + torque(b) - c.mass * g * L * std::sin(angle)) / (about(a) + about(b) + c.mass * L * L);
      EXPECT_NEAR(dv[0], expected, 1e-12 * (1 + std::abs(expected)));
      EXPECT_NEAR(dv[1], -expected, 1e-11 * (1 + std::abs(expected)));
      EXPECT_NEAR(dv[2], expected, 1e-12 * (1 + std::abs(expected)));
    }
  }
}

TEST(Loops, ImpulsesKeepThemClosed) {
  Case linkage = parallelogram(0.6, 0.9, false);
  linkage.state.q = Vector3d(0.4, -0.4, 0.4);
  linkage.accelerate();
  Eigen::Matrix3d P;
  for (int k = 0; k < 3; ++k) {
    VectorXd x(3);
    solveMassMatrix(linkage.model, linkage.workspace, Vector3d::Unit(k), x);
    P.col(k) = x;
  }
  EXPECT_LE((P - P.transpose()).norm(), 1e-14 * P.norm());
  const Vector3d closed(1, -1, 1);  // The one velocity that there is.
  EXPECT_LE((P - closed * closed.transpose() * P(0, 0)).norm(), 1e-13 * P.norm());
  const Eigen::MatrixXd basis = closedVelocities(linkage.model, linkage.workspace);
  ASSERT_EQ(basis.cols(), 1);
  EXPECT_NEAR(std::abs(basis.col(0).dot(closed)) / std::sqrt(3), 1, 1e-14);
}

TEST(Loops, OpenOnesAreClosedByTheNearestMove) {
  for (const bool hinge : {false, true}) {
    Case linkage = parallelogram(0.6, 0.9, hinge);
    linkage.state.q = Vector3d(0.5, -0.3, 0.45), linkage.state.v = Vector3d(1, 2, -1);
    calcKinematics(linkage.model, linkage.state, linkage.workspace);
    EXPECT_GT(largestLoopGap(linkage.model, linkage.workspace), 0.01);
    const VectorXd before = linkage.state.v;
    EXPECT_LE(closeLoops(linkage.model, linkage.workspace, linkage.state), 1e-15);
    EXPECT_LE((linkage.state.q - Vector3d(0.5, -0.3, 0.45)).norm(), 0.3);
    EXPECT_NEAR(linkage.state.q[0], linkage.state.q[2], 1e-14) << "a parallelogram again";
    EXPECT_NEAR(linkage.state.v[0], -linkage.state.v[1], 1e-13);
    EXPECT_NEAR(linkage.state.v[0], linkage.state.v[2], 1e-13);
    calcKinematics(linkage.model, linkage.state, linkage.workspace);
    const double energy = kineticEnergy(linkage.model, linkage.workspace, linkage.state.v);
    calcVelocities(linkage.model, before, linkage.workspace);
    EXPECT_LT(energy, kineticEnergy(linkage.model, linkage.workspace, before)) << "at the same place";
  }
}

/// A rod on a hinge, with a bar and another rod on ball joints, whose end is held in the world where it is.
Case barOnRods() {
  std::vector<LinkDescription> links{solidLink("rod", 1, {0.5, 0, 0}), solidLink("bar", 2, {0.4, 0.1, 0}),
                                     solidLink("ball", 1.5, {0.3, 0, 0.2})};
  std::vector<JointDescription> joints{jointTo("a", JointType::kRevolute, kWorld, 0),
                                       jointTo("b", JointType::kSpherical, 0, 1, {1, 0, 0}),
                                       jointTo("c", JointType::kSpherical, 1, 2, {0.8, 0.1, 0})};
  VectorXd q(9);
  q << 0.4, Eigen::Vector4d(0.8, 0.2, -0.3, 0.5).normalized(), Eigen::Vector4d(0.7, -0.5, 0.4, 0.6).normalized();
  const ArticulatedModel open(links, joints);
  ArticulatedWorkspace workspace(open);
  calcPositions(open, q, workspace);
  const auto& last = workspace.nodes[open.link(2).node];
  LoopDescription loop;
  loop.name = "foot", loop.type = LoopType::kPoint, loop.link_a = kWorld, loop.link_b = 2;
  loop.frame_b.p = {0.7, 0, 0}, loop.frame_a.p = last.p + last.R * loop.frame_b.p;
  Case made(ArticulatedModel(links, joints, {loop}));
  made.state.q = q;
  return made;
}

TEST(Loops, ColumnsSideBySideHaveTheSameBits) {
  Case linkage = barOnRods();
  calcKinematics(linkage.model, linkage.state, linkage.workspace);
  factorInertia(linkage.model, linkage.workspace);
  const int nv = linkage.model.numVelocities();
  Eigen::MatrixXd x = Eigen::MatrixXd::Identity(nv, nv), one_by_one = x;
  for (int k = 0; k < nv; ++k) solveMassMatrix(linkage.model, linkage.workspace, x.col(k), one_by_one.col(k));
  solveMassMatrixColumns(linkage.model, linkage.workspace, x);
  EXPECT_EQ(x, one_by_one);
}

// The chord method: rounds that share a factor end where rounds with factors of their own do, however open.
TEST(Loops, SharedFactorsCloseThemAsFarAsOwnOnes) {
  for (const double turn : {1e-9, 1e-4, 0.1, 0.3}) {
    SCOPED_TRACE(turn);
    Case linkage = barOnRods();
    ASSERT_LE(closeLoops(linkage.model, linkage.workspace, linkage.state), 1e-15);
    linkage.state.q[0] += turn;
    const VectorXd v = VectorXd::LinSpaced(linkage.model.numVelocities(), -1, 1);
    linkage.state.v = v;
    VectorXd q = linkage.state.q;
    EXPECT_LE(closePositions(linkage.model, linkage.workspace, q), 1e-15);
    EXPECT_LE(closeLoops(linkage.model, linkage.workspace, linkage.state), 1e-15);
    EXPECT_EQ(q, linkage.state.q);
    EXPECT_NE(v, linkage.state.v) << "which is projected";
    // No gap opens along the velocities.
    constexpr double kTime = 1e-7;
    VectorXd gaps;
    integrate(linkage.model, linkage.state.q, linkage.state.v, kTime, q);
    calcPositions(linkage.model, q, linkage.workspace);
    calcLoopGaps(linkage.model, linkage.workspace, gaps);
    EXPECT_LE(gaps.norm(), 100 * kTime * kTime);
  }
}

/// Links of length 1 that turn about z from one to the next, from the origin to a pin where q puts the end; and a
/// pendulum beside them.
Case pinnedChain(const VectorXd& q) {
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  const int n = static_cast<int>(q.size());
  for (int k = 0; k < n; ++k) {
    links.push_back(solidLink("l" + std::to_string(k), 1, {0.5, 0, 0}));
    joints.push_back(jointTo("j" + std::to_string(k), JointType::kRevolute, k - 1, k, {k > 0 ? 1.0 : 0.0, 0, 0}));
  }
  joints[0].parent = kWorld;
  links.push_back(solidLink("p", 1, {0.5, 0, 0}));
  joints.push_back(jointTo("jp", JointType::kRevolute, kWorld, n, {0, 5, 0}));
  Vector3d end(0, 0, 0);
  double angle = 0;
  for (const double turn : q) angle += turn, end += Vector3d(std::cos(angle), std::sin(angle), 0);
  LoopDescription pin;
  pin.name = "pin", pin.link_a = n - 1, pin.frame_a.p = {1, 0, 0}, pin.frame_b.p = end;
  Case chain(ArticulatedModel(links, joints, {pin}));
  chain.state.q.head(n) = q;
  return chain;
}

TEST(Loops, AStraightChainIsHeldAsItsSecondOrderSays) {
  for (int n = 2; n <= 12; n += 5) {
    VectorXd q = VectorXd::Zero(n);
    q[0] = 0.7;
    Case straight = pinnedChain(q);
    const std::vector<int> held = jointsHeldBySecondOrder(straight.model, straight.state.q);
    ASSERT_EQ(static_cast<int>(held.size()), n) << "all but the pendulum";
    std::vector<LoopDescription> welds;
    for (const int j : held) welds.push_back(weldOf(straight.model, straight.state.q, j));
    Case rigid(withLoops(straight.model, welds));
    rigid.state.q = straight.state.q;
    calcPositions(rigid.model, rigid.state.q, rigid.workspace);
    EXPECT_LE(largestLoopGap(rigid.model, rigid.workspace), 1e-14);
    const VectorXd dv = rigid.accelerate();
    EXPECT_LE(dv.head(n).cwiseAbs().maxCoeff(), 1e-9);
    q[1] = 0.1;
    Case bent = pinnedChain(q);
    EXPECT_TRUE(jointsHeldBySecondOrder(bent.model, bent.state.q).empty());
  }
}

TEST(Loops, WhatFoldsBothWaysIsNotHeld) {
  for (const bool hinge : {false, true})
    for (const double angle : {0.4, M_PI / 2}) {  // The latter flat: it may go on as a parallelogram or cross itself.
      Case linkage = parallelogram(0.6, 0.9, hinge);
      linkage.state.q = Vector3d(angle, -angle, angle);
      EXPECT_TRUE(jointsHeldBySecondOrder(linkage.model, linkage.state.q).empty());
    }
}

TEST(Loops, BadOnesAreRefused) {
  const auto make = [](const LoopDescription& loop) {
    return ArticulatedModel({solidLink("a", 1, {0, 0, 0})}, {jointTo("j", JointType::kFloating, kWorld, 0)}, {loop});
  };
  EXPECT_THROW(make({"l", LoopType::kPoint, 0, 1, {}, {}}), ModelError);
  EXPECT_THROW(make({"l", LoopType::kPoint, 0, 0, {}, {}}), ModelError);
  EXPECT_THROW(make({"l", LoopType::kPoint, kWorld, kWorld, {}, {}}), ModelError);
  EXPECT_THROW(make({"l", LoopType::kPoint, 0, kWorld, {{1, 0, 0, 0}, {NAN, 0, 0}}, {}}), ModelError);
}

}  // namespace
}  // namespace rigor::dynamics
