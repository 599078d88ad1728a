// SPDX-License-Identifier: MIT
// Proves: joints that the filter proves closed are open by no more than it says, at all instants that are looked at;
// what is open by more than the bound is never proved, and what is within a twelfth of it is; the kernel proves and
// says no less. Oracle: the joint's points and axes where the kernel's exact instants put them.
#include "verify/filter/closure_filter.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "verify/kernel/closure.h"
#include "verify/kernel/rational.h"

namespace rigor::verify {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;
using kernel::Joint;
using kernel::JointType;
using kernel::Piece;

constexpr double kWithin = 12;     // Times the truth is proved: turns are bounded in all directions at once.
constexpr double kDoubles = 1e-9;  // Of the sampled truth, which is computed in doubles.
constexpr double kMetres = 1e-14;  // The same, of places some metres away.

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  double number(double size) { return std::uniform_real_distribution<double>(-size, size)(engine_); }
  Vector3d vector(double size) { return {number(size), number(size), number(size)}; }
  Quaterniond turn() {
    const Vector3d v = vector(1);
    return {number(1), v.x(), v.y(), v.z()};
  }

 private:
  std::mt19937_64 engine_;
};

Quaterniond times(const Quaterniond& q, double s) { return Quaterniond(s * q.coeffs()); }

void copy(const Vector3d& from, double* to) { std::copy_n(from.data(), 3, to); }
void copy(const Quaterniond& q, double* to) { to[0] = q.w(), to[1] = q.x(), to[2] = q.y(), to[3] = q.z(); }

struct Pose {
  Vector3d p;
  Eigen::Matrix3d R;
};
Pose poseAt(const Piece& piece, double t) {
  const kernel::Instant at = kernel::instantOf(piece, t);
  Pose pose;
  for (int i = 0; i < 3; ++i) {
    pose.p[i] = at.p[i].get_d();
    for (int k = 0; k < 3; ++k) pose.R(i, k) = (kernel::Rational(at.R.rows[i][k]) / at.R.norm).get_d();
  }
  return pose;
}

/// A joint between two pieces whose links follow it but for what cubics leave.
struct Jointed {
  Joint joint;
  kernel::Vector3 child_centre{}, parent_centre{};
  Piece child{}, parent{};
  double length = 0.7;

  Vector3d armOf(const kernel::Vector3& point, const kernel::Vector3& centre) const {
    return Vector3d(point.data()) - Vector3d(centre.data());
  }
  Eigen::Matrix3d frame(const kernel::Quaternion& q) const {
    return Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  }

  /// By how much it is open at an instant, as kernel::Laws measures it.
  double openAt(double t) const {
    const Pose c = poseAt(child, t), p = poseAt(parent, t);
    const Eigen::Matrix3d Fc = c.R * frame(joint.child_frame), Fp = p.R * frame(joint.parent_frame);
    const Vector3d axis = Vector3d(joint.axis.data()).normalized();
    Vector3d apart =
        c.p + c.R * armOf(joint.child_point, child_centre) - p.p - p.R * armOf(joint.parent_point, parent_centre);
    if (joint.type == JointType::kPrismatic) apart -= (Fp * axis).dot(apart) * (Fp * axis);
    double open = apart.cwiseAbs().maxCoeff();
    if (joint.type == JointType::kRevolute) open = std::max(open, length * ((Fc - Fp) * axis).cwiseAbs().maxCoeff());
    if (joint.type == JointType::kFixed || joint.type == JointType::kPrismatic)
      open = std::max(open, length * (Fc - Fp).cwiseAbs().maxCoeff());
    return open;
  }
  double open() const {
    double most = 0;
    for (int k = 0; k <= 64; ++k) most = std::max(most, openAt(k / 64.0));
    return most;
  }
};

