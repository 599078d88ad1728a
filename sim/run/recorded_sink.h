// SPDX-License-Identifier: MIT
#pragma once
#include "sim/sink.h"

namespace rigor::sim {

/// Hands everything to two: to who is shown it, and to a record. What only the one is to have goes to `shown` itself.
class RecordedSink : public Sink {
 public:
  RecordedSink(Sink& its_shown, Sink& its_record) : shown(its_shown), record(its_record) {}
  void piece(const PieceRecord& r) override { shown.piece(r), record.piece(r); }
  void witness(const WitnessRecord& r) override { shown.witness(r), record.witness(r); }
  void event(const EventRecord& r) override { shown.event(r), record.event(r); }
  void impact(const ImpactRecord& r) override { shown.impact(r), record.impact(r); }
  void impulses(const ImpulseRecord& r) override { shown.impulses(r), record.impulses(r); }
  void joints(const JointRecord& r) override { shown.joints(r), record.joints(r); }
  void checkpoint(double time, long step, const std::vector<unsigned char>& state) override {
    shown.checkpoint(time, step, state), record.checkpoint(time, step, state);
  }

  Sink &shown, &record;
};

}  // namespace rigor::sim
