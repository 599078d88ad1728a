// SPDX-License-Identifier: MIT
#include "sim/run/lookahead.h"

#include <algorithm>
#include <utility>

#include "sim/run/group_parts.h"

namespace rigor::sim {

namespace {

constexpr int kFirstWidth = 8, kMostWidth = 64;  // Steps that are computed at a time: at first, and at most.
constexpr int kFewest = 4;                        // They are not less.
constexpr std::size_t kLongestChain = 8;          // Steps of one group ahead.
constexpr int kTrials = 64;                       // Of so many it is said how many were of use;
constexpr int kPause = 256;  // where hardly any was, so many steps are made alone.
constexpr double kFirstWindow = 10, kLongestWindow = 1e4;  // Event windows.

}  // namespace

Lookahead::Lookahead(const Scene& scene, const Scales& scales, std::uint64_t seed, int threads)
    : scene_(scene),
      scales_(scales),
      seed_(seed),
      workers_(threads),
      boxes_(scene.bodies.size(), BodyBox::empty()),
      window_(kFirstWindow * scales.event_window),
      width_(kFirstWidth) {}

void Lookahead::clear() {
  for (std::size_t group = 0; group < chain_of_.size(); ++group) drop(static_cast<int>(group));
}

void Lookahead::moved(int body, const BodyBox& box) {
  BodyBox& at = boxes_[body];
  BodyBox changed = std::exchange(at, box);
  if (free_.size() == chains_.size()) return;
  changed.include(box);
  hit_.clear();
  looked_.query(changed.lower, changed.upper, [&](int chain) { hit_.push_back(chain); });
  for (const int chain : hit_) shorten(*chains_[chain], changed, body);
}

/// Keeps the steps before the first one that looked where the motion of a body has changed: not its own.
void Lookahead::shorten(Chain& chain, const BodyBox& changed, int body) {
  if (std::ranges::binary_search(chain.bodies, body)) return;
  std::size_t good = chain.next;
  while (good < chain.end && !chain.steps[good]->result.looked.isNear(changed, 0)) ++good;
  adapt(0, static_cast<int>(chain.end - good));
  chain.end = good;
}

void Lookahead::close(int group) {
  Chain& chain = *chains_[chain_of_[group]];
  adapt(0, static_cast<int>(chain.end - chain.next));
  free_.push_back(std::exchange(chain_of_[group], -1));
  looked_.remove(free_.back());
}

/// Looks farther where steps ahead are of use, less far where not.
void Lookahead::adapt(int used, int wasted) {
  used_ += used, wasted_ += wasted;
  if (used_ + wasted_ < kTrials) return;
  if (wasted_ > used_) width_ /= 2;
  else if (4 * wasted_ < used_) width_ = std::min(kMostWidth, 2 * width_);
  used_ = wasted_ = 0;
  if (width_ < kFewest) width_ = 0, paused_ = kPause;
}

void Lookahead::drop(int group) {
  if (has(group)) close(group);
}

bool Lookahead::take(const Group& group, const StepRequest& request, StepMemory& memory, StepResult& result) {
  if (!has(request.group)) return false;
  Chain& chain = *chains_[chain_of_[request.group]];
  const bool valid = chain.next < chain.end && chain.steps[chain.next]->request == request;
  if (valid) {
    Step& step = *chain.steps[chain.next];
    std::swap(memory, step.memory);
    std::swap(result, step.result);
    ++chain.next;
    adapt(1, 0);
  }
  if (!valid || chain.next == chain.end) close(request.group);
  return valid;
}

int Lookahead::wanted() {
  if (width_ == 0 && --paused_ <= 0) width_ = kFewest;
  return width_;
}

int Lookahead::open(const StepRequest& request, const Group& group) {
  if (free_.empty()) {
    free_.push_back(static_cast<int>(chains_.size()));
    chains_.push_back(std::make_unique<Chain>());
  }
  if (request.group >= static_cast<int>(chain_of_.size())) chain_of_.resize(request.group + 1, -1);
  const int number = chain_of_[request.group] = free_.back();
  Chain& chain = *chains_[number];
  free_.pop_back();
  chain.bodies = group.bodies;
  chain.next = chain.end = 0;
  if (chain.steps.empty()) chain.steps.push_back(std::make_unique<Step>());
  chain.steps[0]->request = request;
  chain.steps[0]->memory = group.memory;
  chain.steps[0]->memory.acted.clear();  // It is handed over before the step.
  return number;
}

/// As Run would go on after each step, as long as nothing but the group decides that.
void Lookahead::extend(const RunState& run, double until, Stepper& stepper, Chain& chain) const {
  RunState state = run;
  while (true) {
    Step& step = *chain.steps[chain.end];
    stepper.step(state, chain.bodies, step.memory, step.request.end, step.request.reach, step.request.path,
                 step.result);
    ++chain.end;
    if (step.result.status != StepStatus::kStepped || !(step.result.t1 < until) || chain.end == kLongestChain) return;
    findParts(chain.bodies, step.memory.contacts, run.bodies, chain.root);
    if (std::ranges::any_of(chain.root, [](int root) { return root != 0; })) return;
    if (chain.end == chain.steps.size()) chain.steps.push_back(std::make_unique<Step>());
    Step& next = *chain.steps[chain.end];
    next.request = step.request, next.memory = step.memory;
    if (!step.result.continues) ++next.request.path, ++next.memory.steps;
    state.before = &step.result;
  }
}

void Lookahead::make(const RunState& run, Groups& groups, std::span<const StepRequest> requests, double until) {
  while (steppers_.size() < static_cast<std::size_t>(workers_.size()))
    steppers_.push_back(std::make_unique<Stepper>(scene_, scales_, seed_));
  made_.clear();
  for (const StepRequest& request : requests) made_.push_back(open(request, groups[request.group]));
  workers_.run(static_cast<long>(made_.size()), 1, [&](long begin, long end, int worker) {
    for (long k = begin; k < end; ++k) {
      try {
        extend(run, until, *steppers_[worker], *chains_[made_[k]]);
      } catch (...) {
        // What was computed before counts; the exception comes again where it is the step's turn.
      }
    }
  });
  std::size_t count = 0;
  looked_.makeRoom(chains_.size());
  for (const int number : made_) {
    const Chain& chain = *chains_[number];
    BodyBox looked = BodyBox::empty();
    for (std::size_t k = 0; k < chain.end; ++k) looked.include(chain.steps[k]->result.looked);
    looked_.update(number, looked.lower, looked.upper);
    count += chain.end;
  }
  found(count);
}

/// The window follows.
void Lookahead::found(std::size_t count) {
  const double longest = kLongestWindow * scales_.event_window, shortest = scales_.min_step;
  if (2 * count < static_cast<std::size_t>(width_)) window_ = std::min(2 * window_, longest);
  else if (count > 2 * static_cast<std::size_t>(width_)) window_ = std::max(window_ / 2, shortest);
}

}  // namespace rigor::sim