/// @param unit  Quaternions of length 1, that turn little, as those of runs.
Jointed draw(JointType type, unsigned seed, bool unit = false) {
  Draw random(seed);
  Jointed made;
  Joint& joint = made.joint;
  joint.type = type;
  copy(random.turn(), joint.parent_frame.data()), copy(random.turn(), joint.child_frame.data());
  copy(random.vector(1), joint.axis.data());
  copy(random.vector(0.5), joint.parent_point.data()), copy(random.vector(0.5), joint.child_point.data());
  copy(random.vector(0.2), made.parent_centre.data()), copy(random.vector(0.2), made.child_centre.data());
  const bool still = seed % 5 == 0;  // The parent.
  made.parent.body = 4, made.child.body = 2;
  for (Piece* piece : {&made.parent, &made.child}) {
    piece->t0 = 0, piece->t1 = 1;
    piece->p_degree = piece->q_degree = still && piece == &made.parent ? 0 : 3;
  }
  const auto asAsked = [&](const Quaterniond& q) { return unit ? q.normalized() : q; };
  const Quaterniond start = asAsked(random.turn());
  const Vector3d place = random.vector(3), axis = Vector3d(joint.axis.data()).normalized();
  // What the child is turned by against the parent, in the joint's frame.
  const Quaterniond across = type == JointType::kSpherical  ? random.turn()
                             : type == JointType::kRevolute ? Quaterniond(Eigen::AngleAxisd(random.number(3), axis))
                                                            : Quaterniond::Identity();
  const Quaterniond Fp(joint.parent_frame[0], joint.parent_frame[1], joint.parent_frame[2], joint.parent_frame[3]),
      Fc(joint.child_frame[0], joint.child_frame[1], joint.child_frame[2], joint.child_frame[3]);
  const Quaterniond turn = asAsked(times(Fp * across * Fc.conjugate(), (seed % 2 ? -1 : 1) * (1 + random.number(0.5))));
  const double wobble = std::pow(10.0, -2 - 3 * std::abs(random.number(1)));
  for (int i = 0; i < 4; ++i) {
    const double turned = still ? 0 : i * (unit ? 1e-4 : 0.02);
    const Quaterniond q = asAsked(Quaterniond(start.coeffs() + turned * random.turn().coeffs()));
    copy(q, made.parent.q[i]);
    copy(asAsked(Quaterniond((q * turn).coeffs() + wobble * 1e-4 * random.turn().coeffs())), made.child.q[i]);
    copy(place + (still ? 0.0 : 1.0) * random.vector(0.1), made.parent.p[i]);
  }
  // The cubic through four places of the child where the joint is closed.
  Eigen::Matrix4d nodes;
  Eigen::Matrix<double, 4, 3> places;
  const double slide = type == JointType::kPrismatic ? 0.3 : 0;
  for (int k = 0; k < 4; ++k) {
    const double t = k / 3.0, s = 1 - t;
    nodes.row(k) << s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t;
    const Pose p = poseAt(made.parent, t);
    const Eigen::Matrix3d child = poseAt(made.child, t).R;
    places.row(k) = (p.p +
                     p.R * (made.armOf(joint.parent_point, made.parent_centre) +
                            slide * t * made.frame(joint.parent_frame) * axis) -
                     child * made.armOf(joint.child_point, made.child_centre) + random.vector(wobble * 1e-4))
                        .transpose();
  }
  const Eigen::Matrix<double, 4, 3> control = nodes.inverse() * places;
  for (int i = 0; i < 4; ++i) copy(Vector3d(control.row(i).transpose()), made.child.p[i]);
  return made;
}

/// Of the joint's places alone.
double openPlaces(Jointed made) {
  made.length = 0;
  return made.open();
}

class ClosureFilter : public testing::TestWithParam<JointType> {};

TEST_P(ClosureFilter, SaysNoLessThanTheTruthAndProvesWhatHolds) {
  filter::ClosureFilter filter;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    const Jointed made = draw(GetParam(), seed);
    const filter::JointOfLinks links{&made.joint, made.child_centre, made.parent_centre, made.length};
    const double open = made.open();
    ASSERT_GT(open, 1e-12);
    ASSERT_LT(open, 1e-2);
    double apart = 0;
    EXPECT_FALSE(filter.proves(links, made.child, made.parent, 0.99 * open, apart));
    ASSERT_TRUE(filter.proves(links, made.child, made.parent, kWithin * open, apart));
    EXPECT_GE(apart, open * (1 - kDoubles));
    EXPECT_LE(apart, kWithin * open);
  }
}

// Where quaternions have length 1 nearly, the kernel takes it for 1 and allows for that.
TEST_P(ClosureFilter, SoDoesTheKernel) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Jointed made = draw(GetParam(), seed, seed % 4 != 0);
    const double open = made.open(), least = open * (1 - kDoubles) - kMetres;
    double apart = 0;
    const auto isProved = [&](double most) {
      return kernel::staysJoined(made.joint, made.parent_centre, made.parent, made.child_centre, made.child,
                                 made.length, most, apart);
    };
    EXPECT_FALSE(isProved(0.99 * open));
    ASSERT_TRUE(isProved(kWithin * open));
    EXPECT_GE(apart, least);
    EXPECT_LE(apart, kWithin * open);
    for (double most = open; most < kWithin * open; most *= 1.3)  // Whatever it proves, it says no less.
      EXPECT_TRUE(!isProved(most) || apart >= least);
  }
}

INSTANTIATE_TEST_SUITE_P(Joints, ClosureFilter,
                         testing::Values(JointType::kFixed, JointType::kPrismatic, JointType::kRevolute,
                                         JointType::kSpherical));

