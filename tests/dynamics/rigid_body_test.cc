// SPDX-License-Identifier: MIT
// Proves dynamics/rigid_body.h: kinematics of quaternions, Euler's equation, energy and the step of free flight.
// Oracles: closed forms (rotation about a fixed axis, parabola, precession of the symmetric top, period of the
// asymmetric one by a complete elliptic integral), sums over mass points, finite differences. Invariants: energy and
// angular momentum of torque-free tops; order 4 by step halving.
#include "dynamics/rigid_body.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <vector>

namespace rigor::dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;

constexpr double kFewRoundings = 1e-14;  // A few dozen operations in double precision, relative.

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  Vector3d vector(double scale) { return scale * Vector3d(number(-1, 1), number(-1, 1), number(-1, 1)); }
  Vector4d quaternion() {
    std::normal_distribution<double> normal;
    return Vector4d(normal(engine_), normal(engine_), normal(engine_), normal(engine_)).normalized();
  }
  Matrix3d rotation() { return geom::Pose{quaternion(), Vector3d::Zero()}.rotation(); }

 private:
  std::mt19937_64 engine_;
};

Matrix3d cross(const Vector3d& a) {
  Matrix3d m;
  m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return m;
}

Matrix3d turned(const Vector3d& turn) {
  const double angle = turn.norm();
  if (angle == 0) return Matrix3d::Identity();
  return Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix();
}

Vector3d angularMomentum(const RigidBody& body, const RigidBodyState& s) {
  const Matrix3d R = s.pose.rotation();
  return R * (body.inertia * (R.transpose() * s.w));
}

RigidBodyState fly(const RigidBody& body, RigidBodyState s, const Vector3d& gravity, double time, int steps) {
  for (int i = 0; i < steps; ++i) s = stepFree(body, s, gravity, time / steps);
  return s;
}

/// A body of mass points: everything about it is a sum.
struct Points {
  std::vector<double> mass;
  std::vector<Vector3d> at;  // About the centre of mass, body axes.

  explicit Points(Random& random) {
    double total = 0;
    Vector3d centre = Vector3d::Zero();
    for (int i = 0; i < 6; ++i) {
      mass.push_back(random.number(0.1, 2));
      at.push_back(random.vector(1));
      total += mass.back();
      centre += mass.back() * at.back();
    }
    for (Vector3d& x : at) x -= centre / total;
  }
  RigidBody body() const {
    double total = 0;
    Matrix3d I = Matrix3d::Zero();
    for (size_t i = 0; i < mass.size(); ++i) total += mass[i], I -= mass[i] * cross(at[i]) * cross(at[i]);
    return RigidBody::make(total, I);
  }
};

TEST(RigidBody, InverseMassAndInertia) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const RigidBody body = Points(random).body();
    EXPECT_DOUBLE_EQ(body.mass * body.inverse_mass, 1);
    const double condition = body.inertia.norm() * body.inverse_inertia.norm();
    EXPECT_LT((body.inertia * body.inverse_inertia - Matrix3d::Identity()).norm(), kFewRoundings * condition);
    EXPECT_FALSE(body.isotropic);
    const Matrix3d R = random.rotation();
    EXPECT_LT((worldInverseInertia(body, R) * (R * body.inertia * R.transpose()) - Matrix3d::Identity()).norm(),
              kFewRoundings * condition);
  }
  const RigidBody cube = RigidBody::make(3, 0.25 * Matrix3d::Identity());
  EXPECT_TRUE(cube.isotropic);
  EXPECT_EQ(worldInverseInertia(cube, random.rotation()), Matrix3d(4 * Matrix3d::Identity()));
  // Nearly a cube is none: its gyroscopic torque is small but there.
  EXPECT_FALSE(RigidBody::make(1, Vector3d(1, 1, 1 + 1e-9).asDiagonal()).isotropic);
}

TEST(RigidBody, EnergyIsThatOfItsMassPoints) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Points points(random);
    RigidBodyState s;
    s.pose = {random.number(0.1, 10) * random.quaternion(), random.vector(5)};  // Poses need not be normalised.
    s.v = random.vector(3), s.w = random.vector(7);
    const Matrix3d R = s.pose.rotation();
    double sum = 0;
    for (size_t k = 0; k < points.mass.size(); ++k)
      sum += 0.5 * points.mass[k] * (s.v + s.w.cross(R * points.at[k])).squaredNorm();
    EXPECT_NEAR(kineticEnergy(points.body(), s), sum, kFewRoundings * sum);
  }
}

