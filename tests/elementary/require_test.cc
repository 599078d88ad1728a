// SPDX-License-Identifier: MIT
// Proves: a broken contract ends the program with its place, where contracts are checked; elsewhere its condition is
// not even evaluated.
#undef RIGOR_CONTRACTS
#include "elementary/require.h"

#include <gtest/gtest.h>

namespace rigor {
namespace {

TEST(Require, IsNothingElsewhere) {
  int evaluated = 0;
  RIGOR_REQUIRE(++evaluated > 5);
  EXPECT_EQ(evaluated, 0);
}

}  // namespace
}  // namespace rigor
