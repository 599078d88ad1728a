// SPDX-License-Identifier: MIT
#include <algorithm>

#include "impact/sets/certificate_model.h"
#include "impact/sets/check_certificate.h"
#include "impact/sets/outer_proofs.h"

namespace rigor::impact {
namespace proof {
namespace {

class OuterCheck {
 public:
  explicit OuterCheck(const SetCertificate& certificate)
      : c_(certificate), model_(certificate.problem, certificate.coordinates) {
    require(!model_.relaxed, "outer bounds of a problem whose friction is relaxed");
    std::vector<std::string> names;
    const std::vector<Row> quantities = model_.quantities(names);
    require(c_.bounds.size() == names.size(), "bounds of other quantities");
    Matrix start;
    for (const Q& entry : model_.start) start.push_back({entry});
    const Matrix solved = quotient(model_.delassus, start, true, "a Delassus matrix that is not definite");
    for (size_t i = 0; i < model_.rank; ++i) energy_ += model_.start[i] * solved[i][0];
    low_.resize(names.size(), false);
    high_.resize(names.size(), false);
    for (size_t q = 0; q < names.size(); ++q) {
      require(c_.bounds[q].name == names[q], "bounds of other quantities");
      byEnergy(q, quantities[q]);
    }
  }

  void add(const SetCertificate& relaxed) {
    requireProblem(relaxed.problem, true);
    const CertificateVerdict verdict = checkCertificate(relaxed);
    if (!verdict.outer) throw Refuted("of a relaxed problem: " + verdict.failure);
    for (const SetCertificate::Bound& bound : relaxed.bounds) {
      say(bound.name, -1, bound.outer_low);
      say(bound.name, 1, bound.outer_high);
    }
  }
  template <typename Proof>
  void add(const Proof& proof, bool (*check)(const Proof&, std::string&)) {
    requireProblem(proof.problem, false);
    std::string failure;
    if (!check(proof, failure)) throw Refuted("of a potential: " + failure);
    say(proof.quantity, proof.side, proof.bound);
  }

  void requireAll() const {
    for (size_t q = 0; q < low_.size(); ++q) require(low_[q] && high_[q], "an outer bound without a proof");
  }

 private:
  /// The part of v that contacts can change has the energy c'W^-1 c / 2, and (a.c)^2 <= (a'W a)(c'W^-1 c). Normal
  /// velocities end >= 0.
  void byEnergy(size_t q, const Row& quantity) {
    const Row of(quantity.begin() + 1, quantity.end());
    Q most = 0;
    for (size_t i = 0; i < model_.rank; ++i) most += of[i] * product(model_.delassus[i], of);
    most *= energy_;
    const SetCertificate::Bound& bound = c_.bounds[q];
    const Q below = quantity[0] - bound.outer_low, above = bound.outer_high - quantity[0];
    low_[q] = (below >= 0 && below * below >= most) ||
              (bound.name.rfind("vn", 0) == 0 && bound.outer_low <= 0);
    high_[q] = above >= 0 && above * above >= most;
  }

  void requireProblem(const SetCertificate::Problem& problem, bool relaxed) const {
    const SetCertificate::Problem& own = c_.problem;
    require(problem.mass_matrix == own.mass_matrix && problem.normal == own.normal && problem.tangent == own.tangent &&
                problem.friction == own.friction && problem.velocity == own.velocity &&
                problem.polygon == own.polygon && (relaxed || problem.any_direction == own.any_direction),
            "a proof about another problem");
  }

  void say(const std::string& name, int side, const Q& value) {
    for (size_t q = 0; q < low_.size(); ++q) {
      if (c_.bounds[q].name != name) continue;
      if (side < 0) low_[q] = low_[q] || c_.bounds[q].outer_low <= value;
      if (side > 0) high_[q] = high_[q] || c_.bounds[q].outer_high >= value;
    }
  }

  const SetCertificate& c_;
  Model model_;
  Q energy_ = 0;                  // c'W^-1 c before the impact
  std::vector<bool> low_, high_;  // of each quantity: is its bound proved
};

}  // namespace
}  // namespace proof

bool checkOuterProofs(const SetCertificate& certificate, const OuterProofs& proofs, std::string& failure) {
  failure = proof::refutation([&] {
    proof::OuterCheck check(certificate);
    for (const SetCertificate& relaxed : proofs.certificates) check.add(relaxed);
    for (const PotentialProof& potential : proofs.potentials.planes) check.add(potential, checkPotential);
    for (const FanProof& fan : proofs.potentials.fans) check.add(fan, checkFan);
    check.requireAll();
  });
  return failure.empty();
}

}  // namespace rigor::impact
