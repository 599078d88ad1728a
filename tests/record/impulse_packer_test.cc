// SPDX-License-Identifier: MIT
// Proves: rows of impulses hold what acted: contacts and jumps bit for bit, wrenches of steps to 2^-29 where the laws
// allow that; instants and zeros that are left out come back; rows that leave out more are refused. Oracle: the numbers
// that were packed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "record/impulse_packer.h"
#include "verify/record/rows.h"

namespace rigor::record {
namespace {

using sim::ImpulseRecord;
using verify::recorded::BlobError;
using verify::recorded::BlobReader;
using verify::recorded::BlobWriter;
using verify::recorded::Bytes;
using verify::recorded::WrenchHead;
using Source = ImpulseRecord::Wrench::Source;

TEST(RoundedNumbers, AreTheNearestOfFiveBytes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const double x =
        std::ldexp(std::uniform_real_distribution<>(-1, 1)(random), static_cast<int>(random() % 2000) - 1000);
    Bytes bytes;
    BlobWriter(bytes).addRounded(x);
    ASSERT_EQ(bytes.size(), 5u);
    const double read = BlobReader(bytes).roundedReal();
    ASSERT_LE(std::abs(read - x), std::abs(x) * 0x1p-29) << x;
    Bytes again;
    BlobWriter(again).addRounded(read);
    ASSERT_EQ(again, bytes);
  }
  for (const double x : {0.0, 1.0, -0.5, std::numeric_limits<double>::max(), -std::numeric_limits<double>::min()}) {
    Bytes bytes;
    BlobWriter(bytes).addRounded(x);
    EXPECT_NEAR(BlobReader(bytes).roundedReal(), x, std::abs(x) * 0x1p-28);
  }
  Bytes bytes;
  BlobWriter(bytes).addRounded(std::nan(""));
  EXPECT_THROW((void)BlobReader(bytes).roundedReal(), BlobError);
}

TEST(WrenchHeads, SayWhatTheyWereMadeOf) {
  for (const int joint : {0, 1, 16'383})
    for (const int robot : {0, 1, 2'047})
      for (const int source : {0, 1, 2})
        for (const int flags : {0, 1, 2, 4, 8, 9, 10, 15 & ~4}) {
          const WrenchHead head{joint,           robot, source, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0,
                                (flags & 8) != 0};
          const WrenchHead read = WrenchHead::of(head.packed());
          EXPECT_EQ(std::tie(read.joint, read.robot, read.source, read.same_instants, read.no_force, read.no_moment,
                             read.rounded),
                    std::tie(head.joint, head.robot, head.source, head.same_instants, head.no_force, head.no_moment,
                             head.rounded));
        }
  EXPECT_THROW((void)(WrenchHead{.joint = 16'384}.packed()), std::length_error);
  EXPECT_THROW((void)(WrenchHead{.robot = 2'048}.packed()), std::length_error);
  EXPECT_THROW((void)WrenchHead::of(3u << 25), BlobError);
  EXPECT_THROW((void)WrenchHead::of(3u << 28), BlobError);
  EXPECT_THROW((void)WrenchHead::of(1u << 31), BlobError);
}

/// Two contacts at the same four instants, a third at others; an actuator, its joint at the same instant, a limit.
ImpulseRecord someStep(double t1) {
  ImpulseRecord step;
  step.t0 = 1, step.t1 = t1;
  std::mt19937_64 random(3);
  const auto vector = [&] {
    const auto number = [&] { return std::uniform_real_distribution<>(-5, 5)(random); };
    return Eigen::Vector3d(number(), number(), number());
  };
  for (int contact = 0; contact < 3; ++contact) {
    step.addContact({0, 0, 1, 0}, {});
    for (int k = 0; k < 4; ++k) step.addToContact(1 + 0.1 * k + (contact == 2 ? 0.01 : 0), vector());
  }
  step.addWrench(Source::kActuator, 0, 3), step.addToWrench(1.2, {0, 0, 0}, vector());
  step.addWrench(Source::kJoint, 0, 3), step.addToWrench(1.2, vector(), vector());
  step.addWrench(Source::kLimit, 1, 0), step.addToWrench(1.3, vector(), {0, 0, 0});
  return step;
}

Bytes packed(const ImpulseRecord& step, double bound) {
  ImpulsePacker packer;
  packer.setBounds("{\"momentum\": " + std::to_string(bound) + "}");
  Bytes bytes;
  const std::vector<ImpulsePacker::Feature> features(3, ImpulsePacker::Feature{1, 1});
  packer.pack(step, false, features, bytes);
  return bytes;
}

TEST(ImpulsePacker, LeavesOutWhatFollows) {
  const std::size_t contacts = 3 * 16 + 4 * (32 + 24 + 32), heads = 8 + 3 * 4 + 2 * 12;
  EXPECT_EQ(packed(someStep(2), 1e-9).size(), contacts + heads + 12 * 8);
  EXPECT_EQ(packed(someStep(2), 0.026).size(), contacts + heads + 12 * 5);
  EXPECT_EQ(packed(someStep(1), 0.026).size(), contacts + heads + 12 * 8) << "a jump is not rounded";
}

// Reads a row as docs/record-format.md has it.
TEST(ImpulsePacker, WhatIsPackedIsRead) {
  for (const double bound : {1e-9, 0.026}) {
    const ImpulseRecord step = someStep(2);
    const Bytes bytes = packed(step, bound);
    BlobReader in(bytes);
    ASSERT_EQ(in.u32(), 3u);
    ASSERT_EQ(in.u32(), 3u);
    for (const auto& contact : step.contacts) {
      in.u32(), in.u32(), in.u32();
      const std::uint32_t k = in.u32();
      ASSERT_EQ(k & 0x7fffffff, 4u);
      EXPECT_EQ(k >> 31, contact.first == 4 ? 1u : 0u);
      for (int i = 0; i < 4; ++i) {
        const auto& impulse = step.impulses[static_cast<std::size_t>(contact.first + i)];
        if (!(k >> 31)) {
          EXPECT_EQ(in.real(), impulse.time);
        }
        for (int j = 0; j < 3; ++j) EXPECT_EQ(in.real(), impulse.P[j]);
      }
    }
    for (const auto& wrench : step.wrenches) {
      const WrenchHead head = WrenchHead::of(in.u32());
      EXPECT_EQ(head.rounded, bound > 1e-6);
      EXPECT_EQ(std::tie(head.robot, head.joint), std::tie(wrench.robot, wrench.joint));
      EXPECT_EQ(head.source, static_cast<int>(wrench.source));
      const auto& impulse = step.impulses[static_cast<std::size_t>(wrench.first)];
      if (!head.same_instants) {
        EXPECT_EQ(in.u32(), 1u);
        EXPECT_EQ(in.real(), impulse.time);
      }
      const auto expect = [&](bool left_out, const Eigen::Vector3d& x) {
        for (int j = 0; j < 3; ++j) {
          const double read = left_out ? 0 : head.rounded ? in.roundedReal() : in.real();
          EXPECT_NEAR(read, x[j], head.rounded ? std::abs(x[j]) * 0x1p-29 : 0);
        }
      };
      expect(head.no_force, impulse.P), expect(head.no_moment, impulse.moment);
    }
    EXPECT_TRUE(in.atEnd());
  }
}

}  // namespace
}  // namespace rigor::record
