// SPDX-License-Identifier: MIT
// Proved here: pairs() is exactly what comparing all boxes gives, in a fixed order, whatever was asked before; the
// boxes contain every vertex at every sampled time; nothing is allocated in the steady state.
// Oracle: all pairs by brute force; exact rational evaluation of the motion (exact_motion.h).
#include "advance/broad_phase.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "advance/certificate.h"
#include "tests/allocation_counter.h"
#include "exact_motion.h"

namespace rigor::advance {
namespace {

using geom::HalfSpace;
using geom::Polytope;
using geom::Shape;

struct World {
  std::vector<Shape> shapes;
  std::vector<BroadPhase::Part> parts;
  std::vector<MotionPiece> pieces;  // Per body.
};

World randomWorld(std::mt19937& rng, int bodies) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  World w;
  w.shapes.push_back(HalfSpace{{0.1, 0, 2}, -3});
  w.shapes.push_back(Polytope::box({1, 1, 1}));
  w.shapes.push_back(Polytope::box({0.2, 3, 0.5}));
  for (int b = 0; b < bodies; ++b) {
    const Eigen::Vector3d at = 6 * Eigen::Vector3d(uniform(rng), uniform(rng), uniform(rng));
    w.pieces.push_back(oracle::randomPiece(rng, at, 1, 0.5, 0, 1, int(rng() % 4), int(rng() % 4)));
  }
  w.pieces[0] = MotionPiece::constant({}, 0, std::numeric_limits<double>::infinity());
  w.parts.push_back({0, true, &w.shapes[0], {0, 0, 0}});
  for (int b = 1; b < bodies; ++b)
    for (int k = 0; k <= b % 2; ++k)
      w.parts.push_back(
          {b, b % 5 == 0, &w.shapes[1 + k], 0.3 * Eigen::Vector3d(uniform(rng), uniform(rng), uniform(rng))});
  return w;
}

std::vector<BroadPhase::Pair> bruteForce(const World& w, const BroadPhase& phase, double reach) {
  std::vector<BroadPhase::Pair> pairs;
  const int n = static_cast<int>(w.parts.size());
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      const auto &pa = w.parts[a], &pb = w.parts[b];
      const bool half = std::holds_alternative<HalfSpace>(*pa.shape);
      if (std::holds_alternative<HalfSpace>(*pb.shape) || pa.body == pb.body || (pa.fixed && pb.fixed)) continue;
      if (half) {
        const auto& plane = std::get<HalfSpace>(*pa.shape);  // At the identity pose.
        double lowest = std::numeric_limits<double>::infinity();
        for (int c = 0; c < 8; ++c)
          lowest = std::min(lowest,
                            (plane.normal.dot(phase.box(b).corner(Eigen::AlignedBox3d::CornerType(c))) - plane.offset) /
                                plane.normal.norm());
        pairs.push_back({a, b, lowest < reach});
      } else if (a < b) {
        const Eigen::Vector3d apart =
            (phase.box(b).min() - phase.box(a).max()).cwiseMax(phase.box(a).min() - phase.box(b).max());
        if (apart.maxCoeff() < reach) pairs.push_back({a, b, true});
      }
    }
  return pairs;
}

TEST(BroadPhase, SameAsBruteForceWhateverTheHistory) {
  std::mt19937 rng(1);
  for (int trial = 0; trial < 20; ++trial) {
    World w = randomWorld(rng, 2 + int(rng() % 60));
    BroadPhase phase(w.parts);
    for (size_t b = 0; b < w.pieces.size(); ++b) phase.update(int(b), w.pieces[b]);
    for (int step = 0; step < 10; ++step) {
      const double reach = step % 3 * 0.4;
      const auto pairs = phase.pairs(reach);
      EXPECT_EQ(std::vector(pairs.begin(), pairs.end()), bruteForce(w, phase, reach));
      BroadPhase fresh(w.parts);
      for (size_t b = 0; b < w.pieces.size(); ++b) fresh.update(int(b), w.pieces[b]);
      const auto again = fresh.pairs(reach);
      EXPECT_TRUE(std::equal(pairs.begin(), pairs.end(), again.begin(), again.end()));
      // Some bodies move on.
      for (size_t b = 1; b < w.pieces.size(); ++b)
        if (rng() % 3 == 0) {
          const Eigen::Vector3d at = w.pieces[b].end().p;
          w.pieces[b] = oracle::randomPiece(rng, at, 2, 0.5, 0, 1);
          phase.update(int(b), w.pieces[b]);
        }
    }
  }
}

