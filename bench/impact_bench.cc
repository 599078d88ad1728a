// SPDX-License-Identifier: MIT
// Cost of the contact solve with a right warm start, of Lemke's method and of one resolved impact.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "friction/coulomb.h"
#include "impact/lcp/lemke.h"
#include "impact/models/step_modes.h"
#include "impact/models/step_path.h"
#include "impact/problem/projection.h"
#include "impact/random_stream.h"
#include "impact/resolver.h"
#include "impact/samples/sampler.h"
#include "impact/sets/polytope_union.h"
#include "impact/sets/potential_bounds.h"
#include "tests/dense_algebra.h"
#include "tests/impact/landed_box.h"

#ifdef RIGOR_BENCH_SICONOS
extern "C" {
#include <siconos/numerics/LCP_Solvers.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/lcp_cst.h>
}
#endif

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
    A = rigor::algebra::congruence(J, inverse_mass);
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
  std::vector<rigor::friction::ContactMode> modes(m, rigor::friction::ContactMode::kStick);
  Eigen::VectorXd f = Eigen::VectorXd::Zero(3 * m);
  rigor::friction::CoulombSolver solver;
  const rigor::friction::CoulombProblem problem{box.A, b, mu, slides, direction};
  benchmark::DoNotOptimize(solver.solve(problem, modes, out, f));
  // Successive stages of an integrator differ a little.
  const std::vector<rigor::friction::ContactMode> start = modes;
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

// Three disks: two on the floor that touch, a third falls on both (5 contacts, the published problem).
ImpactProblem diskStack() {
  const double s3 = std::sqrt(3.0);
  const Eigen::Vector2d centre[3] = {{1, 1 + s3}, {0, 1}, {2, 1}};
  const int pairs[5][2] = {{-1, 1}, {-1, 2}, {0, 1}, {0, 2}, {1, 2}};
  ImpactProblem problem;
  problem.mass_matrix = Eigen::VectorXd::Constant(9, 5).asDiagonal();
  for (int d = 0; d < 3; ++d) problem.mass_matrix(3 * d + 2, 3 * d + 2) = 2.5;
  problem.normal = Eigen::MatrixXd::Zero(5, 9);
  for (int c = 0; c < 5; ++c) {
    const int first = pairs[c][0], second = pairs[c][1];
    const Eigen::Vector2d n = first < 0 ? Eigen::Vector2d(0, 1) : Eigen::Vector2d((centre[second] - centre[first]) / 2);
    const Eigen::Vector2d t(n.y(), -n.x());
    Eigen::MatrixXd tangent = Eigen::MatrixXd::Zero(1, 9);
    for (const auto& [body, sign] : {std::pair{second, 1.0}, std::pair{first, -1.0}}) {
      if (body < 0) continue;
      const Eigen::Vector2d r = -sign * n;
      problem.normal.block<1, 2>(c, 3 * body) = sign * n.transpose();
      tangent.block<1, 2>(0, 3 * body) = sign * t.transpose();
      tangent(0, 3 * body + 2) = sign * (r.x() * t.y() - r.y() * t.x());
    }
    problem.tangent.push_back(tangent);
  }
  problem.friction.assign(5, s3);
  problem.restitution.assign(5, 0.0);
  problem.velocity = -Eigen::VectorXd::Unit(9, 1);
  return problem;
}

// The first step's LCP of the set sampler (5 unknowns a planar contact), several of them with different limits.
struct StepLcps {
  Eigen::MatrixXd W;
  std::vector<Eigen::VectorXd> q;
  explicit StepLcps(const ImpactProblem& problem, double h) {
    const int m = problem.numContacts();
    Eigen::MatrixXd J(3 * m, problem.numVelocities());
    J.topRows(m) = problem.normal;
    W = Eigen::MatrixXd::Zero(5 * m, 5 * m);
    for (int i = 0; i < m; ++i) {
      J.row(m + 2 * i) = problem.tangent[i];
      J.row(m + 2 * i + 1) = -problem.tangent[i];
      W(m + i, i) = 1;
      W(i, m + i) = -1;
      W.block<2, 1>(2 * m + 2 * i, 4 * m + i).setOnes();
      W.block<1, 2>(4 * m + i, 2 * m + 2 * i).setConstant(-1);
      W(4 * m + i, m + i) = problem.friction[i];
    }
    W.block(m, m, 3 * m, 3 * m) = rigor::algebra::congruence(J, rigor::algebra::inverse(problem.mass_matrix));
    RandomStream random({1, 2});
    for (int k = 0; k < 64; ++k) {
      Eigen::VectorXd& b = q.emplace_back(Eigen::VectorXd::Zero(5 * m));
      for (int i = 0; i < m; ++i) b[i] = h * random.uniform();
      b.segment(m, 3 * m) = J * problem.velocity;
    }
  }
};
StepLcps rockingLcps() { return StepLcps(rockingBlock(), 0.3); }
StepLcps diskLcps() { return StepLcps(diskStack(), 1); }

