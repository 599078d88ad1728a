// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/robot_equations.h"
#include "sim/run/body_tree.h"
#include "sim/run/continued_sink.h"
#include "sim/run/ending.h"
#include "sim/run/groups.h"
#include "sim/run/joint_ledger.h"
#include "sim/run/pending_witnesses.h"
#include "sim/run/turns.h"
#include "sim/run/zones.h"
#include "sim/simulation.h"
#include "sim/stepper.h"
#include "sim/touching.h"

namespace rigor::sim {

class SideBySide;

/// The world of one Simulation between its steps: bodies with their current motions, groups with their clocks, and what
/// is still to be handed over. A step costs what its group and those near it need, whatever else exists; checkpoints
/// cost all of it, and come as seldom.
class Run {
 public:
  /// @throws SceneError
  Run(Scene scene_to_run, std::uint64_t seed);
  ~Run();
  Run(const Run&) = delete;  // Others refer to it.
  Run& operator=(const Run&) = delete;
  using Progress = std::function<void(double time, long steps)>;

  // loop.cc
  Summary advance(double until, Sink& sink, const std::atomic<bool>* interrupt, const Progress& progress);

  // interact.cc
  Summary stepOnce(Sink& sink, const std::atomic<bool>* interrupt);
  void setVelocity(int body, const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity, Sink& sink);
  void applyWrench(int body, const Vector6d& wrench, double until, Sink& sink);
  double handedTime() const { return handed_; }
  void recordTo(Sink& record) { record_ = &record; }
  double endRecord();

  // snapshot.cc
  std::vector<unsigned char> save();
  void restore(const std::vector<unsigned char>& state);

  double movingMass() const;
  void setThreads(int threads) { threads_ = threads; }

  const std::unique_ptr<Scene> own_scene;  ///< Null: it is another run's, of which this is a region.
  const Scene& scene;
  Scales scales;
  std::vector<BodyRuntime> bodies;
  std::vector<PartRuntime> parts;
  std::vector<RobotRuntime> robots;
  std::vector<std::string> warnings;
  std::unique_ptr<Stepper> stepper;
  std::optional<ForkFinder> forks;
  int first_body = -1;  ///< Of the group that repeats the impacts of a fork: it steps first.

 private:
  friend class Region;
  friend class SideBySide;
  explicit Run(const Run& whole, const Scene& its_scene);  // region.cc

  // setup.cc
  void addLedgers();
  void addBody(const Body& description, int index);
  void addLink(int index, BodyRuntime& body);
  void startRobot(RobotRuntime& robot);
  static void publishStart(const BodyRuntime& body, Body& description);
  SystemState robotState(const RobotRuntime& robot) const;
  /// Whether a body is the first link of its robot: what is done for a group's robots is done at these.
  bool leadsRobot(int body) const { return bodies[body].robot >= 0 && robots[bodies[body].robot].first_body == body; }

  // loop.cc
  enum class Turn { kStepped, kMerged, kStopped };
  void loop(double until, Sink& sink, Sink& shown, const std::atomic<bool>* interrupt, const Progress& progress);
  SideBySide* sideBySide(double seconds, Sink& sink);
  bool turns(double end, Sink& sink, const std::atomic<bool>* interrupt, const Progress& progress);
  Turn turn(Sink& sink);
  bool stepAsFork(int number, Sink& sink);
  void step(int group);
  void note(int number, double start, Sink& sink);
  void tellRests(double until, Sink& sink);
  void checkpoint(Sink& sink);
  void divideIntoZones(double now);
  void noteGap(const Group& group, double gap);
  bool mayGoOn(const std::atomic<bool>* interrupt);
  void failCut();
  void finishRun(double until, Sink& sink, Sink& shown);
  void noteHanded();
  int next() const { return first_body >= 0 ? groups_.of(first_body) : groups_.first(); }
  double time() const { return groups_.empty() ? 0 : groups_[next()].clock; }
  double control(const Group& group);
  // sense.cc
  void sense(const Group& group, const ImpulseRecord& acted);
  const dynamics::Readings& readSensors(RobotRuntime& robot) const;
  void accept(Group& group, Sink& sink);
  long countPlastic(const StepResult& result) const;
  double energy(std::span<const int> group);

  // regroup.cc
  void merge(int number, Sink& sink);
  void split(int number);

