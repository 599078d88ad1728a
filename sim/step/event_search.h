// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "advance/gap_polynomial.h"
#include "advance/manifold.h"
#include "sim/step/levels.h"
#include "sim/step/plane_cover.h"
#include "sim/step/step_context.h"

namespace rigor::sim {

/// Something that comes into contact, or reaches its end, within the published motion.
struct Event {
  double u = 1;                     ///< Share of the step; 1: none.
  int pair = -1;                    ///< -1: no new contact of two parts,
  int robot = -1, limit = -1;       ///< -1: nor a limit that is reached.
  advance::ContactFeature feature;  ///< What comes into contact.
};

/// Finds the first event on StepContext::pieces: the first root of gap - level.
class EventSearch {
 public:
  explicit EventSearch(StepContext& context) : x_(context) { axes_.reserve(kAxesOfPair); }

  /// `lenient`: of a motion that was ended at an event already; one level for all that is far enough below delta.
  [[nodiscard]] Event first(bool lenient);
  /// Level of a point whose gap is `gap` at the start: Levels.
  double level(double gap, bool lenient) const;

 private:
  void find(int index, bool lenient, Event& event);
  bool firstUntil(double until, bool fields, bool lenient, Event& event);
  bool lookAtTouched(bool lenient, Event& event);
  bool cutMotion(double u);
  void lookOverFields(bool lenient);
  bool isOfField(const NearPair& pair) const;
  void findOnPlane(NearPair& pair, int index, bool lenient, Event& event);
  bool staysOnContact(NearPair& pair, int index, bool lenient) const;
  bool staysClear(NearPair& pair, int index, bool lenient) const;
  void findBetween(NearPair& pair, int index, bool lenient, Event& event);
  void findLimits(bool lenient, Event& event) const;
  bool findFeature(NearPair& pair, int index, double u, Event& event, geom::SeparationCache& cache);
  const advance::SeparatingAxis* farthestAxis(const NearPair& pair, int index, double from, bool lenient, double& best);
  double clearUntil(const NearPair& pair, int index, const advance::SeparatingAxis& axis, double from,
                    bool lenient) const;
  double edgesClearUntil(const NearPair& pair, int index, const advance::SeparatingAxis& axis, double from,
                         bool lenient) const;
  bool isHeld(int pair, const advance::ContactFeature& feature) const;
  bool standsOn(int pair) const;
  bool isHeldBall(const NearPair& pair, int index) const;
  double edgesRoot(const advance::EdgeGap& gap, double lowest, double from) const;
  double cylinderRoot(const advance::FaceGap& gap, int vertex, double lowest) const;
  bool isStill(const NearPair& pair) const;
  bool isHeldLimit(int robot, int limit) const;

  StepContext& x_;
  PlaneCover cover_{x_};
  advance::ManifoldFinder manifold_;
  std::vector<advance::ContactFeature> features_;
  std::vector<advance::SeparatingAxis> axes_;
  std::vector<advance::MotionPiece> whole_;  // Of the step, while its motion is cut.
  std::vector<advance::PiecePolynomials> whole_motion_;
  geom::Pose pose_a_, pose_b_;  // Of the pair, at the share of the step that the search has come to.
};

}  // namespace rigor::sim
