// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/fork.h"
#include "sim/sink.h"
#include "sim/world.h"

namespace rigor::sim {

/// Thrown for a scene that cannot be simulated: overlapping starts, a body without mass, ... what() is for the user.
struct SceneError : std::invalid_argument {
  SceneError(const std::string& reason, int index) : std::invalid_argument(reason), body(index) {}
  int body;  ///< Index of the offending body, -1 for none.
};

enum class RunStatus {
  kDone,         ///< Reached `until`.
  kFailed,       ///< The guarantee could not be kept or a solver failed; the record up to `time` is valid.
  kBudget,       ///< max_steps reached; valid and resumable.
  kInterrupted,  ///< `interrupt` was set; valid and resumable.
  kForked,       ///< Stopped at an ambiguous impact (only after findForks()): see fork().
};

/// The figures of a run, as `rigor run --json` prints them.
struct Summary {
  RunStatus status = RunStatus::kDone;
  std::string message;  ///< kFailed: pair, time and reason.
  double time = 0;
  long steps = 0, manifold_changes = 0, impacts = 0, contacts_made = 0, contacts_broken = 0;
  long plastic_impacts =
      0;  ///< Faster than the capture speed, and resolved as one plastic impact in place of the scene's model:
          ///< crowds, too many contacts, clusters (docs/event-loop.md). Of this object; not in snapshots.
  long false_liftoffs = 0;  ///< Contacts broken and made again within one event window.
  double min_gap = 0;       ///< Certified lower bound of any pair's distance at any instant [m].
  double min_step = 0, max_step = 0, mean_step = 0;
  double energy_initial = 0, energy_final = 0, max_energy_increase = 0;  ///< [J]
};

/// One trajectory from a scene to its end.
///
/// Guarantee: every piece handed to the sink keeps every pair of parts (of different bodies, not both fixed) at least
/// gapFloor() apart at every instant, each with witnesses that prove it. Where that cannot be kept the run stops with
/// kFailed before the offending piece. Deterministic: the same scene and seed give the same bits.
class Simulation {
 public:
  /// @throws SceneError. Pairs closer than the nominal gap are moved apart to it (at most 1e-7 m): see warnings().
  Simulation(Scene scene, std::uint64_t seed);
  ~Simulation();
  /// Of run(): at first one; 0: all cores. Nothing that is handed over depends on it. Bodies that are apart step side
  /// by side, and the sink is called, by the thread that calls run(), while steps go on. Forks, traces and a budget of
  /// steps keep a run on one thread.
  void setThreads(int threads);
  Simulation(Simulation&&) noexcept;

  /// Continues to `until`. May be called again with a later time.
  ///
  /// Looking does not change what happens: up to Scene::until, one call and 3,000 give the same bits. What is handed
  /// over ends at `until`; the next call hands over what is left of the motions that go on, certified anew. An earlier
  /// time than before counts as that.
  Summary run(double until, Sink& sink, const std::atomic<bool>* interrupt = nullptr,
              const std::function<void(double time, long steps)>& progress = {});

  /// One accepted step of the group of bodies that is farthest behind, or none where Scene::until is reached:
  /// Summary::steps says.
  ///
  /// What is handed over ends at time(): how far all bodies are known. The steps are those of run(), bit for bit: any
  /// number of steps and calls of run() make the same motion. Costs a complete state more than the step. kDone unless
  /// the step failed.
  Summary step(Sink& sink, const std::atomic<bool>* interrupt = nullptr);

  /// Hands everything to `record` as well, from the start of the run, but for what is cut to be looked at: it is handed
  /// whole motions, once they are final, and the rest by endRecord(). So a record does not depend on who looks, and the
  /// laws of motion hold in it as in a run that nobody looks at. `record` must outlive endRecord(), or this.
  void recordTo(Sink& record);
  /// @returns up to where the record has everything [s]: time(), or less where a claim cannot be kept of motions that
  /// are cut there. Nothing is recorded from then on.
  double endRecord();

  /// Up to there everything was handed over [s].
  double time() const;

  /// From time() on the body moves with this velocity of its ORIGIN and angular velocity, world [m/s, rad/s]. What acts
  /// on it then, impacts included, starts from there. The run goes on from motions that all end at time(): it is
  /// another run from here on.
  ///
  /// The sink is handed an event "velocity-set" and an impact of the model "velocity-set" without contacts: velocities
  /// may jump, positions do not, and the proof of gaps is the same as ever. @throws std::invalid_argument for fixed
  /// bodies, links of robots, numbers not finite.
  void setVelocity(int body, const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity, Sink& sink);

  /// From time() to `until` [s] a constant force acts at the body's centre of mass, and a torque about it: (force,
  /// torque), world [N, N m]. It takes the place of what was applied to the body before. As setVelocity() it starts
  /// another run; the sink is handed an event "wrench-set". The motion obeys it to the accuracy of a step, contacts
  /// included; energy grows by its work. @throws as setVelocity().
  void applyWrench(int body, const Eigen::Matrix<double, 6, 1>& wrench, double until, Sink& sink);

  /// From now on run() stops with kForked before an ambiguous impact, all bodies at its time, and snapshot() is what
  /// each of its alternatives continues from. Without such an impact run() does the same, bit for bit.
  /// @param branch  Hash of the branch's path, see ForkFinder.
  void findForks(const ForkOptions& options, std::uint64_t branch);
  /// Why run() stopped with kForked.
  const Fork& fork() const;
  /// After restore() of the state at a fork: the group of `body` steps first, and its impacts there are `choices`.
  /// @pre findForks() was called.
  void choose(int body, std::vector<ImpactChoice> choices);

  /// The scene with the starts of the bodies as the run has them: links placed, touching bodies moved apart. Trees of a
  /// robot that nothing joins are robots of their own (sim/separate_trees.h).
  const Scene& scene() const;
  double gapNominal() const;  ///< delta [m]
  double gapFloor() const;    ///< delta / 2 [m]
  const std::vector<std::string>& warnings() const;

  /// Complete state as bytes: restore() continues bit-exactly.
  std::vector<unsigned char> snapshot() const;
  void restore(const std::vector<unsigned char>& state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor::sim
