// SPDX-License-Identifier: MIT
// Proved here: the axes proposed for a pair suffice to certify it wherever its distance stays clear of the floor, for
// every kind of closest features, degenerate ones included; and what is so certified is true.
// Oracle: geom::separation at sampled times for "clear" (itself tested in geom), exact rationals for the claims
// (exact_motion.h).
#include "advance/candidate_axes.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "advance/certificate.h"
#include "advance/gap_polynomial.h"
#include "exact_motion.h"
#include "lowest_gap.h"

namespace rigor::advance {
namespace {

using geom::Feature;
using geom::Polytope;
using geom::Shape;

struct MovingPair {
  Shape a, b;
  MotionPiece ma, mb;

  geom::Separation separationAt(double t) const {
    geom::SeparationCache cache;
    return geom::separation(std::get<Polytope>(a), ma.at(t), std::get<Polytope>(b), mb.at(t), cache);
  }
  CandidateAxes axesAt(double t) const { return candidateAxes(a, ma.at(t), b, mb.at(t), separationAt(t)); }
  /// 51 times, then twice 51 around the nearest of them.
  double smallestDistance() const {
    double smallest = separationAt(0).distance, from = 0, to = 1, at = 0;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i <= 50; ++i) {
        const double t = from + (to - from) * i / 50, d = separationAt(t).distance;
        if (d < smallest) {
          smallest = d;
          at = t;
        }
      }
      const double reach = (to - from) / 50;
      from = std::max(0.0, at - reach);
      to = std::min(1.0, at + reach);
    }
    return smallest;
  }
  bool certified(std::span<const SeparatingAxis> axes, double floor, std::vector<Witness>& out,
                 CertifyStats* stats = nullptr) const {
    const PiecePolynomials pa(ma, 0, 1), pb(mb, 0, 1);
    return certify({&a, {0, 0, 0}, &pa}, {&b, {0, 0, 0}, &pb}, axes, floor, out, {}, stats) ==
           CertifyStatus::kCertified;
  }
  void expectTrue(const std::vector<Witness>& out) const {
    for (const Witness& w : out) EXPECT_TRUE(oracle::holds({&a, {0, 0, 0}, &ma}, {&b, {0, 0, 0}, &mb}, w));
  }
};

Polytope randomPolytope(std::mt19937& rng, double size) {
  std::normal_distribution<double> normal;
  std::vector<Eigen::Vector3d> points(12);
  for (auto& p : points) p = size * Eigen::Vector3d(normal(rng), normal(rng), normal(rng)).normalized();
  return Polytope::fromPoints(points);
}

void certifyClearPairs(unsigned seed, int trials) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  int clear = 0, certified = 0, kinds[3] = {0, 0, 0};
  CertifyStats stats;
  for (int trial = 0; trial < trials; ++trial) {
    const double size = std::pow(10.0, int(rng() % 7) - 3), floor = 5e-8 * size;
    MovingPair pair{trial % 2 ? Shape(randomPolytope(rng, size)) : Shape(Polytope::box({size, size, size})),
              trial % 3 ? Shape(randomPolytope(rng, size)) : Shape(Polytope::box({size, 0.3 * size, 2 * size})),
              {},
              {}};
    pair.ma = oracle::randomPiece(rng, {0, 0, 0}, 0.02 * size, 0.02, 0, 1);
    pair.mb = oracle::randomPiece(rng, 5 * size * Eigen::Vector3d(normal(rng), normal(rng), normal(rng)).normalized(),
                                  0.02 * size, 0.02, 0, 1);
    // Bring them to a distance between 1e-7 and 1 of the size, at the middle.
    const double distance = size * std::pow(10.0, -7.0 * (trial % 10) / 10);
    for (int i = 0; i < 20; ++i) {
      const geom::Separation s = pair.separationAt(0.5);
      for (auto& p : pair.mb.p) p += s.normal * (s.distance - distance);
    }
    if (!(pair.smallestDistance() > 0.3 * distance)) continue;
    ++clear;
    std::vector<Witness> out;
    const bool proved = pair.certified({}, floor, out, &stats);
    EXPECT_TRUE(proved) << "trial " << trial << " distance/size " << distance / size << " smallest/floor "
                        << pair.smallestDistance() / floor;
    certified += proved;
    if (proved && trial % 10 == 0) pair.expectTrue(out);
    for (const Witness& w : out) ++kinds[int(w.axis.kind)];
  }
  EXPECT_GT(clear, trials / 3);
  EXPECT_EQ(certified, clear);
  EXPECT_EQ(stats.exact, 0) << "no exact proof should be needed at such distances";
  for (int kind : kinds) EXPECT_GT(kind, 0);
}

TEST(CandidateAxes, ClearPairsAreCertified) { certifyClearPairs(2, 60); }

// Seed 1 has a vertex that passes an edge at 5e-7 of its size (trial 229): two edge pairs share an instant of 1e-5.
TEST(SlowCandidateAxes, ClearPairsAreCertified) { certifyClearPairs(1, 400); }

