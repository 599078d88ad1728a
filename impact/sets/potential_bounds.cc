// SPDX-License-Identifier: MIT
#include "impact/sets/potential_bounds.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "impact/workers.h"

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
            std::int64_t work, int threads, const GoesOn& goes_on, std::vector<EnergyBound>& bounds)
      : problem_(problem), exact_(exact), quantities_(quantities), all_(work), work_(work), threads_(threads),
        asks_(goes_on), bounds_(bounds), proof_of_(2 * quantities.size()),
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
    const auto for_normals = static_cast<std::int64_t>(static_cast<double>(work_) * kForNormals);
    if (!narrowTogether(normals, for_normals, true)) return false;
    narrowTogether(others, work_, false);
    return true;
  }

  /// A side of a quantity, and the fan that is found for it.
  struct Search {
    std::optional<FanProof> proof;
    std::int64_t left = 0;
  };

  /// Each with the same share of the work, so that it is all the same which thread takes which.
  /// @param first_tells  whether there are fans: without a proof of the first the others end and count for nothing.
  /// @returns false if so.
  bool narrowTogether(const std::vector<std::pair<size_t, int>>& what, std::int64_t work, bool first_tells) {
    if (what.empty() || !goesOn()) return !what.empty();
    const std::int64_t share = work / static_cast<std::int64_t>(what.size());
    std::vector<Search> found(what.size());
    std::atomic<bool> none = false;
    Workers(threads_).run(static_cast<long>(what.size()), 1, [&](long begin, long end, int) {
      for (auto k = static_cast<size_t>(begin); k < static_cast<size_t>(end); ++k) {
        found[k] = search(what[k], share, none);
        if (k == 0 && first_tells && !found[k].proof) none = true;
      }
    });
    if (none) {
      work_ -= share - found[0].left;
      together_ = 0;
      return false;
    }
    for (size_t k = 0; k < what.size(); ++k) keep(what[k], share, std::move(found[k]));
    return true;
  }

  Search search(const std::pair<size_t, int>& what, std::int64_t share, const std::atomic<bool>& none) {
    Search out{{}, share};
    std::int64_t told = 0;
    out.proof = searchFan(problem_, exact_, quantities_[what.first], what.second, out.left, [&] {
      const std::lock_guard<std::mutex> lock(asking_);
      together_ += share - out.left - told;
      told = share - out.left;
      ended_ = ended_ || (asks_ && !asks_(all_ - work_ + together_, all_));
      return !ended_ && !none;
    });
    const std::lock_guard<std::mutex> lock(asking_);
    together_ += share - out.left - told;
    return out;
  }

  void keep(const std::pair<size_t, int>& what, std::int64_t share, Search found) {
    const auto& [q, side] = what;
    work_ -= share - found.left;
    together_ -= share - found.left;
    if (!found.proof || !narrows(*found.proof, q, side)) return;
    proof_of_[2 * q + (side > 0 ? 1 : 0)].reset();
    fan_of_[2 * q + (side > 0 ? 1 : 0)] = std::move(found.proof);
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
  int threads_;
  const GoesOn& asks_;
  std::mutex asking_;
  std::int64_t together_ = 0;                          // what searches that go on at once have taken
  std::vector<EnergyBound>& bounds_;
  std::vector<std::optional<PotentialProof>> proof_of_;  // below and above
  std::vector<std::optional<FanProof>> fan_of_;
  bool ended_ = false;
};

}  // namespace

PotentialProofs narrowByPotentials(const ImpactProblem& problem, const ExactProblem& exact,
                                   const std::vector<ExactQuantity>& quantities, std::int64_t work,
                                   int threads, const GoesOn& goes_on, std::vector<EnergyBound>& bounds) {
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
  PotentialProofs proofs = Narrowing(problem, exact, distinct, work, threads, goes_on, bounds_of).run();
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
