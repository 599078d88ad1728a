// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

#include "impact/lcp/contact_lcp.h"
#include "impact/models/energy_returns.h"
#include "impact/models/smooth_step.h"
#include "impact/models/step_jumps.h"
#include "impact/models/step_modes.h"
#include "impact/models/step_path.h"
#include "impact/random_stream.h"
#include "impact/resolver.h"

namespace rigor::impact {

/// How the rates of the contacts of one sample are drawn; see Routh.
enum class RouthLaw { kIndependent, kPersistent, kCorners, kSequential };

/// One random sample of Halm and Posa's set-valued extension of Routh's impact model (their Eq. 72-75, Algorithms 1,
/// 2), with restitution.
///
/// Guarantee on kResolved: no contact approaches faster than `tolerance` times the largest contact speed before, the
/// kinetic energy did not grow by more than rounding, and every step solves its LCP up to `residual`. The same
/// (problem, options, key) gives the same bits. kUnfinished: `outcome` holds the last velocity, which still approaches.
///
/// Steps with random limits h p_i of the normal impulse, p uniform in (0, 1], are taken until no contact approaches.
/// After mixRates(), and with restitution, unless the step is an impulse (then they are Halm and Posa's, to the
/// letter), a sample has one of four laws (RouthLaw): rates drawn anew in every step (Halm and Posa's), drawn once and
/// kept, at the corners 0 and 1 and redrawn now and then, or 1 for one contact at a time until it no longer acts.
/// After mixRates() steps that jump over what moves on the way are taken again, shorter (step_jumps.h). Independent
/// rates average out: they miss what lasting ones reach. Contacts with equal rows and coefficients are one contact;
/// the first of them gets the impulse. Where a step has several solutions, one of the distinct v' is chosen, all
/// equally likely (in samples of the last three laws by the same number throughout, so that choices last), if the
/// contact modes are at most `max_modes` (step_modes.h); else among all that two to four whole paths from random
/// directions meet (step_path.h), which is 0.02 to 0.07 (total variation) from an even choice; so in steps that
/// return impulses. Lemke's method is left for answers that fail the LCP's check. All are free of the contacts'
/// order, of the sign of the tangents and of units, in distribution.
///
/// With smooth_cone spatial contacts have Coulomb's round cone in every step (smooth_step.h), and `residual` is that of
/// its natural map; planar contacts have no other cone than their two edges, so that problems without spatial ones
/// ignore it. A sample in which a step with round cones is not solved is drawn again with the polygon; its `note` is
/// kPolygonInstead. Where kPolygonOption is false it has failed.
///
/// After max_steps a sample that nearly separates (all normal velocities above -kAlmostSeparating times the largest
/// contact speed before) takes one more step with a small impulse (their Lemma 9), so that it is not thrown away; where
/// a relative h has grown a millionfold contacts are nearly wedged (mass ratios of 1e8), and what is left is stopped by
/// another step without a limit. Its `note` is kSmallLastStep.
///
/// Restitution: contact i stores e_i^2 of the work it takes while it is compressed, and returns that, all of it, as
/// soon as it does not approach, at rates of the sample's law, while others may still be compressed (Stronge;
/// energy_returns.h). Steps end where a contact has returned what it owes, or is met again. After max_steps
/// contacts without friction are stopped all at once and return together what they owe, until none approaches, from
/// there or, if that does not end, from the start (kReturnedTogether; kRestitutionCut: what was left is lost, as
/// between opposite walls). So without friction e = 1 conserves the kinetic energy; e -> 0 is e = 0. Contacts whose
/// compression was that of a hit slower than capture_speed owe nothing, and none does where nothing approaches
/// faster than that. With `restitution_law` poisson what contact i received, P_i, it owes e_i times, but a contact
/// with friction returns no more work than e_i^2 of what went into it, and no step that returns lifts the kinetic
/// energy above that before the impact; a part of the samples (kSequentialShare) lets one contact act at a time and
/// finish. With all e_i = 0 the steps, to the bit, are those of the inelastic model.
///
/// Length of a step: h = step [N s] where step_is_impulse, else h = step * 4 max_i(-v_n,i / A_ii) over the approaching
/// contacts, 4 times the largest impulse that stops a contact alone: the same number of steps in all units. A relative
/// h doubles every 20 steps, in the second half of max_steps every 4, so that wedged contacts (impulses far above that)
/// and mass ratios of 1e8 end too.
/// Reads step, step_is_impulse, cone_edges, smooth_cone, max_modes, max_steps, tolerance, capture_speed,
/// own (restitution_law, kPolygonOption).
/// Cost: rocking block 2.4 steps of 0.5 us; a first use of a problem of up to max_modes modes some 100 us more. No
/// allocation in repeated samples of a problem.
class Routh final : public Resolver {
 public:
  [[nodiscard]] ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                     ImpactOutcome& outcome) override;
  bool isRandom() const override { return true; }
  std::string_view assumption() const override { return "contacts act at once, at any relative rates"; }
  /// Of inelastic problems, where the step is relative. Those with restitution do.
  void mixRates(bool mixed) override { mixed_ = mixed; }
  /// From now on every step of a sample is appended to `steps`: the velocity after it, and what the contacts have
  /// received up to there. Changes no outcome. Null: no longer.
  void traceTo(std::vector<ImpactOutcome>* steps) { trace_ = steps; }

