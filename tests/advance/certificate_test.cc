// SPDX-License-Identifier: MIT
// Proved here: whatever certify() calls certified is true, exactly, with the gap it states, and covers the interval
// without hole; what is false is never certified, however little it is false; what is true by a margin far above
// rounding is certified. Oracle: oracle::holds(), the claim of witness.h in exact rationals over all vertex pairs
// (exact_motion.h), and the exact distance of chosen vertices. One-sided and strict: no tolerance anywhere.
#include "advance/certificate.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include "advance/cylinder_gap.h"
#include "advance/gap_polynomial.h"
#include "exact_motion.h"
#include "geom/shortest_turn.h"
#include "lowest_gap.h"

namespace rigor::advance {
namespace {

using geom::HalfSpace;
using geom::Polytope;
using geom::Shape;
using namespace oracle;  // For its operators: its types are standard ones.

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Pair {
  Shape a, b;
  Eigen::Vector3d ca{0, 0, 0}, cb{0, 0, 0};
  MotionPiece ma = {}, mb = {};
  double ta = 0, tb = 1;

  Part A() const { return {&a, ca, &ma}; }
  Part B() const { return {&b, cb, &mb}; }
  /// With the given axes alone.
  bool certified(std::span<const SeparatingAxis> axes, double floor, std::vector<Witness>& out,
                 CertifyOptions options = {}, CertifyStats* stats = nullptr) const {
    options.propose = false;
    const PiecePolynomials pa(ma, ta, tb), pb(mb, ta, tb);
    return certify({&a, ca, &pa}, {&b, cb, &pb}, axes, floor, out, options, stats) == CertifyStatus::kCertified;
  }
  /// Smallest rounded gap along an axis: 101 times, then twice 101 around the lowest of them.
  double sampledGap(const SeparatingAxis& axis) const {
    const PiecePolynomials pa(ma, ta, tb), pb(mb, ta, tb);
    const auto gap = [&](double s) {
      return axis.kind == AxisKind::kEdges ? EdgeGap({&a, ca, &pa}, {&b, cb, &pb}, axis).gapAt(s)
                                           : lowestGap(FaceGap({&a, ca, &pa}, {&b, cb, &pb}, axis), s);
    };
    double smallest = kInf, from = 0, to = 1, at = 0;
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i <= 100; ++i) {
        const double s = from + (to - from) * i / 100;
        if (gap(s) < smallest) smallest = gap(at = s);
      }
      const double reach = (to - from) / 100;
      from = std::max(0.0, at - reach);
      to = std::min(1.0, at + reach);
    }
    return smallest;
  }
  void expectTrue(const std::vector<Witness>& witnesses, double floor, int trial) const {
    ASSERT_FALSE(witnesses.empty());
    EXPECT_EQ(witnesses.front().t0, ta);
    EXPECT_EQ(witnesses.back().t1, tb);
    for (size_t i = 0; i < witnesses.size(); ++i) {
      EXPECT_EQ(witnesses[i].t0, i == 0 ? ta : witnesses[i - 1].t1);
      EXPECT_GE(witnesses[i].gap, floor);
      EXPECT_TRUE(holds(A(), B(), witnesses[i])) << "trial " << trial << " witness " << i;
    }
  }
};

Eigen::Vector3d random3(std::mt19937& rng) {
  std::normal_distribution<double> normal;
  return {normal(rng), normal(rng), normal(rng)};
}

/// Boxes (or a half-space) with random pieces; B is then lifted along the axis to leave a smallest sampled gap of
/// `gap`.
Pair randomPair(std::mt19937& rng, double size, double far, bool plane, const SeparatingAxis& axis, double gap) {
  std::uniform_real_distribution<double> uniform;
  Pair pair{plane ? Shape(HalfSpace{axis.axis, 0.2 * size}) : Shape(Polytope::box(size * Eigen::Vector3d(1, 0.7, 1.3))),
            Shape(Polytope::box(size * Eigen::Vector3d(0.5, 1.1, 0.9)))};
  const Eigen::Vector3d origin = far * Eigen::Vector3d(uniform(rng), uniform(rng), uniform(rng));
  if (!plane) pair.ca = 0.1 * size * random3(rng);
  pair.cb = 0.1 * size * random3(rng);
  const bool fixed = plane || rng() % 3 == 0;
  pair.ma = fixed ? MotionPiece::constant({random3(rng).homogeneous(), origin}, -1, kInf)
                  : randomPiece(rng, origin, 0.2 * size, 0.2, 0, 1, int(rng() % 4), int(1 + rng() % 3));
  pair.mb = randomPiece(rng, origin, 0.2 * size, 0.2, 0, 1, int(rng() % 4), int(1 + rng() % 3));
  if (rng() % 2) pair.ta = 0.2 * uniform(rng);
  if (rng() % 2) pair.tb = 1 - 0.3 * uniform(rng);
  // The axis turns little, so that lifting along its direction in the middle changes the gap by nearly as much.
  const MotionPiece& owner = axis.kind == AxisKind::kFixedInA ? pair.ma : pair.mb;
  const Eigen::Vector3d n = (owner.at((pair.ta + pair.tb) / 2).rotation() * axis.axis).normalized();
  for (int i = 0; i < 8; ++i) {
    const double lift = gap - pair.sampledGap(axis);
    for (int k = 0; k <= pair.mb.p_degree; ++k) pair.mb.p[k] += lift * n;
  }
  return pair;
}

