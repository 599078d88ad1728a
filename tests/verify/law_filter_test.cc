// SPDX-License-Identifier: MIT
// Proves: what the filter of the laws of motion proves, the kernel does, and no residual that it tells is smaller than
// the kernel's. Oracle: the kernel, in exact arithmetic, on runs in closed form and on random alterations of them.
#include "verify/filter/law_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "filter_against_kernel.h"
#include "hand_made_run.h"
#include "verify/filter/kinematics_filter.h"

namespace rigor::verify {
namespace {

using kernel::made::Made;

TEST(LawFilter, ProvesWhatTheKernelDoes) {
  for (Made made : {kernel::made::flight(), kernel::made::rest(), kernel::made::slide(), kernel::made::bounce()}) {
    EXPECT_GT(compareWithKernel(made, "tight"), 0);
    // Bounds as runs declare them: then it decides everything that acts.
    kernel::Bounds& b = made.run.bounds;
    b[kernel::Law::kMomentum] = b[kernel::Law::kAngularMomentum] = b[kernel::Law::kCone] = b[kernel::Law::kSlip] =
        b[kernel::Law::kEnergy] = 1e-3;
    const int proved = compareWithKernel(made, "wide");
    const kernel::BranchProof proof(made.run, made.run.branches[0], made.rows[0], kernel::Origin());
    const auto duties = kernel::Laws(proof).duties();
    EXPECT_EQ(proved, std::count_if(duties.begin(), duties.end(), [](const auto& duty) {
                return duty.kind != kernel::Laws::Duty::Kind::kKinematics;
              }));
  }
}

/// Step by step of all bodies at once, or window by window: the same sums.
TEST(LawFilter, ProvesWindowsTogetherAsAlone) {
  int proved_all = 0;
  for (Made made : {kernel::made::flight(), kernel::made::rest(), kernel::made::slide(), kernel::made::bounce(),
                    kernel::made::pendulum(), kernel::made::pendulum(4)}) {
    for (const double bound : {1e-3, 1e-17}) {
      kernel::Bounds& b = made.run.bounds;
      b[kernel::Law::kMomentum] = b[kernel::Law::kAngularMomentum] = b[kernel::Law::kEnergy] = bound;
      const kernel::BranchProof proof(made.run, made.run.branches[0], made.rows[0], kernel::Origin());
      const kernel::Laws laws(proof);
      std::vector<kernel::Laws::Duty> windows;
      std::vector<char> alone, together;
      kernel::Residuals worst_alone{}, worst_together{};
      for (const kernel::Laws::Duty& duty : laws.duties()) {
        if (duty.kind != kernel::Laws::Duty::Kind::kBalance && duty.kind != kernel::Laws::Duty::Kind::kEnergy) continue;
        windows.push_back(duty);
        alone.push_back(filter::LawFilter(proof, laws).proves(duty, worst_alone));
        proved_all += alone.back();
      }
      filter::LawFilter(proof, laws).prove(windows, worst_together, together);
      EXPECT_EQ(alone, together);
      for (std::size_t i = 0; i < kernel::kLaws; ++i) EXPECT_EQ(worst_alone[i].value, worst_together[i].value) << i;
    }
  }
  EXPECT_GT(proved_all, 10);
}

/// Inner control points and velocities off by amounts around what is allowed. Oracle: the kernel.
TEST(KinematicsFilter, ProvesNothingThatTheKernelDoesNot) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<> share(-1, 1);
  int proved = 0, refuted = 0;
  for (int k = 0; k < 3000; ++k) {
    Made made = kernel::made::flight();
    made.run.bounds[kernel::Law::kKinematics] = k % 2 ? 1 : 1e-6;
    kernel::Piece& piece = made.rows[0].pieces[0];
    const double off = share(random) * std::pow(10.0, -6 - 10 * std::abs(share(random)));
    if (k % 3 == 0) piece.velocity[random() % 12] += off;
    if (k % 3 == 1) piece.p[piece.p_degree][random() % 3] *= 1 + off;
    if (k % 5 == 0) piece.q[0][0] = std::pow(2.0, 200 * share(random));  // Turned by nothing, of any length.
    const kernel::BranchProof proof(made.run, made.run.branches[0], made.rows[0], kernel::Origin());
    const kernel::Laws laws(proof);
    for (const kernel::Laws::Duty& duty : laws.duties()) {
      if (duty.kind != kernel::Laws::Duty::Kind::kKinematics) continue;
      kernel::Residuals exact{};
      kernel::Laws::Instants known;
      double lift = 0, time = 0;
      const bool holds = laws.discharge(duty, exact, known).empty();
      refuted += !holds;
      if (!filter::provesKinematics(proof.rows().pieces[duty.number], made.run.gap_nominal,
                                    made.run.bounds[kernel::Law::kKinematics], lift, time))
        continue;
      ++proved;
      EXPECT_TRUE(holds) << k;
      EXPECT_GE(lift * (1 + kPrinted), exact[kernel::Law::kKinematics].value) << k;
    }
  }
  EXPECT_GT(proved, 300);
  EXPECT_GT(refuted, 300);
}

/// Its impulse is its effort times the step, rounded. A weak one, so that what it does is below all bounds.
TEST(LawFilter, ProvesAMotorAtItsLimitAndNoneBeyondIt) {
  for (const double share : {1.0, 1 + 1e-7, 1 + 1e-5}) {
    Made made = kernel::made::pendulum(4);
    const int without = compareWithKernel(made, "no motor");
    constexpr double kEffort = 1e-12;
    made.run.model.robots[0].joints[0].effort = kEffort;
    for (kernel::Action& action : made.rows[0].actions) {
      kernel::Wrench motor = action.wrenches[0];
      motor.source = kernel::Wrench::Source::kActuator;
      motor.impulses[0].P = {}, motor.impulses[0].moment = {0, 0, kEffort * share * (action.t1 - action.t0)};
      action.wrenches.push_back(motor);
    }
    const int with = compareWithKernel(made, std::to_string(share));
    if (share < 1 + 1e-6) EXPECT_EQ(with, without) << share;
    else EXPECT_LT(with, without) << share;
  }
}

/// Where nothing slips the cone is all of one side: what pulls lies outside by what of it is normal.
TEST(LawFilter, WithoutSlipPullingCountsAlone) {
  for (const double pull : {0.0, 1e-18, 1e-3}) {
    Made made = kernel::made::rest();
    made.run.model.bodies[1].no_slip = true;
    made.rows[0].actions[0].contacts[0].impulses[0].P = {81, 0, -pull};
    const kernel::BranchProof proof(made.run, made.run.branches[0], made.rows[0], kernel::Origin());
    const kernel::Laws laws(proof);
    const filter::LawFilter filter(proof, laws);
    const auto& scales = laws.scalesOf(1);
    const double unit = std::sqrt(scales.momentum_sq.get_d());
    for (const kernel::Laws::Duty& duty : laws.duties()) {
      if (duty.kind != kernel::Laws::Duty::Kind::kContact || duty.first != 0) continue;
      kernel::Residuals fast{}, exact{};
      kernel::Laws::Instants known;
      EXPECT_EQ(laws.discharge(duty, exact, known).empty(), pull < 1e-9) << pull;
      EXPECT_NEAR(exact[kernel::Law::kCone].value, pull / unit, 1e-9 * pull / unit) << pull;
      EXPECT_EQ(filter.proves(duty, fast), pull < 1e-9) << pull;
    }
  }
}

/// Impulses, velocities, friction and mass changed by amounts around the bounds.
TEST(LawFilter, ProvesNothingMoreOfAlteredRuns) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<> amount(-3, 3);
  int proved = 0;
  for (int k = 0; k < 400; ++k) {
    Made made = k % 3 == 0 ? kernel::made::rest() : k % 3 == 1 ? kernel::made::slide() : kernel::made::bounce();
    const double bound = k % 2 ? 1e-3 : 1e-9;
    kernel::Bounds& b = made.run.bounds;
    b[kernel::Law::kMomentum] = b[kernel::Law::kAngularMomentum] = b[kernel::Law::kCone] = b[kernel::Law::kSlip] =
        b[kernel::Law::kEnergy] = bound;
    auto& contacts = made.rows[0].actions[0].contacts;
    auto& impulse = contacts[random() % contacts.size()].impulses[0];
    switch (random() % 4) {
      case 0: impulse.P[random() % 3] += amount(random) * bound; break;
      case 1: made.rows[0].pieces[0].velocity[random() % 12] += amount(random) * bound; break;
      case 2: made.run.model.bodies[0].friction *= 1 + amount(random) / 4; break;
      default: made.run.model.bodies[1].mass *= 1 + amount(random) * bound;
    }
    proved += compareWithKernel(made, std::to_string(k));
  }
  EXPECT_GT(proved, 400);
}

}  // namespace
}  // namespace rigor::verify
