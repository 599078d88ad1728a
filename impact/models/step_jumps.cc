// SPDX-License-Identifier: MIT
#include "impact/models/step_jumps.h"

#include <algorithm>

namespace rigor::impact {
namespace {

// Relative to the largest contact speed before: contacts that separate slower may push, slips that are slower may turn.
constexpr double kJump = 1e-6, kJumpSlip = 1e-3;
// A step is cut to no less than this at a time, and to kCut where nothing says to how much; a part of kLong is no cut.
constexpr double kLeastCut = 0.02, kCut = 0.1, kHalf = 0.5, kLong = 0.9;
// Of the friction of a step, relative to its most: rounding.
constexpr double kFrictionRounding = 1e-9;
// Of all impulses of a step, or of the largest that it allows: those of contacts that wait, whose friction is rounding.
constexpr double kIdlePart = 1e-7;

}  // namespace

void StepJumps::begin(const ContactLcp& lcp, bool turns) {
  turns_ = turns;
  start_.noalias() = lcp.jacobian() * lcp.velocity();
  start_impulse_ = lcp.impulse();
}

void StepJumps::findSlips(const ContactLcp& lcp, double largest) {
  slips_.clear();
  double pushes = 0;
  for (int i = 0; i < lcp.numContacts(); ++i) pushes += pushed(lcp, i);
  // What one returns in the end may be as small as what those that wait take.
  idle_ = kIdlePart * std::max(pushes, largest);
  for (int i = 0; turns_ && i < lcp.numContacts(); ++i) {
    Slip slip{.contact = i, .most = lcp.friction(i) * pushed(lcp, i)};
    const int first = lcp.firstDirection(i), count = lcp.numDirections(i);
    if (count == 0 || !(slip.most > idle_)) continue;
    const auto start = start_.segment(first, count);
    slip.speed = start.maxCoeff(&slip.along);
    if (!(slip.speed > kJumpSlip * lcp.velocityScale())) continue;
    start.minCoeff(&slip.against);
    const auto friction = lcp.impulse().segment(first, count) - start_impulse_.segment(first, count);
    if (count == 2) {
      slip.opposed = -start.dot(friction) / slip.speed;
    } else {
      // At a border between the parts of the plane that two edges oppose best, either may act.
      const double border = start[slip.against] + kJumpSlip * lcp.velocityScale();
      for (int k = 0; k < count; ++k) slip.opposed += start[k] <= border ? friction[k] : 0;
    }
    if (slip.opposed <= (1 - kFrictionRounding) * slip.most) slips_.push_back(slip);
  }
}

// At most this part of the step may stand.
double StepJumps::partBeforeTurn(const ContactLcp& lcp, double largest, const std::vector<double>& given) {
  findSlips(lcp, largest);
  if (slips_.empty()) return 1;
  opposing_.setZero(start_.size());
  for (const Slip& slip : slips_) {
    const int first = lcp.firstDirection(slip.contact), count = lcp.numDirections(slip.contact);
    opposing_.segment(first, count) = start_impulse_.segment(first, count) - lcp.impulse().segment(first, count);
    opposing_[first + slip.against] += slip.most;
  }
  const double unit = lcp.velocityScale() / lcp.impulseScale();
  const auto change = [&](int row) {
    return lcp.jacobian().row(row).dot(lcp.velocity()) - start_[row] + unit * lcp.delassus().row(row).dot(opposing_);
  };
  double part = 1, first_stop = 1;
  for (const Slip& slip : slips_) {
    const int first = lcp.firstDirection(slip.contact), count = lcp.numDirections(slip.contact);
    if (count > 2) {
      double leaves = 1;  // Where another edge opposes the slip better.
      const double least = start_[first + slip.against], change_of_least = change(first + slip.against);
      for (int k = first; k < first + count; ++k) {
        const double ahead = start_[k] - least, lost = change_of_least - change(k);
        if (ahead > kJumpSlip * lcp.velocityScale() && lost > ahead) leaves = std::min(leaves, ahead / lost);
      }
      first_stop = std::min(first_stop, leaves);
      if (leaves < kLong || leaves == 1) part = std::min(part, leaves < 1 ? leaves : kHalf);
      continue;
    }
    const double slowing = -change(first + slip.along);
    if (slowing > slip.speed) {
      const double stop = slip.speed / slowing;
      first_stop = std::min(first_stop, stop);
      if (slip.opposed < (2 * stop - 1 - kFrictionRounding) * slip.most) part = std::min(part, stop);
    } else {
      part = std::min(part, kCut);
    }
  }
  const double still = kJump * lcp.velocityScale();
  for (int i = 0; first_stop < 1 && i < lcp.numContacts(); ++i) {
    if (given[i] == 0 && pushed(lcp, i) > idle_ && start_[i] + first_stop * change(i) > still)
      part = std::min(part, first_stop < kLong ? first_stop : kCut);
  }
  return part < 1 ? std::max(part, kLeastCut) : 1;
}

bool StepJumps::shorten(const ContactLcp& lcp, std::vector<double>& limit, std::vector<double>& given) {
  const double still = kJump * lcp.velocityScale();
  const int m = lcp.numContacts();
  bool waits = false;
  double part = 1;
  for (int i = 0; i < m; ++i) {
    if (!(start_[i] > still) || given[i] > 0) continue;
    const double end = lcp.normalVelocity(i);
    if (pushed(lcp, i) > 0) {
      waits = true;
      limit[i] = 0;
    } else if (end < -still) {
      part = std::min(part, std::max(start_[i] / (start_[i] - end), kLeastCut));
    }
  }
  if (waits) return true;
  part = std::min(part, partBeforeTurn(lcp, *std::max_element(limit.begin(), limit.end()), given));
  if (part == 1) return false;
  for (int i = 0; i < m; ++i) {
    const double taken = pushed(lcp, i) - given[i];
    limit[i] = part * (taken > 0 ? std::min(limit[i], taken) : limit[i]);
    given[i] *= part;
  }
  return true;
}

}  // namespace rigor::impact