 private:
  [[nodiscard]] ImpactStatus resolveDistinct(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                             ImpactOutcome& outcome);
  bool mergeDuplicates(const ImpactProblem& problem);
  void spreadImpulses(const ImpactProblem& problem, ImpactOutcome& outcome) const;
  void startLaw(bool mixed, RandomStream& random);
  void drawLimits(RandomStream& random, double h);
  void drawLiftedLimits(double h);
  void noteStart();
  LcpStatus takeStepWithoutJump(RandomStream& random);
  /// Again where the problem, the cones or the limit of modes are others than last time.
  void prepareSteps(const ImpactProblem& problem, const ImpactOptions& options, bool round);
  [[nodiscard]] ImpactStatus drawSample(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                        bool round, ImpactOutcome& outcome);
  void startRestitution(const ImpactProblem& problem, const ImpactOptions& options, RandomStream& random);
  void drawSequentialStep(RandomStream& random);
  void drawReturns(RandomStream& random, double h);
  void startStep() { directions_drawn_ = 0, taken_.clear(); }
  [[nodiscard]] LcpStatus takeStep(RandomStream& random, bool returns);
  [[nodiscard]] LcpStatus takeSmoothStep(RandomStream& random);
  [[nodiscard]] LcpStatus takeLoneStep(RandomStream& random);
  template <typename Solutions>
  bool takeOneOf(Solutions& solutions, int count, double unit, const double* given, RandomStream& random,
                 std::size_t first = 0);
  [[nodiscard]] bool takeLastStep(RandomStream& random, bool unlimited, double energy);
  [[nodiscard]] LcpStatus takeReturningStep(RandomStream& random);
  [[nodiscard]] LcpStatus takeEnergyStep(RandomStream& random);
  bool closeAccounts(bool last, ImpactOutcome& outcome);
  bool returnTogether();
  bool startTogether();
  bool cutReturns();
  void account();
  void drawCovering(RandomStream& random);
  const double* direction(int path, RandomStream& random);
  void prepareReturns(const ImpactProblem& problem, const ImpactOptions& options);
  double scaleStep(const ContactRows& rows);

  ContactLcp lcp_;
  LemkeSolver lemke_;
  StepModes modes_, returning_modes_;
  std::vector<StepModes> lone_modes_;  // Of each contact by itself, ...
  std::vector<bool> lone_enumerates_;  // ... where its step may have several solutions.
  StepPath path_;
  SmoothStep smooth_step_;
  bool enumerates_ = false, returning_enumerates_ = false, returns_prepared_ = false, smooth_ = false;
  int max_modes_ = -1;
  std::vector<ImpactOutcome>* trace_ = nullptr;
  std::size_t traced_ = 0;  // Before this sample.
  std::unique_ptr<Routh> polygon_;  // Draws where the round cone is not solved: both keep what they have prepared.
  double least_ = 0;  // Normal velocity that does not approach [m/s].
  std::vector<double> limit_, covering_, directions_, scaled_, impulse_;
  int directions_drawn_ = 0;    // Of this step: attempts with smaller returns take the same paths, ...
  std::vector<double> taken_;   // ... and of several solutions the nearest to the one before: its contact velocities.

  bool mixed_ = false;
  StepJumps jumps_;
  RouthLaw law_ = RouthLaw::kIndependent;
  double choice_ = 0;              // Of this sample: which of several solutions, in (0, 1]; 0: drawn anew in each step.
  std::vector<double> rate_;       // Of this sample, where rates last; 0: not drawn yet.
  int alone_ = -1;                 // kSequential: the contact whose turn it is.
  ImpactProblem distinct_;         // The problem with duplicates merged, ...
  std::vector<int> first_of_;      // ... and of each contact the number there; -1 for a duplicate.

  // Restitution by energy.
  EnergyReturns returns_;
  bool by_energy_ = false, frictionless_ = false;
  bool stuck_ = false;  // No part of a step was short enough for what contacts return in it.

  // Restitution by impulses, per contact: e, impulse received in compression and returned, their work, what is owed; of
  // the present step: impulse given back, and normal velocities and impulses before it.
  bool restitution_ = false, sequential_ = false, careful_ = false;
  int chosen_ = -1;  // The contact that acts alone in this step.
  double capture_ = 0;
  std::vector<double> e_, received_, returned_, work_in_, work_out_, owed_, given_, speed_, total_;
};

/// Share of the samples with restitution in which one contact acts at a time.
inline constexpr double kSequentialShare = 0.25;
/// See Routh: relative to the largest contact speed before.
inline constexpr double kAlmostSeparating = 0.1;
inline constexpr std::string_view kSmallLastStep = "ended by a small last step";
inline constexpr std::string_view kPolygonOption = "polygon_instead";
inline constexpr std::string_view kPolygonInstead = "drawn with a polygonal cone: the round one was not solved";
inline constexpr std::string_view kRestitutionHeld = "friction holds energy of restitution: nothing moves";
inline constexpr std::string_view kRestitutionCut = "restitution ended early: too many rebounds";
inline constexpr std::string_view kReturnedTogether = "many rebounds: the last ones all at once";

}  // namespace rigor::impact
