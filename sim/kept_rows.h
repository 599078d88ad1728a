// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "sim/sink.h"
#include "sim/world.h"

namespace rigor::sim {

/// Keeps what is handed over before its turn.
class KeptRows : public Sink {
 public:
  /// @param scene  Outlives this; impacts and joints refer to it, not to the simulation's own copy.
  explicit KeptRows(const Scene& scene) : scene_(&scene) {}
  void piece(const PieceRecord& r) override { rows_.emplace_back(r); }
  void witness(const WitnessRecord& r) override { rows_.emplace_back(r); }
  void event(const EventRecord& r) override { rows_.emplace_back(r); }
  void impact(const ImpactRecord& r) override {
    ImpactRecord copy = r;
    if (copy.model == scene_->impact_model) copy.model = scene_->impact_model;  // Others are literals.
    rows_.emplace_back(std::move(copy));
  }
  void impulses(const ImpulseRecord& r) override { rows_.emplace_back(r); }
  void joints(const JointRecord& r) override {
    const dynamics::Robot& own = scene_->robots[static_cast<std::size_t>(r.number)].robot;
    rows_.emplace_back(Joints{own, r.number, r.time, r.state, r.end, r.effort});
  }
  void checkpoint(double time, long step, const std::vector<unsigned char>& state) override {
    rows_.emplace_back(Checkpoint{time, step, state});
  }
  std::size_t size() const { return rows_.size(); }
  void clear() { rows_.clear(); }
  void replay(Sink& sink) const { replay(0, size(), sink); }
  /// The rows [begin, end).
  void replay(std::size_t begin, std::size_t end, Sink& sink) const {
    for (std::size_t k = begin; k < end; ++k) std::visit([&](const auto& r) { hand(r, sink); }, rows_[k]);
  }
  /// Gives the steps of pieces and impulses other numbers.
  template <typename Number>
  void renumber(const Number& number) {
    for (auto& row : rows_) {
      if (auto* piece = std::get_if<PieceRecord>(&row)) piece->step = number(piece->step);
      else if (auto* acted = std::get_if<ImpulseRecord>(&row)) acted->step = number(acted->step);
    }
  }

 private:
  struct Checkpoint {
    double time;
    long step;
    std::vector<unsigned char> state;
  };
  struct Joints {
    const dynamics::Robot& robot;
    int number;
    double time;
    dynamics::ArticulatedState state, end;
    Eigen::VectorXd effort;
  };
  static void hand(const PieceRecord& r, Sink& sink) { sink.piece(r); }
  static void hand(const WitnessRecord& r, Sink& sink) { sink.witness(r); }
  static void hand(const EventRecord& r, Sink& sink) { sink.event(r); }
  static void hand(const ImpactRecord& r, Sink& sink) { sink.impact(r); }
  static void hand(const ImpulseRecord& r, Sink& sink) { sink.impulses(r); }
  static void hand(const Checkpoint& c, Sink& sink) { sink.checkpoint(c.time, c.step, c.state); }
  static void hand(const Joints& j, Sink& sink) { sink.joints({j.robot, j.number, j.time, j.state, j.end, j.effort}); }
  const Scene* scene_;
  std::vector<std::variant<PieceRecord, WitnessRecord, EventRecord, ImpactRecord, ImpulseRecord, Joints, Checkpoint>>
      rows_;
};

}  // namespace rigor::sim
