// SPDX-License-Identifier: MIT
// Proved: what a row of `pieces` leaves out of links that are carried comes back to the bit, and nothing else is taken
// for it. Oracles: the packed pieces themselves; rotation matrices.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>

#include "verify/record/motions.h"

namespace rigor::verify::recorded {
namespace {

using Eigen::Vector3d;

/// A trunk (0) with a hand (1) fixed to an arm (2) that is fixed to the trunk; a free body (3); a fixed one (4); a
/// finger (5) that turns about the hand.
kernel::Model model() {
  kernel::Model m;
  for (int i = 0; i < 6; ++i) m.bodies.emplace_back();
  const auto place = [&](int i, std::array<double, 3> p, std::array<double, 4> q, std::array<double, 3> centre) {
    std::copy(p.begin(), p.end(), m.bodies[i].position.begin());
    std::copy(q.begin(), q.end(), m.bodies[i].orientation.begin());
    std::copy(centre.begin(), centre.end(), m.bodies[i].centre.begin());
  };
  place(0, {0.3, -0.2, 1}, {0.9, 0.1, -0.3, 0.2}, {0.01, 0.02, -0.03});
  place(1, {0.7, 0.1, 1.2}, {0.5, 0.5, 0.4, -0.3}, {0, 0.05, 0});
  place(2, {0.5, 0, 1.1}, {1, 0, 0, 0.4}, {0.1, 0, 0});
  m.bodies[4].fixed = true;
  kernel::Robot robot;
  for (const auto& [parent, child] : {std::pair{0, 2}, {2, 1}, {4, 3}}) {
    kernel::Joint joint;
    joint.type = kernel::JointType::kFixed, joint.parent = parent, joint.child = child;
    robot.joints.push_back(joint);
  }
  kernel::Joint knuckle;
  knuckle.type = kernel::JointType::kRevolute, knuckle.parent = 1, knuckle.child = 5;
  knuckle.parent_point = {0.02, 0.1, -0.01}, knuckle.parent_frame = {0.8, -0.2, 0.4, 0.3}, knuckle.axis = {1, -2, 0.5};
  m.bodies[5].centre = {0.01, 0.03, -0.02};
  robot.joints.push_back(knuckle);
  m.robots.push_back(robot);
  return m;
}

constexpr double kAngles[] = {0.7, 0.72};  // Of the finger, at the start and at the end,
constexpr double kRates[] = {1.9, 2.1};    // and its rate.

Turning turningAt(int end) { return {std::cos(kAngles[end] / 2), std::sin(kAngles[end] / 2), kRates[end]}; }

kernel::Piece trunkPiece() {
  kernel::Piece m;
  m.body = 0, m.p_degree = m.q_degree = 3, m.t0 = 0, m.t1 = 0.01;
  const double p[2][3] = {{0.31, -0.21, 1.02}, {0.32, -0.2, 1.01}},
               q[2][4] = {{0.9, 0.1, -0.3, 0.2}, {0.91, 0.12, -0.31, 0.19}};
  const double velocity[12] = {1, 0.5, -1, 2, -3, 1, 1.1, 0.4, -1.1, 2.1, -2.9, 1.2};
  std::memcpy(m.p[0], p[0], sizeof p[0]), std::memcpy(m.p[3], p[1], sizeof p[1]);
  std::memcpy(m.q[0], q[0], sizeof q[0]), std::memcpy(m.q[3], q[1], sizeof q[1]);
  std::memcpy(m.velocity, velocity, sizeof velocity);
  hermitePosition(0.01, 3, m.velocity, m.velocity + 6, m.p),
      hermiteOrientation(0.01, 3, m.velocity + 3, m.velocity + 9, m.q);
  return m;
}

/// The piece of a body that the trunk carries.
kernel::Piece carriedPiece(int body, const Carriage& carriage) {
  const kernel::Piece trunk = trunkPiece();
  kernel::Piece m = trunk;
  m.body = body;
  carry(carriage, {}, trunk.p[0], trunk.q[0], trunk.velocity, m.p[0], m.q[0], m.velocity);
  carry(carriage, {}, trunk.p[3], trunk.q[3], trunk.velocity + 6, m.p[3], m.q[3], m.velocity + 6);
  hermitePosition(0.01, 3, m.velocity, m.velocity + 6, m.p),
      hermiteOrientation(0.01, 3, m.velocity + 3, m.velocity + 9, m.q);
  return m;
}

kernel::Piece fingerPiece() {
  const std::vector<Carriage> list = carriages(model());
  const kernel::Piece hand = carriedPiece(1, list[1]);
  kernel::Piece m = hand;
  m.body = 5;
  carry(list[5], turningAt(0), hand.p[0], hand.q[0], hand.velocity, m.p[0], m.q[0], m.velocity);
  carry(list[5], turningAt(1), hand.p[3], hand.q[3], hand.velocity + 6, m.p[3], m.q[3], m.velocity + 6);
  hermitePosition(0.01, 3, m.velocity, m.velocity + 6, m.p),
      hermiteOrientation(0.01, 3, m.velocity + 3, m.velocity + 9, m.q);
  return m;
}

BodyEnd startOf(const kernel::Piece& m) {
  BodyEnd end;
  end.known = true;
  std::memcpy(end.p, m.p[0], sizeof end.p), std::memcpy(end.q, m.q[0], sizeof end.q),
      std::memcpy(end.velocity, m.velocity, sizeof end.velocity);
  return end;
}

Bytes pack(const std::vector<kernel::Piece>& row, bool carries = true) {
  MotionPacker packer;
  if (carries) packer.carry(carriages(model()));
  for (const kernel::Piece& piece : row) {
    BodyEnd end = startOf(piece);
    packer.add(piece, end, piece.body == 5 ? turningAt(1) : Turning{});
  }
  return packer.finish();
}

void expectSame(const kernel::Piece& a, const kernel::Piece& b) {
  EXPECT_EQ(a.body, b.body);
  EXPECT_EQ(std::memcmp(a.p, b.p, sizeof a.p), 0);
  EXPECT_EQ(std::memcmp(a.q, b.q, sizeof a.q), 0);
  EXPECT_EQ(std::memcmp(a.velocity, b.velocity, sizeof a.velocity), 0);
}

TEST(CarriedMotions, CarriersAreTheRootsOfFixedJointsAndParents) {
  const std::vector<Carriage> list = carriages(model());
  const std::vector<int> expected{-1, 0, 0, -1, -1, 1};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(list[i].carrier, expected[i]) << i;
}

TEST(CarriedMotions, ACarriedBodyMovesRigidlyWithItsCarrier) {
  const kernel::Model m = model();
  const auto rotation = [](const double* q) {
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  };
  const auto centre = [&](int i) {
    const kernel::Body& b = m.bodies[i];
    return Vector3d(Vector3d(b.position.data()) + rotation(b.orientation.data()) * Vector3d(b.centre.data()));
  };
  const kernel::Piece trunk = trunkPiece();
  const Eigen::Matrix3d from = rotation(m.bodies[0].orientation.data()), to = rotation(trunk.q[3]);
  constexpr double kRounding = 1e-15;
  for (const int body : {1, 2}) {
    const kernel::Piece piece = carriedPiece(body, carriages(m)[body]);
    const Vector3d arm = to * from.transpose() * (centre(body) - centre(0));
    EXPECT_LT((Vector3d(piece.p[3]) - Vector3d(trunk.p[3]) - arm).norm(), kRounding);
    EXPECT_LT((rotation(piece.q[3]) - to * from.transpose() * rotation(m.bodies[body].orientation.data())).norm(),
              4 * kRounding);
    const Vector3d v(trunk.velocity + 6), w(trunk.velocity + 9);
    EXPECT_LT((Vector3d(piece.velocity + 6) - v - w.cross(arm)).norm(), 4 * kRounding);
  }
}

TEST(CarriedMotions, WhatIsLeftOutComesBackToTheBit) {
  const std::vector<Carriage> carried = carriages(model());
  const std::vector<kernel::Piece> row{trunkPiece(), carriedPiece(1, carried[1]), carriedPiece(2, carried[2])};
  const Bytes blob = pack(row);
  EXPECT_EQ(blob.size(), pack({row[0]}).size()) << "they need no head";
  std::vector<PackedMotion> out;
  unpackMotions(blob, 0, 0.01, carried, out);
  ASSERT_EQ(out.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    BodyEnd end = startOf(row[i]);
    complete(out[i], end);
    expectSame(out[i].piece, row[i]);
  }
}

TEST(CarriedMotions, BodiesWithoutAHeadCount) {
  const std::vector<Carriage> carried = carriages(model());
  const std::vector<kernel::Piece> row{trunkPiece(), carriedPiece(1, carried[1]), carriedPiece(2, carried[2])};
  using Counts = std::vector<std::size_t>;
  const auto count = [&](std::span<const unsigned char> blob) {
    Counts counts(carried.size());
    countMotions(blob, carried, counts);
    return counts;
  };
  EXPECT_EQ(count(pack(row)), (Counts{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(count(pack({row[0]}, false)), (Counts{1, 0, 0, 0, 0, 0}));
  const Bytes endless{0xff, 0xff, 0xff, 0x7f};  // No entry of 2^31 - 1: room for them may be asked for.
  EXPECT_THROW(count(endless), BlobError);
  // As the reader of a record asks for them: without the numbers.
  const Bytes blob = pack(row);
  EXPECT_EQ(count(std::span(blob).first(4 * (carried.size() + 1))), (Counts{1, 1, 1, 0, 0, 0}));
}

// Oracle: the joint's frames as matrices.
TEST(CarriedMotions, ABodyThatTurnsKeepsItsJointTogether) {
  const kernel::Model m = model();
  const kernel::Joint& joint = m.robots[0].joints[3];
  const kernel::Piece hand = carriedPiece(1, carriages(m)[1]), finger = fingerPiece();
  const auto rotation = [](const double* q) {
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  };
  constexpr double kRounding = 1e-15;
  const Eigen::Matrix3d R = rotation(hand.q[3]), J = R * rotation(joint.parent_frame.data());
  const Vector3d axis = Vector3d(joint.axis.data()).normalized(), v(hand.velocity + 6), w(hand.velocity + 9);
  const Eigen::Matrix3d turned = J * Eigen::AngleAxisd(kAngles[1], axis).toRotationMatrix();
  EXPECT_LT((rotation(finger.q[3]) - turned).norm(), 4 * kRounding);
  const Vector3d to_joint =
      R * (Vector3d(joint.parent_point.data()) - Vector3d(m.bodies[1].centre.data()));
  const Vector3d to_centre = turned * Vector3d(m.bodies[5].centre.data());
  EXPECT_LT((Vector3d(finger.p[3]) - Vector3d(hand.p[3]) - to_joint - to_centre).norm(), kRounding);
  const Vector3d own_w = w + kRates[1] * (J * axis);
  EXPECT_LT((Vector3d(finger.velocity + 9) - own_w).norm(), 4 * kRounding);
  EXPECT_LT((Vector3d(finger.velocity + 6) - v - w.cross(to_joint) - own_w.cross(to_centre)).norm(), 4 * kRounding);
}

TEST(CarriedMotions, WhatTurnsComesBackToTheBit) {
  const std::vector<Carriage> carried = carriages(model());
  kernel::Piece finger = fingerPiece();
  for (const bool opposite : {false, true}) {
    if (opposite)
      for (auto& q : finger.q)
        for (double& x : q) x = -x;
    // The hand needs no head, and is put together before the finger that is named before it.
    const std::vector<kernel::Piece> row{trunkPiece(), carriedPiece(1, carried[1]), carriedPiece(2, carried[2]),
                                         finger};
    const Bytes blob = pack(row);
    EXPECT_EQ(blob.size(), pack({row[0]}).size() + 8 + 3 * sizeof(double)) << "a head more, with zeros after it";
    std::vector<PackedMotion> out;
    unpackMotions(blob, 0, 0.01, carried, out);
    ASSERT_EQ(out.size(), 4u);
    for (const int i : {0, 3, 1, 2}) {  // Of the row; those that are named come first.
      PackedMotion& motion = out[i == 0 ? 0 : i == 3 ? 1 : i + 1];
      BodyEnd end = startOf(row[i]);
      complete(motion, end);
      expectSame(motion.piece, row[i]);
    }
  }
}

TEST(CarriedMotions, BodiesThatHangOnEachOtherAreRefused) {
  kernel::Model m = model();
  m.robots[0].joints.push_back(m.robots[0].joints[3]);
  m.robots[0].joints[4].parent = 5, m.robots[0].joints[4].child = 3;
  m.robots[0].joints[3].parent = 3;
  std::vector<PackedMotion> out;
  const auto blob = [&] {
    Bytes bytes;
    BlobWriter writer(bytes);
    writer.add(std::uint32_t{2});
    for (const std::uint32_t body : {3u, 5u}) writer.add(body | 1u << 26 | 0xfu << 28);
    writer.align();
    for (int i = 0; i < 6; ++i) writer.add(0.5);
    return bytes;
  }();
  EXPECT_THROW(unpackMotions(blob, 0, 0.01, carriages(m), out), BlobError);
}

TEST(CarriedMotions, WhatIsOffByABitIsWrittenOut) {
  const std::vector<Carriage> carried = carriages(model());
  for (const int which : {0, 1, 2, 3}) {
    kernel::Piece piece = carriedPiece(1, carried[1]);
    double& number = which == 0   ? piece.p[3][1]
                     : which == 1 ? piece.q[3][2]
                     : which == 2 ? piece.velocity[7]
                                  : piece.p[1][0];
    number = std::nextafter(number, 10);
    std::vector<PackedMotion> out;
    unpackMotions(pack({trunkPiece(), piece}), 0, 0.01, carried, out);
    ASSERT_EQ(out.size(), 2u);
    BodyEnd end = startOf(piece);
    complete(out[1], end);
    EXPECT_FALSE(out[1].carried);
    expectSame(out[1].piece, piece);
  }
}

TEST(CarriedMotions, ABodyThatNothingCarriesIsRefused) {
  const std::vector<Carriage> carried = carriages(model());
  std::vector<PackedMotion> out;
  const auto altered = [&](std::size_t head, int body) {
    // The arm is missing: all heads are there.
    Bytes blob = pack({trunkPiece(), carriedPiece(1, carried[1])});
    std::uint32_t number;
    std::memcpy(&number, blob.data() + 4 + 4 * head, 4);
    number = (number & ~0xffffffu) | static_cast<std::uint32_t>(body);
    std::memcpy(blob.data() + 4 + 4 * head, &number, 4);
    return blob;
  };
  EXPECT_NO_THROW(unpackMotions(altered(1, 2), 0, 0.01, carried, out));
  EXPECT_THROW(unpackMotions(altered(1, 3), 0, 0.01, carried, out), BlobError);  // It moves by itself.
  EXPECT_THROW(unpackMotions(altered(0, 3), 0, 0.01, carried, out), BlobError);  // Its carrier is not in the row.
  EXPECT_THROW(unpackMotions(altered(0, 1), 0, 0.01, carried, out), BlobError);
  EXPECT_THROW(unpackMotions(pack({trunkPiece()}), 0, 0.01, {}, out), BlobError);
}

}  // namespace
}  // namespace rigor::verify::recorded
