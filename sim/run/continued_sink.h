// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "sim/runtime.h"
#include "sim/scales.h"
#include "sim/sink.h"

namespace rigor::sim {

/// What a sink is handed of motions of which it has the beginning: a run that was stopped to be looked at goes on with
/// the motions that it had, uncut, and this hands over what is left of them.
///
/// Guarantee: pieces follow those handed over before, bit for bit, and claims hold for what is handed over: by a slack
/// for the rounding of control points, or proved anew. Where a flight has been shown anew since (Run::showAnew), a
/// curve leads from what was handed over, with the velocity that it ended with, to the new one's end: it is between the
/// old one and the new one at every instant. So it does where what was handed over ends as the flight does
/// (Ending::kStops). What is hit at that end has the velocity there that was handed over.
class ContinuedSink : public Sink {
 public:
  /// How a body's motion ended in what was handed over.
  struct End {
    geom::Pose pose;
    Vector6d velocity;
  };

  /// Everything up to `time` was handed over; `ends` by body. All must outlive this. @pre the bodies have the motions
  /// of which a beginning was handed over.
  ContinuedSink(Sink& sink, double time, std::span<const End> ends, std::span<const BodyRuntime> bodies,
                std::span<const PartRuntime> parts, const Scales& scales);

  void piece(const PieceRecord& record) override;
  void witness(const WitnessRecord& record) override;
  void event(const EventRecord& record) override { sink_.event(record); }
  void impact(const ImpactRecord& record) override;
  void impulses(const ImpulseRecord& record) override;
  void joints(const JointRecord& record) override;
  void checkpoint(double time, long step, const std::vector<unsigned char>& state) override {
    sink_.checkpoint(time, step, state);
  }

  /// Of the claims that it had to lower [m]; +infinity: of none.
  double smallestGap() const { return smallest_gap_; }
  /// Of which nothing could be proved for what is left of a flight shown anew; null: of none.
  const PairKey* unproved() const { return unproved_ ? &*unproved_ : nullptr; }

 private:
  bool isAnew(const PieceRecord& record) const;
  const advance::MotionPiece* pieceOf(int body, double t0, double t1) const;
  geom::Pose handedPose(int body, double t) const;
  double slack(int body, const advance::Witness& witness) const;
  bool proveAnew(const WitnessRecord& record);
  void hand(const WitnessRecord& record);

  struct Begun {
    advance::MotionPiece piece;  // The motion whose beginning was handed over.
    bool anew = false;           // It has been shown anew, or its beginning was.
    bool hit = false;            // Where the beginning ends.
    Eigen::Vector3d v{0, 0, 0};  // Of the curve there: what was handed over may end a little beside it.
  };
  Begun begunBy(const BodyRuntime& body, const End& end) const;

  Sink& sink_;
  const double time_;
  std::span<const End> ends_;
  std::span<const BodyRuntime> bodies_;
  std::span<const PartRuntime> parts_;
  const Scales& scales_;
  std::vector<Begun> begun_;  // By body.
  std::vector<std::vector<advance::MotionPiece>>
      handed_;       // By body: the rest of a piece that went past time_, and those that follow...
  double last_ = 0;  // ... as long as a rest goes on [s].
  std::optional<PairKey> unproved_;
  double smallest_gap_;
};

}  // namespace rigor::sim
