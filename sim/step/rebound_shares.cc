// SPDX-License-Identifier: MIT
#include "sim/step/rebound_shares.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace rigor::sim {

namespace {

constexpr int kNone = static_cast<int>(std::size(kReboundShares)) - 1;

}  // namespace

void ReboundShares::begin(std::span<const double> rebounds) {
  rebounds_.assign(rebounds.size(), 0);
  for (size_t c = 0; c < rebounds.size(); ++c) rebounds_[c] = rebounds[c] > 0;
  level_.assign(rebounds.size(), 0);
  tries_ = 0;
}

bool ReboundShares::any() const {
  for (size_t c = 0; c < level_.size(); ++c)
    if (rebounds_[c] && level_[c] < kNone) return true;
  return false;
}

bool ReboundShares::lower(size_t c) {
  if (!rebounds_[c] || level_[c] == kNone) return false;
  level_[c] = tries_ > kMostTries ? kNone : level_[c] + 1;
  return true;
}

bool ReboundShares::lessen(std::span<const Pushed> contacts, std::span<const double> before,
                           std::span<const double> after) {
  groups_.reset(before.size());
  for (const Pushed& c : contacts)
    if (c.pushed && c.a >= 0 && c.b >= 0) groups_.unite(c.a, c.b);
  gain_.assign(before.size(), 0);
  for (size_t i = 0; i < before.size(); ++i) gain_[groups_.root(static_cast<int>(i))] += after[i] - before[i];
  const double rounding = kJointEnergyRounding * std::reduce(before.begin(), before.end());
  ++tries_;
  bool any = false;
  for (size_t c = 0; c < contacts.size(); ++c) {
    const auto gains = [&](int body) { return body >= 0 && !(gain_[groups_.root(body)] <= rounding); };  // NaN gains.
    if ((gains(contacts[c].a) || gains(contacts[c].b)) && lower(c)) any = true;
  }
  return any;
}

bool ReboundShares::lessenAll() {
  ++tries_;
  bool any = false;
  for (size_t c = 0; c < level_.size(); ++c) any = lower(c) || any;
  return any;
}

}  // namespace rigor::sim