/// The same with unit frames, and the child's quaternions as long as the parent's and on their side.
Jointed ofOneLength(Jointed made) {
  const auto quaternion = [](const double* q) { return Quaterniond(q[0], q[1], q[2], q[3]); };
  for (kernel::Quaternion* frame : {&made.joint.child_frame, &made.joint.parent_frame})
    copy(quaternion(frame->data()).normalized(), frame->data());
  const Quaterniond c = quaternion(made.child.q[0]) * quaternion(made.joint.child_frame.data()),
                    p = quaternion(made.parent.q[0]) * quaternion(made.joint.parent_frame.data());
  const double scale = c.dot(p) / c.squaredNorm();
  for (auto& q : made.child.q)
    for (double& x : q) x *= scale;
  for (Piece* piece : {&made.child, &made.parent})  // And they turn little.
    for (int i = 3; i >= 0; --i)
      for (int k = 0; k < 4; ++k) piece->q[i][k] = piece->q[0][k] + 0.1 * (piece->q[i][k] - piece->q[0][k]);
  return made;
}

// In plain doubles, where what turns is little beside what is allowed.
TEST(FixedJoint, SaysNoLessThanTheTruth) {
  int proved = 0;
  for (unsigned seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(seed);
    const Jointed made = ofOneLength(draw(JointType::kFixed, seed));
    const filter::FixedJoint fixed(made.joint, made.child_centre, made.parent_centre);
    const double open = made.open();
    double apart = 0;
    EXPECT_FALSE(fixed.staysClosed(made.child, made.parent, made.length, 0.99 * open, apart));
    // Without length the places alone count, which are off by as much.
    EXPECT_FALSE(fixed.staysClosed(made.child, made.parent, 0, 0.99 * openPlaces(made), apart));
    if (!fixed.staysClosed(made.child, made.parent, made.length, 1e5 * open, apart)) continue;
    ++proved;
    EXPECT_GE(apart, open * (1 - kDoubles));
    EXPECT_LE(apart, 2 * kWithin * open);
  }
  EXPECT_GT(proved, 100);
}

// The curve between control points counts: ends that meet do not make a joint closed.
TEST(FixedJoint, WhatOpensInsideAPieceCounts) {
  Jointed made = draw(JointType::kFixed, 1);
  for (Piece* piece : {&made.parent, &made.child})
    for (int i = 0; i < 4; ++i)
      copy(Quaterniond(1, 0.005 * i, 0, 0), piece->q[i]), copy(Vector3d(0, 0, 0), piece->p[i]);
  made.joint.parent_frame = made.joint.child_frame = {1, 0, 0, 0};
  made.joint.parent_point = made.joint.child_point = made.parent_centre = made.child_centre = {};
  const filter::FixedJoint fixed(made.joint, made.child_centre, made.parent_centre);
  double apart = 0;
  ASSERT_TRUE(fixed.staysClosed(made.child, made.parent, 1, 1e-9, apart));
  made.child.p[1][2] = 1e-8;  // At most 4/9 of it away.
  EXPECT_FALSE(fixed.staysClosed(made.child, made.parent, 1, 4.4e-9, apart));
  EXPECT_TRUE(fixed.staysClosed(made.child, made.parent, 1, 2e-8, apart));
  EXPECT_GE(apart, 4.4e-9);
  made.child.q[1][3] = 1e-8;
  EXPECT_FALSE(fixed.staysClosed(made.child, made.parent, 1, 5e-9, apart));
}

TEST(ClosureFilterLimits, ProvesNothingOfPiecesThatItCannotBound) {
  filter::ClosureFilter filter;
  double apart = 0;
  Jointed made = draw(JointType::kFixed, 1);
  const filter::JointOfLinks links{&made.joint, made.child_centre, made.parent_centre, made.length};
  ASSERT_TRUE(filter.proves(links, made.child, made.parent, 1, apart));
  for (const double bad : {std::nan(""), HUGE_VAL, 1e308}) {
    Jointed broken = made;
    broken.child.q[2][1] = bad;
    EXPECT_FALSE(filter.proves(links, broken.child, broken.parent, 1, apart)) << bad;
    broken = made;
    broken.child.p[1][0] = bad;
    EXPECT_FALSE(filter.proves(links, broken.child, broken.parent, 1, apart)) << bad;
  }
  Jointed vanishing = made;  // Its quaternion passes through zero.
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) vanishing.child.q[i][k] = (1.5 - i) * made.child.q[0][k];
  EXPECT_FALSE(filter.proves(links, vanishing.child, vanishing.parent, 1, apart));
}

}  // namespace
}  // namespace rigor::verify