/// Two unit cubes whose closest features are of the given kinds, at rest or nearly so.
TEST(CandidateAxes, DegenerateFeaturePairs) {
  const Eigen::Vector4d upright(1, 0, 0, 0);
  const auto turn = [](double angle, Eigen::Vector3d axis) {
    const Eigen::Quaterniond q(Eigen::AngleAxisd(angle, axis.normalized()));
    return Eigen::Vector4d(q.w(), q.x(), q.y(), q.z());
  };
  // A corner of the cube pointing up or down.
  const Eigen::Quaterniond corner_q(
      Eigen::AngleAxisd(std::acos(1 / std::sqrt(3.0)), Eigen::Vector3d(1, -1, 0).normalized()));
  const Eigen::Vector4d corner(corner_q.w(), corner_q.x(), corner_q.y(), corner_q.z());
  const Eigen::Vector4d edge = turn(M_PI / 4, {1, 0, 0});
  const double c = std::sqrt(3) / 2, e = std::sqrt(2) / 2, gap = 1e-4;
  struct Case {
    const char* name;
    Eigen::Vector4d qa, qb;
    Eigen::Vector3d pb;
  };
  const Case cases[] = {
      {"face-face", upright, upright, {0.2, 0.1, 1 + gap}},
      {"face-face, sharing corners", upright, upright, {0, 0, 1 + gap}},
      {"vertex-face", corner, upright, {0.2, 0.3, c + 0.5 + gap}},
      {"vertex-vertex", corner, corner, {0, 0, 2 * c + gap}},
      {"vertex-vertex, aligned diagonally", upright, upright, {1 + gap, 1 + gap, 1 + gap}},
      {"vertex-edge", corner, edge, {0.1, 0, c + e + gap}},
      {"edge-face", edge, upright, {0, 0.1, e + 0.5 + gap}},
      {"edge-edge, parallel", edge, edge, {0.3, 0, 2 * e + gap}},
      {"edge-edge, aligned diagonally", upright, upright, {0.3, 1 + gap, 1 + gap}},
      {"edge-edge, crossed", edge, turn(M_PI / 4, {0, 1, 0}), {0.1, 0.1, 2 * e + gap}},
      {"edge-edge, nearly parallel",
       edge,
       Eigen::Vector4d(turn(M_PI / 4, {1, 0, 0}) + Eigen::Vector4d(0, 0, 1e-7, 1e-7)),
       {0.3, 0, 2 * e + gap}},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.name);
    for (double motion : {0.0, 1e-6, 1e-4}) {
      MovingPair pair{Shape(Polytope::box({1, 1, 1})), Shape(Polytope::box({1, 1, 1})), {}, {}};
      pair.ma = MotionPiece::constant({test.qa, {0, 0, 0}}, 0, 1);
      pair.mb = MotionPiece::constant({test.qb, test.pb}, 0, 1);
      pair.mb.q_degree = pair.mb.p_degree = 2;
      for (int i = 1; i <= 2; ++i) {
        pair.mb.q[i] = test.qb + motion * i * Eigen::Vector4d(0.02, 0.1, -0.2, 0.3);
        pair.mb.p[i] = test.pb + motion * i * Eigen::Vector3d(1, -0.5, 0.2);
      }
      ASSERT_GT(pair.smallestDistance(), 0.4 * gap);
      CandidateAxes axes = pair.axesAt(0.5);
      ASSERT_GT(axes.count, 0);
      for (int i = 0; i < axes.count; ++i) {
        EXPECT_GT(axes.separation[i], 0);
        EXPECT_LE(axes.separation[i], pair.separationAt(0.5).distance + 1e-12)
            << "no axis separates by more than the distance";
      }
      std::vector<Witness> out;
      ASSERT_TRUE(pair.certified(axes.span(), 0.2 * gap, out)) << "motion " << motion;
      pair.expectTrue(out);
    }
  }
}

TEST(CandidateAxes, FacesComeFirstAndSeparationsAreThoseOfTheAxes) {
  std::mt19937 rng(2);
  for (int trial = 0; trial < 50; ++trial) {
    MovingPair pair{Shape(randomPolytope(rng, 1)), Shape(randomPolytope(rng, 1)), {}, {}};
    pair.ma = oracle::randomPiece(rng, {0, 0, 0}, 0, 0, 0, 1);
    pair.mb = oracle::randomPiece(rng, {1.5, 1, 1.2}, 0, 0, 0, 1);
    const geom::Separation s = pair.separationAt(0);
    if (!(s.distance > 0)) continue;
    const CandidateAxes axes = pair.axesAt(0);
    const PiecePolynomials pa(pair.ma, 0, 1), pb(pair.mb, 0, 1);
    const MovingPart A{&pair.a, {0, 0, 0}, &pa}, B{&pair.b, {0, 0, 0}, &pb};
    ASSERT_GT(axes.count, 1);
    for (int i = 0; i < axes.count; ++i) {
      const double gap = axes.axis[i].kind == AxisKind::kEdges ? EdgeGap(A, B, axes.axis[i]).gapAt(0)
                                                               : lowestGap(FaceGap(A, B, axes.axis[i]), 0);
      EXPECT_NEAR(gap, axes.separation[i], 1e-12);
    }
  }
}

TEST(CandidateAxes, OverlapAndHalfSpace) {
  MovingPair pair{Shape(Polytope::box({1, 1, 1})), Shape(Polytope::box({1, 1, 1})), {}, {}};
  pair.ma = MotionPiece::constant({}, 0, 1);
  pair.mb = MotionPiece::constant({{1, 0, 0, 0}, {0.5, 0, 0}}, 0, 1);
  EXPECT_EQ(pair.axesAt(0).count, 0);
  const Shape plane = geom::HalfSpace{{0, 1, 3}, 2};
  const CandidateAxes one = candidateAxes(plane, {}, pair.b, pair.mb.start(), {});
  ASSERT_EQ(one.count, 1);
  EXPECT_EQ(one.axis[0].axis, Eigen::Vector3d(0, 1, 3));
}

}  // namespace
}  // namespace rigor::advance
