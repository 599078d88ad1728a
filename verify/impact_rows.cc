// SPDX-License-Identifier: MIT
#include "verify/impact_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace rigor::verify {
namespace {

using kernel::Finding;
using kernel::Impact;
using kernel::Piece;

/// Impacts against the pieces they end, relative to the body's speed, or in m/s.
constexpr double kImpactTolerance = 1e-6;

bool agree(const double* a, const double* b) {
  double size = 1;
  for (int k = 0; k < 3; ++k) size += std::abs(b[k]);
  for (int k = 0; k < 3; ++k)
    if (!(std::abs(a[k] - b[k]) <= kImpactTolerance * size)) return false;  // NaN disagrees.
  return true;
}

bool allFinite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

std::optional<Finding> checkImpact(const Impact& impact, const kernel::BranchProof& proof) {
  const auto bad = [&](int body, std::int64_t piece, const char* reason) {
    return Finding{true,        piece,
                   body,        -1,
                   impact.time, std::string("impact ").append(std::to_string(impact.id)).append(": ").append(reason)};
  };
  const std::vector<kernel::Body>& bodies = proof.run().model.bodies;
  const std::size_t size = 6 * impact.bodies.size();
  if (!std::isfinite(impact.time) || impact.before.size() != size || impact.after.size() != size ||
      !allFinite(impact.before) || !allFinite(impact.after))
    return bad(-1, -1, "a number is not finite");
  for (std::size_t i = 0; i < impact.bodies.size(); ++i) {
    if (impact.bodies[i] < 0 || impact.bodies[i] >= static_cast<std::int64_t>(bodies.size()))
      return bad(-1, -1, "its body does not exist");
    const int b = static_cast<int>(impact.bodies[i]);
    if (bodies[b].fixed) continue;
    const auto pieces = proof.piecesOf(b);
    const auto next = std::lower_bound(pieces.begin(), pieces.end(), impact.time,
                                       [](const Piece& piece, double t) { return piece.t0 < t; });
    const Piece* before = next != pieces.begin() && next[-1].t1 == impact.time ? &next[-1] : nullptr;
    if (!before && (next == pieces.end() || next->t0 != impact.time))
      return bad(b, -1, "no piece of the body starts or ends there");
    // Later impacts at the same time start from velocities that no piece has.
    if (before && proof.firstImpact(b, impact.time) == &impact &&
        !(agree(before->velocity + 6, &impact.before[6 * i]) && agree(before->velocity + 9, &impact.before[6 * i + 3])))
      return bad(b, before->id, "the velocity before it is not that of the motion");
  }
  return {};
}

}  // namespace

std::vector<Finding> checkImpacts(const kernel::BranchProof& proof) {
  std::vector<Finding> open;
  if (proof.instant() || !proof.sound()) return open;
  for (const Impact& impact : proof.rows().impacts)
    if (!(impact.time > proof.horizon()))
      if (std::optional<Finding> finding = checkImpact(impact, proof)) open.push_back(*std::move(finding));
  return open;
}

}  // namespace rigor::verify
