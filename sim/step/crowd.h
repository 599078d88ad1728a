// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "advance/manifold.h"
#include "sim/contact_sweeps.h"
#include "sim/step/proposal.h"

namespace rigor::sim {

/// Steps of many bodies in contact whose impacts follow each other faster than they could be told apart: a tick resolves all contacts
/// that touch or close within it at velocity level, together and plastic.
class Crowd {
 public:
  Crowd(StepContext& context, EndPlacement& ends, Proposal& proposal) : x_(context), placement_(ends), proposal_(proposal) {}

  /// Large groups in motion, unless something in them may rebound.
  bool isCrowd(const StepMemory& memory) const;
  /// One tick of the group, or its rest.
  [[nodiscard]] StepStatus step(StepMemory& memory, double reach, StepResult& result);

 private:
  struct LiftRow {
    double need;  // Raise of the inner control points that the contact asks for [m].
    Eigen::Vector3d normal;
    double multiplier;
  };
  bool isSlow() const;
  void findAhead(double h);
  double closingSpeed(const NearPair& pair) const;
  int addFeatures(int pair, double t, double reach);
  bool addEndFeatures(double h);
  bool crowdVelocities(double h);
  bool polishEnds(double h, bool lift);
  bool liftCrowd();
  bool crowdRests(double h);
  void finishCrowd(StepMemory& memory, StepResult& result);

  StepContext& x_;
  EndPlacement& placement_;
  Proposal& proposal_;
  advance::ManifoldFinder manifold_;
  std::vector<advance::ContactFeature> features_;
  std::vector<Contact> previous_;
  SystemState before_projection_;
  std::vector<geom::Pose> poses_;
  ContactSweeps sweeps_;
  std::vector<Vector6d> base_, u_, reference_;
  std::vector<Eigen::Vector3d> bump_;
  std::vector<LiftRow> lift_rows_;
  std::vector<int> touching_;
};

}  // namespace rigor::sim
