// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "impact/models/restitution_layer.h"
#include "impact/resolver.h"

namespace rigor::impact {

/// The most contacts whose elastic sequences are enumerated.
inline constexpr int kMaxPropagativeContacts = 6;
/// The most outcomes that sequences of several layers are combined to.
inline constexpr std::size_t kMostCombinations = 10000;
/// The option that says what different restitutions mean.
inline constexpr std::string_view kDifferentRestitutions = "different_restitutions";

/// The propagative model of Seghete & Murphey: the impact travels from contact to contact. Frictionless.
///
/// Guarantee on kResolved: no contact approaches, the kinetic energy is (1 - R^2) E_plastic smaller, where E_plastic is
/// what a plastic impact loses, and M (v+ - v-) = J_n' p with the impulses p of the outcome, tangential ones zero.
///
///   elastic    p+ = p- Gamma(w_1) ... Gamma(w_n), a minimal sequence of reflections (Eq. (14), Definition 1)
///   plastic    the orthogonal projection of p- in the kinetic metric onto the null space of ALL contact normals
///              (Eq. (11)); an impulse is negative where that holds back a contact that would separate: see `note`
///   inelastic  R p_elastic + (1 - R) p_plastic (Eq. (17)). The paper prints the factor sqrt(1 - R^2), which
///              contradicts its own definition R = sqrt(1 - dE / E_p), Eq. (16): dE = (1 - a^2) E_p gives a = R,
///              and R = 1 must be elastic.
///
/// Different restitutions are refused, or with the option `different_restitutions: layers` taken in layers, which the
/// paper does not have (restitution_layer.h): p+ = sum over k = 0 ... K of (R_k - R_(k-1)) p_k, R_0 = 0 < R_1 < ... the
/// restitutions, where in p_k the contacts with at least R_k reflect and the others are held; 1 - R_K is the plastic
/// part's. With one restitution this is Eq. (17), and contacts that do not feel each other return R_i v_i each. The
/// energy does not rise.
///
/// 0 where every contact hits slower than `capture_speed`. Nothing happens where no contact approaches. resolveAll()
/// gives the outcomes of all minimal sequences, equal ones once (of layers: all combinations, up to kMostCombinations).
/// resolve() gives the first of them: that of the minimal sequence that serves the fastest contact first, speeds taken
/// in the kinetic metric, and among equally fast ones that with the lexicographically largest unit normal. Neither
/// depends on the contacts' order. `lcps` counts the reflections of the sequences, each a problem of one contact.
///
/// kFailed: no sequence separates the contacts (jammed), or the search was given up (kUnfinished from resolveAll() if
/// some were found); `note` says which. Reads tolerance, capture_speed, different_restitutions.
/// @throws std::invalid_argument for a malformed problem, different restitutions without the option, or more than
///     kMaxPropagativeContacts contacts with R > 0.
class Propagative final : public Resolver {
 public:
  [[nodiscard]] ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                     ImpactOutcome& outcome) override;
  [[nodiscard]] ImpactStatus resolveAll(const ImpactProblem& problem, const ImpactOptions& options,
                                        std::vector<ImpactOutcome>& outcomes) override;
  std::string_view assumption() const override {
    return "the impact travels from contact to contact, one at a time, without friction";
  }

 private:
  /// Lays out the layers: none where no contact approaches.
  void prepare(const ImpactProblem& problem, const ImpactOptions& options);
  void layOut(const ImpactProblem& problem, bool elastic);
  /// The outcome of one sequence a layer: number choice[k] of layer k.
  void publish(const ImpactProblem& problem, const std::vector<std::size_t>& choice, ImpactOutcome& outcome) const;

  NormalResponse response_;
  std::vector<RestitutionLayer> layers_;
  bool friction_ = false, pulls_ = false;
};

}  // namespace rigor::impact
