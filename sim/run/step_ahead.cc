// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "sim/run/run.h"
#include "sim/trace.h"

namespace rigor::sim {

namespace {

constexpr int kRankBits = 40;     // Of a path, for the steps of a group.
constexpr std::size_t kCandidates = 4;  // Groups that are looked at for each step that is wanted ahead.

/// To a power of 16: a smaller gap seldom makes steps that were computed ahead those of another request.
double roundedUp(double gap) {
  int exponent = 0;
  const double fraction = std::frexp(gap, &exponent);  // In [1/2, 1).
  if (!(fraction > 0) || std::isinf(gap)) return gap;
  const int up = exponent - (fraction == 0.5 ? 1 : 0);
  return std::ldexp(1.0, up + (4 - (up % 4 + 4) % 4) % 4);
}

}  // namespace

void Run::setThreads(int threads) {
  ahead_.reset();
  if (threads == 1) return;
  ahead_.emplace(scene, scales, seed_, threads);
  if (ahead_->threads() == 1) ahead_.reset();
  for (std::size_t i = 0; i < bodies.size(); ++i) place(static_cast<int>(i));
}

/// The next step of a group; others beside it on other threads.
void Run::step(int number) {
  Group& group = groups_[number];
  const StepRequest request = requestOf(number, control(group));
  const RunState state{bodies, parts, robots, &tree_};
  if (looksAhead()) {
    if (ahead_->take(group, request, group.memory, result_)) return;
    if (chooseAhead(request)) {
      ahead_->make(state, groups_, ahead_for_, group.clock + ahead_->window());
      if (ahead_->take(group, request, group.memory, result_)) return;
    }
  }
  stepper->step(state, group.bodies, group.memory, request.end, request.reach, request.path, result_);
}

/// The stream of an impact is that of the group's first body and its steps: what others do far away has no part in it.
StepRequest Run::requestOf(int number, double end) const {
  const Group& group = groups_[number];
  const auto rank = static_cast<std::uint64_t>(rank_[group.bodies[0]]);
  return {number, end, roundedUp(std::min(reach_, summary_.min_gap)),
          (rank << kRankBits) + static_cast<std::uint64_t>(group.memory.steps)};
}

/// Forks are found, and traces heard, where it is a step's turn.
bool Run::looksAhead() const { return ahead_ && !forks && !active_trace && stop_at_ == 0; }

/// Which steps are computed beside the one that is asked for. @returns false where there are none.
bool Run::chooseAhead(const StepRequest& request) {
  ahead_for_.assign(1, request);
  const auto wanted = static_cast<std::size_t>(ahead_->wanted());
  const double until = std::min(until_, groups_[request.group].clock + ahead_->window());
  if (wanted == 0 || !mayBeAhead(groups_[request.group])) return false;
  for (const int other : groups_.amongFirst(kCandidates * wanted))
    if (other != request.group && !ahead_->has(other) && groups_[other].clock < until && mayBeAhead(groups_[other]))
      ahead_for_.push_back(requestOf(other, horizon_));
  if (ahead_for_.size() > wanted) {
    const auto behind = [&](const StepRequest& a, const StepRequest& b) {
      return groups_[a.group].clock < groups_[b.group].clock;
    };
    std::nth_element(ahead_for_.begin() + 1, ahead_for_.begin() + static_cast<long>(wanted), ahead_for_.end(), behind);
    ahead_for_.resize(wanted);
  }
  if (ahead_for_.size() > 1) return true;
  ahead_->found(1);
  return false;
}

/// Whether what the group does next follows from its state: no controller samples before, no push ends.
bool Run::mayBeAhead(const Group& group) const {
  return std::none_of(group.bodies.begin(), group.bodies.end(), [&](int i) {
    return !bodies[i].push.isZero(0) || (bodies[i].robot >= 0 && robots[bodies[i].robot].controller);
  });
}

}  // namespace rigor::sim
