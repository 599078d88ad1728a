// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/sink.h"
#include "sim/world.h"

namespace rigor::sim {

/// Keeps what a run hands over, so that states, contacts and events can be asked for afterwards.
///
/// Guarantee: states are those of the published pieces. About 500 bytes a piece, for as long as it is kept.
class History : public Sink {
 public:
  /// Of a body's ORIGIN, world.
  struct State {
    Eigen::Vector3d position, velocity, angular_velocity;
    Eigen::Vector4d orientation;  ///< [w x y z] as published, not normalised.
  };
  struct Event {
    double time;
    std::string kind;
    int body_a, body_b;
    std::string detail;
  };

  /// @param scene  As Simulation::scene() gives it. @param keep  How long before the newest piece motions are kept [s].
  explicit History(const Scene& scene, double keep = std::numeric_limits<double>::infinity());

  /// None where nothing is kept of that time. At a time where velocities jump: after the jump, where a motion starts
  /// there. O(log n)
  std::optional<State> at(int body, double time) const;
  std::optional<geom::Pose> centrePose(int body, double time) const;
  const std::vector<Event>& events() const { return events_; }
  const std::vector<ImpactRecord>& impacts() const { return impacts_; }
  const std::vector<ImpulseRecord>& impulses() const { return impulses_; }
  /// How much there is, to go back to.
  struct Mark {
    double time = 0;
    std::size_t events = 0, impacts = 0,
                jumps = 0;  ///< Of impulses, those at once: how often motions were handed over does not count.
  };
  Mark mark(double time) const;
  /// Forgets what came after a mark: the run goes back to there. Of a mark of another run: what is after its time.
  void goBack(const Mark& mark);

  void piece(const PieceRecord& record) override;
  void event(const EventRecord& record) override;
  void impact(const ImpactRecord& record) override;
  void impulses(const ImpulseRecord& record) override;

 private:
  struct Track {
    bool fixed = false;
    Eigen::Vector3d centre{0, 0, 0};  // Body frame.
    std::vector<PieceRecord> pieces;
    // Velocity of the centre from `since` on, until a piece starts there.
    geom::Pose start;
    Eigen::Vector3d v{0, 0, 0}, w{0, 0, 0}, start_v{0, 0, 0}, start_w{0, 0, 0};
    double since = 0;
  };
  const PieceRecord* pieceAt(const Track& track, double time) const;
  void noteSet(const ImpactRecord& impact);

  std::vector<Track> tracks_;
  std::vector<Event> events_;
  std::vector<ImpactRecord> impacts_;
  std::vector<ImpulseRecord> impulses_;
  double keep_;
};

}  // namespace rigor::sim