TEST(RigidBody, RotateTurnsByTheRotationVector) {
  Random random(3);
  for (const double scale : {0.0, 1e-12, 1e-5, 9e-5, 1.1e-4, 1e-2, 1.0, 3.0, 20.0})
    for (int i = 0; i < 20; ++i) {
      const Vector4d q = random.number(0.5, 3) * random.quaternion();
      const Vector3d turn = random.vector(scale);
      const Vector4d r = rotate(q, turn);
      EXPECT_NEAR(r.norm(), q.norm(), kFewRoundings * q.norm());
      const Matrix3d expected = turned(turn) * geom::Pose{q, Vector3d::Zero()}.rotation();
      EXPECT_LT((geom::Pose{r, Vector3d::Zero()}.rotation() - expected).norm(), kFewRoundings * (1 + scale)) << scale;
    }
}

TEST(RigidBody, QuaternionRateIsTheDerivativeOfRotate) {
  Random random(4);
  for (int i = 0; i < 100; ++i) {
    const Vector4d q = random.number(0.5, 3) * random.quaternion();
    const Vector3d w = random.vector(5);
    const double h = 1e-5 / 5;  // Central difference: error (h w)^2 / 24 + rounding / (h w).
    const Vector4d difference = (rotate(q, h * w) - rotate(q, -h * w)) / (2 * h);
    EXPECT_LT((quaternionRate(q, w) - difference).norm(), 1e-9 * q.norm() * 5);
  }
}

TEST(RigidBody, GyroscopicAccelerationKeepsAngularMomentum) {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    const RigidBody body = Points(random).body();
    RigidBodyState s;
    s.pose.q = random.quaternion();
    s.w = random.vector(1);
    const Matrix3d R = s.pose.rotation();
    const Vector3d acceleration = gyroscopicAcceleration(body, R, s.w);
    auto momentumAt = [&](double h, const Vector3d& a) {
      RigidBodyState moved = s;
      moved.pose.q = rotate(s.pose.q, h * s.w);
      moved.w = s.w + h * a;
      return angularMomentum(body, moved);
    };
    const double h = 1e-5;
    const Vector3d L = angularMomentum(body, s);
    const double scale = body.inertia.norm() * (1 + acceleration.norm());
    EXPECT_LT(((momentumAt(h, acceleration) - momentumAt(-h, acceleration)) / (2 * h)).norm(), 1e-9 * scale);
    // The same difference without it is w x L: it does measure.
    const Vector3d frozen = (momentumAt(h, Vector3d::Zero()) - momentumAt(-h, Vector3d::Zero())) / (2 * h);
    EXPECT_LT((frozen - s.w.cross(L)).norm(), 1e-9 * scale);
    // It takes no power: w.(I w' + w x I w) = w.I w'.
    EXPECT_NEAR(s.w.dot(R * (body.inertia * (R.transpose() * acceleration))), 0, kFewRoundings * scale);
  }
  EXPECT_EQ(gyroscopicAcceleration(RigidBody::make(1, Matrix3d::Identity()), Matrix3d::Identity(), Vector3d(1, 2, 3)),
            Vector3d(0, 0, 0));
}

TEST(StepFree, CentreMovesOnTheParabola) {
  Random random(6);
  const RigidBody body = Points(random).body();
  const Vector3d gravity(0.3, -0.2, -9.81);
  for (int i = 0; i < 100; ++i) {
    RigidBodyState s;
    s.pose = {random.quaternion(), random.vector(2)};
    s.v = random.vector(5), s.w = random.vector(3);
    const double h = random.number(1e-6, 2);
    const RigidBodyState end = stepFree(body, s, gravity, h);
    EXPECT_LT((end.pose.p - (s.pose.p + h * s.v + 0.5 * h * h * gravity)).norm(),
              kFewRoundings * (2 + 5 * h + 5 * h * h));
    EXPECT_LT((end.v - (s.v + h * gravity)).norm(), kFewRoundings * (5 + 10 * h));
    EXPECT_NEAR(end.pose.q.norm(), 1, kFewRoundings);
  }
  // Many steps give the same parabola.
  RigidBodyState s;
  s.v = {1, 2, 3};
  const RigidBodyState end = fly(body, s, gravity, 3, 1000);
  EXPECT_LT((end.pose.p - (3 * s.v + 4.5 * gravity)).norm(), 1000 * 1e-16 * 100);
}

TEST(StepFree, IsotropicBodyTurnsUniformlyInAnyStep) {
  Random random(7);
  const RigidBody cube = RigidBody::make(2, 0.1 * Matrix3d::Identity());
  for (int i = 0; i < 100; ++i) {
    RigidBodyState s;
    s.pose.q = random.quaternion();
    s.w = random.vector(30);
    const double h = random.number(0, 1);
    const RigidBodyState end = stepFree(cube, s, Vector3d::Zero(), h);
    EXPECT_EQ(end.w, s.w);
    EXPECT_LT((end.pose.rotation() - turned(h * s.w) * s.pose.rotation()).norm(), kFewRoundings * (1 + 30 * h));
  }
}

