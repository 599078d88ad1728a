// SPDX-License-Identifier: MIT
#include "impact/models/energy_returns.h"

#include <algorithm>
#include <cmath>

namespace rigor::impact {
namespace {

// Energies within this of the kinetic energy before the impact are rounding.
constexpr double kEnergyOfRounding = 1e-14;
// A step that passes the end of a contact's returns by this share of what is owed need not be taken again.
constexpr double kPassed = 1e-12;

}  // namespace

void EnergyReturns::start(const ImpactProblem& problem, const ContactLcp& lcp, double capture, double least) {
  e_ = problem.restitution;
  largest_ = *std::max_element(e_.begin(), e_.end());
  const std::size_t m = e_.size();
  for (auto* list : {&inverse_mass_, &stored_, &compression_, &speed_, &impulse_}) list->assign(m, 0.0);
  for (std::size_t i = 0; i < m; ++i) inverse_mass_[i] = lcp.inverseMass(static_cast<int>(i));
  idle_steps_ = 0;
  capture_ = capture;
  least_ = least;
  rounding_ = kEnergyOfRounding * lcp.energyBefore();
}

void EnergyReturns::restart() {
  for (auto* list : {&stored_, &compression_}) std::fill(list->begin(), list->end(), 0.0);
  idle_steps_ = 0;
}

void EnergyReturns::begin(const ContactLcp& lcp) {
  for (std::size_t i = 0; i < e_.size(); ++i) {
    speed_[i] = lcp.normalVelocity(static_cast<int>(i));
    impulse_[i] = lcp.impulse()[static_cast<Eigen::Index>(i)];
  }
}

bool EnergyReturns::owes(int contact) const {
  const auto i = static_cast<std::size_t>(contact);
  return stored_[i] > rounding_ && std::sqrt(2 * compression_[i] * inverse_mass_[i]) > capture_;
}

bool EnergyReturns::owesAny() const {
  for (int i = 0; i < static_cast<int>(e_.size()); ++i) {
    if (owes(i)) return true;
  }
  return false;
}

double EnergyReturns::wholeReturn(int contact) const {
  const auto i = static_cast<std::size_t>(contact);
  const double v = std::max(0.0, speed_[i]);
  return 2 * stored_[i] / (v + std::sqrt(v * v + 2 * inverse_mass_[i] * stored_[i]));
}

EnergyReturns::Work EnergyReturns::workOf(const ContactLcp& lcp, int contact) const {
  const auto i = static_cast<std::size_t>(contact);
  const double from = speed_[i], to = lcp.normalVelocity(contact), impulse = lcp.impulse()[contact] - impulse_[i];
  if (!(impulse > 0)) return {};
  if (from <= 0 && to <= 0) return {-impulse * 0.5 * (from + to), 0};
  if (from >= 0 && to >= 0) return {0, impulse * 0.5 * (from + to)};
  const double part = from / (from - to);  // of the step on the first side of 0
  const double first = 0.5 * impulse * part * std::abs(from), second = 0.5 * impulse * (1 - part) * std::abs(to);
  return from < 0 ? Work{first, second} : Work{second, first};
}

double EnergyReturns::shareThatStands(const ContactLcp& lcp, const std::vector<double>& given) const {
  double share = 1, stored = 0;
  for (int i = 0; i < static_cast<int>(e_.size()); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Work work = workOf(lcp, i);
    stored += std::max(0.0, stored_[k] + e_[k] * e_[k] * work.in - work.out);
    if (!(work.out > stored_[k] * (1 + kPassed) + rounding_)) continue;
    const double impulse = lcp.impulse()[i] - impulse_[k], v = speed_[k], pressed = impulse - given[k];
    if (pressed * v > rounding_) {
      // It separated, and others meet it again on the way: from there on it would work for nothing, which others store
      // and return.
      if (largest_ * largest_ * work.out > rounding_)
        share = std::min(share, v / (v - std::min(0.0, lcp.normalVelocity(i)) + inverse_mass_[k] * pressed));
    } else {
      const double slope = 0.5 * impulse * (lcp.normalVelocity(i) - v), at = impulse * v;
      share = std::min(share, 2 * stored_[k] / (at + std::sqrt(std::max(0.0, at * at + 4 * slope * stored_[k]))));
    }
  }
  if (share == 1 && !(lcp.energy() + stored <= lcp.energyBefore() * (1 + kImpactEnergyRounding))) return 0.5;
  return share;
}

bool EnergyReturns::shorten(const ContactLcp& lcp, std::vector<double>& limit, std::vector<double>& given) const {
  const double share = shareThatStands(lcp, given);
  if (share == 1) return false;
  for (int i = 0; i < static_cast<int>(e_.size()); ++i) {
    const auto k = static_cast<std::size_t>(i);
    // Of what contacts took, not of what they might have taken: so velocities scale too.
    const double taken = lcp.impulse()[i] - impulse_[k] - given[k];
    const bool approached = speed_[k] < -least_;
    limit[k] = share * (approached && taken > 0 ? std::min(limit[k], taken) : limit[k]);
    given[k] *= share;
  }
  return true;
}

void EnergyReturns::account(const ContactLcp& lcp) {
  double worked = 0;
  for (int i = 0; i < static_cast<int>(e_.size()); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Work work = workOf(lcp, i);
    compression_[k] += work.in;
    worked += work.in + work.out;
    stored_[k] = std::max(0.0, stored_[k] + e_[k] * e_[k] * work.in - work.out);
  }
  idle_steps_ = worked <= rounding_ ? idle_steps_ + 1 : 0;
}

double EnergyReturns::takeAll(const ContactLcp& lcp, std::vector<double>& weights) {
  double all = 0;
  weights.assign(e_.size(), 0.0);
  for (int i = 0; i < static_cast<int>(e_.size()); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Work work = workOf(lcp, i);
    const double pressed = lcp.impulse()[i] - impulse_[k];
    compression_[k] += work.in;
    stored_[k] += e_[k] * e_[k] * work.in;
    all -= work.out;
    // One that stood between others took no work, and passes theirs on.
    if (pressed > 0) weights[k] = e_[k] * pressed;
    if (!owes(i)) continue;
    all += stored_[k];
    if (!(pressed > 0)) weights[k] = wholeReturn(i);
  }
  forgive();
  return std::max(0.0, all);
}

void EnergyReturns::forgive() { std::fill(stored_.begin(), stored_.end(), 0.0); }

}  // namespace rigor::impact