TEST(Certificate, FixedAxisClaimsAreTrueAndClearGapsAreCertified) {
  std::mt19937 rng(3);
  long certified = 0, refused_clear = 0, clear = 0;
  for (int trial = 0; trial < 80; ++trial) {
    const double size = std::pow(10.0, int(rng() % 7) - 3), far = trial % 4 == 3 ? 1e3 : 0;
    const double floor = 1e-7 * size * (trial % 2 ? 0.5 : 1e-3);
    SeparatingAxis axis;
    const bool plane = trial % 3 == 0;
    axis.kind = !plane && rng() % 2 ? AxisKind::kFixedInB : AxisKind::kFixedInA;
    axis.axis = random3(rng);
    // Around the floor: from well below to well above, and closer than rounding.
    const double factors[] = {-1, 0.5, 1 - 1e-9, 1, 1 + 1e-9, 2, 1e3};
    const Pair pair = randomPair(rng, size, far, plane, axis, floor * factors[rng() % 7]);
    const double sampled = pair.sampledGap(axis);
    const bool truly_clear = sampled > 1.5 * floor + 1e-11 * far * (1 + size);
    std::vector<Witness> out;
    const bool proved = pair.certified({&axis, 1}, floor, out);
    clear += truly_clear;
    refused_clear += truly_clear && !proved;
    certified += proved;
    if (proved) pair.expectTrue(out, floor, trial);
    EXPECT_EQ(out.empty(), !proved);
  }
  EXPECT_EQ(refused_clear, 0) << "of " << clear;
  EXPECT_GT(certified, 30);
  EXPECT_GT(clear, 20);
}

TEST(Certificate, WhatIsFalseIsNeverCertified) {
  // A die over a plane z = 0, lowest vertex exactly at `gap` at rest; every number is exact in binary.
  Pair pair{Shape(HalfSpace{{0, 0, 1}, 0}), Shape(Polytope::box({1, 1, 1}))};
  pair.ma = MotionPiece::constant({}, 0, kInf);
  const SeparatingAxis axis;
  const double gap = 0x1p-20;
  pair.mb = MotionPiece::constant({{1, 0, 0, 0}, {0, 0, 0.5 + gap}}, 0, kInf);
  std::vector<Witness> out;
  const double below = gap * (1 - 0x1p-40);
  EXPECT_FALSE(pair.certified({&axis, 1}, below, out, {.max_exact = 0})) << "the filter alone must not decide this";
  ASSERT_TRUE(pair.certified({&axis, 1}, below, out)) << "the exact proof decides";
  EXPECT_EQ(out[0].gap, below);
  pair.expectTrue(out, below, 0);
  EXPECT_FALSE(pair.certified({&axis, 1}, std::nextafter(gap, 1), out)) << "one ulp short";
  {
    const PiecePolynomials pa(pair.ma, 0, 1), pb(pair.mb, 0, 1);
    Witness claim = out[0];
    claim.gap = gap;
    EXPECT_TRUE(proveExactly({&pair.a, pair.ca, &pa}, {&pair.b, pair.cb, &pb}, claim));
    claim.gap = std::nextafter(gap, 1);
    EXPECT_FALSE(proveExactly({&pair.a, pair.ca, &pa}, {&pair.b, pair.cb, &pb}, claim));
  }
  out.clear();
  // A dip of one ulp at the middle of the interval, touched by nothing else.
  pair.mb.t1 = 1;
  pair.mb.p_degree = 2;
  pair.mb.p[0] = pair.mb.p[2] = {0, 0, 0.5 + 2 * gap};
  pair.mb.p[1] = {0, 0, 0.5};  // z(1/2) = 0.5 + gap exactly
  EXPECT_TRUE(pair.certified({&axis, 1}, below, out));
  pair.expectTrue(out, below, 1);
  out.clear();
  pair.mb.p[1][2] = 0.5 - 0x1p-52;
  EXPECT_FALSE(pair.certified({&axis, 1}, gap, out));
  EXPECT_TRUE(out.empty());
}

