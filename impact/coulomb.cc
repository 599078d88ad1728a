// SPDX-License-Identifier: MIT
#include "impact/coulomb.h"

#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"
#include "impact/coulomb_stages.h"

namespace rigor::impact {
namespace {

// Data above this, or NaN, are refused.
constexpr double kLargest = 1e300;
// Signs are decided with this fraction of the tolerance, so that a set without a violated sign is accepted.
constexpr double kSignFraction = 0.3;
// Slip directions are iterated to this fraction of the tolerance (they converge quadratically).
constexpr double kDirectionFraction = 1e-3;
// Most changes of one search, however many contacts there are. Each costs a dense factorisation; Newton's method on the
// graph, which comes next, needs few of them.
constexpr int kManyChanges = 30;
// Largest problem that is started from polygonal cones, and how often their edges are refined.
constexpr int kPolygonContacts = 24;
constexpr int kPolygonRounds = 14;
// Repetitions with other covering vectors, which lead to other solutions of the polygonal problem; fewer of larger problems,
// whose time grows with the third power of their contacts.
constexpr int kPolygonSeries = 12;
constexpr int kSeriesContacts = 12;

}  // namespace

CoulombSolver::CoulombSolver() : work_(new CoulombWorkspace) {}
CoulombSolver::~CoulombSolver() = default;
double CoulombSolver::residual() const { return work_->residual; }
const CoulombSolver::Stats& CoulombSolver::stats() const { return work_->stats; }

CoulombStatus CoulombSolver::solve(const CoulombProblem& problem, std::span<ContactMode> modes,
                                   std::span<Eigen::Vector2d> direction_out, Eigen::Ref<Eigen::VectorXd> f,
                                   const CoulombOptions& options) {
  CoulombWorkspace& w = *work_;
  const int m = static_cast<int>(problem.mu.size());
  ++w.stats.solves;
  w.residual = 0;
  double scale = 0, lowest = HUGE_VAL;
  bool finite = true;
  for (int i = 0; i < 3 * m; ++i) {
    const double v = std::abs(problem.b[i]);
    if (!(v <= kLargest && problem.A(i, i) >= 0 && problem.A(i, i) <= kLargest)) finite = false;
    scale = std::max(scale, v);
    if (i % 3 == 0) lowest = std::min(lowest, problem.b[i]);
  }
  if (!finite) {
    ++w.stats.failures;
    w.residual = HUGE_VAL;
    return CoulombStatus::kFailed;
  }
  if (lowest >= 0 || m == 0) {
    f.setZero();
    for (int i = 0; i < m; ++i) modes[i] = ContactMode::kFree;
    return CoulombStatus::kSolved;
  }
  w.ensure(m);
  w.prepared = w.blocks_found = false;
  w.sparse = m > kDenseContacts;
  const CoulombTask task{problem, m, problem.A.data(), static_cast<long>(problem.A.outerStride()), scale,
                  kDirectionFraction * options.tolerance, options.tolerance, options.loose_tolerance,
                  kSignFraction * options.tolerance * scale};

  if (w.sparse) findBlocks(task, w);
  bool onset = false;
  for (int i = 0; i < m; ++i) {
    const double mu = problem.mu[i];
    w.kind[i] = mu == kNoSlip ? kNeverSlips : mu == 0 ? kFrictionless : problem.slides[i] ? kSliding : kCoulomb;
    w.kappa[i] = -1;
    w.modes[i] = modes[i];
    if (modes[i] == ContactMode::kFree) continue;
    if (w.kind[i] == kNeverSlips) w.modes[i] = ContactMode::kStick;
    if (w.kind[i] == kFrictionless || w.kind[i] == kSliding) w.modes[i] = ContactMode::kSlip;
  }
  for (int i = 0; i < m; ++i) {
    w.d[i] = Eigen::Vector2d(1, 0);
    if (w.kind[i] == kSliding) w.d[i] = problem.direction[i];
    if (w.kind[i] != kCoulomb) continue;
    double x = -f[3 * i + 1], y = -f[3 * i + 2], length = std::sqrt(x * x + y * y);
    if (w.modes[i] == ContactMode::kSlip && length > 0) onset = true;
    if (!(length > 0)) x = problem.b[3 * i + 1], y = problem.b[3 * i + 2], length = std::sqrt(x * x + y * y);
    if (length > 0 && std::isfinite(length)) w.d[i] = Eigen::Vector2d(x / length, y / length);
  }
  if (onset) {
    // The guessed forces give the first Newton step its slip speeds.
    std::copy_n(f.data(), 3 * m, w.f.data());
    multiply(task, w, w.f.data(), w.a.data());
    for (int i = 0; i < m; ++i) {
      if (w.kind[i] == kCoulomb && w.modes[i] == ContactMode::kSlip) updateKappa(task, w, i);
    }
  }

  w.best_residual = HUGE_VAL;
  const int max_changes = std::max(options.max_set_changes, m > kFewContacts ? std::min(8 * m, kManyChanges) : 0);
  const auto finish = [&](CoulombStatus status) {
    for (int i = 0; i < m; ++i) {
      // Signs that are negative by less than the tolerance: the answer obeys f_n >= 0 exactly.
      if (w.f[3 * i] <= 0 || w.modes[i] == ContactMode::kFree) w.f[3 * i] = w.f[3 * i + 1] = w.f[3 * i + 2] = 0;
      if (w.kind[i] != kCoulomb) continue;
      // The tolerance is that of the fastest contact: where hardly anything presses, friction may not use it up.
      const double limit = problem.mu[i] * w.f[3 * i], length = elementary::hypot(w.f[3 * i + 1], w.f[3 * i + 2]);
      if (length > limit) w.f[3 * i + 1] *= limit / length, w.f[3 * i + 2] *= limit / length;
    }
    multiply(task, w, w.f.data(), w.a.data());
    w.residual = naturalResidual(task, w.kind.data(), w.a.data(), w.f.data());
    for (int i = 0; i < m; ++i) {
      modes[i] = w.modes[i];
      f[3 * i] = w.f[3 * i], f[3 * i + 1] = w.f[3 * i + 1], f[3 * i + 2] = w.f[3 * i + 2];
      if (modes[i] != ContactMode::kSlip) continue;
      Eigen::Vector2d d = w.d[i];
      if (w.kind[i] == kFrictionless && !problem.slides[i]) d = Eigen::Vector2d(w.a[3 * i + 1], w.a[3 * i + 2]);
      if (w.kind[i] == kFrictionless && problem.slides[i]) d = problem.direction[i];
      if (w.kind[i] == kCoulomb) d = Eigen::Vector2d(-f[3 * i + 1], -f[3 * i + 2]);
      const double length = d.norm();
      direction_out[i] = length > 0 ? Eigen::Vector2d(d / length) : w.d[i];
    }
    // Cutting tiny negative forces may have cost something.
    if (w.residual > options.tolerance) status = CoulombStatus::kApproximate;
    return w.residual <= options.loose_tolerance ? status : CoulombStatus::kFailed;
  };

  if (searchActiveSet(task, w, max_changes)) return finish(CoulombStatus::kSolved);
  // Rows of one rigid body that contradict each other by less than the loose tolerance, as second-order terms of its motion do:
  // forces that would make them agree are internal, large, and of no use.
  if (w.settled && w.best_residual <= options.loose_tolerance) {
    takeBest(task, w);
    return finish(CoulombStatus::kApproximate);
  }
  ++w.stats.fallbacks;
  // A guess that solves the problem already, but not as the regular solution of its modes.
  for (int i = 0; i < 3 * m; ++i) w.f[i] = std::isfinite(f[i]) ? f[i] : 0;
  for (int i = 0; i < m; ++i) w.modes[i] = modes[i];
  multiply(task, w, w.f.data(), w.a.data());
  if (noteCandidate(task, w) <= task.tolerance) return finish(CoulombStatus::kSolved);
  const auto has = [&](ContactLaw kind) { return std::find(w.kind.begin(), w.kind.begin() + m, kind) != w.kind.begin() + m; };
  const bool sliding = has(kSliding);
  if (sliding && m == 1) {  // The search tried both modes.
    ++w.stats.failures;
    w.residual = w.best_residual;
    return CoulombStatus::kFailed;
  }
  const bool sticks = has(kNeverSlips);
  if (searchOnGraph(task, w, f.data(), !sliding && !sticks)) return finish(CoulombStatus::kSolved);
  ++w.stats.graph_failures;
  if (w.best_residual <= options.loose_tolerance) {
    takeBest(task, w);
    return finish(CoulombStatus::kApproximate);
  }
  // Polygonal cones have a solution wherever friction is finite and nothing slides yet: what is left is worth their time.
  if (m <= kPolygonContacts && !sliding && !sticks) {
    findBlocks(task, w);
    prepareLocal(task, w);
    const int series = std::clamp(kPolygonSeries * kSeriesContacts * kSeriesContacts / (m * m), 1, kPolygonSeries);
    if (searchFromPolygons(task, w, has(kCoulomb) ? kPolygonRounds : 1, series)) return finish(CoulombStatus::kSolved);
    ++w.stats.polygon_failures;
  }
  w.residual = w.best_residual;
  if (w.best_residual <= options.loose_tolerance) {
    takeBest(task, w);
    return finish(CoulombStatus::kApproximate);
  }
  ++w.stats.failures;
  return CoulombStatus::kFailed;
}

}  // namespace rigor::impact
