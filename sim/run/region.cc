// SPDX-License-Identifier: MIT
#include "sim/run/region.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "sim/run/run.h"
#include "sim/run/side_by_side.h"
#include "sim/run/turns.h"

namespace rigor::sim {

/// With nothing that moves; fixed bodies are where they are.
Run::Run(const Run& whole, const Scene& its_scene)
    : scene(its_scene),
      scales(whole.scales),
      bodies(whole.bodies),
      parts(whole.parts),
      robots(whole.robots),
      stepper(std::make_unique<Stepper>(its_scene, whole.scales, whole.seed_)),
      robot_equations_(whole.robots.size()),
      moving_(whole.moving_),
      seed_(whole.seed_) {
  groups_.reset(bodies.size());
  tree_.reset(bodies.size());
  pending_.reset(bodies);
  touching_.reset(bodies);
  swept_.assign(bodies.size(), BodyBox::empty());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].fixed) place(static_cast<int>(i));
  for (RobotRuntime& robot : robots)
    if (robot.workspace) robot.workspace = std::make_shared<dynamics::ArticulatedWorkspace>(*robot.model);
  addLedgers();
}

Region::Region(const Run& whole) : rows(whole.scene), run_(new Run(whole, whole.scene)) {}

Region::~Region() = default;

void Region::clear() { groups.clear(), bodies.clear(), cost = 0; }

void Region::copyMotions(const Run& from, Run& to) const {
  for (const int i : bodies) {
    static_cast<BodyMotion&>(to.bodies[i]) = from.bodies[i];
    if (to.leadsRobot(i)) static_cast<RobotMotion&>(to.robots[to.bodies[i].robot]) = from.robots[to.bodies[i].robot];
  }
}

const BodyBox& Region::swept(int body) const { return run_->swept_[body]; }

void Region::take(const Run& whole) {
  for (const int number : groups) {
    const std::vector<int>& own = whole.groups_[number].bodies;
    bodies.insert(bodies.end(), own.begin(), own.end());
  }
  std::sort(bodies.begin(), bodies.end());
  rows.clear();
  turns.cost.assign(whole.bodies.size(), 0);
  Run& to = *run_;
  to.zones_ = whole.zones_, to.horizon_ = whole.horizon_;
  to.summary_ = {};
  to.summary_.min_gap = std::numeric_limits<double>::infinity();
  to.cut_failure_.clear(), to.rests_.clear();
  copyMotions(whole, to);
  for (const int i : bodies) to.swept_[i] = BodyBox::empty(), to.place(i);
  for (const int number : groups) to.groups_.add(whole.groups_[number]);
  whole.pending_.copyTo(bodies, to.pending_);
  whole.touching_.copyTo(bodies, to.touching_);
}

void Region::forget() {
  for (const int i : bodies) {
    if (const int number = run_->groups_.of(i); number >= 0) run_->groups_.take(number);
    run_->tree_.remove(i);
  }
  run_->pending_.forget(bodies);
  run_->touching_.forget(bodies);
}

void Region::giveBack(Run& whole) {
  for (const int number : groups) whole.groups_.take(number);
  copyMotions(*run_, whole);
  for (const int i : bodies) {
    whole.place(i), whole.zones_.takeZone(i, run_->zones_);
    if (const int number = run_->groups_.of(i); number >= 0) whole.groups_.add(run_->groups_.take(number));
  }
  whole.pending_.forget(bodies), whole.touching_.forget(bodies);
  run_->pending_.copyTo(bodies, whole.pending_);
  run_->touching_.copyTo(bodies, whole.touching_);
  forget();
  addSummary(run_->summary_, whole.summary_);
}

/// Of what a region did; steps are counted elsewhere.
void Region::addSummary(const Summary& part, Summary& all) {
  all.manifold_changes += part.manifold_changes, all.impacts += part.impacts;
  all.contacts_made += part.contacts_made, all.contacts_broken += part.contacts_broken;
  all.plastic_impacts += part.plastic_impacts, all.false_liftoffs += part.false_liftoffs;
  all.min_gap = std::min(all.min_gap, part.min_gap);
  all.max_energy_increase = std::max(all.max_energy_increase, part.max_energy_increase);
  if (part.max_step == 0) return;
  all.min_step = all.max_step == 0 ? part.min_step : std::min(all.min_step, part.min_step);
  all.max_step = std::max(all.max_step, part.max_step);
}

void Region::renumber(const std::function<long(long)>& number) {
  for (const int i : bodies) {
    run_->bodies[i].step = number(run_->bodies[i].step);
    const int group = run_->groups_.of(i);
    if (group < 0 || run_->groups_[group].bodies[0] != i) continue;
    ImpulseRecord& acted = run_->groups_[group].memory.acted.record;
    acted.step = number(acted.step);
  }
}

bool Region::step(double end, std::array<const std::atomic<bool>*, 2> stops) {
  using Clock = std::chrono::steady_clock;
  Run& run = *run_;
  run.turns_ = &turns;
  turns.entries.clear(), turns.rows = &rows;
  const auto said = [](const std::atomic<bool>* stop) { return stop && *stop; };
  while (!run.groups_.empty() && run.time() < end) {
    if (std::ranges::any_of(stops, said)) return false;
    stepped_ = run.groups_[run.next()].bodies;
    const auto began = Clock::now();
    if (run.turn(rows) == Run::Turn::kStopped || !run.cut_failure_.empty()) return false;
    const double took = std::chrono::duration<double>(Clock::now() - began).count();
    for (const int i : stepped_) turns.cost[i] += took / static_cast<double>(stepped_.size());
  }
  run.tellRests(end, rows);
  return true;
}

}  // namespace rigor::sim
