// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "advance/certificate.h"
#include "advance/manifold.h"
#include "impact/resolver.h"
#include "sim/contact_sweeps.h"
#include "sim/contact_system.h"
#include "sim/fork.h"
#include "sim/runtime.h"
#include "sim/scales.h"
#include "sim/step.h"
#include "sim/trial.h"

namespace rigor::sim {

/// Makes one proved step of a group of bodies. Owns all buffers of the loop.
class Stepper {
 public:
  Stepper(const Scene& scene, const Scales& scales, std::uint64_t seed);

  struct Stats {
    long tries = 0, certificates = 0, velocity_steps = 0, events = 0, impacts = 0, approximate_impacts = 0;
  };

  /// Advances the bodies `island` from their common clock to at most `t_end`, against all others. Pairs whose boxes stay `reach` [m] apart get no witness. The bodies' states are not
  /// changed; the caller publishes the result. `impact_path` keys the random stream of an impact in this step.
  void step(const RunState& run, std::span<const int> island, StepMemory& memory, double t_end, double reach, std::uint64_t impact_path, StepResult& result);

  const Stats& stats() const { return stats_; }

  /// Impacts that `forks` finds ambiguous end a step with kFork; null: one outcome is drawn. Must outlive this.
  void setForks(ForkFinder* forks) { forks_ = forks; }

 private:
  // stepper.cc: the loop.
  void collectPairs(double horizon);
  void findContacts();
  void findLimits();
  bool decide(StepMemory& memory, StepResult& result, std::uint64_t impact_path);
  void guessModes(double window);
  bool stopsWithin(double window);
  bool impact(StepResult& result, std::uint64_t path);
  ImpactRecord newImpact(std::string_view model);
  void reuse(std::vector<ImpactRecord>& impacts);
  void recordImpulse(int contact, const Eigen::Vector3d& impulse, ImpactRecord& record, std::vector<char>& changed);
  void closeImpacts(StepResult& result);
  void recordStart(StepResult& result);
  bool touchesOthers(StepResult& result) const;
  bool atRest();
  void stayUntil(double t1);
  // integration.cc
  void reducePatches();
  Contact makeContact(int pair, const advance::ContactFeature& feature) const;
  Contact makeLimit(int robot, int limit) const;
  bool integrate(double h, Trial& trial);
  void saveModes();
  void restoreModes();
  bool integrateFree(double h, Trial& trial);
  bool integrateRungeKutta(double h, Trial& trial, bool settles);
  bool integrateVelocityLevel(double h, Trial& trial);
  template <typename Guess>
  bool velocityLevelStep(const SystemState& start, double h, const Guess& guess, SystemState& end);
  bool startRates();
  void noteRate(size_t body, int stage);
  void noteRobotRate(size_t robot, int stage);
  bool evaluate(SystemState& state, bool placed = false);
  bool settle(Trial& trial, bool placed);
  bool settleEnd(Trial& trial);
  /// Whether events can be looked for on a trial whose end is not on its constraints yet.
  bool mayWait() const { return only_planes_ && start_.robots.empty(); }
  bool placeEnds(Trial& trial, double back, bool placed);
  bool limitEnergy(Trial& trial);
  bool truncate(Trial& trial, double u, int stop);
  double slipStop(Trial& trial, int& contact);
  double energy(const SystemState& state);
  double speed(const Vector6d& u) const { return u.head<3>().norm() + scales_.length * u.tail<3>().norm(); }
  void interpolate(const Trial& trial, double u, SystemState& state);
  void gatherIsland();
  void finishStep(StepMemory& memory, StepResult& result) const;
  bool fitsJoints(const Trial& trial);
  void limitTurn(double turn, Trial& trial) const;
  // flight.cc
  bool isFlight() const;
  bool integrateFlight(double h, Trial& trial);
  void startFlight(Flight& flight);
  bool publishPart(StepMemory& memory, double reach, bool& event_step, std::string& reason, StepResult& result);
  void takePart(const Flight& flight, double length);
  // publication.cc
  struct Event {
    double u = 1;                     // Share of the step; 1: none.
    int pair = -1;                    // -1: no new contact of two parts,
    int robot = -1, limit = -1;       // -1: nor a limit that is reached.
    advance::ContactFeature feature;  // What comes into contact.
  };
  bool publish(const Trial& trial);
  bool publishToEvent(Trial& trial, double h, double reach, bool& event_step, std::string& reason, StepResult& result);
  void hermitePieces(const Trial& trial);
  void publishMotion();
  bool liftDips();
  Event firstEvent(bool lenient);
  void planeEvents(NearPair& pair, int index, bool lenient, Event& event);
  void limitEvents(bool lenient, Event& event) const;
  bool keepsLimits(std::string& reason) const;
  void polytopeEvents(NearPair& pair, int index, bool lenient, Event& event);
  double clearUntil(const NearPair& pair, int index, const advance::SeparatingAxis& axis, double from, bool lenient);
  double eventLevel(double gap, bool lenient) const;
  bool isHeld(int pair, const advance::ContactFeature& feature) const;
  bool isHeldLimit(int robot, int limit) const;
  double contactGapAt(const Contact& c, std::span<const geom::Pose> poses, Eigen::Vector3d* normal) const;
  bool truncateAtEvent(Trial& trial, const Event& event);
  bool certify(StepResult& result, double reach, std::string& reason);
  bool certifyPair(NearPair& pair, StepResult& result, std::string& reason);
  // crowd.cc
  bool isCrowd(const StepMemory& memory) const;
  bool isSlow() const;
  void stepCrowd(StepMemory& memory, double reach, StepResult& result);
  void findAhead(double h);
  double closingSpeed(const NearPair& pair) const;
  int addFeatures(int pair, double t, double reach);
  bool addEndFeatures(double h);
  bool crowdVelocities(double h);
  bool polishEnds(double h, bool lift);
  bool liftCrowd();
  bool crowdRests(double h);
  void recordKicks(double h, StepResult& result);
  void finishCrowd(StepMemory& memory, StepResult& result);
  int addPair(int i, int j);
  int findPair(int i, int j) const;

