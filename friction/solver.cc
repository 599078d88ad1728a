// SPDX-License-Identifier: MIT
#include "friction/solver.h"

#include <algorithm>
#include <cmath>

namespace rigor::friction {

using Eigen::Vector3d;

namespace {

constexpr AttemptRow kAttempts[] = {
    {Attempt::kGuess, "guess", "always", "the impulses given are a solution already"},
    {Attempt::kWarm, "warm", "a guess other than zero", "proximal Newton from the guess, rho from 10, growth 5"},
    {Attempt::kCentral, "central", "no contact without slip, none that slides already",
     "up to 25 interior-point steps, then proximal Newton from the best of them, rho from 10"},
    {Attempt::kCold, "cold", "where central does not apply, or the caller has patience",
     "proximal Newton from no impulses, rho from 1, growth 5"},
    {Attempt::kGentle, "gentle", "where the caller asks for persistence",
     "the same with growth 2 and four times the steps"},
    {Attempt::kSoft, "soft", "where the caller asks for persistence", "the same with rho from 0.01, growth 1.5"},
    {Attempt::kOnward, "onward", "where the caller asks for persistence",
     "from the best impulses found, rho from 0.1, growth 2"},
};

constexpr double kWarmStiffness = 10, kCentralStiffness = 10, kColdStiffness = 1, kSoftStiffness = 0.01,
                 kOnwardStiffness = 0.1;
constexpr double kGrowth = 5, kGentleGrowth = 2, kSoftGrowth = 1.5;
constexpr int kCentralSteps = 25, kGentleFactor = 4;

}  // namespace

std::span<const AttemptRow> attempts() { return kAttempts; }

bool Solver::applies(Attempt a, const SolverOptions& options) const {
  switch (a) {
    case Attempt::kGuess: return true;
    case Attempt::kWarm: return std::any_of(f_.begin(), f_.end(), [](const Vector3d& f) { return f[0] > 0; });
    case Attempt::kCentral: return !sticks_ && !slides_;
    case Attempt::kCold: return options.patience >= options.iterations || sticks_ || slides_;
    case Attempt::kGentle:
    case Attempt::kSoft:
    case Attempt::kOnward: return options.persistent;
  }
  return false;
}

void Solver::proximal(const SolverOptions& options, double stiffness, double growth) {
  const auto result = proximal_.solve(*problem_, graph_, trial_,
                                      {options.tolerance, stiffness, growth, options.iterations, options.patience});
  if (result.residual < residual_) residual_ = result.residual, f_ = trial_;
  last_iterations_ += result.iterations;
}

void Solver::run(Attempt a, const SolverOptions& options) {
  SolverOptions longer = options;
  longer.iterations *= kGentleFactor;
  switch (a) {
    case Attempt::kGuess: residual_ = problem_->residual(f_, v_.data()); break;
    case Attempt::kWarm:
      trial_ = f_;
      proximal(options, kWarmStiffness, kGrowth);
      break;
    case Attempt::kCentral: {
      std::fill(trial_.begin(), trial_.end(), Vector3d(0, 0, 0));
      const auto started = interior_.solve(*problem_, graph_, trial_, {options.tolerance, kCentralSteps});
      last_iterations_ += started.iterations;
      if (started.residual < residual_) residual_ = started.residual, f_ = trial_;
      if (residual_ > options.tolerance) proximal(options, kCentralStiffness, kGrowth);
      break;
    }
    case Attempt::kCold:
    case Attempt::kGentle:
    case Attempt::kSoft:
      std::fill(trial_.begin(), trial_.end(), Vector3d(0, 0, 0));
      if (a == Attempt::kCold) proximal(options, kColdStiffness, kGrowth);
      else if (a == Attempt::kGentle) proximal(longer, kColdStiffness, kGentleGrowth);
      else proximal(longer, kSoftStiffness, kSoftGrowth);
      break;
    case Attempt::kOnward:
      trial_ = f_;
      proximal(longer, kOnwardStiffness, kGentleGrowth);
      break;
  }
}

bool Solver::solve(const Problem& problem, const SolverOptions& options) {
  problem_ = &problem;
  ++solves_;
  residual_ = HUGE_VAL;
  const auto guess = problem.guess();
  f_.assign(guess.begin(), guess.end());
  trial_.resize(f_.size());
  v_.resize(problem.numVelocities());
  if (!problem.valid()) return false;
  sticks_ = slides_ = false;
  for (const auto& c : problem.contacts()) {
    sticks_ = sticks_ || c.law == ContactLaw::kSticks;
    slides_ = slides_ || c.law == ContactLaw::kSliding;
  }
  bool graph_known = false;
  for (const AttemptRow& row : kAttempts) {
    if (!applies(row.attempt, options)) continue;
    Count& count = counts_[static_cast<int>(row.attempt)];
    if (row.attempt != Attempt::kGuess && !graph_known) graph_.set(problem), graph_known = true;
    ++count.tried;
    last_iterations_ = 0;
    run(row.attempt, options);
    count.iterations += last_iterations_;
    if (!(residual_ <= options.tolerance)) continue;
    ++count.solved;
    break;
  }
  residual_ = problem.residual(f_, v_.data());
  return residual_ <= options.tolerance;
}

bool Solver::takeLeastNorm(double tolerance) {
  graph_.set(*problem_);
  trial_ = f_;
  if (!least_norm_.project(*problem_, graph_, v_, trial_, tolerance)) return false;
  f_ = trial_;
  residual_ = problem_->residual(f_, v_.data());
  return true;
}

}  // namespace rigor::friction
