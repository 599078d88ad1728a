// SPDX-License-Identifier: MIT
#include "impact/sets/potential_bounds.h"

#include <algorithm>

namespace rigor::impact {
namespace {

using Rationals = std::vector<mpq_class>;

// Features beyond which parts become too many.
constexpr size_t kMostFeatures = 5;
// Largest rank at which fans are tried: each division of one of a larger rank divides very many cones.
constexpr int kMostFanRank = 8;
// Contacts beyond which planes have so many parts, one for all signs, that fans come first.
constexpr int kMostPlaneContacts = 8;
// Of the work left, the share of fans for the normal velocities.
constexpr double kForNormals = 2.0 / 3;

bool isNormal(const ExactQuantity& quantity) { return quantity.name.rfind("vn", 0) == 0; }

bool isSame(const ExactQuantity& a, const ExactQuantity& b) {
  return isNormal(a) == isNormal(b) && a.offset == b.offset && a.of == b.of;
}

/// Proofs of one quantity are those of another that is equal, too.
template <typename Proof>
void sayOf(const std::string& one, const std::string& other, std::vector<Proof>& proofs) {
  for (size_t k = 0, count = proofs.size(); k < count; ++k) {
    if (proofs[k].quantity != one) continue;
    Proof again = proofs[k];
    again.quantity = other;
    proofs.push_back(std::move(again));
  }
}

class Narrowing {
 public:
  Narrowing(const ImpactProblem& problem, const ExactProblem& exact, const std::vector<ExactQuantity>& quantities,
            std::int64_t work, const GoesOn& goes_on, std::vector<EnergyBound>& bounds)
      : problem_(problem), exact_(exact), quantities_(quantities), all_(work), work_(work), asks_(goes_on),
        bounds_(bounds), proof_of_(2 * quantities.size()),
        fan_of_(2 * quantities.size()) {}

  PotentialProofs run() {
    if (exact_.numContacts() <= kMostPlaneContacts || exact_.rank() > kMostFanRank) narrowAll({}, false);
    if (exact_.rank() > kMostFanRank || !narrowByFans()) narrowByFeatures();
    PotentialProofs proofs;
    for (std::optional<PotentialProof>& proof : proof_of_) {
      if (proof) proofs.planes.push_back(std::move(*proof));
    }
    for (std::optional<FanProof>& proof : fan_of_) {
      if (proof) proofs.fans.push_back(std::move(*proof));
    }
    return proofs;
  }

 private:
  void narrowByFeatures() {
    std::vector<Rationals> features, candidates;
    for (const Rationals& row : exact_.velocityMap()) {
      if (std::any_of(row.begin(), row.end(), [](const mpq_class& entry) { return sgn(entry) != 0; }))
        candidates.push_back(row);
    }
    while (features.size() < kMostFeatures && !candidates.empty() && goesOn()) {
      const size_t best = bestOf(candidates, features);
      if (best == candidates.size()) break;
      features.push_back(candidates[best]);
      candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(best));
      narrowAll(features, true);
    }
    if (!features.empty()) narrowAll(features, false);
  }

  /// @returns false where no fan gave a bound of a normal velocity.
  bool narrowByFans() {
    std::vector<std::pair<size_t, int>> normals, others;
    for (size_t q = 0; q < quantities_.size(); ++q) {
      if (isNormal(quantities_[q])) {
        normals.emplace_back(q, 1);
      } else {
        others.emplace_back(q, 1);
        others.emplace_back(q, -1);
      }
    }
    const auto left = static_cast<double>(work_);
    bool any = false;
    for (size_t k = 0; k < normals.size() && goesOn(); ++k) {
      const double share = (left * kForNormals - (left - static_cast<double>(work_))) /
                           static_cast<double>(normals.size() - k);
      any = narrowByFan(normals[k], static_cast<std::int64_t>(share)) || any;
      if (!any) return false;
    }
    for (size_t k = 0; k < others.size() && goesOn(); ++k)
      narrowByFan(others[k], work_ / static_cast<std::int64_t>(others.size() - k));
    return true;
  }