TEST(Certificate, TamperedMotionIsRefused) {
  std::mt19937 rng(5);
  int refused = 0, proved_before = 0, still_proved = 0;
  for (int trial = 0; trial < 60; ++trial) {
    SeparatingAxis axis;
    axis.axis = random3(rng);
    const double floor = 5e-9;
    Pair pair = randomPair(rng, 0.1, 0, trial % 2, axis, 2 * floor);
    std::vector<Witness> out;
    if (!pair.certified({&axis, 1}, floor, out)) continue;
    ++proved_before;
    const Eigen::Vector3d n = (pair.ma.at((pair.ta + pair.tb) / 2).rotation() * axis.axis).normalized();
    const int k = int(rng() % (pair.mb.p_degree + 1));
    pair.mb.p[k] -= n * 1e-4 * double(rng() % 3);
    std::vector<Witness> again;
    const bool proved = pair.certified({&axis, 1}, floor, again);
    if (proved) pair.expectTrue(again, floor, trial);
    still_proved += proved;
    refused += !proved;
    // The old witness against the tampered motion: the two exact checkers agree, whatever the answer.
    const PiecePolynomials qa(pair.ma, pair.ta, pair.tb), qb(pair.mb, pair.ta, pair.tb);
    EXPECT_EQ(proveExactly({&pair.a, pair.ca, &qa}, {&pair.b, pair.cb, &qb}, out.at(0)),
              holds(pair.A(), pair.B(), out.at(0)));
  }
  EXPECT_GT(proved_before, 50);
  EXPECT_GT(refused, 15);
  EXPECT_GT(still_proved, 10);
}

/// Two crossed bars, edges facing each other over a distance `gap`, B turning about the vertical and tumbling.
Pair crossedBars(std::mt19937& rng, double size, double gap, double crossing, double motion) {
  Pair pair{Shape(Polytope::box(size * Eigen::Vector3d(2, 0.2, 0.2))),
            Shape(Polytope::box(size * Eigen::Vector3d(2, 0.2, 0.2)))};
  const Eigen::Quaterniond roll(Eigen::AngleAxisd(M_PI / 4, Eigen::Vector3d::UnitX()));
  const Eigen::Quaterniond yaw(Eigen::AngleAxisd(crossing, Eigen::Vector3d::UnitZ()));
  const auto coefficients = [](const Eigen::Quaterniond& q) { return Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()); };
  pair.ma = MotionPiece::constant({coefficients(roll), {0, 0, 0}}, 0, 1);
  pair.mb = MotionPiece::constant({coefficients(yaw * roll), {0, 0, size * 2 * std::sqrt(0.02) + gap}}, 0, 1);
  for (MotionPiece* piece : {&pair.ma, &pair.mb}) {
    piece->p_degree = piece->q_degree = 3;
    for (int i = 1; i <= 3; ++i) {
      piece->p[i] = piece->p[0];
      piece->q[i] = piece->q[0];
    }
    for (int i = 0; i <= 3; ++i) {
      piece->q[i] += motion * i * Eigen::Vector4d(0.1, random3(rng)[0], 0.7 * random3(rng)[1], random3(rng)[2]);
      piece->p[i].head<2>() += motion * size * i * random3(rng).head<2>();
      if (piece == &pair.mb) piece->p[i][2] += motion * size * i * i;
    }
  }
  return pair;
}

SeparatingAxis topEdges(const Pair& pair) {
  // The edge of A at y = z = + , of B at y = z = -, both along x.
  const auto find = [](const Polytope& P, double x, double side) {
    for (int i = 0; i < P.numVertices(); ++i)
      if (P.vertex(i)[0] * x > 0 && P.vertex(i)[1] * side > 0 && P.vertex(i)[2] * side > 0) return i;
    return -1;
  };
  const auto &A = std::get<Polytope>(pair.a), &B = std::get<Polytope>(pair.b);
  SeparatingAxis axis;
  axis.kind = AxisKind::kEdges;
  axis.a0 = find(A, -1, 1), axis.a1 = find(A, 1, 1), axis.b0 = find(B, -1, -1), axis.b1 = find(B, 1, -1);
  return axis;
}

