// SPDX-License-Identifier: MIT
// Proves sim/step/rebound_shares.h: restitution is left away where bodies that push each other gain energy, nowhere
// else, and not for ever. Oracle: shares and groups by hand.
#include "sim/step/rebound_shares.h"

#include <gtest/gtest.h>

#include <array>

namespace rigor::sim {
namespace {

using Pushed = ReboundShares::Pushed;

// 0 and 1 push each other, 2 and 3 do; 1 touches 2 without a push; 3 stands on what is fixed.
constexpr std::array<Pushed, 4> kContacts = {{{0, 1, true}, {1, 2, false}, {2, 3, true}, {-1, 3, true}}};
constexpr std::array<double, 4> kRebounds = {0.5, 0.5, 0.5, 0};

TEST(ReboundShares, WhatLosesEnergyElsewherePaysForNoGain) {
  ReboundShares shares;
  shares.begin(kRebounds);
  // The first two lose 2 J, the others gain 1 J.
  const std::array<double, 4> before = {3, 1, 1, 1}, after = {1, 1, 1, 2};
  EXPECT_TRUE(shares.lessen(kContacts, before, after));
  EXPECT_EQ(shares.of(0), 1);
  EXPECT_EQ(shares.of(2), 0.5);
  EXPECT_EQ(shares.of(3), 1) << "it has no rebound";
}

TEST(ReboundShares, WhatOneBodyOfAGroupGivesAnotherMayTake) {
  ReboundShares shares;
  shares.begin(kRebounds);
  const std::array<double, 4> before = {3, 1, 1, 1}, after = {0, 4, 2, 0};
  EXPECT_FALSE(shares.lessen(kContacts, before, after));
  EXPECT_EQ(shares.of(0), 1);
}

TEST(ReboundShares, GainsWithoutRestitutionAreNotItsOwn) {
  ReboundShares shares;
  shares.begin(std::array<double, 4>{0, 0, 0, 0});
  EXPECT_FALSE(shares.any());
  EXPECT_FALSE(shares.lessen(kContacts, std::array<double, 4>{1, 1, 1, 1}, std::array<double, 4>{2, 2, 2, 2}));
  EXPECT_FALSE(shares.lessenAll());
}

TEST(ReboundShares, AtLastThereIsNone) {
  ReboundShares shares;
  shares.begin(kRebounds);
  int tries = 0;
  for (; shares.any(); ++tries) EXPECT_TRUE(shares.lessenAll());
  EXPECT_EQ(tries, 3);
  EXPECT_FALSE(shares.lessenAll());
  for (size_t c = 0; c < 3; ++c) EXPECT_EQ(shares.of(c), 0);
}

}  // namespace
}  // namespace rigor::sim