void lemke(benchmark::State& state, StepLcps (*make)()) {
  const StepLcps lcps = make();
  LemkeSolver solver;
  Eigen::VectorXd z(lcps.W.rows());
  std::size_t k = 0;
  long failed = 0;
  for (auto _ : state) failed += solver.solve(lcps.W, lcps.q[k++ % lcps.q.size()], z) != LcpStatus::kSolved;
  state.counters["failed"] = static_cast<double>(failed);
}
BENCHMARK_CAPTURE(lemke, rocking_block, rockingLcps);
BENCHMARK_CAPTURE(lemke, disks, diskLcps);

// The same LCPs solved as the sampler does it, in contact coordinates; then the LCP's own unknowns from that answer and
// its residual against W and q. `failed` counts those above 1e-10, and LCPs without an answer.
struct ContactStep {
  const StepLcps& lcps;
  int m;
  double unit;  // The benchmark's W is not scaled, ContactRows are: q and z are in the problem's units.
  std::vector<double> b, limit;
  Eigen::VectorXd z;
  ContactStep(const StepLcps& l, const ContactRows& rows)
      : lcps(l),
        m(static_cast<int>(rows.row.size())),
        unit(1 / rows.inverse_mass_scale),
        b(2 * m),
        limit(m),
        z(l.W.rows()) {}
  void set(const Eigen::VectorXd& q) {
    for (int i = 0; i < m; ++i) b[2 * i] = q[m + i], b[2 * i + 1] = q[2 * m + 2 * i], limit[i] = q[i] / unit;
  }
  bool solves(const Eigen::VectorXd& q, const ContactRows& rows, const double* f) {
    for (int i = 0; i < m; ++i) {
      const double n = f[2 * i] * unit, t = f[2 * i + 1] * unit;
      double vn = q[m + i], vt = q[2 * m + 2 * i];
      for (int j = 0; j < 2 * m; ++j) vn += rows.A(2 * i, j) * f[j], vt += rows.A(2 * i + 1, j) * f[j];
      z[i] = std::max(0.0, -vn);
      z[m + i] = n;
      z[2 * m + 2 * i] = std::max(0.0, t), z[2 * m + 2 * i + 1] = std::max(0.0, -t);
      z[4 * m + i] = std::abs(vt);
    }
    return lcpResidual(lcps.W, q, z) <= 1e-10;
  }
};

void stepPath(benchmark::State& state, ImpactProblem (*problem_of)(), StepLcps (*make)()) {
  const ImpactProblem problem = problem_of();
  const StepLcps lcps = make();
  StepPath path;
  path.prepare(problem, problem.friction, 8);
  ContactStep step(lcps, path.rows());
  const std::vector<double> covering(2 * step.m, 1.0);
  std::size_t k = 0;
  long failed = 0;
  for (auto _ : state) {
    const Eigen::VectorXd& q = lcps.q[k++ % lcps.q.size()];
    step.set(q);
    const bool solved = path.solve(step.b.data(), step.limit.data(), covering.data()) > 0;
    failed += !solved || !step.solves(q, path.rows(), path.impulse(0));
  }
  state.counters["failed"] = static_cast<double>(failed);
}
BENCHMARK_CAPTURE(stepPath, rocking_block, rockingBlock, rockingLcps);
BENCHMARK_CAPTURE(stepPath, disks, diskStack, diskLcps);

// All solutions of each LCP, each checked.
void stepModes(benchmark::State& state, ImpactProblem (*problem_of)(), StepLcps (*make)()) {
  const ImpactProblem problem = problem_of();
  const StepLcps lcps = make();
  StepModes modes;
  if (!modes.prepare(problem, problem.friction, 8, 400)) return state.SkipWithError("too many modes");
  ContactStep step(lcps, modes.rows());
  std::size_t k = 0;
  long failed = 0, solutions = 0;
  for (auto _ : state) {
    const Eigen::VectorXd& q = lcps.q[k++ % lcps.q.size()];
    step.set(q);
    const int found = modes.solve(step.b.data(), step.limit.data());
    failed += found == 0;
    for (int s = 0; s < found; ++s) failed += !step.solves(q, modes.rows(), modes.impulse(s));
    solutions += found;
  }
  state.counters["failed"] = static_cast<double>(failed);
  state.counters["solutions"] = static_cast<double>(solutions) / static_cast<double>(state.iterations());
}
BENCHMARK_CAPTURE(stepModes, rocking_block, rockingBlock, rockingLcps);

