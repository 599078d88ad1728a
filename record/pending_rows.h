// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "record/piece_rows.h"
#include "sim/sink.h"
#include "verify/kernel/run.h"

namespace rigor::record {

/// What was handed over since the last checkpoint, in owned form: half a step is no part of a record.
struct PendingRows {
  struct Event {
    double time;
    std::string kind;
    int body_a, body_b;
    std::string detail;
  };
  struct Impact {
    double time;
    std::string model;
    std::vector<std::int64_t> bodies;
    std::vector<double> before, after;
    std::string contacts;  ///< JSON.
  };
  struct Joints {
    double time;
    int robot;
    std::vector<double> values;  ///< Position, velocity, effort of each scalar coordinate.
  };
  struct Impulses {
    sim::ImpulseRecord record;
    bool joints_follow;  ///< FollowingWrenches::leaveOut().
  };
  PieceRows pieces;
  std::vector<sim::WitnessRecord> witnesses;
  std::vector<Impulses> impulses;
  int leaves_out = -1;       ///< Of `impulses`: the last one that leaves out what joints held; -1: none.
  sim::ImpulseRecord whole, draft, rest;  ///< The same with it; room for the next.
  std::vector<Event> events;
  std::vector<Impact> impacts;
  std::vector<Joints> joints;

  void clear() {
    pieces.clear(), witnesses.clear(), impulses.clear(), events.clear(), impacts.clear(), joints.clear();
    leaves_out = -1;
  }
};

verify::kernel::Piece plainPiece(const sim::PieceRecord& record);
sim::PieceRecord pieceRecord(const verify::kernel::Piece& piece);
PendingRows::Impact plainImpact(const sim::ImpactRecord& record);

}  // namespace rigor::record
