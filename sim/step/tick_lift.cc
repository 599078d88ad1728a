// SPDX-License-Identifier: MIT
#include "sim/step/tick_lift.h"

#include <algorithm>
#include <cmath>

#include "sim/step/publisher.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr double kBumpShare = 0.9;     // Dips within a tick are lifted to this share of delta,
constexpr double kBumpAccepted = 0.7;  // and accepted above this one,
constexpr double kBumpSolved = 0.05;   // by lifts that are known to this one.
/// Parts of the tick where dips are looked for. Gaps bend: what is lifted beside an end may dip between there and it.
constexpr double kDipSamples[] = {0.5, 0.25, 0.75, 0.37, 0.63, 0.16, 0.84, 0.08, 0.92, 0.04, 0.96, 0.02, 0.98};
constexpr int kBumpRounds = 12;
constexpr int kBumpSteps = 15;         // Of a round: opposite dips of what is wedged have no solution.
constexpr double kRoomShare = 0.9;     // Of the length at which a lift is expected to be the largest allowed.
constexpr double kAlike = 1 - 1e-5;    // Cosine of the angle between normals: one is lifted with the other.

}  // namespace

/// What each contact needs at the samples. @returns the least gap there.
double TickLift::findNeeds() {
  const auto moves = [&](int slot, int body) { return slot >= 0 || x_.bodies[body].fixed; };
  rows_.assign(x_.contacts.size(), {-HUGE_VAL, Vector3d::Zero()});
  double least = HUGE_VAL;
  for (double u : kDipSamples) {
    posesAt(x_.pieces, u, poses_);
    for (size_t c = 0; c < x_.contacts.size(); ++c) {
      const Contact& contact = x_.contacts[c];
      if (contact.isLimit()) continue;
      if (contact.start_gap < x_.scales.floor) continue;  // Of the end: not over each other yet.
      if (!moves(contact.slot_a, contact.pair.body_a) || !moves(contact.slot_b, contact.pair.body_b)) continue;
      Vector3d normal;
      const double gap = contactGapAt(x_, contact, poses_, &normal);
      least = std::min(least, gap);
      const double need = (kBumpShare * x_.scales.gap - gap) / (3 * u * (1 - u));
      if (need > rows_[c].need) rows_[c] = {need, normal};
    }
  }
  return least;
}

int TickLift::bodyOf(int slot) {
  if (slot < 0 || x_.start[slot].robot >= 0) return -1;
  if (body_[slot] < 0) body_[slot] = problem_.addBody(Eigen::Matrix3d::Identity(), Vector3d::Zero());
  return body_[slot];
}

/// Bodies are lifted as they are, not turned: of a pair's contacts with nearly one normal, the neediest says it all.
void TickLift::leaveHighest() {
  for (size_t c = 1; c < rows_.size(); ++c)
    for (size_t d = c; d-- > 0 && x_.contacts[d].pair == x_.contacts[c].pair;)
      if (rows_[d].normal.dot(rows_[c].normal) > kAlike)
        (rows_[d].need < rows_[c].need ? rows_[d] : rows_[c]).need = -HUGE_VAL;
}

/// The least lifts that give every contact what it needs.
void TickLift::findBumps() {
  leaveHighest();
  body_.assign(x_.start.size(), -1);
  problem_.clear();
  for (size_t c = 0; c < rows_.size(); ++c) {
    if (!(rows_[c].need > -x_.scales.max_lift)) continue;
    const int a = bodyOf(x_.contacts[c].slot_a), b = bodyOf(x_.contacts[c].slot_b);
    if (a < 0 && b < 0) continue;
    Eigen::Matrix3d up = Eigen::Matrix3d::Zero(), down = Eigen::Matrix3d::Zero();
    up.row(0) = rows_[c].normal.transpose(), down.row(0) = -rows_[c].normal.transpose();
    problem_.addContact(a, down, b, up, Vector3d(-rows_[c].need, 0, 0), 0);
  }
  graph_.set(problem_);
  multipliers_.assign(problem_.numContacts(), Vector3d::Zero());
  // Solved or not: the next round looks again.
  (void)interior_.solve(problem_, graph_, multipliers_, {kBumpSolved * x_.scales.gap, kBumpSteps});
  moved_.resize(problem_.numVelocities());
  (void)problem_.residual(multipliers_, moved_.data());
  bump_.assign(x_.start.size(), Vector3d::Zero());
  for (size_t i = 0; i < bump_.size(); ++i)
    if (body_[i] >= 0) problem_.velocity(body_[i], moved_.data(), bump_[i].data());
}

bool TickLift::lift() {
  poses_.resize(x_.pieces.size());
  largest_ = 0;
  for (int round = 0; round < kBumpRounds; ++round) {
    if (findNeeds() >= kBumpAccepted * x_.scales.gap) return true;
    findBumps();
    for (size_t i = 0; i < x_.pieces.size(); ++i) {
      auto& p = x_.pieces[i].p;
      p[1] += bump_[i], p[2] += bump_[i];
      const Vector3d total = p[1] - (x_.start[i].state.pose.p + x_.trial.h / 3 * x_.start[i].state.v);
      if (const double size = total.norm(); !(size <= largest_)) largest_ = std::isnan(size) ? HUGE_VAL : size;
    }
    if (!(largest_ <= x_.scales.max_lift)) return false;
  }
  return false;
}

double TickLift::room() const { return kRoomShare * std::sqrt(x_.scales.max_lift / largest_); }

double TickLift::shorter() const { return largest_ > x_.scales.max_lift ? std::max(0.5, room()) : 0.5; }

}  // namespace rigor::sim