TEST(Certificate, EdgeClaimsAreTrueAndClearGapsAreCertified) {
  std::mt19937 rng(17);
  long certified = 0, clear = 0, refused_clear = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const double size = std::pow(10.0, int(rng() % 7) - 3), floor = 5e-8 * size;
    const double motion = trial % 3 ? 2e-3 : 1e-5;
    const double factors[] = {0.3, 0.999, 1.001, 3, 1e4};
    const Pair pair = crossedBars(rng, size, floor * factors[rng() % 5], 0.3 + 2.0 * (trial % 5) / 5, motion);
    const SeparatingAxis axis = topEdges(pair);
    std::vector<Witness> out;
    CertifyStats stats;
    const bool proved = pair.certified({&axis, 1}, floor, out, {}, &stats);
    // sin of the crossing angle varies by motion; splits tighten L.
    const bool truly_clear = pair.sampledGap(axis) > 1.5 * floor;
    clear += truly_clear;
    refused_clear += truly_clear && !proved;
    certified += proved;
    if (proved) pair.expectTrue(out, floor, trial);
  }
  EXPECT_EQ(refused_clear, 0) << "of " << clear;
  EXPECT_GT(certified, 15);
}

/// Two cubes of .1 m that bounce on each other edge over face, from runs of the simulator: at an end of each piece an
/// edge lies flat on a face, and the normal of the edge pair that is in contact is the face's, up to rounding on either
/// side.
std::vector<std::pair<Pair, double>> edgesOnFaces() {  // With their floors.
  std::ifstream file(RIGOR_SOURCE_DIR "/tests/corpus/edge_on_face.txt");
  std::vector<std::pair<Pair, double>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream numbers(line);
    const Shape cube = Polytope::box({0.1, 0.1, 0.1});
    auto& [pair, floor] = rows.emplace_back(Pair{cube, cube}, 0);
    numbers >> floor >> pair.ta >> pair.tb;
    for (MotionPiece* piece : {&pair.ma, &pair.mb}) {
      *piece = MotionPiece::constant({}, pair.ta, pair.tb);
      piece->p_degree = piece->q_degree = 3;
      for (auto& p : piece->p) numbers >> p[0] >> p[1] >> p[2];
      for (auto& q : piece->q) numbers >> q[0] >> q[1] >> q[2] >> q[3];
    }
    EXPECT_TRUE(numbers) << line;
  }
  return rows;
}

TEST(Certificate, AnEdgeThatComesDownFlatOnAFaceNeedsNoExactProof) {
  const auto rows = edgesOnFaces();
  ASSERT_GE(rows.size(), 4u);
  long before = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& [pair, floor] = rows[i];
    const PiecePolynomials pa(pair.ma, pair.ta, pair.tb), pb(pair.mb, pair.ta, pair.tb);
    const MovingPart A{&pair.a, pair.ca, &pa}, B{&pair.b, pair.cb, &pb};
    std::vector<Witness> out;
    CertifyStats stats;
    ASSERT_EQ(certify(A, B, {}, floor, out, {.max_exact = 0}, &stats), CertifyStatus::kCertified) << i;
    pair.expectTrue(out, floor, int(i));
    EXPECT_LE(out.size(), 2u) << i << ": one interval, or two with an axis each";
    EXPECT_LE(stats.subdivisions, 24) << i;
    for (const Witness& w : out) {
      ASSERT_TRUE(w.t0 < w.t1);
      const PiecePolynomials wa(pair.ma, w.t0, w.t1), wb(pair.mb, w.t0, w.t1);
      EXPECT_TRUE(proveExactly({&pair.a, pair.ca, &wa}, {&pair.b, pair.cb, &wb}, w)) << i;
      if (w.axis.kind != AxisKind::kEdges) continue;
      // The edges do not support n throughout, which a proof of the gap between the edges alone would need.
      const EdgeGap gap({&pair.a, pair.ca, &wa}, {&pair.b, pair.cb, &wb}, w.axis);
      for (int side = 0; side < 2; ++side) {
        const auto& F = side == 0 ? gap.side_a : gap.side_b;
        const Polytope& P = std::get<Polytope>(side == 0 ? pair.a : pair.b);
        for (int v = 0; v < 8; ++v) {
          const Eigen::Vector3d d = P.vertex(v) - P.vertex(side == 0 ? w.axis.a0 : w.axis.b0),
                                m = (side == 0 ? gap.a : gap.b).cross(d);
          for (const int k : {0, EdgeGap::kSideDegree})
            before +=
                m.norm() > 0 && m[0] * F[0][k] + m[1] * F[1][k] + m[2] * F[2][k] < gap.side_error * d.cwiseAbs().sum();
        }
      }
    }
  }
  EXPECT_GT(before, 8) << "the corpus holds the case";
}

