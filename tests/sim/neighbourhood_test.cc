// SPDX-License-Identifier: MIT
// Proves that what a step looks at is what is near: the tree of boxes finds every box that a scan of all finds, the
// pairs of near bodies are exactly those of a scan, groups come in the order of their clocks, and claims are kept in
// the order in which they were made. Oracle: scans of everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "sim/run/body_tree.h"
#include "sim/run/groups.h"
#include "sim/run/pending_witnesses.h"
#include "sim/step/near_bodies.h"

namespace rigor::sim {
namespace {

using Eigen::Vector3d;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Random {
 public:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  Vector3d point(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }

 private:
  std::mt19937_64 engine_{17};
};

struct Box {
  Vector3d lower, upper;
  bool meets(const Box& o) const {
    return !(lower.array() > o.upper.array()).any() && !(upper.array() < o.lower.array()).any();
  }
};

/// Small and large, flat and empty of extent, sometimes infinite or NaN.
Box randomBox(Random& random, double world) {
  const Vector3d centre = random.point(world);
  Vector3d half = (std::pow(10, random.uniform(-3, 0.5)) * Vector3d(1, 1, 1)).cwiseProduct(random.point(1).cwiseAbs());
  if (random.below(20) == 0) half.setZero();
  Box box{centre - half, centre + half};
  if (random.below(50) == 0) box = {Vector3d::Constant(-kInfinity), Vector3d::Constant(kInfinity)};
  if (random.below(70) == 0) box.lower[random.below(3)] = std::nan("");
  return box;
}

TEST(BodyTree, FindsWhatAScanFinds) {
  Random random;
  for (const int count : {1, 2, 3, 10, 300}) {
    BodyTree tree;
    tree.reset(count);
    std::vector<Box> boxes(count);
    std::vector<bool> placed(count, false);
    long visits = 0, needed = 0;
    for (int k = 0; k < 6000; ++k) {
      const int body = random.below(count);
      // Often a small motion, as between two steps.
      if (placed[body] && random.below(3) > 0) {
        const Vector3d d = random.point(0.02);
        boxes[body].lower += d, boxes[body].upper += d;
      } else {
        boxes[body] = randomBox(random, 10);
      }
      placed[body] = true;
      tree.update(body, boxes[body].lower, boxes[body].upper);
      const Box asked = randomBox(random, 10);
      std::multiset<int> found;
      tree.query(asked.lower, asked.upper, [&](int b) { found.insert(b); });
      for (int b = 0; b < count; ++b) {
        ASSERT_LE(found.count(b), placed[b] ? 1u : 0u);
        if (placed[b] && boxes[b].meets(asked)) {
          ASSERT_EQ(found.count(b), 1u) << count << ' ' << k << ' ' << b;
          ++needed;
        }
      }
      visits += static_cast<long>(found.size());
    }
    EXPECT_LT(visits, 2 * needed + 6000) << "it hardly leaves anything out";
  }
}

TEST(Groups, TheFirstIsFarthestBehindWhateverTheHistory) {
  Random random;
  constexpr int kBodies = 60;
  Groups groups;
  groups.reset(kBodies);
  std::vector<int> free(kBodies), numbers;
  for (int b = 0; b < kBodies; ++b) free[b] = b;
  for (int k = 0; k < 20000; ++k) {
    const int action = random.below(3);
    if (action == 0 && !free.empty()) {
      Group group;
      for (int n = 1 + random.below(3); n > 0 && !free.empty(); --n) {
        const int i = random.below(static_cast<int>(free.size()));
        group.bodies.push_back(free[i]);
        free.erase(free.begin() + i);
      }
      std::sort(group.bodies.begin(), group.bodies.end());
      group.clock = random.below(5);
      numbers.push_back(groups.add(group));
    } else if (action == 1 && !numbers.empty()) {
      const int i = random.below(static_cast<int>(numbers.size()));
      const Group taken = groups.take(numbers[i]);
      free.insert(free.end(), taken.bodies.begin(), taken.bodies.end());
      numbers.erase(numbers.begin() + i);
    } else if (!numbers.empty()) {
      const int number = numbers[random.below(static_cast<int>(numbers.size()))];
      groups[number].clock += random.below(4) - 1;
      groups.changed(number);
    }
    ASSERT_EQ(groups.empty(), numbers.empty());
    std::vector<int> seen;
    groups.each([&](const Group& group) { seen.push_back(group.bodies[0]); });
    ASSERT_EQ(seen.size(), numbers.size());
    ASSERT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    for (const int b : free) ASSERT_EQ(groups.of(b), -1);
    if (numbers.empty()) continue;
    const Group& first = groups[groups.first()];
    for (const int number : numbers) {
      const Group& group = groups[number];
      for (const int b : group.bodies) ASSERT_EQ(groups.of(b), number);
      ASSERT_TRUE(first.clock < group.clock || (first.clock == group.clock && first.bodies[0] <= group.bodies[0]));
    }
  }
}

TEST(PendingWitnesses, KeepTheirOrderAndGoOnTheSameFromLists) {
  Random random;
  std::vector<BodyRuntime> bodies(12);
  bodies[0].fixed = bodies[5].fixed = true;
  PendingWitnesses kept, restored;
  kept.reset(bodies);
  std::vector<double> model;  // Times of all, in order.
  const auto timesOf = [](const std::vector<WitnessRecord>& list) {
    std::vector<double> times;
    for (const WitnessRecord& w : list) times.push_back(w.witness.t0);
    return times;
  };
  for (int k = 0; k < 3000; ++k) {
    int a = random.below(12), b = random.below(12);
    if (a == b || (bodies[a].fixed && bodies[b].fixed)) continue;
    WitnessRecord w{{std::min(a, b), 0, std::max(a, b), 0}, {}};
    w.witness.t0 = k;
    kept.add(w);
    model.push_back(k);
    if (k % 7 == 0) {
      const int body = 1 + random.below(4);
      std::vector<double> visited;
      kept.eraseIf(body, [&](const WitnessRecord& witness) {
        visited.push_back(witness.witness.t0);
        const bool drop = static_cast<long>(witness.witness.t0) % 3 != 0;
        if (drop) std::erase(model, witness.witness.t0);
        return drop;
      });
      ASSERT_TRUE(std::is_sorted(visited.begin(), visited.end()));
    }
    if (k % 100 == 0) {
      std::vector<double> times = timesOf(kept.lists().witnesses);
      std::sort(times.begin(), times.end());
      ASSERT_EQ(times, model);
      restored.reset(bodies);
      ASSERT_TRUE(restored.take(kept.lists()));
      for (int body = 1; body < 12; ++body) {
        std::vector<double> before, after;
        kept.each(body, [&](const WitnessRecord& witness) { before.push_back(witness.witness.t0); });
        restored.each(body, [&](const WitnessRecord& witness) { after.push_back(witness.witness.t0); });
        if (!bodies[body].fixed) { ASSERT_EQ(before, after); }
      }
    }
  }
}

TEST(NearBodies, AreThoseOfAScan) {
  Random random;
  long found_in_all = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Scene scene;
    std::vector<BodyRuntime> bodies(5 + random.below(60));
    BodyTree tree;
    tree.reset(bodies.size());
    std::vector<BodyBox> boxes(bodies.size());
    for (size_t b = 0; b < bodies.size(); ++b) {
      BodyRuntime& body = bodies[b];
      body.num_parts = random.below(6) == 0 ? 0 : 1;  // Links without shape meet nothing.
      body.radius = random.below(15) == 0 ? kInfinity : random.uniform(0.05, 0.4);
      body.piece = advance::MotionPiece::constant({{1, 0, 0, 0}, random.point(2)}, 0, 1);
      if (random.below(2)) body.piece.p_degree = 1, body.piece.p[1] = body.piece.p[0] + random.point(1);
      if (random.below(4) == 0) body.ignored = {random.below(static_cast<int>(bodies.size()))};
      pieceBox(body.piece, body.radius, boxes[b].lower, boxes[b].upper);
      tree.update(static_cast<int>(b), boxes[b].lower, boxes[b].upper);
    }
    StepWorld world(scene, Scales{});
    std::vector<int> island;
    for (size_t b = 0; b < bodies.size(); ++b)
      if (random.below(5) == 0) island.push_back(static_cast<int>(b));
    world.bodies = bodies, world.island = island, world.tree = &tree;
    world.slot_of.assign(bodies.size(), -1);
    std::vector<BodyBox> own;
    for (size_t s = 0; s < island.size(); ++s) {
      world.slot_of[island[s]] = static_cast<int>(s);
      BodyBox box = boxes[island[s]];  // Of a motion that is new.
      box.upper += random.point(0.5).cwiseAbs();
      own.push_back(box);
    }
    for (const double margin : {0.0, 1e-8, 0.3, kInfinity}) {
      std::vector<NearBodies::Pair> expected;
      for (size_t s = 0; s < island.size(); ++s)
        for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
          const int a = island[s], slot = world.slot_of[b];
          if (b == a || (slot >= 0 && b < a) || !bodies[a].collidesWith(b)) continue;
          if (bodies[a].num_parts == 0 || bodies[b].num_parts == 0) continue;
          if (own[s].isNear(slot >= 0 ? own[slot] : boxes[b], margin)) expected.emplace_back(a, b);
        }
      NearBodies near;
      const auto pairs = near.find(world, own, margin);
      ASSERT_EQ(std::vector<NearBodies::Pair>(pairs.begin(), pairs.end()), expected) << trial << ' ' << margin;
      found_in_all += static_cast<long>(expected.size());
    }
  }
  EXPECT_GT(found_in_all, 1000);
}

}  // namespace
}  // namespace rigor::sim
