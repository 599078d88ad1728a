// SPDX-License-Identifier: MIT
// Cost of the contact solve with a right warm start, of Lemke's method and of one resolved impact.
#include <benchmark/benchmark.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "impact/coulomb.h"
#include "impact/lemke.h"
#include "impact/projection.h"
#include "impact/resolver.h"

namespace {

using namespace rigor::impact;

// A 0.1 m box of 1 kg resting on 1, 2, 3 or 4 of its lower corners.
struct BoxOnPlane {
  Eigen::MatrixXd J, inverse_mass, A;
  explicit BoxOnPlane(int contacts) {
    inverse_mass = Eigen::MatrixXd::Identity(6, 6);
    inverse_mass.bottomRightCorner(3, 3) *= 6 / 0.01;
    J = Eigen::MatrixXd::Zero(3 * contacts, 6);
    for (int c = 0; c < contacts; ++c) {
      const Eigen::Vector3d r(c & 1 ? 0.05 : -0.05, c & 2 ? 0.05 : -0.05, -0.05);
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d direction = Eigen::Vector3d::Unit((k + 2) % 3);
        J.block<1, 3>(3 * c + k, 0) = direction.transpose();
        J.block<1, 3>(3 * c + k, 3) = r.cross(direction).transpose();
      }
    }
    A = J * inverse_mass * J.transpose();
  }
};

enum Motion { kSticks, kSlides, kBeginsToSlide };

void coulombWarm(benchmark::State& state, Motion motion) {
  const int m = static_cast<int>(state.range(0));
  const BoxOnPlane box(m);
  Eigen::VectorXd acceleration(6);
  acceleration << (motion == kSticks ? 1 : 6), 0.3, -9.81, 0.1, -0.2, 0.05;
  Eigen::VectorXd b = box.J * acceleration;
  const std::vector<double> mu(m, 0.3);
  const std::vector<unsigned char> slides(m, motion == kSlides);
  const std::vector<Eigen::Vector2d> direction(m, Eigen::Vector2d(1, 0));
  std::vector<Eigen::Vector2d> out(m);
  std::vector<ContactMode> modes(m, ContactMode::kStick);
  Eigen::VectorXd f = Eigen::VectorXd::Zero(3 * m);
  CoulombSolver solver;
  const CoulombProblem problem{box.A, b, mu, slides, direction};
  benchmark::DoNotOptimize(solver.solve(problem, modes, out, f));
  // Successive stages of an integrator differ a little.
  const std::vector<ContactMode> start = modes;
  const Eigen::VectorXd f_start = f * 1.001;
  const long before = solver.stats().set_changes;
  for (auto _ : state) {
    modes = start;
    f = f_start;
    benchmark::DoNotOptimize(solver.solve(problem, modes, out, f));
  }
  state.counters["factorisations"] = static_cast<double>(solver.stats().set_changes - before) / state.iterations();
}
BENCHMARK_CAPTURE(coulombWarm, stick, kSticks)->DenseRange(1, 4);
BENCHMARK_CAPTURE(coulombWarm, slide, kSlides)->DenseRange(1, 4);
BENCHMARK_CAPTURE(coulombWarm, onset, kBeginsToSlide)->DenseRange(1, 4);

void projection(benchmark::State& state) {
  const int m = static_cast<int>(state.range(0));
  const BoxOnPlane box(m);
  Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(6, -1, 1), work(6);
  VelocityProjection projection;
  for (auto _ : state) {
    work = v;
    benchmark::DoNotOptimize(projection.project(box.inverse_mass, box.J, work));
  }
}
BENCHMARK(projection)->DenseRange(1, 4);

// Rocking block: width 1, height 2, both corners hit.
ImpactProblem rockingBlock() {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Vector3d(1, 1, 5.0 / 12).asDiagonal();
  problem.normal = (Eigen::MatrixXd(2, 3) << 0, 1, -.5, 0, 1, .5).finished();
  problem.tangent.assign(2, Eigen::RowVector3d(1, 0, 1));
  problem.friction.assign(2, 1.0);
  problem.restitution.assign(2, 0.0);
  problem.velocity = Eigen::Vector3d(0, -std::sqrt(2 * 9.81 * 0.01), 0);
  return problem;
}

// The first step's LCP of the set sampler (10 unknowns).
void lemkeRockingBlock(benchmark::State& state) {
  const ImpactProblem problem = rockingBlock();
  Eigen::MatrixXd J(6, 3);
  J << problem.normal, problem.tangent[0], -problem.tangent[0], problem.tangent[1], -problem.tangent[1];
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(10, 10);
  W.block<6, 6>(2, 2) = J * problem.mass_matrix.inverse() * J.transpose();
  for (int i = 0; i < 2; ++i) {
    W(2 + i, i) = 1;
    W(i, 2 + i) = -1;
    W.block<2, 1>(4 + 2 * i, 8 + i).setOnes();
    W.block<1, 2>(8 + i, 4 + 2 * i).setConstant(-1);
    W(8 + i, 2 + i) = 1;
  }
  Eigen::VectorXd q = Eigen::VectorXd::Zero(10), z(10);
  q.head(2) << 0.2, 0.1;
  q.segment(2, 6) = J * problem.velocity;
  LemkeSolver solver;
  for (auto _ : state) benchmark::DoNotOptimize(solver.solve(W, q, z));
}
BENCHMARK(lemkeRockingBlock);

void resolveRockingBlock(benchmark::State& state, const char* model) {
  const ImpactProblem problem = rockingBlock();
  const auto resolver = makeResolver(model);
  ImpactOutcome outcome;
  std::uint64_t path = 0;
  long lcps = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(resolver->resolve(problem, {}, {1, path++}, outcome));
    lcps += outcome.lcps;
  }
  state.counters["lcps"] = static_cast<double>(lcps) / state.iterations();
}
BENCHMARK_CAPTURE(resolveRockingBlock, routh, "routh");
BENCHMARK_CAPTURE(resolveRockingBlock, anitescu_potra, "anitescu-potra");

void resolveBox(benchmark::State& state, const char* model) {
  const int m = static_cast<int>(state.range(0));
  const BoxOnPlane box(m);
  ImpactProblem problem;
  problem.mass_matrix = box.inverse_mass.inverse();
  problem.normal = Eigen::MatrixXd(m, 6);
  for (int i = 0; i < m; ++i) {
    problem.normal.row(i) = box.J.row(3 * i);
    problem.tangent.push_back(box.J.middleRows(3 * i + 1, 2));
  }
  problem.friction.assign(m, 0.3);
  problem.restitution.assign(m, 0.0);
  problem.velocity = (Eigen::VectorXd(6) << 0.5, 0.2, -1, 0.3, -0.4, 0.1).finished();
  const auto resolver = makeResolver(model);
  ImpactOutcome outcome;
  std::uint64_t path = 0;
  long lcps = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(resolver->resolve(problem, {}, {1, path++}, outcome));
    lcps += outcome.lcps;
  }
  state.counters["lcps"] = static_cast<double>(lcps) / state.iterations();
}
BENCHMARK_CAPTURE(resolveBox, routh, "routh")->DenseRange(1, 4);
BENCHMARK_CAPTURE(resolveBox, anitescu_potra, "anitescu-potra")->DenseRange(1, 4);

}  // namespace