  bool preparePair(NearPair& pair);
  geom::Pose poseOf(int body, int slot, double t) const;
  Placement fixedPlacement(int body, int slot) const;
  geom::Pose originPose(int part, int slot, double t) const;

  const Scene& scene_;
  Scales scales_;
  std::uint64_t seed_;
  ForkFinder* forks_ = nullptr;
  Stats stats_;

  // The step at hand.
  std::span<const BodyRuntime> bodies_;
  std::span<const PartRuntime> parts_;
  std::span<const RobotRuntime> robots_;
  std::span<const int> island_;
  std::vector<int> slot_of_;  // By body.
  double t0_ = 0, t_end_ = 0;
  bool was_velocity_level_ = false;  // The step before, of a single body.
  std::string reason_;   // Why a trial could not be used.
  double shrink_ = 0.5;  // By how much a trial that could not be published must shrink.
  double fit_ = 0;       // How far its links leave their joints' motion [m].
  SystemState start_, stage_, coarse_, before_projection_;
  std::vector<DecidedContact> decided_;  // What every trial of the step starts from, by contact.
  // Of the first stage, once a step: its rates (the first of rate_ and robot_rate_), its solution, its slip velocities.
  enum class StartRates { kUnknown, kKnown, kNone } start_rates_ = StartRates::kUnknown;
  std::vector<ContactSolution> start_solution_;
  std::vector<StageRate> rate_;  // By stage and body.
  std::vector<RobotRate> robot_rate_;
  RobotRate flight_rate_;
  Eigen::VectorXd curve_rate_;
  dynamics::ArticulatedState flight_before_;
  Eigen::VectorXd mean_velocity_;
  std::vector<char> saved_held_, hit_;
  std::vector<Eigen::Vector3d> closing_impulses_;  // Of the decision's projections, by contact.
  std::vector<Eigen::Vector2d> start_slip_, end_slip_;  // Slip velocities at the ends of a trial.
  // impact(): the contacts and coordinates of its problem, where the rows of a contact are put together, bodies that it changed.
  std::vector<int> involved_, column_, robot_column_;
  impact::ImpactOptions impact_options_;
  struct ImpactSpace {
    impact::ImpactProblem problem;
    impact::ImpactOutcome outcome;
    Eigen::MatrixXd rows;
    std::unique_ptr<impact::Resolver> resolver;
  };
  std::map<std::pair<int, int>, ImpactSpace> impact_spaces_;  // By numbers of velocities and contacts: matrices keep their sizes.
  std::vector<ImpactRecord> spare_impacts_;  // Of former steps, for their room.
  std::vector<char> changed_;
  std::vector<geom::Pose> poses_, end_poses_;
  std::vector<NearPair> pairs_;
  int num_pairs_ = 0;
  bool only_planes_ = true;  // Every pair's part_a is a half-space: held vertices are no part of the search for events.
  std::vector<Contact> contacts_, previous_;
  std::vector<Placement> fixed_a_, fixed_b_;  // Of the contacts' fixed sides.
  std::vector<advance::ContactFeature> features_;
  ContactSystem system_;
  advance::ManifoldFinder manifold_;
  std::vector<advance::MotionPiece> pieces_;
  std::vector<advance::PiecePolynomials> motion_;       // Of the island's pieces.
  std::vector<advance::SeparatingAxis> axes_;
  std::vector<advance::Witness> witnesses_;
  Trial trial_, whole_;
  int failed_pair_ = -1;  // Whose certificate failed.
  std::vector<int> pair_of_b_;  // First pair of each part_b, -1: none.
  ContactSweeps sweeps_;
  std::vector<Vector6d> crowd_base_, crowd_u_, crowd_reference_;
  std::vector<Eigen::Vector3d> crowd_bump_;
  std::vector<LiftRow> lift_rows_;
  std::vector<int> crowd_touching_;
};

}  // namespace rigor::sim