TEST(StepFree, PrincipalAxisTurnsUniformly) {
  const RigidBody body = RigidBody::make(1, Vector3d(1, 2, 2.5).asDiagonal());
  for (int axis = 0; axis < 3; ++axis) {
    RigidBodyState s;
    s.pose.q = Vector4d(0.5, 0.5, -0.5, 0.5);
    const Matrix3d R0 = s.pose.rotation();
    s.w = 2 * R0.col(axis);
    const RigidBodyState end = fly(body, s, Vector3d::Zero(), 1, 1000);
    // Order 4: |turn error| = (w h / 2)^5 / 60 a step.
    EXPECT_LT((end.pose.rotation() - turned(s.w) * R0).norm(), 1e-13) << axis;
    EXPECT_LT((end.w - s.w).norm(), 1e-12) << axis;
  }
}

/// Symmetric top: R(t) = exp(t [L / I1]) R0 exp(t [w3 (1 - I3/I1) e3]).
Matrix3d symmetricTop(const RigidBody& body, const RigidBodyState& s, double t) {
  const double I1 = body.inertia(0, 0), I3 = body.inertia(2, 2);
  const Matrix3d R0 = s.pose.rotation();
  const double w3 = (R0.transpose() * s.w)[2];
  return turned(t / I1 * angularMomentum(body, s)) * R0 * turned(t * w3 * (1 - I3 / I1) * Vector3d::UnitZ());
}

TEST(StepFree, ConvergesWithOrderFourToTheSymmetricTop) {
  for (const double I3 : {0.4, 1.9}) {  // A rod and a disc.
    const RigidBody body = RigidBody::make(1, Vector3d(1, 1, I3).asDiagonal());
    RigidBodyState s;
    s.pose.q = Vector4d(0.8, 0.1, -0.3, 0.5).normalized();
    s.w = {2, -1, 3};
    const double time = 2;
    const Matrix3d expected = symmetricTop(body, s, time);
    double previous = 0;
    for (const int steps : {400, 800, 1600}) {  // Longer steps turn in parts.
      const double error = (fly(body, s, Vector3d::Zero(), time, steps).pose.rotation() - expected).norm();
      EXPECT_GT(error, 0);
      if (previous > 0) {
        EXPECT_GT(previous / error, 13) << I3 << ' ' << steps;  // 2^4 = 16 in the limit.
        EXPECT_LT(previous / error, 40) << I3 << ' ' << steps;
      }
      previous = error;
    }
    EXPECT_LT(previous, 1e-9);
  }
}

// 20 s in steps of a tenth of a second, 0.37 rad each: 75 rad, each off by 1e-8 at most.
TEST(StepFree, LongStepsTurnAsShortOnesDo) {
  for (const double I3 : {0.4, 1.9}) {
    const RigidBody body = RigidBody::make(1, Vector3d(1, 1, I3).asDiagonal());
    RigidBodyState s;
    s.pose.q = Vector4d(0.8, 0.1, -0.3, 0.5).normalized();
    s.w = {2, -1, 3};
    EXPECT_LT((fly(body, s, Vector3d::Zero(), 20, 200).pose.rotation() - symmetricTop(body, s, 20)).norm(), 1e-6) << I3;
  }
}

TEST(StepFree, KeepsEnergyAndAngularMomentumOfTopsOverLongTimes) {
  Random random(8);
  for (int i = 0; i < 5; ++i) {
    const RigidBody body = Points(random).body();
    RigidBodyState s;
    s.pose.q = random.quaternion();
    s.w = random.vector(1).normalized();
    const Vector3d L = angularMomentum(body, s);
    const double energy = kineticEnergy(body, s);
    RigidBodyState end = s;
    const int steps = 20000;
    for (int k = 0; k < steps; ++k) {
      end = stepFree(body, end, Vector3d::Zero(), 0.02);  // 64 turns.
      ASSERT_NEAR(kineticEnergy(body, end), energy, steps * 1e-15 * energy);
    }
    EXPECT_LT((angularMomentum(body, end) - L).norm(), steps * 1e-15 * L.norm()) << i;
  }
}