// Cubes of edge 2, face over face, turned, B tilted a little: seen along the normal of two crossing edges vertices of
// both may lie before them.
TEST(Certificate, VerticesBeforeTheirEdgesCountInTheGap) {
  std::mt19937 rng(29);
  int both = 0, closer = 0, proved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Pair pair{Shape(Polytope::box({2, 2, 2})), Shape(Polytope::box({2, 2, 2}))};
    const double tilt = std::pow(10.0, -2 - int(rng() % 6)), distance = tilt * (int(rng() % 6) - 1);
    const Eigen::Vector3d skew = 0.5 * tilt * random3(rng).normalized();
    pair.ma = MotionPiece::constant({}, 0, 1);
    pair.mb = MotionPiece::constant({{2, skew[0], skew[1], 1}, {0.1, 0.2, 2 + distance}}, 0, 1);
    const auto &A = std::get<Polytope>(pair.a), &B = std::get<Polytope>(pair.b);
    SeparatingAxis axis;
    axis.kind = AxisKind::kEdges;
    const auto edge = [&](const Polytope& P, double side, int& from, int& to) {
      std::vector<std::pair<int, int>> edges;
      for (int v = 0; v < 8; ++v)
        for (const int w : P.neighbours(v))
          if (P.vertex(v)[2] * side > 0 && P.vertex(w)[2] * side > 0) edges.push_back({v, w});
      std::tie(from, to) = edges[rng() % edges.size()];
    };
    edge(A, 1, axis.a0, axis.a1);
    edge(B, -1, axis.b0, axis.b1);
    const geom::Pose X_WB = pair.mb.start();
    const Eigen::Matrix3d R = X_WB.rotation();
    const Eigen::Vector3d n =
        (A.vertex(axis.a1) - A.vertex(axis.a0)).cross(R * (B.vertex(axis.b1) - B.vertex(axis.b0)));
    if (!(n[2] > 0.1)) continue;
    double highest = -kInf, lowest = kInf;
    for (int v = 0; v < 8; ++v) {
      highest = std::max(highest, n.dot(A.vertex(v)));
      lowest = std::min(lowest, n.dot(X_WB.p + R * B.vertex(v)));
    }
    const double gap = (lowest - highest) / n.norm();
    both += highest > n.dot(A.vertex(axis.a0)) + 1e-3 * tilt &&
            lowest < n.dot(X_WB.p + R * B.vertex(axis.b0)) - 1e-3 * tilt;
    std::vector<Witness> out;
    if (!(gap > 1e-3 * tilt)) {
      ++closer;
      EXPECT_FALSE(pair.certified({&axis, 1}, 1e-3 * tilt, out)) << trial;
      continue;
    }
    ++proved;
    ASSERT_TRUE(pair.certified({&axis, 1}, 0.99 * gap, out, {.max_exact = 0})) << trial;
    pair.expectTrue(out, 0.99 * gap, trial);
    Witness claim = out[0];
    const PiecePolynomials pa(pair.ma, 0, 1), pb(pair.mb, 0, 1);
    for (const double factor : {0.999, 1.001}) {
      claim.gap = factor * gap;
      EXPECT_EQ(proveExactly({&pair.a, pair.ca, &pa}, {&pair.b, pair.cb, &pb}, claim), factor < 1) << trial;
    }
    out.clear();
    EXPECT_FALSE(pair.certified({&axis, 1}, 1.001 * gap, out)) << trial;
  }
  EXPECT_GT(both, 10);
  EXPECT_GT(closer, 10);
  EXPECT_GT(proved, 20);
}

