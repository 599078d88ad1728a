// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "advance/certificate.h"
#include "advance/manifold.h"
#include "advance/motion_piece.h"
#include "advance/piece_polynomials.h"
#include "dynamics/rigid_body.h"
#include "impact/resolver.h"
#include "sim/contact_sweeps.h"
#include "sim/contact_system.h"
#include "sim/fork.h"
#include "sim/scales.h"
#include "sim/sink.h"
#include "sim/world.h"

namespace rigor::sim {

/// One convex part at run time.
struct PartRuntime {
  int body = 0, part = 0;
  const geom::Shape* shape = nullptr;
  double radius = 0;  ///< max |vertex - centre of the body| [m]; infinity for a half-space.
};

/// One body at run time. `state` and `piece` belong together: the piece ends where the state is, at `clock`.
struct BodyRuntime {
  bool fixed = false;
  dynamics::RigidBody model;
  Eigen::Vector3d centre{0, 0, 0};  ///< Centre of mass, body frame [m].
  Material material;
  int first_part = 0, num_parts = 0;
  double radius = 0;                ///< Of the parts, about the centre [m].
  dynamics::RigidBodyState state;   ///< At `clock`; velocities after any impact there.
  double clock = 0;                 ///< End of `piece` [s]; +infinity for a fixed body.
  advance::MotionPiece piece;       ///< Current motion.
  Vector6d v_start = Vector6d::Zero(), v_end = Vector6d::Zero();  ///< Velocities at the piece's ends, before impacts there.
  Vector6d v_back = Vector6d::Zero();  ///< Velocity at the piece's start if its step is taken back: v_start where an impact of its group was recorded there.
  long step = 0;                    ///< Number of the step that made the piece.
  int robot = -1, link = -1;        ///< Whose link it is; its state is what follows from the robot's.
  std::vector<int> ignored;         ///< Bodies that it never collides with, ascending.

  bool collidesWith(int other) const { return !std::binary_search(ignored.begin(), ignored.end(), other); }
};

/// One robot at run time. Its moving links are bodies that always belong to one group.
struct RobotRuntime {
  const dynamics::ArticulatedModel* model = nullptr;
  std::vector<int> links;             ///< Of the model, those that move; ascending, as their bodies.
  int first_body = 0;                 ///< Body of links[0]; the others follow.
  std::vector<RobotLimit> limits;
  dynamics::ArticulatedState state;   ///< At the links' clock; velocities after any impact there.
  Eigen::VectorXd acceleration;       ///< v' there.
  dynamics::ArticulatedState start;   ///< The same at the start of the links' pieces.
  Eigen::VectorXd start_acceleration;
  Eigen::VectorXd effort;             ///< Of the actuators until the next sample; empty: none.
  const dynamics::Controller* controller = nullptr;  ///< Null for none.
  dynamics::ControllerState control;
  std::shared_ptr<dynamics::ArticulatedWorkspace> workspace;  ///< The controller's scratch.
};

/// Box around everywhere that a body with `radius` about its centre gets to during a piece: its control hull, widened [m].
void pieceBox(const advance::MotionPiece& piece, double radius, Eigen::Vector3d& lower, Eigen::Vector3d& upper);

/// Coordinates and velocities between two ends a time h apart: cubics through values and rates; u in [0, 1] is the share of h.
/// `rate` is scratch; no allocation where it and `state` have their sizes.
void interpolateRobot(const dynamics::ArticulatedModel& model, const dynamics::ArticulatedState& start,
                      const Eigen::VectorXd& start_acceleration, const dynamics::ArticulatedState& end,
                      const Eigen::VectorXd& end_acceleration, double h, double u, dynamics::ArticulatedState& state,
                      Eigen::VectorXd& rate);

/// A step of a robot that touches nothing: integrated as a whole, published in parts, for one cubic a link does not follow the joints
/// that long. The parts are made one by one, against what the other groups have published by then; an event ends the step.
struct Flight {
  double t0 = 0, t1 = 0;  ///< [s]; the same: there is none.
  double part = 0;        ///< Length that the next part may have [s].
  dynamics::ArticulatedState start, end;
  Eigen::VectorXd start_acceleration, end_acceleration;
  double start_energy = 0, end_energy = 0;  ///< [J]

