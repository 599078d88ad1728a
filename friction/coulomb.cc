// SPDX-License-Identifier: MIT
#include "friction/coulomb.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "elementary/elementary.h"
#include "friction/coulomb_stages.h"

namespace rigor::friction {
namespace {

using enum ContactLaw;

constexpr CoulombAttemptRow kCoulombAttempts[] = {
    {CoulombAttempt::kSearch, "active set", "always",
     "signs and slip directions changed one after the other, from the modes given (Newton); of 9 to 40 contacts up to "
     "24 times, 10 where they do not slip, 12 where they have more than 60 equations, of more 12 where they have up to "
     "120 freedoms, not at all where they are redundant"},
    {CoulombAttempt::kGuess, "given forces", "always", "the forces given are a solution already"},
    {CoulombAttempt::kGraph, "graph",
     "more than one contact, or none that slides already; of more than 8 none without slip",
     "the table above, on one body whose rows are a root of A; then the active set that it finds"},
    {CoulombAttempt::kSqueeze, "squeeze",
     "where the caller asks for persistence; no contact without slip, none that slides already",
     "the attempts above, of contacts that approach by as much as the fastest slips, a tenth, a hundredth, a "
     "thousandth of it, and as they do, each from the forces before, as long as there are any: a wedge that stops "
     "whatever moves it"},
};

// Data above this, or NaN, are refused.
constexpr double kLargestDatum = 1e300;
// Signs are decided with this fraction of the tolerance, so that a set without a violated sign is accepted.
constexpr double kSignFraction = 0.3;
// Slip directions are iterated to this fraction of the tolerance (they converge quadratically).
constexpr double kDirectionFraction = 1e-3;
// Of more contacts, up to so many, searches are short: where rows are redundant the set that pushes is not unique, and
// a search of twelve contacts takes 55 changes, while the graph finds forces in 20 steps. What the graph does not solve
// longer searches do not either.
constexpr int kManyContacts = 40;
// A change of still more contacts, or of more equations than kRegularRows, takes as long as a step of the graph, where
// all of them act on few freedoms. Where they act on more, the one dense body that the graph has takes seconds.
constexpr int kFirstChanges = 12, kDenseFreedoms = 120;
// Contacts without slip: what this many changes do not find contradicts itself, 99 times of 100.
constexpr int kStickChanges = 10;
// Of the scale: by how much faster the contacts of a squeeze approach.
constexpr double kSqueezes[] = {1, 0.1, 0.01, 0.001, 0};
// Most changes of one search, however many contacts there are.
constexpr int kManyChanges = 240;

/// Of b, whose largest entry is the scale.
struct Extent {
  double scale = 0, lowest_normal = HUGE_VAL;
  bool finite = true;
};

Extent extentOf(const CoulombProblem& problem, int m) {
  Extent extent;
  for (int i = 0; i < 3 * m; ++i) {
    const double v = std::abs(problem.b[i]);
    if (!(v <= kLargestDatum && problem.A(i, i) >= 0 && problem.A(i, i) <= kLargestDatum)) extent.finite = false;
    extent.scale = std::max(extent.scale, v);
    if (i % 3 == 0) extent.lowest_normal = std::min(extent.lowest_normal, problem.b[i]);
  }
  return extent;
}

bool has(const CoulombTask& task, const CoulombWorkspace& w, ContactLaw law) {
  return std::find(w.kind.begin(), w.kind.begin() + task.m, law) != w.kind.begin() + task.m;
}

void takeLaws(const CoulombTask& task, CoulombWorkspace& w, std::span<const ContactMode> guess) {
  const CoulombProblem& problem = task.problem;
  for (int i = 0; i < task.m; ++i) {
    const double mu = problem.mu[i];
    w.kind[i] = mu == kNoSlip ? kSticks : mu == 0 ? kFrictionless : problem.slides[i] ? kSliding : kCoulomb;
    w.kappa[i] = -1;
    w.modes[i] = guess[i];
    if (guess[i] == ContactMode::kFree) continue;
    if (w.kind[i] == kSticks) w.modes[i] = ContactMode::kStick;
    if (w.kind[i] == kFrictionless || w.kind[i] == kSliding) w.modes[i] = ContactMode::kSlip;
  }
}

/// Slip directions against the guessed forces, else along b.
void takeDirections(const CoulombTask& task, CoulombWorkspace& w, const Eigen::Ref<const Eigen::VectorXd>& f) {
  const CoulombProblem& problem = task.problem;
  bool onset = false;
  for (int i = 0; i < task.m; ++i) {
    w.d[i] = Eigen::Vector2d(1, 0);
    if (w.kind[i] == kSliding) w.d[i] = problem.direction[i];
    if (w.kind[i] != kCoulomb) continue;
    double x = -f[3 * i + 1], y = -f[3 * i + 2], length = std::sqrt(x * x + y * y);
    if (w.modes[i] == ContactMode::kSlip && length > 0) onset = true;
    if (!(length > 0)) x = problem.b[3 * i + 1], y = problem.b[3 * i + 2], length = std::sqrt(x * x + y * y);
    if (length > 0 && std::isfinite(length)) w.d[i] = Eigen::Vector2d(x / length, y / length);
  }
  if (!onset) return;
  // The guessed forces give the first Newton step its slip speeds.
  std::copy_n(f.data(), 3 * task.m, w.f.data());
  multiply(task, w, w.f.data(), w.a.data());
  for (int i = 0; i < task.m; ++i)
    if (w.kind[i] == kCoulomb && w.modes[i] == ContactMode::kSlip) updateKappa(task, w, i);
}

/// Forces that obey their signs and cones exactly.
void cutToCones(const CoulombTask& task, CoulombWorkspace& w) {
  for (int i = 0; i < task.m; ++i) {
    double* f = w.f.data() + 3 * std::ptrdiff_t{i};
    if (f[0] <= 0 || w.modes[i] == ContactMode::kFree) f[0] = f[1] = f[2] = 0;
    if (w.kind[i] != kCoulomb) continue;
    // The tolerance is that of the fastest contact: where hardly anything presses, friction may not use it up.
    const double limit = task.problem.mu[i] * f[0], length = elementary::hypot(f[1], f[2]);
    if (length > limit) f[1] *= limit / length, f[2] *= limit / length;
  }
}

Eigen::Vector2d slipDirection(const CoulombTask& task, const CoulombWorkspace& w, int i) {
  Eigen::Vector2d d = w.d[i];
  if (w.kind[i] == kFrictionless)
    d = task.problem.slides[i] ? task.problem.direction[i] : Eigen::Vector2d(w.a[3 * i + 1], w.a[3 * i + 2]);
  if (w.kind[i] == kCoulomb) d = Eigen::Vector2d(-w.f[3 * i + 1], -w.f[3 * i + 2]);
  const double length = d.norm();
  return length > 0 ? Eigen::Vector2d(d / length) : w.d[i];
}

bool applies(CoulombAttempt attempt, const CoulombTask& task, const CoulombWorkspace& w, bool persistent) {
  if (attempt == CoulombAttempt::kSqueeze) return persistent && !has(task, w, kSliding) && !has(task, w, kSticks);
  if (attempt != CoulombAttempt::kGraph) return true;
  // One contact that slides: the search tried both modes. Many without slip that it does not solve contradict each
  // other, 99 times of 100; callers let them slip, with large friction, and where all stick that is the same.
  return task.m == 1 ? !has(task, w, kSliding) : task.m <= kSeveralContacts || !has(task, w, kSticks);
}

/// The best candidate, where it is good enough for a caller that checks its own result.
CoulombStatus approximate(const CoulombTask& task, CoulombWorkspace& w) {
  if (!(w.best_residual <= task.loose)) return CoulombStatus::kFailed;
  takeBest(task, w);
  return CoulombStatus::kApproximate;
}

/// Many contacts act, on few freedoms: the graph asks how many these are, and not how many contacts. It solves them
/// first, and what it does not solve it hands on to the search.
bool isForGraph(const CoulombTask& task, CoulombWorkspace& w) {
  const int rows = activeRows(task, w), most = std::min(rows, kDenseFreedoms + 1);
  return applies(CoulombAttempt::kGraph, task, w, true) && rows > kRegularRows && factorDelassus(task, w, most) < most;
}

CoulombStatus search(const CoulombTask& task, CoulombWorkspace& w, int max_changes) {
  const int m = task.m, long_search = std::max(max_changes, std::min(8 * m, kManyChanges));
  bool solved = false;
  if (m > kManyContacts) {
    if (isForGraph(task, w)) return CoulombStatus::kFailed;
    solved = searchActiveSet(task, w, kFirstChanges);
    if (!solved && factorDelassus(task, w, kDenseFreedoms + 1) > kDenseFreedoms)
      solved = searchActiveSet(task, w, long_search);
  } else {
    const int changes = m <= kFewContacts       ? max_changes
                        : m <= kSeveralContacts ? long_search
                        : has(task, w, kSticks) ? kStickChanges
                        : activeRows(task, w) > kRegularRows ? kFirstChanges
                                                             : max_changes;
    solved = searchActiveSet(task, w, changes);
  }
  if (solved) return CoulombStatus::kSolved;
  // Rows of one rigid body that contradict each other by less than the loose tolerance, as second-order terms of its
  // motion do: forces that would make them agree are internal, large, and of no use.
  return w.settled ? approximate(task, w) : CoulombStatus::kFailed;
}

/// A guess that solves the problem, but not as the regular solution of its modes.
CoulombStatus tryGuess(const CoulombTask& task, CoulombWorkspace& w, std::span<const ContactMode> modes) {
  std::copy_n(w.given.data(), 3 * task.m, w.f.begin());
  std::copy_n(modes.begin(), task.m, w.modes.begin());
  multiply(task, w, w.f.data(), w.a.data());
  return noteCandidate(task, w) <= task.tolerance ? CoulombStatus::kSolved : CoulombStatus::kFailed;
}

CoulombStatus solveOnGraph(const CoulombTask& task, CoulombWorkspace& w, const double* guess, bool persistent) {
  // Velocity-level problems with finite friction have a solution: worth all that can be tried.
  persistent = persistent && !has(task, w, kSliding) && !has(task, w, kSticks);
  if (searchOnGraph(task, w, guess, persistent)) return CoulombStatus::kSolved;
  return approximate(task, w);
}

/// A light body that wedges itself under a heavy one stops at once, by forces thousands of times those that carry it.
/// Where contacts approach fast such forces are found from none; then the approach is taken back.
CoulombStatus squeeze(const CoulombTask& task, CoulombWorkspace& w, const CoulombOptions& options) {
  CoulombStatus status = CoulombStatus::kFailed;
  w.squeezed = task.problem.b;
  const CoulombProblem& given = task.problem;
  const CoulombProblem eased{given.A, w.squeezed, given.mu, given.slides, given.direction, given.one_tangent};
  CoulombTask step{eased,          task.m,         task.A,     task.ld,  task.scale, task.target,
                   task.tolerance, task.loose,     task.sign};
  for (const double share : kSqueezes) {
    for (Eigen::Index i = 0; i < task.m; ++i) w.squeezed[3 * i] = given.b[3 * i] - share * task.scale;
    std::copy_n(w.best_f.begin(), 3 * Eigen::Index{task.m}, w.given.data());
    std::copy_n(w.best_modes.begin(), task.m, w.modes.begin());
    w.best_residual = HUGE_VAL;
    std::fill_n(w.kappa.begin(), task.m, -1.0);
    takeDirections(step, w, w.given);
    status = search(step, w, options.max_set_changes);
    if (status == CoulombStatus::kFailed) status = solveOnGraph(step, w, w.given.data(), options.persistent);
    if (status == CoulombStatus::kFailed) break;  // What follows would start from no forces.
  }
  return status;
}

}  // namespace

std::span<const CoulombAttemptRow> coulombAttempts() { return kCoulombAttempts; }

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
  const Extent extent = extentOf(problem, m);
  if (!extent.finite) {
    ++w.stats.failures;
    w.residual = HUGE_VAL;
    return CoulombStatus::kFailed;
  }
  if (extent.lowest_normal >= 0 || m == 0) {
    f.setZero();
    std::fill_n(modes.begin(), m, ContactMode::kFree);
    return CoulombStatus::kSolved;
  }
  const CoulombTask task{problem,
                         m,
                         problem.A.data(),
                         static_cast<long>(problem.A.outerStride()),
                         extent.scale,
                         kDirectionFraction * options.tolerance,
                         options.tolerance,
                         options.loose_tolerance,
                         kSignFraction * options.tolerance * extent.scale};
  w.begin(task);
  for (int i = 0; i < 3 * m; ++i) w.given[i] = std::isfinite(f[i]) ? f[i] : 0;
  takeLaws(task, w, modes);
  takeDirections(task, w, f);
  CoulombStatus status = CoulombStatus::kFailed;
  for (const CoulombAttemptRow& row : kCoulombAttempts) {
    if (!applies(row.attempt, task, w, options.persistent)) continue;
    Count& count = w.stats.attempts[static_cast<int>(row.attempt)];
    ++count.tried;
    switch (row.attempt) {
      case CoulombAttempt::kSearch: status = search(task, w, options.max_set_changes); break;
      case CoulombAttempt::kGuess: status = tryGuess(task, w, modes); break;
      case CoulombAttempt::kGraph: status = solveOnGraph(task, w, f.data(), options.persistent); break;
      case CoulombAttempt::kSqueeze: status = squeeze(task, w, options); break;
    }
    if (status == CoulombStatus::kFailed) continue;
    ++count.solved;
    break;
  }
  if (status == CoulombStatus::kFailed) {
    ++w.stats.failures;
    w.residual = w.best_residual;
    return status;
  }
  cutToCones(task, w);
  multiply(task, w, w.f.data(), w.a.data());
  w.residual = naturalResidual(task, w.kind.data(), w.a.data(), w.f.data());
  std::copy_n(w.modes.begin(), m, modes.begin());
  std::copy_n(w.f.data(), 3 * m, f.data());
  for (int i = 0; i < m; ++i)
    if (modes[i] == ContactMode::kSlip) direction_out[i] = slipDirection(task, w, i);
  // Cutting tiny negative forces may have cost something.
  if (w.residual > options.tolerance) status = CoulombStatus::kApproximate;
  return w.residual <= options.loose_tolerance ? status : CoulombStatus::kFailed;
}

}  // namespace rigor::friction