TEST(BroadPhase, BoxesContainTheMotionExactly) {
  std::mt19937 rng(2);
  const World w = randomWorld(rng, 12);
  BroadPhase phase(w.parts);
  for (size_t b = 0; b < w.pieces.size(); ++b) phase.update(int(b), w.pieces[b]);
  for (size_t i = 1; i < w.parts.size(); ++i) {
    const auto& part = w.parts[i];
    const oracle::Motion motion(w.pieces[part.body], 0, 1);
    for (const oracle::Vec& v : oracle::vertices({part.shape, part.centre, nullptr}))
      for (int s = 0; s <= 4; ++s) {
        const oracle::Vec p = oracle::pointAt(motion, v, oracle::Q(s) / 4);
        for (int k = 0; k < 3; ++k) {
          EXPECT_LE(oracle::Q(phase.box(int(i)).min()[k]), p[k]);
          EXPECT_GE(oracle::Q(phase.box(int(i)).max()[k]), p[k]);
        }
      }
  }
}

TEST(BroadPhase, NothingIsAllocatedInTheSteadyState) {
  if (allocations() < 0) GTEST_SKIP() << "a sanitizer owns the allocator";
  std::mt19937 rng(3);
  const World w = randomWorld(rng, 80);
  BroadPhase phase(w.parts);
  const auto run = [&] {
    for (size_t b = 0; b < w.pieces.size(); ++b) phase.update(int(b), w.pieces[b]);
    return phase.pairs(0.5).size();
  };
  run();
  const long before = allocations();
  const size_t count = run();
  EXPECT_EQ(allocations(), before);
  EXPECT_GT(count, 100u);
}

TEST(BroadPhase, NaNPairsWithEverything) {
  std::mt19937 rng(4);
  World w = randomWorld(rng, 10);
  BroadPhase phase(w.parts);
  w.pieces[3].p[0].setConstant(std::numeric_limits<double>::quiet_NaN());
  for (size_t b = 0; b < w.pieces.size(); ++b) phase.update(int(b), w.pieces[b]);
  int with_three = 0, moving_others = 0;
  for (const auto& pair : phase.pairs(0))
    with_three += pair.near && (w.parts[pair.a].body == 3 || w.parts[pair.b].body == 3);
  for (const auto& part : w.parts) moving_others += part.body != 3;
  EXPECT_EQ(with_three, 2 * moving_others) << "body 3 has two parts";
}

TEST(Certificate, AllocatesNothingWhereTheFilterDecides) {
  if (allocations() < 0) GTEST_SKIP() << "a sanitizer owns the allocator";
  const Shape plane = HalfSpace{{0, 0, 1}, 0}, A = Polytope::box({1, 1, 1}), B = Polytope::box({1, 0.5, 1});
  std::mt19937 rng(5);
  const MotionPiece ground = MotionPiece::constant({}, 0, 1), a = oracle::randomPiece(rng, {0, 0, 2}, 0.1, 0.1, 0, 1),
                    b = oracle::randomPiece(rng, {0, 0, 5}, 0.1, 0.1, 0, 1);
  std::vector<Witness> out;
  out.reserve(8);
  SeparatingAxis axis, fixed_in_b;
  fixed_in_b.kind = AxisKind::kFixedInB;
  const oracle::Motion motion(b, 0, 1);
  for (int k = 0; k < 3; ++k) fixed_in_b.axis[k] = motion.M[2][k](0).get_d();  // World z in B at the start.
  const long before = allocations();
  const PiecePolynomials pg(ground, 0, 1), pa(a, 0, 1), pb(b, 0, 1);
  const bool over =
      certify({&plane, {0, 0, 0}, &pg}, {&A, {0, 0, 0}, &pa}, {&axis, 1}, 1e-3, out) == CertifyStatus::kCertified;
  const bool pair =
      certify({&A, {0, 0, 0}, &pa}, {&B, {0, 0, 0}, &pb}, {&fixed_in_b, 1}, 1e-3, out) == CertifyStatus::kCertified;
  const long after = allocations();
  EXPECT_TRUE(over);
  EXPECT_TRUE(pair);
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace rigor::advance