  bool isOn() const { return t1 > t0; }
  void stop() { t1 = t0; }
};

/// What the event loop remembers of a group of bodies from step to step.
struct StepMemory {
  Flight flight;
  double next_step = 0;     ///< First trial step [s]; 0: the longest allowed.
  double event_window = 0;  ///< tau_e, widened while contacts chatter [s].
  bool velocity_level = false;  ///< The last step was one.
  int short_steps = 0;      ///< Event steps shorter than the chatter limit, in a row.
  std::vector<Contact> contacts;  ///< Of the last step: warm start and touching set.
};

/// Outcome of one step.
enum class StepStatus {
  kStepped,  ///< Pieces and witnesses are valid.
  kRest,     ///< The same, and the bodies stay still until something hits them.
  kMerge,    ///< Nothing was published: the bodies `touched` of other groups touch this one and must join it first.
  kFork,     ///< Nothing was published: an impact is ambiguous, ForkFinder::fork() says how.
  kFailed,   ///< Nothing was published; `message` says why.
};

struct StepResult {
  StepStatus status = StepStatus::kFailed;
  std::string message;
  double t1 = 0;  ///< End of the step [s].
  std::vector<advance::MotionPiece> pieces;       ///< A piece a body of the island.
  std::vector<dynamics::RigidBodyState> ends;     ///< States at t1.
  std::vector<SystemRobot> robot_starts, robot_ends;  ///< Of the island's robots, after impacts; and at t1.
  std::vector<WitnessRecord> witnesses;           ///< Of every near pair, over the whole step.
  double min_gap = 0;                             ///< Smallest proved gap of the step [m].
  bool closed = false;                            ///< A cluster of impacts was closed by one plastic impact.
  bool continues = false;                         ///< A further part of the step before: nothing was decided or integrated.
  std::vector<int> touched;                       ///< kMerge.
  std::vector<ImpactRecord> impacts;              ///< At the start of the step.
  std::vector<Vector6d> start_velocities;         ///< After impacts and projections.
};

/// Everything that moves, as a step finds it.
struct RunState {
  std::span<const BodyRuntime> bodies;
  std::span<const PartRuntime> parts;
  std::span<const RobotRuntime> robots;
};

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
  struct NearPair {
    int part_a, part_b;   // Indices into parts.
    int slot_a, slot_b;   // Moving bodies of the island, -1 for others.
    int next_of_b = -1;   // Next pair with the same part_b.
    int first_contact = -1;  // Of contacts_, where a crowd looks for them.
    geom::SeparationCache cache;
    double tb = 0;        // End of what is known of both motions, at most the end of the step [s].
    advance::MovingPart A, B;  // On [t0, tb].
    advance::PiecePolynomials own_a, own_b;  // Where the shared ones of the step do not fit.
    std::vector<advance::SeparatingAxis> axes;  // Candidates for the certificate, in the order in which they were found.
  };
  struct Trial {
    double h = 0;
    SystemState ends;
    std::vector<Vector6d> a0, a1;  // Accelerations at the two ends.
    double error = 0;              // [m/s]
    bool velocity_level = false;
    bool gains_energy = false;     // Too much for the velocities to be scaled: not to be used.
    double stop = 1;               // Share of it at which a slip comes to a stop; 1: none does,
    int stop_contact = -1;         // that of this contact.
  };

  // stepper.cc: the loop.
  void collectPairs(double horizon);
  void findContacts();
  void findLimits();
  bool decide(StepMemory& memory, StepResult& result, std::uint64_t impact_path);
  void guessModes(double window);
  bool stopsWithin(double window);
  bool impact(StepResult& result, std::uint64_t path);
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
  bool integrateRungeKutta(double h, Trial& trial);
  bool integrateVelocityLevel(double h, Trial& trial);
  template <typename Guess>
  bool velocityLevelStep(const SystemState& start, double h, const Guess& guess, SystemState& end);
  bool startRates();
  void noteRate(size_t body, int stage);
  void noteRobotRate(size_t robot, int stage);
  bool evaluate(SystemState& state, bool placed = false);
  bool settle(Trial& trial, bool placed);
  bool placeEnds(Trial& trial, double back, bool placed);
  bool limitEnergy(Trial& trial);
  bool truncate(Trial& trial, double u, int stop);
  double slipStop(const Trial& trial, int& contact);
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
  bool publishToEvent(Trial& trial, double h, bool& event_step);
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
  std::unique_ptr<impact::Resolver> resolver_;
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
  double shrink_ = 0.5;  // By how much a trial that could not be published must shrink.
  double fit_ = 0;       // How far its links leave their joints' motion [m].
  SystemState start_, stage_, coarse_, before_projection_;
  struct Rate {
    Eigen::Vector3d v;
    Eigen::Vector4d q;
    Vector6d a;
  };
  struct Decided {
    impact::ContactMode mode;
    Eigen::Vector2d direction;
    bool slides;
  };
  std::vector<Decided> decided_;  // What every trial of the step starts from, by contact.
  struct Solution {
    impact::ContactMode mode;
    Eigen::Vector2d direction;
    Eigen::Vector3d force;
  };
  // Of the first stage, once a step: its rates (the first of rate_ and robot_rate_), its solution, its slip velocities.
  enum class StartRates { kUnknown, kKnown, kNone } start_rates_ = StartRates::kUnknown;
  std::vector<Solution> start_solution_;
  std::vector<Rate> rate_;  // By stage and body.
  struct RobotRate {
    Eigen::VectorXd q, v;
  };
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
  impact::ImpactProblem impact_problem_;
  impact::ImpactOutcome impact_outcome_;
  Eigen::MatrixXd impact_rows_;
  std::vector<char> changed_;
  std::vector<geom::Pose> poses_, end_poses_;
  std::vector<NearPair> pairs_;
  int num_pairs_ = 0;
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
  struct LiftRow {
    double need;  // Raise of the inner control points that the contact asks for [m].
    Eigen::Vector3d normal;
    double multiplier;
  };
  std::vector<LiftRow> lift_rows_;
  std::vector<int> crowd_touching_;
};

}  // namespace rigor::sim