TEST(Certificate, ParallelEdgesProveNothingByTheirNormal) {
  std::mt19937 rng(19);
  Pair pair = crossedBars(rng, 1, 1e-3, 0, 0);  // Edge over edge, exactly parallel.
  const SeparatingAxis edges = topEdges(pair);
  std::vector<Witness> out;
  EXPECT_FALSE(pair.certified({&edges, 1}, 1e-6, out));
  SeparatingAxis frozen;
  frozen.axis = Eigen::Vector3d(0, 1, 1);  // Upwards, in A's frame.
  const SeparatingAxis both[] = {edges, frozen};
  ASSERT_TRUE(pair.certified(both, 9e-4, out));
  EXPECT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].axis.kind, AxisKind::kFixedInA);
  pair.expectTrue(out, 9e-4, 0);
  // Passing through parallel: the crossing angle changes sign inside the interval.
  for (int i = 0; i <= 3; ++i) {  // (1, 0, 0, yaw) times the roll of A
    const double yaw = 1e-3 * (2 * i - 3);
    const Eigen::Vector4d& q = pair.ma.q[0];
    pair.mb.q[i] = Eigen::Vector4d(q[0], q[1], yaw * q[1], yaw * q[0]);
  }
  out.clear();
  EXPECT_FALSE(pair.certified({&edges, 1}, 1e-6, out)) << "the normal turns over";
  ASSERT_TRUE(pair.certified(both, 5e-4, out));
  pair.expectTrue(out, 5e-4, 1);
}

TEST(Certificate, DifferentAxesServeDifferentTimes) {
  // B flies over A's corner: first only A's top face separates, then only its side face.
  Pair pair{Shape(Polytope::box({1, 1, 1})), Shape(Polytope::box({1, 1, 1}))};
  pair.ma = MotionPiece::constant({}, 0, kInf);
  pair.mb = MotionPiece::constant({}, 0, 1);
  pair.mb.p_degree = 2;
  pair.mb.p[0] = {0, 0, 1.01};
  pair.mb.p[1] = {1.5, 0, 2};
  pair.mb.p[2] = {1.01, 0, -0.5};
  SeparatingAxis top, side;
  side.axis = {1, 0, 0};
  std::vector<Witness> out;
  EXPECT_FALSE(pair.certified({&top, 1}, 1e-3, out));
  EXPECT_FALSE(pair.certified({&side, 1}, 1e-3, out));
  const SeparatingAxis both[] = {top, side};
  ASSERT_TRUE(pair.certified(both, 1e-3, out));
  EXPECT_EQ(out.size(), 2u) << "neighbours with one axis are one claim";
  pair.expectTrue(out, 1e-3, 0);
}

TEST(Certificate, BadDataIsRefused) {
  Pair pair{Shape(HalfSpace{{0, 0, 1}, 0}), Shape(Polytope::box({1, 1, 1}))};
  pair.ma = MotionPiece::constant({}, 0, kInf);
  pair.mb = MotionPiece::constant({{1, 0, 0, 0}, {0, 0, 5}}, 0, kInf);
  const SeparatingAxis axis;
  std::vector<Witness> out;
  ASSERT_TRUE(pair.certified({&axis, 1}, 1, out));
  const auto refuses = [&](auto change) {
    Pair bad = pair;
    change(bad);
    std::vector<Witness> none;
    return !bad.certified({&axis, 1}, 1, none) && none.empty();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refuses([&](Pair& p) { p.mb.p[0][2] = nan; }));
  EXPECT_TRUE(refuses([&](Pair& p) { p.mb.q[0][1] = nan; }));
  EXPECT_TRUE(refuses([&](Pair& p) { p.mb.p[0][2] = kInf; }));
  EXPECT_TRUE(refuses([&](Pair& p) { p.mb.q[0].setZero(); }));
  EXPECT_TRUE(refuses([&](Pair& p) { p.cb[1] = nan; }));
  EXPECT_TRUE(refuses([&](Pair& p) { p.ca[1] = nan; }));
  EXPECT_TRUE(refuses([&](Pair& p) { p.ma.p[0][0] = nan; }));
  EXPECT_FALSE(pair.certified({&axis, 1}, nan, out));
  EXPECT_FALSE(pair.certified({&axis, 1}, 0, out));
  EXPECT_FALSE(pair.certified({}, 1, out));
  // A quaternion that passes through zero has no rotation there.
  EXPECT_TRUE(refuses([&](Pair& p) {
    p.mb.t1 = 1;
    p.mb.q_degree = 1;
    p.mb.q[1] = -p.mb.q[0];
  }));
  // Very small, very large, far away: exact arithmetic takes over where the filter is out of its range.
  for (double scale : {1e-120, 1e60}) {
    Pair odd = pair;
    odd.mb.q[0] *= scale;
    std::vector<Witness> exact;
    EXPECT_TRUE(odd.certified({&axis, 1}, 1, exact)) << scale;
    if (!exact.empty()) odd.expectTrue(exact, 1, 0);
  }
}

