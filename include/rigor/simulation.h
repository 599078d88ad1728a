// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "rigor/scene.h"
#include "rigor/types.h"

namespace rigor {

/// The figures of a run, as `rigor run --json` prints them. [s], [m], [J].
struct Summary {
  std::string status = "done";  ///< "done", "failed", "budget" or "interrupted".
  std::string message;          ///< failed: pair, time and reason.
  double time = 0;
  long steps = 0, manifold_changes = 0, impacts = 0, contacts_made = 0, contacts_broken = 0, plastic_impacts = 0,
       false_liftoffs = 0;
  double min_gap = 0;  ///< Certified lower bound of any pair's distance at any instant.
  double min_step = 0, max_step = 0, mean_step = 0;
  double energy_initial = 0, energy_final = 0, max_energy_increase = 0;
};

struct SimulationOptions {
  std::uint64_t seed = 0;
  std::string record;    ///< Path of a record to write; empty: none. It is the same however often somebody looks;
                         ///< finish() adds what is not final before.
  bool replace = false;  ///< Replace an existing record.
  double history =
      std::numeric_limits<double>::infinity();  ///< How long motions are kept for state(body, t) and contacts(t) [s].
};

/// One trajectory of a scene.
///
/// Guarantee: every pair of bodies stays apart at every instant that was simulated, with proofs in the record.
/// Deterministic: the same scene and seed give the same bits, however often somebody looks, up to the scene's `until`.
/// One thread an object.
class Simulation {
 public:
  /// @throws InputError for scenes that cannot be simulated (overlapping starts, ...), or a record that cannot be
  /// written.
  explicit Simulation(const Scene& scene, const SimulationOptions& options = {});
  ~Simulation();  ///< A record that was not finished stays valid and says 'running'.
  Simulation(Simulation&&) noexcept;

  /// On to `time` [s]; at once for an earlier one. @throws GuaranteeError where the guarantee could not be kept: time()
  /// says up to where it is.
  Summary advance(double time, const Watch& watch = {});
  /// One accepted step of the bodies that are farthest behind, the same as advance() takes. @returns false at the
  /// scene's `until`.
  bool step();
  /// How far all motions are known [s].
  double time() const;
  const Summary& summary() const;

  /// At time(), or at an earlier time that `history` still has; where velocities jump, after the jump. On the published
  /// motion.
  /// @throws InputError.
  State state(const std::string& body) const { return state(body, time()); }
  State state(const std::string& body, double time) const;
  /// From time() on the body moves with this velocity of its origin [m/s] and angular velocity [rad/s], world. The
  /// record names it (an event and an impact "velocity-set"), and its gaps are proved as ever. @throws InputError for
  /// fixed bodies and links.
  void setVelocity(const std::string& body, const Vector3& velocity, const Vector3& angular_velocity);
  /// From time() on, for `duration` [s] (infinity: until further notice), a constant force [N] and torque [N m] act on
  /// the body, world axes: at its centre of mass, in place of what was applied to it before. The record names it (an
  /// event "wrench-set"). Zero ends it. @throws InputError for fixed bodies and links.
  void applyWrench(const std::string& body, const Vector3& force, const Vector3& torque = {},
                   double duration = std::numeric_limits<double>::infinity());
  /// What contacts do at `time`, as means over the step around it. Empty where nothing touches, or nothing says what
  /// acted.
  std::vector<Contact> contacts(double time) const;
  std::vector<Event> events() const;
  std::vector<Impact> impacts() const;

  /// The complete state as bytes; restore() goes on from there to the bit, and forgets what was after it.
  std::vector<unsigned char> snapshot() const;
  /// @throws InputError for bytes of another scene, or where a record is written: what it has cannot be taken back.
  void restore(const std::vector<unsigned char>& state);

  const Scene& scene() const;
  const std::vector<std::string>& warnings() const;  ///< Bodies that were moved apart at the start, ...
  double gapNominal() const;  ///< Contacts are held at this gap [m],
  double gapFloor() const;    ///< and proved to stay above this one.
  /// Ends the record; nothing moves any more. @returns what it says of the run: 'interrupted' where it ends before the
  /// scene's `until`.
  Summary finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor
