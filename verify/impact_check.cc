// SPDX-License-Identifier: MIT
#include "verify/impact_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "verify/vector_checks.h"

namespace rigor::verify {
namespace {

/// Impacts against the pieces they end, relative to the body's speed.
constexpr double kImpactTolerance = 1e-6;

bool agreeTwist(const double* a, const double* b) {
  return agree(a, b, kImpactTolerance, kImpactTolerance) && agree(a + 3, b + 3, kImpactTolerance, kImpactTolerance);
}

}  // namespace

void checkImpacts(CheckedRecord& record, const Branch& branch, const BranchMotion& motion,
                  const std::vector<Impact>& impacts, double horizon) {
  std::set<std::pair<std::int64_t, double>> seen;
  for (const Impact& impact : impacts) {
    if (impact.time > horizon) continue;
    for (std::size_t i = 0; i < impact.bodies.size(); ++i) {
      const std::int64_t b = impact.bodies[i];
      const auto bad = [&](std::int64_t piece, const std::string& reason) {
        record.fail({true,
                     branch.id,
                     piece,
                     {record.hasBody(b) ? record.bodies[b].name : "", ""},
                     impact.time,
                     fmt::format("impact {}: {}", impact.id, reason)});
      };
      if (!record.hasBody(b)) {
        bad(-1, "its body does not exist");
        continue;
      }
      if (!std::isfinite(impact.time) || !allFinite(&impact.before[6 * i], 6) || !allFinite(&impact.after[6 * i], 6)) {
        bad(-1, "a number is not finite");
        continue;
      }
      if (record.bodies[b].fixed) continue;
      const auto pieces = motion.of(b);
      const auto next = std::lower_bound(pieces.begin(), pieces.end(), impact.time,
                                         [](const Piece& m, double t) { return m.t0 < t; });
      const Piece* after = next != pieces.end() && next->t0 == impact.time ? &*next : nullptr;
      const Piece* before = next != pieces.begin() && std::prev(next)->t1 == impact.time ? &*std::prev(next) : nullptr;
      if (!before && !after) {
        bad(-1, "no piece of the body starts or ends there");
        continue;
      }
      // Later impacts at the same time start from velocities that no piece has.
      const bool first = seen.insert({b, impact.time}).second;
      if (first && before && !agreeTwist(before->velocity + 6, &impact.before[6 * i]))
        bad(before->id, "the velocity before it is not that of the motion");
    }
  }
}

}  // namespace rigor::verify
