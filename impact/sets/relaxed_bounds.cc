// SPDX-License-Identifier: MIT
#include "impact/sets/relaxed_bounds.h"

#include <algorithm>
#include <bit>

#include "impact/sets/certify.h"
#include "impact/sets/check_certificate.h"

namespace rigor::impact {
namespace {

// Of the work that is left, what one relaxation may take.
constexpr std::int64_t kShareOfWork = 4;
constexpr std::int64_t kLeastWork = 100'000;
// Of all work, what relaxations may take; potentials have the rest.
constexpr std::int64_t kRelaxations = 4;
// Contacts with friction beyond which no slip is kept.
constexpr size_t kMostSlips = 12;
// Polytopes of one relaxation: proofs cost some 10 ms for each.
constexpr int kMostPieces = 150;

/// Sets of contacts whose friction keeps its direction: none, then each alone, then pairs, ... (never all).
std::vector<std::vector<bool>> relaxationsOf(const ExactProblem& exact) {
  std::vector<int> slipping;
  for (int i = 0; i < exact.numContacts(); ++i) {
    if (exact.tangentRow(i) >= 0) slipping.push_back(i);
  }
  std::vector<unsigned> masks{0};
  if (slipping.size() > kMostSlips) slipping.clear();  // All of them are relaxed, and no others tried.
  for (unsigned mask = 1; mask + 1 < 1u << slipping.size(); ++mask) masks.push_back(mask);
  std::stable_sort(masks.begin(), masks.end(),
                   [](unsigned a, unsigned b) { return std::popcount(a) < std::popcount(b); });
  std::vector<std::vector<bool>> out;
  for (const unsigned mask : masks) {
    std::vector<bool> any(static_cast<size_t>(exact.numContacts()), slipping.empty());
    for (size_t k = 0; k < slipping.size(); ++k) any[static_cast<size_t>(slipping[k])] = (mask >> k & 1u) == 0;
    out.push_back(std::move(any));
  }
  return out;
}

/// Narrows the bounds by what a certificate proves.
bool narrow(const SetCertificate& certificate, const std::vector<ExactQuantity>& quantities, OuterBounds& bounds) {
  bool better = false;
  for (const SetCertificate::Bound& bound : certificate.bounds) {
    for (size_t q = 0; q < quantities.size(); ++q) {
      if (quantities[q].name != bound.name) continue;
      EnergyBound& known = bounds.of[q];
      if (bound.outer_low > known.low) known.low = bound.outer_low, better = true;
      if (bound.outer_high < known.high) known.high = bound.outer_high, better = true;
    }
  }
  return better;
}

}  // namespace

OuterBounds boundOutside(const ImpactProblem& problem, const ExactProblem& exact,
                         const std::vector<ExactQuantity>& quantities, bool finite, std::int64_t work,
                         const GoesOn& goes_on, int threads) {
  OuterBounds bounds;
  for (const ExactQuantity& quantity : quantities) bounds.of.push_back(boundByEnergy(exact, quantity));
  if (!finite) return bounds;
  const std::int64_t all = work;
  std::int64_t kept = work - work / kRelaxations;
  work -= kept;
  bool ended = false;
  for (const std::vector<bool>& any : relaxationsOf(exact)) {
    ExactSetLimits limits;
    limits.work = work / kShareOfWork;
    limits.pieces = kMostPieces;
    if (limits.work < kLeastWork || ended) break;
    if (goes_on) {
      limits.goes_on = [&](std::int64_t done, std::int64_t) {
        ended = !goes_on(all - kept - work + done, all);
        return !ended;
      };
    }
    ++bounds.tried;
    const ExactSet set(problem, limits, {exact.toldApart().cone_edges, any});
    work -= set.work();
    if (!set.complete()) continue;
    SetCertificate certificate = certifyOutside(set, problem);
    if (!checkCertificate(certificate).outer) continue;
    ++bounds.closed;
    if (narrow(certificate, quantities, bounds)) bounds.certificates.push_back(std::move(certificate));
  }
  if (ended) return bounds;
  kept += work;
  const GoesOn after = [&](std::int64_t done, std::int64_t) { return !goes_on || goes_on(all - kept + done, all); };
  bounds.potentials = narrowByPotentials(problem, exact, quantities, kept, threads, after, bounds.of);
  return bounds;
}

}  // namespace rigor::impact