TEST(StepFree, KeepsBothInLargeStepsAndNearTheAxesOfInertia) {
  for (const Vector3d& I :
       {Vector3d(1, 1.7, 2.3), Vector3d(1, 1.01, 1.99), Vector3d(1, 1, 0.02), Vector3d(0.3, 1, 1)}) {
    const RigidBody body = RigidBody::make(1, I.asDiagonal());
    for (const Vector3d& w :
         {Vector3d(1, 2, -1), Vector3d(3, 0, 0), Vector3d(1e-9, 3, 0), Vector3d(0, 1e-4, 3), Vector3d(0, 0, 0)}) {
      SCOPED_TRACE(testing::Message() << I.transpose() << "; " << w.transpose());
      RigidBodyState s;
      s.w = w;
      const Vector3d L = angularMomentum(body, s);
      const RigidBodyState end = fly(body, s, Vector3d::Zero(), 5, 50);
      EXPECT_LE((angularMomentum(body, end) - L).norm(), 1e-13 * L.norm());
      EXPECT_NEAR(kineticEnergy(body, end), kineticEnergy(body, s), 1e-13 * kineticEnergy(body, s));
      EXPECT_NEAR(end.pose.q.norm(), 1, 1e-15);
    }
  }
}

/// Period of w in the body axes of an asymmetric top with I1 < I2 < I3.   [Landau, Lifshitz: Mechanics, section 37]
double topPeriod(Vector3d I, Vector3d w) {
  const double twice_energy = w.dot(I.cwiseProduct(w)), M2 = I.cwiseProduct(w).squaredNorm();
  if (M2 < twice_energy * I[1]) std::swap(I[0], I[2]);
  const double k2 = (I[1] - I[0]) * (twice_energy * I[2] - M2) / ((I[2] - I[1]) * (M2 - twice_energy * I[0]));
  return 4 * std::comp_ellint_1(std::sqrt(k2)) *
         std::sqrt(I[0] * I[1] * I[2] / ((I[2] - I[1]) * (M2 - twice_energy * I[0])));
}

TEST(StepFree, TennisRacketFlipsWithThePeriodOfTheEllipticIntegral) {
  const Vector3d I(1, 1.8, 2.4);
  const RigidBody body = RigidBody::make(1, I.asDiagonal());
  for (const Vector3d& w : {Vector3d(1e-3, 3, 0), Vector3d(0, 3, 1e-3), Vector3d(0.2, 3, 0), Vector3d(1, 1, 1)}) {
    RigidBodyState s;
    s.pose.q = Vector4d(0.1, 0.7, -0.4, 0.2).normalized();
    s.w = s.pose.rotation() * w;
    const double period = topPeriod(I, w);
    auto bodyRates = [&](const RigidBodyState& state) { return Vector3d(state.pose.rotation().transpose() * state.w); };
    const RigidBodyState half = fly(body, s, Vector3d::Zero(), period / 2, 4000);
    // After half a period the intermediate axis points the other way ...
    EXPECT_NEAR(bodyRates(half)[1], -w[1], 2e-6) << w.transpose();
    // ... and after a whole one all rates are back; 1e-3 off the axis, errors grow by about 1e3.
    const Vector3d back = bodyRates(fly(body, half, Vector3d::Zero(), period / 2, 4000));
    EXPECT_LT((back - w).norm(), 2e-6) << w.transpose();
  }
  // Rotation about the other axes is stable: it stays within a few times the perturbation.
  for (const int axis : {0, 2}) {
    RigidBodyState s;
    s.w = 3 * Vector3d::Unit(axis) + 1e-3 * Vector3d::UnitY();
    for (int k = 0; k < 5000; ++k) {
      s = stepFree(body, s, Vector3d::Zero(), 0.01);
      ASSERT_GT((s.pose.rotation().transpose() * s.w)[axis], 2.9999) << axis;
    }
  }
}

TEST(StepFree, IsTheSameInAnyFrame) {
  Random random(9);
  for (int i = 0; i < 50; ++i) {
    const RigidBody body = Points(random).body();
    const Vector3d gravity = random.vector(9);
    RigidBodyState s;
    s.pose = {random.quaternion(), random.vector(1)};
    s.v = random.vector(2), s.w = random.vector(3);
    const double h = 0.05;
    const RigidBodyState end = stepFree(body, s, gravity, h);
    const Vector3d turn = random.vector(3);
    const Matrix3d Q = turned(turn);
    RigidBodyState moved;
    moved.pose = {rotate(s.pose.q, turn), Q * s.pose.p};
    moved.v = Q * s.v, moved.w = Q * s.w;
    const RigidBodyState moved_end = stepFree(body, moved, Q * gravity, h);
    EXPECT_LT((moved_end.pose.p - Q * end.pose.p).norm(), 1e-13);
    EXPECT_LT((moved_end.w - Q * end.w).norm(), 1e-11);
    EXPECT_LT((moved_end.pose.rotation() - Q * end.pose.rotation()).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace rigor::dynamics
