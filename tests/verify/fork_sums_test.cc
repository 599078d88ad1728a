// SPDX-License-Identifier: MIT
// Proves: what a path of many short branches misses adds up over its forks. A body that falls is proved over a chain of
// forks, one that floats is not, although each branch alone misses less than a window may; chains whose windows end
// between their forks begin anew. Oracle: gravity.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "hand_made_run.h"
#include "verify/fork_sums.h"

namespace rigor::verify {
namespace {

using kernel::Law;
using kernel::made::kGravity;
using kernel::made::Made;

/// A die far above the table that gravity moves by `share`, over `branches` of `steps` steps each.
Made chain(int branches, int steps, double share) {
  constexpr double kStep = 0x1p-12;  // m g h is a thousandth of m V.
  Made made = kernel::made::onTable(kernel::made::cube("die", {0, 0, 4}, {}), branches * steps * kStep);
  for (const Law law : {Law::kMomentum, Law::kAngularMomentum, Law::kEnergy}) made.run.bounds[law] = 2.6e-3;
  const kernel::Branch first = made.run.branches[0];
  made.run.branches.clear(), made.rows.assign(static_cast<std::size_t>(branches), {});
  kernel::Vector3 p = made.run.model.bodies[1].position, v{};
  std::string id = "0";
  for (int b = 0; b < branches; ++b) {
    kernel::Branch branch = first;
    branch.id = id, branch.parent = b - 1;
    branch.fork_time = b * steps * kStep, branch.end_time = (b + 1) * steps * kStep;
    made.run.branches.push_back(branch);
    id += "/0";
    kernel::BranchRows& rows = made.rows[static_cast<std::size_t>(b)];
    for (int i = b * steps; i < (b + 1) * steps; ++i) {
      rows.pieces.push_back(
          kernel::made::parabola(1, i * kStep, (i + 1) * kStep, p.data(), v, {0, 0, -share * kGravity}));
      for (int k = 0; k < 3; ++k) p[k] = rows.pieces.back().p[2][k], v[k] = rows.pieces.back().velocity[6 + k];
    }
    rows.claims = {kernel::made::aboveTable(branch.start(), branch.end_time, 1)};
  }
  kernel::made::number(made);
  return made;
}

bool areProvedOverForks(const Made& made, bool exact) {
  ForkSums sums(made.run, exact);
  std::optional<kernel::Origin> origin = kernel::Origin();
  for (std::size_t i = 0; i < made.rows.size(); ++i) {
    const kernel::BranchProof proof(made.run, made.run.branches[i], made.rows[i], origin);
    EXPECT_TRUE(proof.sound());
    if (!sums.check(proof).empty()) return false;
    if (i + 1 < made.rows.size()) origin = proof.originOf(made.run.branches[i + 1]);
  }
  return true;
}

TEST(ForkSums, WhatFloatsOverAChainOfForksIsRefuted) {
  for (const bool exact : {false, true}) {
    EXPECT_TRUE(areProvedOverForks(chain(200, 4, 1), exact));
    for (const double share : {0.0, 0.9, 1.1}) EXPECT_FALSE(areProvedOverForks(chain(200, 4, share), exact)) << share;
  }
  EXPECT_TRUE(kernel::made::proveAll(chain(200, 4, 0)).open.empty());  // Each branch misses less than a window may.
}

TEST(ForkSums, WhatIsMissedInOtherWindowsDoesNotCount) {
  // Eight steps of each branch miss less than a window may, and there is one branch in each of three windows.
  Made made = chain(3, 8, 1);
  EXPECT_TRUE(areProvedOverForks(made, false));
  EXPECT_TRUE(areProvedOverForks(chain(1, 8, 0), false));
  EXPECT_FALSE(areProvedOverForks(chain(3, 8, 0), false));
}

}  // namespace
}  // namespace rigor::verify
