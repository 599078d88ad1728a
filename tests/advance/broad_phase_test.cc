// SPDX-License-Identifier: MIT
// Proved here: pairs() is exactly what comparing all boxes gives, in a fixed order, whatever was asked before; what it
// leaves out is apart at every sampled time; nothing is allocated in the steady state.
// Oracle: all pairs by brute force; exact rational evaluation of the motion (exact_motion.h).
#include "advance/broad_phase.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
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

/// Of the control points of its position, widened by the part's radius; up to rounding.
Eigen::AlignedBox3d sweptBox(const World& w, int part) {
  const MotionPiece& piece = w.pieces[w.parts[part].body];
  const auto& solid = std::get<Polytope>(*w.parts[part].shape);
  Eigen::AlignedBox3d box;
  for (int k = 0; k <= piece.p_degree; ++k) box.extend(piece.p[k]);
  const auto radius = (solid.vertices().colwise() - w.parts[part].centre).colwise().norm().maxCoeff();
  box.min().array() -= radius, box.max().array() += radius;
  return box;
}

std::vector<BroadPhase::Pair> bruteForce(const World& w, double reach) {
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
          lowest = std::min(lowest, (plane.normal.dot(sweptBox(w, b).corner(Eigen::AlignedBox3d::CornerType(c))) -
                                     plane.offset) / plane.normal.norm());
        pairs.push_back({a, b, lowest < reach});
      } else if (a < b) {
        const Eigen::Vector3d apart =
            (sweptBox(w, b).min() - sweptBox(w, a).max()).cwiseMax(sweptBox(w, a).min() - sweptBox(w, b).max());
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
      EXPECT_EQ(std::vector(pairs.begin(), pairs.end()), bruteForce(w, reach));
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

/// Where a part's vertices come to, along each axis: of five times, exact.
std::array<std::pair<oracle::Q, oracle::Q>, 3> sampledRanges(const World& w, int part) {
  const oracle::Motion motion(w.pieces[w.parts[part].body], 0, 1);
  std::array<std::pair<oracle::Q, oracle::Q>, 3> range;
  bool first = true;
  for (const oracle::Vec& v : oracle::vertices({w.parts[part].shape, w.parts[part].centre, nullptr}))
    for (int s = 0; s <= 4; ++s, first = false) {
      const oracle::Vec p = oracle::pointAt(motion, v, oracle::Q(s) / 4);
      for (int k = 0; k < 3; ++k) {
        range[k].first = first || p[k] < range[k].first ? p[k] : range[k].first;
        range[k].second = first || p[k] > range[k].second ? p[k] : range[k].second;
      }
    }
  return range;
}

// For each pair the largest reach at which it is left out, to the last bit.
TEST(BroadPhase, WhatIsLeftOutIsApartExactly) {
  std::mt19937 rng(2);
  const World w = randomWorld(rng, 12);
  BroadPhase phase(w.parts);
  for (size_t b = 0; b < w.pieces.size(); ++b) phase.update(int(b), w.pieces[b]);
  const auto isListed = [&](int a, int b, double reach) {
    const auto pairs = phase.pairs(reach);
    return std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.a == a && pair.b == b; });
  };
  int apart = 0;
  for (int b = 2; b < int(w.parts.size()); ++b)
    for (int a = 1; a < b; ++a) {
      if (w.parts[a].body == w.parts[b].body || (w.parts[a].fixed && w.parts[b].fixed) || isListed(a, b, 0)) continue;
      double reach = 0, listed = 100;
      ASSERT_TRUE(isListed(a, b, listed));
      for (double middle = 50; middle > reach && middle < listed; middle = reach + (listed - reach) / 2)
        (isListed(a, b, middle) ? listed : reach) = middle;
      const auto A = sampledRanges(w, a), B = sampledRanges(w, b);
      bool kept = false;
      for (int k = 0; k < 3; ++k)
        kept = kept || B[k].first - A[k].second >= oracle::Q(reach) || A[k].first - B[k].second >= oracle::Q(reach);
      EXPECT_TRUE(kept) << a << ' ' << b << ' ' << reach;
      ++apart;
    }
  EXPECT_GT(apart, 30);
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
