// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "advance/candidate_axes.h"
#include "sim/contact/contacts_of_pairs.h"
#include "sim/step/plane_cover.h"
#include "sim/step/step_context.h"

namespace rigor::sim {

enum class Certified {
  kProved,
  kUnproved,  ///< StepContext::reason says of what.
};

/// Proves that StepContext::pieces keep apart, and the joints inside their limits.
class Certifier {
 public:
  explicit Certifier(StepContext& context) : x_(context) { axes_.reserve(kAxesOfPair); }

  /// Witnesses of every pair whose boxes do not keep it more than `reach` [m] apart.
  [[nodiscard]] Certified certify(double reach, StepResult& result);
  /// Whose certificate failed the last time; -1: of none.
  int failedPair() const { return failed_pair_; }

 private:
  bool keepsLimits();
  bool certifyField(int body, int still, double margin, StepResult& result);
  bool certifyPair(NearPair& pair, StepResult& result);
  bool addFarFace(const NearPair& pair, double t);
  bool proves(NearPair& pair);
  void addCandidates(NearPair& pair, double t, advance::Which which = advance::Which::kAll);

  StepContext& x_;
  PlaneCover cover_{x_};
  ContactsOfPairs of_pair_;
  NearBodies near_;
  std::vector<BodyBox> boxes_;
  std::vector<int> found_;
  std::vector<advance::SeparatingAxis> axes_;
  std::vector<advance::Witness> witnesses_;
  int failed_pair_ = -1;
};

}  // namespace rigor::sim
