// SPDX-License-Identifier: MIT
#pragma once
#include "impact/models/reflections.h"
#include "impact/problem/projection.h"
#include "impact/resolver.h"

namespace rigor::impact {

/// The most contacts whose elastic sequences are enumerated.
inline constexpr int kMaxPropagativeContacts = 6;

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
/// One restitution R for all contacts; 0 where every contact hits slower than `capture_speed`. Nothing happens where no
/// contact approaches. resolveAll() gives the outcomes of all minimal sequences, equal ones once. resolve() gives the
/// first of them: that of the minimal sequence that serves the fastest contact first, speeds taken in the kinetic
/// metric, and among equally fast ones that with the lexicographically largest unit normal. Neither depends on the
/// contacts' order. `lcps` counts the reflections of the sequence, each a problem of one contact.
///
/// kFailed: no sequence separates the contacts (jammed), or the search was given up (kUnfinished from resolveAll() if
/// some were found); `note` says which. Reads tolerance, capture_speed.
/// @throws std::invalid_argument for a malformed problem, different restitutions, or more than kMaxPropagativeContacts
///     contacts with R > 0.
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
  void prepare(const ImpactProblem& problem, const ImpactOptions& options);
  void publish(const ImpactProblem& problem, const ReflectionSequence* sequence, ImpactOutcome& outcome) const;

  Eigen::MatrixXd inverse_mass_, inverse_mass_Jt_, delassus_;
  Eigen::VectorXd approach_, plastic_velocity_, plastic_impulse_;
  std::vector<int> rank_;
  double restitution_ = 0;
  bool approaches_ = false, friction_ = false, pulls_ = false;
};

}  // namespace rigor::impact