  /// @returns whether there is a proof, be its bound smaller or not.
  bool narrowByFan(const std::pair<size_t, int>& what, std::int64_t share) {
    const auto& [q, side] = what;
    std::int64_t left = share;
    std::optional<FanProof> proof = searchFan(problem_, exact_, quantities_[q], side, left, [&] {
      ended_ = ended_ || (asks_ && !asks_(all_ - work_ + share - left, all_));
      return !ended_;
    });
    work_ -= share - left;
    if (!proof) return false;
    if (narrows(*proof, q, side)) {
      proof_of_[2 * q + (side > 0 ? 1 : 0)].reset();
      fan_of_[2 * q + (side > 0 ? 1 : 0)] = std::move(proof);
    }
    return true;
  }

  bool goesOn() {
    ended_ = ended_ || work_ <= 0 || (asks_ && !asks_(all_ - work_, all_));
    return !ended_;
  }

  bool narrows(const BoundProof& proof, size_t q, int side) {
    mpq_class& known = side > 0 ? bounds_[q].high : bounds_[q].low;
    if (side > 0 ? proof.bound >= known : proof.bound <= known) return false;
    known = proof.bound;
    return true;
  }

  /// Tries one side of a quantity. @returns whether that narrowed it.
  bool narrow(size_t q, int side, const std::vector<Rationals>& features) {
    if (!goesOn() || (side < 0 && isNormal(quantities_[q]))) return false;  // Normal velocities end at 0 or more.
    std::optional<PotentialProof> proof =
        searchPotential(problem_, exact_, quantities_[q], side, features, work_, [this] { return goesOn(); });
    if (!proof) return false;
    if (!narrows(*proof, q, side)) return false;
    proof_of_[2 * q + (side > 0 ? 1 : 0)] = std::move(proof);
    return true;
  }

  void narrowAll(const std::vector<Rationals>& features, bool normals) {
    for (size_t q = 0; q < quantities_.size(); ++q) {
      if (isNormal(quantities_[q]) != normals && (normals || !features.empty())) continue;
      for (const int side : {1, -1}) narrow(q, side, features);
    }
  }

  /// The candidate with which the first normal velocity's bound is the smallest.
  size_t bestOf(const std::vector<Rationals>& candidates, const std::vector<Rationals>& features) {
    size_t best = candidates.size();
    for (size_t k = 0; k < candidates.size() && goesOn(); ++k) {
      std::vector<Rationals> more = features;
      more.push_back(candidates[k]);
      if (narrow(0, 1, more)) best = k;
    }
    return best;
  }

  const ImpactProblem& problem_;
  const ExactProblem& exact_;
  const std::vector<ExactQuantity>& quantities_;
  std::int64_t all_, work_;
  const GoesOn& asks_;
  std::vector<EnergyBound>& bounds_;
  std::vector<std::optional<PotentialProof>> proof_of_;  // below and above
  std::vector<std::optional<FanProof>> fan_of_;
  bool ended_ = false;
};

}  // namespace

PotentialProofs narrowByPotentials(const ImpactProblem& problem, const ExactProblem& exact,
                                   const std::vector<ExactQuantity>& quantities, std::int64_t work,
                                   const GoesOn& goes_on, std::vector<EnergyBound>& bounds) {
  if (quantities.empty()) return {};
  // Equal ones, such as those of contacts that are listed again, and slips of points at one height, once.
  std::vector<ExactQuantity> distinct;
  std::vector<EnergyBound> bounds_of;
  std::vector<size_t> number(quantities.size());
  for (size_t q = 0; q < quantities.size(); ++q) {
    size_t& k = number[q];
    for (k = 0; k < distinct.size() && !isSame(distinct[k], quantities[q]);) ++k;
    if (k < distinct.size()) continue;
    distinct.push_back(quantities[q]);
    bounds_of.push_back(bounds[q]);
  }
  PotentialProofs proofs = Narrowing(problem, exact, distinct, work, goes_on, bounds_of).run();
  for (size_t q = 0; q < quantities.size(); ++q) {
    const EnergyBound& of = bounds_of[number[q]];
    bounds[q] = {std::max(bounds[q].low, of.low), std::min(bounds[q].high, of.high)};
    const std::string& first = distinct[number[q]].name;
    if (quantities[q].name == first) continue;
    sayOf(first, quantities[q].name, proofs.planes);
    sayOf(first, quantities[q].name, proofs.fans);
  }
  return proofs;
}

}  // namespace rigor::impact
