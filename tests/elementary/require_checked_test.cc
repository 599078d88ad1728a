// SPDX-License-Identifier: MIT
// Proves: as require_test.cc, with contracts.
#ifndef RIGOR_CONTRACTS
#define RIGOR_CONTRACTS
#endif
#include "elementary/require.h"

#include <gtest/gtest.h>

namespace rigor {
namespace {

TEST(RequireDeathTest, EndsTheProgramWithItsPlace) {
  const int n = 3;
  RIGOR_REQUIRE(n == 3);
  EXPECT_DEATH(RIGOR_REQUIRE(n == 4), "require_checked_test.cc:[0-9]+: a contract is broken: n == 4");
}

}  // namespace
}  // namespace rigor