TEST(Certificate, VerticesAreLeftOutOnlyWhereTheyDoNotCount) {
  // Polytopes with more vertices than are looked at one by one: the gap is the same as that of all vertices in turn.
  std::mt19937 rng(23);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<Eigen::Vector3d> points(60);
    const Eigen::Vector3d stretch = Eigen::Vector3d(1, trial % 2 ? 0.2 : 1, trial % 3 ? 1 : 3);
    for (auto& p : points) p = random3(rng).normalized().cwiseProduct(stretch);
    Pair pair{Shape(HalfSpace{{0.3, 0.2, 1}, -4}), Shape(Polytope::fromPoints(points))};
    pair.cb = 0.3 * random3(rng);
    pair.ma = MotionPiece::constant({}, 0, kInf);
    pair.mb = randomPiece(rng, {0, 0, 3}, 0.1, trial % 4 * 0.2, 0, 1);
    const SeparatingAxis axis;
    std::vector<Witness> out;
    if (!pair.certified({&axis, 1}, 1e-3, out)) continue;
    EXPECT_LE(out[0].gap, pair.sampledGap(axis));
    if (trial < 8) pair.expectTrue(out, 1e-3, trial);
    // Every coefficient of every vertex is above the stated gap.
    const PiecePolynomials pa(pair.ma, 0, 1), pb(pair.mb, 0, 1);
    const FaceGap gap({&pair.a, pair.ca, &pa}, {&pair.b, pair.cb, &pb}, axis);
    double lowest = kInf;
    for (int j = 0; j < gap.numVertices(); ++j)
      for (int k = 0; k <= gap.degree; ++k)
        lowest = std::min(lowest, gap.condition(j, 0).c[k] / (gap.condition(j, 0).c[k] - gap.condition(j, 1).c[k]));
    EXPECT_NEAR(out[0].gap, lowest, 1e-11) << trial;
  }
}

TEST(Certificate, WitnessGapIsTight) {
  // At rest 3 m over the plane: the proved gap is within rounding of the true one.
  Pair pair{Shape(HalfSpace{{0, 0, 2}, 1}), Shape(Polytope::box({1, 1, 1}))};
  pair.ma = MotionPiece::constant({}, 0, kInf);
  pair.mb = MotionPiece::constant({{1, 0, 0, 0}, {0, 0, 4}}, 0, kInf);
  const SeparatingAxis axis;
  std::vector<Witness> out;
  ASSERT_TRUE(pair.certified({&axis, 1}, 1, out));
  EXPECT_EQ(out[0].axis.axis, Eigen::Vector3d(0, 0, 2)) << "the half-space's own normal";
  EXPECT_LE(out[0].gap, 3);
  EXPECT_GE(out[0].gap, 3 - 1e-12);
  pair.expectTrue(out, 1, 0);
}

TEST(Certificate, ACylinderThatTurnsAboveAPlaneNeedsNoExactProof) {
  geom::Round round{Eigen::Matrix3Xd(3, 2), 0.5, {0, 0, 1}};
  round.core << 0, 0, 0, 0, -1, 1;
  const std::vector<Eigen::Vector3d> inside{{0, 0, 1}, {0.25, 0, -1}, {-0.25, 0.25, -1}, {-0.25, -0.25, -1}};
  Pair pair{Shape(HalfSpace{{0, 0, 1}, 0}), Shape(Polytope::inscribed(inside, round))};
  pair.ma = MotionPiece::constant({}, 0, kInf);
  pair.mb = MotionPiece::constant({{1, 1, 0, 0}, {0, 0, 1}}, 0, 1);  // On its side: its lowest line is at .5.
  pair.mb.q_degree = 1, pair.mb.q[1] = {0.9, 1.1, 0.05, 0};
  const SeparatingAxis axis;
  const PiecePolynomials pa(pair.ma, 0, 1), pb(pair.mb, 0, 1);
  const MovingPart A{&pair.a, pair.ca, &pa}, B{&pair.b, pair.cb, &pb};
  ASSERT_TRUE(FaceGap(A, B, axis).hasCylinder());
  std::vector<Witness> out;
  ASSERT_TRUE(pair.certified({&axis, 1}, 0x1p-6, out, {.max_exact = 0}));
  EXPECT_TRUE(proveExactly(A, B, out[0])) << "what it states is true";
  // Upright, its centre 1.25 above the plane, it reaches 1 down; round in all directions, 1.5: only squares tell.
  pair.mb.p[0] = {0, 0, 1.25}, pair.mb.q[0] = {1, 0, 0, 0}, pair.mb.q[1] = {1, 0, 0, 0.1};
  out.clear();
  EXPECT_TRUE(pair.certified({&axis, 1}, 0x1p-6, out, {.max_exact = 0}));
  EXPECT_TRUE(proveExactly(A, B, out[0]));
  EXPECT_FALSE(pair.certified({&axis, 1}, 0.26, out)) << "its cap is .25 above";
}

