// SPDX-License-Identifier: MIT
// Speed of advance/: pieces, gap polynomials, roots, certificates (filter and exact), broad phase.
#include <benchmark/benchmark.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "advance/broad_phase.h"
#include "advance/candidate_axes.h"
#include "advance/certificate.h"
#include "advance/gap_polynomial.h"

namespace {

using namespace rigor;
using namespace rigor::advance;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// A cubic piece of a 0.1 m body that turns by about 0.1 rad, its centre near `position`.
MotionPiece tumbling(const Eigen::Vector3d& position, double sign) {
  MotionPiece piece;
  piece.t0 = 0;
  piece.t1 = 0.01;
  piece.p_degree = piece.q_degree = 3;
  for (int i = 0; i <= 3; ++i) {
    piece.p[i] = position + sign * i * Eigen::Vector3d(0.002, 0.001, -0.0005 * i);
    piece.q[i] = Eigen::Vector4d(0.9 - 0.001 * i, 0.3 + sign * 0.01 * i, -0.2 + 0.015 * i, 0.1 - sign * 0.01 * i);
  }
  return piece;
}

struct Scene {
  geom::Shape plane = geom::HalfSpace{{0, 0, 1}, 0};
  geom::Shape die = geom::Polytope::box({0.1, 0.1, 0.1}), other = geom::Polytope::box({0.1, 0.1, 0.1});
  MotionPiece rest = MotionPiece::constant({}, 0, kInf), low = tumbling({0, 0, 0.09}, 1),
              high = tumbling({0.02, 0.01, 0.28}, -1);
};

void BM_PieceWhole(benchmark::State& state) {
  const Scene s;
  for (auto _ : state) benchmark::DoNotOptimize(PiecePolynomials(s.low, 0, 0.01));
}
BENCHMARK(BM_PieceWhole);

void BM_PiecePart(benchmark::State& state) {
  const Scene s;
  for (auto _ : state) benchmark::DoNotOptimize(PiecePolynomials(s.low, 0.001, 0.007));
}
BENCHMARK(BM_PiecePart);

void BM_FaceGapOverPlane(benchmark::State& state) {
  const Scene s;
  const PiecePolynomials plane(s.rest, 0, 0.01), die(s.low, 0, 0.01);
  const SeparatingAxis axis;
  for (auto _ : state)
    benchmark::DoNotOptimize(FaceGap({&s.plane, {0, 0, 0}, &plane}, {&s.die, {0, 0, 0}, &die}, axis));
}
BENCHMARK(BM_FaceGapOverPlane);

void BM_FirstRoot(benchmark::State& state) {
  const Scene s;
  const PiecePolynomials plane(s.rest, 0, 0.01), die(s.low, 0, 0.01);
  const FaceGap gap({&s.plane, {0, 0, 0}, &plane}, {&s.die, {0, 0, 0}, &die}, {});
  int vertex = gap.firstVertex();  // The lowest at the end.
  for (int v = vertex; v < gap.numVertices(); ++v)
    if (gap.gapAt(v, 1) < gap.gapAt(vertex, 1)) vertex = v;
  const double start = gap.gapAt(vertex, 0), end = gap.gapAt(vertex, 1);
  const BernsteinPolynomial f = gap.condition(vertex, 0.6 * end + 0.4 * start);
  FirstRoot root;
  for (auto _ : state) benchmark::DoNotOptimize(root = firstRoot(f));
  state.counters["evaluations"] = root.evaluations;
}
BENCHMARK(BM_FirstRoot);

/// The whole certificate of a die over a plane: both pieces, candidate axis, proof.
void BM_CertifyDieOverPlane(benchmark::State& state) {
  const Scene s;
  std::vector<Witness> out;
  out.reserve(16);
  const SeparatingAxis axis;
  for (auto _ : state) {
    out.clear();
    const PiecePolynomials plane(s.rest, 0, 0.01), die(s.low, 0, 0.01);
    if (certify({&s.plane, {0, 0, 0}, &plane}, {&s.die, {0, 0, 0}, &die}, {&axis, 1}, 5e-9, out) !=
        CertifyStatus::kCertified)
      state.SkipWithError("not certified");
  }
}
BENCHMARK(BM_CertifyDieOverPlane);

/// A ball with many vertices over a plane, 1e-4 m above it: the feet of walking robots.
void BM_CertifyBallOverPlane(benchmark::State& state) {
  Scene s;
  std::vector<Eigen::Vector3d> points(state.range(0));
  for (size_t i = 0; i < points.size(); ++i) {
    const double z = 1 - (2 * i + 1.0) / points.size(), angle = 2.399963 * i, r = std::sqrt(1 - z * z);
    points[i] = 0.01 * Eigen::Vector3d(r * std::cos(angle), r * std::sin(angle), z);
  }
  s.die = geom::Polytope::fromPoints(points);
  for (auto& p : s.low.p) p[2] = 0.0101;
  std::vector<Witness> out;
  out.reserve(16);
  const SeparatingAxis axis;
  for (auto _ : state) {
    out.clear();
    const PiecePolynomials plane(s.rest, 0, 0.01), ball(s.low, 0, 0.01);
    if (certify({&s.plane, {0, 0, 0}, &plane}, {&s.die, {0, 0, 0}, &ball}, {&axis, 1}, 5e-9, out) !=
        CertifyStatus::kCertified)
      state.SkipWithError("not certified");
  }
}
BENCHMARK(BM_CertifyBallOverPlane)->Arg(100)->Arg(1000);

/// The fallback: one exact proof, boxes with a face axis.
void BM_ProveExactly(benchmark::State& state) {
  const Scene s;
  const PiecePolynomials a(s.low, 0, 0.01), b(s.high, 0, 0.01);
  Witness witness;
  witness.axis.axis = {0.2, 0.5, 0.8};
  witness.gap = 5e-9;
  for (auto _ : state)
    if (!proveExactly({&s.die, {0, 0, 0}, &a}, {&s.other, {0, 0, 0}, &b}, witness)) state.SkipWithError("not proved");
}
BENCHMARK(BM_ProveExactly)->Unit(benchmark::kMicrosecond);

/// 100 boxes that move, over a plane: all boxes new, then all pairs.
void BM_BroadPhase(benchmark::State& state) {
  const Scene s;
  std::vector<BroadPhase::Part> parts{{0, true, &s.plane, {0, 0, 0}}};
  std::vector<MotionPiece> pieces;
  for (int i = 0; i < 100; ++i) {
    parts.push_back({i + 1, false, &s.die, {0, 0, 0}});
    pieces.push_back(tumbling({0.12 * (i % 5), 0.12 * (i / 5 % 5), 0.12 * (i / 25) + 0.1}, i % 2 ? 1 : -1));
  }
  BroadPhase phase(parts);
  phase.update(0, s.rest);
  size_t count = 0;
  for (auto _ : state) {
    for (int i = 0; i < 100; ++i) phase.update(i + 1, pieces[i]);
    benchmark::DoNotOptimize(count = phase.pairs(1e-6).size());
  }
  state.counters["pairs"] = static_cast<double>(count);
}
BENCHMARK(BM_BroadPhase);

/// Two boxes without any axis given: distance query, candidates, proof.
void BM_ProposeAndCertifyCubes(benchmark::State& state) {
  const Scene s;
  std::vector<Witness> out;
  out.reserve(16);
  const PiecePolynomials a(s.low, 0, 0.01), b(s.high, 0, 0.01);
  for (auto _ : state) {
    out.clear();
    if (certify({&s.die, {0, 0, 0}, &a}, {&s.other, {0, 0, 0}, &b}, {}, 5e-9, out) != CertifyStatus::kCertified)
      state.SkipWithError("not certified");
  }
}
BENCHMARK(BM_ProposeAndCertifyCubes);

void certifyCubes(benchmark::State& state, const Scene& s, const SeparatingAxis& axis) {
  std::vector<Witness> out;
  out.reserve(16);
  for (auto _ : state) {
    out.clear();
    const PiecePolynomials a(s.low, 0, 0.01), b(s.high, 0, 0.01);
    if (certify({&s.die, {0, 0, 0}, &a}, {&s.other, {0, 0, 0}, &b}, {&axis, 1}, 5e-9, out) != CertifyStatus::kCertified)
      state.SkipWithError("not certified");
  }
}

void BM_CertifyCubesFace(benchmark::State& state) {
  SeparatingAxis axis;
  axis.axis = {0.2, 0.5, 0.8};
  certifyCubes(state, Scene(), axis);
}
BENCHMARK(BM_CertifyCubesFace);

void BM_CertifyCubesEdges(benchmark::State& state) {
  // Crossed bars, edge over edge, 1 mm apart.
  Scene s;
  s.die = geom::Polytope::box({0.2, 0.02, 0.02});
  s.other = geom::Polytope::box({0.2, 0.02, 0.02});
  const double c = std::cos(M_PI / 8), d = std::sin(M_PI / 8);
  const Eigen::Vector4d roll(c, d, 0, 0), crossed(c * c, c * d, d * d, c * d);  // yaw by pi/4 times roll
  for (int i = 0; i <= 3; ++i) {
    s.low.q[i] = roll + 1e-3 * i * Eigen::Vector4d(0, 0.3, 0.2, -0.4);
    s.high.q[i] = crossed + 1e-3 * i * Eigen::Vector4d(0.1, -0.2, 0.2, 0.5);
    s.low.p[i] = {0, 0, 0};
    s.high.p[i] = {0, 0, 0.0282842712 + 0.001 + 0.0005 * i};
  }
  const auto find = [](const geom::Shape& shape, double x, double side) {
    const auto& P = std::get<geom::Polytope>(shape);
    for (int i = 0; i < P.numVertices(); ++i)
      if (P.vertex(i)[0] * x > 0 && P.vertex(i)[1] * side > 0 && P.vertex(i)[2] * side > 0) return i;
    return -1;
  };
  SeparatingAxis axis;
  axis.kind = AxisKind::kEdges;
  axis.a0 = find(s.die, -1, 1), axis.a1 = find(s.die, 1, 1), axis.b0 = find(s.other, -1, -1),
  axis.b1 = find(s.other, 1, -1);
  certifyCubes(state, s, axis);
}
BENCHMARK(BM_CertifyCubesEdges);

}  // namespace
