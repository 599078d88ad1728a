// SPDX-License-Identifier: MIT
// Proves: what sensors say is what acted and how the links moved. Oracles: the balance of momentum, a conical motion in
// closed form, central differences of the recorded motion.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>

#include "advance/piece_acceleration.h"
#include "dynamics/rigid_body.h"
#include "record/sensors.h"
#include "record/writer.h"
#include "tests/verify/synthetic_record.h"

namespace rigor::record {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;

advance::MotionPiece somePiece() {
  advance::MotionPiece piece;
  piece.t0 = 0.25, piece.t1 = 0.75;
  piece.p_degree = 3, piece.q_degree = 3;
  piece.p[0] = {0, 1, 2}, piece.p[1] = {0.3, 1.2, 1.9}, piece.p[2] = {0.5, 0.9, 2.2}, piece.p[3] = {1, 1, 1};
  piece.q[0] = {1, 0.1, 0, 0.2}, piece.q[1] = {0.9, 0.2, 0.1, 0.3}, piece.q[2] = {1.2, 0.1, 0.4, 0.2},
  piece.q[3] = {0.8, 0.3, 0.4, 0.1};
  return piece;
}

TEST(PieceAcceleration, IsTheDerivativeOfTheVelocity) {
  const advance::MotionPiece piece = somePiece();
  constexpr double kStep = 1e-5;  // Central differences: off by its square and by rounding over it.
  for (const double t : {0.3, 0.5, 0.7}) {
    const advance::Acceleration a = advance::accelerationAt(piece, t);
    Vector3d v0, w0, v1, w1, v, w;
    piece.velocityAt(t - kStep, v0, w0), piece.velocityAt(t + kStep, v1, w1), piece.velocityAt(t, v, w);
    EXPECT_LT((a.velocity - v).norm(), 1e-13);
    EXPECT_LT((a.angular_velocity - w).norm(), 1e-13);
    EXPECT_LT((a.acceleration - (v1 - v0) / (2 * kStep)).norm(), 1e-7);
    EXPECT_LT((a.angular_acceleration - (w1 - w0) / (2 * kStep)).norm(), 1e-7);
  }
}

/// A cube that falls for .5 s, bounces off the table and flies on.
struct SensorRecord : testing::Test {
  std::string path = synthetic::temporaryPath("sensors");
  Vector3d bounce{0.5, -0.25, 12};  // [N s]
  void SetUp() override {
    sim::Scene scene;
    scene.name = "sensors";
    scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
    scene.bodies[1].centre = {0.01, -0.02, 0.03};
    Writer writer(path, scene, {}, synthetic::replacing());
    synthetic::Flight flight{1, {0, 0, 3}, {1, 2, 3}, {0.5, -1, 2}, {0, 0, -9.81}, {1, 0, 0, 0}};
    const sim::PieceRecord first = flight.step(0.5, 1);
    writer.piece(first);
    sim::ImpulseRecord jump;
    jump.t0 = jump.t1 = 0.5, jump.step = 2;
    jump.addContact({0, 0, 1, 0}, {advance::AxisKind::kFixedInA, {0, 0, 1}, -1, -1, 0, -1});
    jump.addToContact(0.5, bounce);
    flight.v = first.v_end + bounce / scene.bodies[1].mass;
    writer.impulses(jump);
    writer.piece(flight.step(0.5, 2));
    sim::ImpulseRecord drag;
    drag.t0 = 0.5, drag.t1 = 1, drag.step = 2;
    drag.addContact({0, 0, 1, 0}, {advance::AxisKind::kFixedInA, {0, 0, 1}, -1, -1, 0, -1});
    for (const double t : {0.5, 0.75, 1.0}) drag.addToContact(t, Vector3d(0, 0, 1));
    writer.impulses(drag);
    writer.checkpoint(1, 2, {1});
    sim::Summary summary;
    summary.time = 1;
    writer.finish(summary, "{}");
  }
  void TearDown() override { std::filesystem::remove(path); }
};

TEST_F(SensorRecord, ForcesAddUpToAllThatActed) {
  Reader reader(path);
  const std::vector<double> times{0.1, 0.4, 0.5, 0.65, 0.8, 1.0};
  Vector3d sum(0, 0, 0);
  double from = 0;
  for (const SensorRow& row : sensorsOf(reader, "0", 1, times)) {
    sum += (row.time - from) * row.force;
    EXPECT_EQ(row.touches, row.time >= 0.5) << row.time;
    from = row.time;
  }
  EXPECT_LT((sum - bounce - Vector3d(0, 0, 3)).norm(), 1e-12);
}

TEST_F(SensorRecord, AnImuInFreeFallFeelsTheTurnAboutTheCentreAlone) {
  Reader reader(path);
  const Vector3d arm = -Vector3d(0.01, -0.02, 0.03);
  for (const SensorRow& row : sensorsOf(reader, "0", 1, {0.1, 0.3})) {
    const sim::PieceRecord piece = *reader.pieceAt("0", 1, row.time);
    const advance::Acceleration a = advance::accelerationAt(piece.piece, row.time);
    const Eigen::Matrix3d R = piece.piece.at(row.time).rotation();
    const Vector3d w = R.transpose() * a.angular_velocity, turn = R.transpose() * a.angular_acceleration;
    EXPECT_LT((row.angular_velocity - w).norm(), 1e-13);
    EXPECT_LT((row.specific_force - turn.cross(arm) - w.cross(w.cross(arm))).norm(), 1e-12);
  }
}

TEST_F(SensorRecord, TimesThatAreNotRecordedAreRefused) {
  Reader reader(path);
  EXPECT_THROW(sensorsOf(reader, "0", 1, {1.5}), RecordError);
}

}  // namespace
}  // namespace rigor::record