// Turning cylinders that are moved to a gap of 1e-8 at an instant, levels around it: doubles say what exact arithmetic
// says, or nothing, and are seldom silent.
TEST(Certificate, CylindersInDoublesAgreeWithExactArithmetic) {
  std::mt19937 rng(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto vector = [&] { return Eigen::Vector3d(unit(rng), unit(rng), unit(rng)); };
  int proved = 0, refuted = 0, silent = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    geom::Round round{Eigen::Matrix3Xd(3, 2), 0.05 + 0.5 * std::abs(unit(rng)), vector().normalized()};
    const Eigen::Vector3d across = round.axis.unitOrthogonal(), third = round.axis.cross(across);
    const double half = 0.02 + std::abs(unit(rng));
    round.core.col(0) = -half * round.axis, round.core.col(1) = half * round.axis;
    std::vector<Eigen::Vector3d> inside{half * 0.9 * round.axis};
    for (const double turn : {0.0, 2.0, 4.0})
      inside.push_back(-half * 0.9 * round.axis +
                       0.9 * round.radius * (std::cos(turn) * across + std::sin(turn) * third));
    Pair pair{Shape(HalfSpace{vector().normalized(), unit(rng)}), Shape(Polytope::inscribed(inside, round))};
    const auto& plane = std::get<HalfSpace>(pair.a);
    pair.ma = MotionPiece::constant({}, 0, kInf);
    pair.mb = MotionPiece::constant({{1, 0, 0, 0}, {0, 0, 0}}, 0, 1);
    pair.mb.q_degree = 1, pair.mb.p_degree = 3;
    // It stands upright, lies on its side, or neither.
    const Eigen::Vector3d axis_there = trial % 3 == 0   ? plane.normal
                                       : trial % 3 == 1 ? plane.normal.cross(vector()).normalized().eval()
                                                        : vector().normalized().eval();
    const double turn = std::pow(10, -4 + 2 * unit(rng));
    pair.mb.q[0] = geom::shortestTurn(round.axis, axis_there);
    pair.mb.q[1] = pair.mb.q[0] + turn * Eigen::Vector4d(unit(rng), unit(rng), unit(rng), unit(rng));
    const Eigen::Vector3d drift = turn * vector();
    for (int i = 0; i < 4; ++i) pair.mb.p[i] = i * drift;
    const SeparatingAxis axis;
    const auto lowest = [&](double t) {
      const geom::Pose X = pair.mb.at(t);
      const Eigen::Vector3d a = X.rotation() * round.axis;
      const double reach = half * std::abs(a.dot(plane.normal)) + round.radius * a.cross(plane.normal).norm();
      return plane.normal.dot(X.p) - plane.offset - reach;
    };
    double least = kInf;
    for (int i = 0; i <= 64; ++i) least = std::min(least, lowest(i / 64.0));
    for (int i = 0; i < 4; ++i) pair.mb.p[i] += (1e-8 - least) * plane.normal;
    const PiecePolynomials pa(pair.ma, 0, 1), pb(pair.mb, 0, 1);
    const MovingPart A{&pair.a, pair.ca, &pa}, B{&pair.b, pair.cb, &pb};
    const FaceGap gap(A, B, axis);
    ASSERT_TRUE(gap.valid && gap.hasCylinder());
    for (const double level : {5e-9, 9.9e-9, 1.01e-8, 2e-8}) {
      Witness claim;
      claim.t0 = 0, claim.t1 = 1, claim.axis = axis, claim.axis.axis = plane.normal, claim.gap = level;
      const CylinderGap answer = proveCylinderGap(gap, level);
      const bool exact = proveExactly(A, B, claim);
      if (answer == CylinderGap::kUndecided) {
        silent += exact;
        EXPECT_TRUE(!exact || trial % 3 == 0) << trial << ' ' << level;
      } else {
        EXPECT_EQ(exact, answer == CylinderGap::kProved) << trial << ' ' << level;
        (exact ? proved : refuted)++;
      }
    }
  }
  EXPECT_GT(proved, 5 * silent) << "of upright ones, whose height above the level is squared";
  EXPECT_GT(refuted, 1000);
}

}  // namespace
}  // namespace rigor::advance