  // cut.cc
  void settle(double t, Ending ending, Sink& sink);
  double settleToLook(double t, Sink& sink);
  void cut(Group& group, double t, Ending ending, Sink& sink);
  void cutBody(int body, double t);
  struct EnergyOfCut;
  void endAt(const Eigen::Vector3d& v, BodyRuntime& body) const;
  void slow(double factor, Ending ending, BodyRuntime& body) const;
  void endLinks(const RobotRuntime& robot);
  EnergyOfCut endBody(int body, const Group& group, Ending ending);
  void endBodies(std::span<const int> moved, const Group& group, Ending ending);
  void cutClaims(int body, double t);
  void cutRobot(RobotRuntime& robot, Acting acting, double t);
  void proveCut(const Group& group);
  std::string unprovedCut(const PairKey& pair) const;
  bool proveCut(const WitnessRecord& witness, std::vector<WitnessRecord>& proved);

  // fly_on.cc
  void flyOn(std::span<const int> moved);
  bool showAnew(std::span<const int> moved);
  bool proveAnew(const WitnessRecord& witness, std::vector<WitnessRecord>& proved);
  void remember(int body, const advance::MotionPiece& piece, double start);

  // interact.cc
  BodyRuntime& freeBody(int body, const char* what);
  void settleForGood();

  // hand_over.cc
  void finish(Group& group, Sink& sink);
  void commitActed(Group& group, double horizon, Sink& sink);
  void addJoints(const Group& group, double t0, double t1, ImpulseRecord& record);
  void addJointJumps(const Group& group, ImpulseRecord& jump);
  bool sharesPlane(const KnownAxis& known, const PairKey& pair, const advance::SeparatingAxis& axis) const;
  void rememberAxes(std::span<const WitnessRecord> witnesses, std::vector<KnownAxis>& axes) const;
  double commit(Sink& sink);
  void flush(std::span<const int> group, double time, Sink& sink);
  void flushAll(double time, Sink& sink);
  void place(int body);  ///< After a change of its piece.

  std::vector<unsigned char> snapshot();
  void take(const std::vector<unsigned char>& state);
  void settleIn();
  template <typename Archive> void transfer(Archive& archive);
  template <typename Archive> void transferBodies(Archive& archive);
  template <typename Archive> void transferGroups(Archive& archive);
  template <typename Archive> void transferClaims(Archive& archive);

  Groups groups_;
  BodyTree tree_;
  PendingWitnesses pending_;
  TouchingSet touching_;
  std::vector<RobotEquations> robot_equations_;  // Of all robots.
  std::vector<JointLedger> joint_ledgers_;       // The same.
  std::vector<Rest> rests_;
  Summary summary_;
  double sum_steps_ = 0;
  StepResult result_;  // Keeps its room.
  std::vector<std::pair<int, advance::MotionPiece>> finished_;  // Scratch of finish(),
  std::vector<int> split_group_, split_root_;  // of split(),
  std::vector<advance::MotionPiece> shown_;    // of showAnew(),
  std::vector<WitnessRecord> claims_;  // of what proves claims anew,
  std::vector<advance::Witness> proofs_;  // and of proveAnew().
  long moving_ = 0;  // Bodies that are not fixed.
  std::string cut_failure_;  // A claim of a cut piece that could not be kept; ends the run.
  long stop_at_ = 0;    // Number of steps at which stepOnce() stops; 0: none.
  double horizon_ = 0;  // Steps end there at the latest: not where somebody wants to look [s].
  // Of a run that was stopped to be looked at: what it goes on from (empty: what it is), and what was handed over.
  std::vector<unsigned char> uncut_;
  double handed_ = 0, handed_gap_ = std::numeric_limits<double>::infinity();
  std::vector<ContinuedSink::End> ends_;
  Sink* record_ = nullptr;  // Is handed whole motions, once they are final; null: none.
  double committed_ = 0;    // All was final up to there when it was stopped [s].
  double reach_ = 0;   // Bounds the smallest distance of the run from above: farther pairs need no witness [m].
  Zones zones_;
  Checkpoints checkpoints_;
  std::uint64_t seed_ = 0;
  int threads_ = 1;
  std::unique_ptr<SideBySide> side_;  // Null: not needed yet.
  Turns* turns_ = nullptr;      // Of a region: what it did,
  std::vector<BodyBox> swept_;  // and by body where it was and, of a group's first one, where the group looked.
};

}  // namespace rigor::sim