#ifdef RIGOR_BENCH_SICONOS
// Siconos on the same problems: its pivoting after Lemke with a lexicographic ratio test. `failed` counts answers whose
// residual is above 1e-10.
void siconosLemke(benchmark::State& state, StepLcps (*make)()) {
  const StepLcps lcps = make();
  const int n = static_cast<int>(lcps.W.rows());
  std::vector<double> M(lcps.W.data(), lcps.W.data() + n * n), w(n), q(n);
  NumericsMatrix* matrix = NM_create_from_data(NM_DENSE, n, n, M.data());
  LinearComplementarityProblem problem{};
  problem.size = n;
  problem.M = matrix;
  problem.q = q.data();
  SolverOptions* options = solver_options_create(SICONOS_LCP_LEMKE);
  Eigen::VectorXd z(n);
  std::size_t k = 0;
  long failed = 0;
  for (auto _ : state) {
    const Eigen::VectorXd& b = lcps.q[k++ % lcps.q.size()];
    std::copy_n(b.data(), n, q.data());
    z.setZero();
    int info = 0;
    lcp_lexicolemke(&problem, z.data(), w.data(), &info, options);
    failed += info != 0 || !(lcpResidual(lcps.W, b, z) <= 1e-10);
  }
  state.counters["failed"] = static_cast<double>(failed);
  solver_options_delete(options);
}
BENCHMARK_CAPTURE(siconosLemke, rocking_block, rockingLcps);
BENCHMARK_CAPTURE(siconosLemke, disks, diskLcps);
#endif

// One sample of the set, the published step; with the number of LCPs it took and the time of one.
void sample(benchmark::State& state, ImpactProblem (*make)(), double h) {
  const ImpactProblem problem = make();
  ImpactOptions options;
  options.step = h;
  options.step_is_impulse = true;
  const auto resolver = makeResolver("routh");
  ImpactOutcome outcome;
  std::uint64_t path = 0;
  long lcps = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(resolver->resolve(problem, options, {1, path++}, outcome));
    lcps += outcome.lcps;
  }
  state.counters["lcps"] = static_cast<double>(lcps) / state.iterations();
}
BENCHMARK_CAPTURE(sample, rocking_block, rockingBlock, 0.3);
BENCHMARK_CAPTURE(sample, disks, diskStack, 1.0);

// A set of samples on one and on two threads.
void sampleSet(benchmark::State& state) {
  const ImpactProblem problem = diskStack();
  ImpactOptions options;
  options.step = 1;
  options.step_is_impulse = true;
  SamplerOptions sampler;
  sampler.samples = 10000;
  sampler.threads = static_cast<int>(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(drawSamples("routh", problem, options, sampler));
}
BENCHMARK(sampleSet)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

// A box that lands flat and slides: bounds of the lift of one corner, from both sides. Arguments: the corner, millions
// of counted steps of work for the outer one.
void boundLift(benchmark::State& state) {
  const ImpactProblem problem = rigor::impact::test::landedBox(0.3);
  const ExactProblem exact(problem);
  const auto quantities = quantitiesOf(exact);
  const auto lift = std::find_if(quantities.begin(), quantities.end(), [&](const ExactQuantity& quantity) {
    return quantity.name == "vn" + std::to_string(state.range(0));
  });
  double outer = 0, inner = 0;
  for (auto _ : state) {
    std::int64_t work = state.range(1) * 1'000'000;
    if (const auto proof = searchFan(problem, exact, *lift, 1, work, [] { return true; })) outer = proof->bound.get_d();
  }
  for (const SetCertificate::Chain& chain : searchExtremes(exact, {.walks = 20'000, .improvements = 1'000}))
    inner = std::max(inner, lift->at(chain.end).get_d());
  state.counters["outer [m/s]"] = outer;
  state.counters["inner [m/s]"] = inner;
}
BENCHMARK(boundLift)->ArgsProduct({{0, 1, 2, 3}, {10}})->Args({0, 50})->Iterations(1)->Unit(benchmark::kSecond);

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
  problem.mass_matrix = rigor::algebra::inverse(box.inverse_mass);
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
