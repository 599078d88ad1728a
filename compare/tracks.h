// SPDX-License-Identifier: MIT
#pragma once
#include "check/trajectory.h"
#include "methods/method.h"
#include "sim/sink.h"
#include "sim/world.h"

namespace rigor::compare {

/// What moved, as check::checkTrajectories() looks at it: every moving body's samples about its centre of mass, with
/// velocities.
class Tracks : public methods::StateSink, public sim::Sink {
 public:
  explicit Tracks(const sim::Scene& scene);

  /// Of a method. Robots get samples between its states, where cubics would open their joints otherwise: such motions
  /// are cubic (isCubic()), whatever the method's own are.
  void state(const methods::World& world) override;
  void setCubic(bool cubic) { cubic_ = cubic; }  ///< MethodInfo::cubic, before the first state.
  bool isCubic() const { return cubic_ || !scene_.robots.empty(); }
  void piece(const sim::PieceRecord& record) override;  ///< Of the event loop: both ends.
  /// Of a body, about its centre of mass; quaternions are turned to the sign of the sample before.
  void add(int body, double time, geom::Pose pose, const check::Velocity& velocity);
  /// Everything that the event loop makes is handed on to `next` as well; null: to nobody.
  void passTo(sim::Sink* next) { next_ = next; }
  void witness(const sim::WitnessRecord& r) override {
    if (next_) next_->witness(r);
  }
  void event(const sim::EventRecord& r) override {
    if (next_) next_->event(r);
  }
  void impact(const sim::ImpactRecord& r) override {
    if (next_) next_->impact(r);
  }
  void impulses(const sim::ImpulseRecord& r) override {
    if (next_) next_->impulses(r);
  }
  void joints(const sim::JointRecord& r) override {
    if (next_) next_->joints(r);
  }
  void checkpoint(double time, long step, const std::vector<unsigned char>& s) override {
    if (next_) next_->checkpoint(time, step, s);
  }

  const check::Trajectory& trajectory() const { return trajectory_; }
  /// Pose of the centre of a body at its last sample that is not later; of velocities the last at that time. @pre there
  /// is one.
  geom::Pose pose(int body, double time) const;
  check::Velocity velocity(int body, double time) const;
  double end() const { return end_; }  ///< Last time of any sample [s].
  /// Kinetic and potential energy of all bodies with mass, links as bodies, at their last samples [J]; rotors and
  /// springs left out.
  double energy(double time) const;

 private:
  std::size_t sampleAt(int body, double time) const;
  void followJoints(const methods::World& world);

  const sim::Scene& scene_;
  check::Trajectory trajectory_;
  double end_ = 0;
  bool cubic_ = false;
  sim::SystemState last_;  // Of a world with robots.
  sim::Sink* next_ = nullptr;
};

}  // namespace rigor::compare
