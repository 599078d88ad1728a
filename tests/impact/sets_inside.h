// SPDX-License-Identifier: MIT
#pragma once
#include <gtest/gtest.h>

#include <optional>

#include "impact/sets/exact_set.h"
#include "impact/sets/polytope_union.h"
#include "known_sets.h"
#include "random_planar.h"

/// What every bound from outside is held to: sets that are known exactly.
namespace rigor::impact::test {

/// Visits random planar problems whose exact sets are found whole: visit(seed, problem, set, outcomes).
template <typename Visit>
void forEachExactPlanar(std::uint64_t seeds, Visit&& visit) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const ImpactProblem problem = randomPlanar(seed);
    const ExactSet set(problem, {5'000'000, 20'000});
    if (set.complete()) visit(seed, problem, set, PolytopeUnion(set));
  }
}

/// @param bound  bound(problem, name, side): an optional proof of one. @returns how many there were.
template <typename Bound>
int expectKnownSetsInside(Bound&& bound) {
  int proved = 0;
  for (const KnownSet& known : knownSets()) {
    for (const auto& [name, low, high] : known.bounds) {
      const auto above = bound(known.problem, name, 1), below = bound(known.problem, name, -1);
      if (above) {
        EXPECT_GE(above->bound.get_d(), high - 1e-9) << known.name << ' ' << name;
      }
      if (below) {
        EXPECT_LE(below->bound.get_d(), low + 1e-9) << known.name << ' ' << name;
      }
      proved += (above ? 1 : 0) + (below ? 1 : 0);
    }
  }
  return proved;
}

/// The same of random exact sets.
template <typename Bound>
int expectExactSetsInside(std::uint64_t seeds, Bound&& bound) {
  int proved = 0;
  forEachExactPlanar(seeds, [&](std::uint64_t seed, const ImpactProblem& problem, const ExactSet& set,
                                const PolytopeUnion& outcomes) {
    for (const ExactQuantity& quantity : quantitiesOf(set.problem())) {
      for (const int side : {1, -1}) {
        const auto proof = bound(problem, quantity.name, side);
        if (!proof) continue;
        ++proved;
        const mpq_class reached = side > 0 ? outcomes.largest(quantity).value : outcomes.smallest(quantity).value;
        const mpq_class inside = proof->bound - reached;
        EXPECT_GE(side * inside, 0) << seed << ' ' << quantity.name;
      }
    }
  });
  return proved;
}

}  // namespace rigor::impact::test
