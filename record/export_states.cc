// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "elementary/require.h"
#include "record/export.h"

namespace rigor::record {
namespace {

using Twist = Eigen::Matrix<double, 6, 1>;

// First velocity before and last velocity after the impacts of one body at one time.
struct Jump {
  Twist before, after;
};

std::map<std::pair<double, int>, Jump> readJumps(Reader& reader, const std::string& branch) {
  std::map<std::pair<double, int>, Jump> jumps;
  for (const ImpactRow& impact : reader.impacts(branch, -INFINITY, INFINITY))
    for (std::size_t i = 0; i < impact.bodies.size(); ++i) {
      const auto [jump, first] =
          jumps.try_emplace({impact.time, impact.bodies[i]}, Jump{impact.before[i], impact.after[i]});
      if (!first) jump->second.after = impact.after[i];
    }
  return jumps;
}

// The piece that a body is in, and the one it left.
struct Current {
  std::optional<sim::PieceRecord> now, left;
};

using Use = std::function<void(double time, int body, const BodyState& state, bool after_impact)>;

/// Hands over the state of a body at a time, one on each side of an impact.
class StateRows {
 public:
  StateRows(Reader& reader, const std::string& branch, const Use& use)
      : bodies_(reader.bodies()), jumps_(readJumps(reader, branch)), use_(use) {}

  bool jumps(double t, int b) const { return jumps_.contains({t, b}); }

  /// @pre `current.now` covers t; it is the later one of two pieces that meet there.
  void add(double t, int b, const Current& current) const {
    const sim::PieceRecord& now = *current.now;
  RIGOR_REQUIRE(now.piece.t0 <= t && t <= now.piece.t1);
    const auto jump = jumps_.find({t, b});
    const bool hit = jump != jumps_.end();
    if (now.piece.t0 == t) {
      if (hit) {
        const Twist& before = jump->second.before;
        if (current.left) emit(t, b, current.left->piece.end(), current.left->v_end, current.left->w_end, false);
        else emit(t, b, now.piece.start(), before.head<3>(), before.tail<3>(), false);
      }
      emit(t, b, now.piece.start(), now.v_start, now.w_start, hit);
    } else if (now.piece.t1 == t) {
      emit(t, b, now.piece.end(), now.v_end, now.w_end, false);
      if (hit) emit(t, b, now.piece.end(), jump->second.after.head<3>(), jump->second.after.tail<3>(), true);
    } else if (t < now.piece.t1) {
      Eigen::Vector3d v, w;
      now.piece.velocityAt(t, v, w);
      emit(t, b, now.piece.at(t), v, w, false);
    }
  }

 private:
  void emit(double t, int b, const geom::Pose& pose, const Eigen::Vector3d& v, const Eigen::Vector3d& w,
            bool after) const {
    use_(t, b, originState(pose, v, w, bodies_[b].centre), after);
  }

  const std::vector<BodyRow>& bodies_;
  std::map<std::pair<double, int>, Jump> jumps_;
  const Use& use_;
};

/// At each time at which some piece starts, and at the end of what every body has: where the writer was killed, that
/// may be earlier.
void addEveryStep(Reader& reader, const std::string& branch, const StateRows& rows) {
  const std::vector<BodyRow>& bodies = reader.bodies();
  std::vector<Current> current(bodies.size());
  const auto addAll = [&](double t) {
    for (int b = 0; b < static_cast<int>(bodies.size()); ++b)
      if (current[b].now) rows.add(t, b, current[b]);
  };
  double time = std::numeric_limits<double>::quiet_NaN();
  reader.forEachPiece(branch, -INFINITY, INFINITY, [&](const sim::PieceRecord& piece) {
    if (bodies[piece.body].fixed) return;
    if (piece.piece.t0 != time) {
      addAll(time);  // Nothing at first: no body is known.
      time = piece.piece.t0;
    }
    Current& c = current[piece.body];
    c.left = std::move(c.now);
    c.now = piece;
  });
  addAll(time);
  double end = INFINITY;
  for (const Current& c : current)
    if (c.now) end = std::min(end, c.now->piece.t1);
  if (end > time && std::isfinite(end)) addAll(end);
}

void addAt(Reader& reader, const std::string& branch, const std::vector<double>& times, const StateRows& rows) {
  for (const double t : times)
    for (int b = 0; b < static_cast<int>(reader.bodies().size()); ++b) {
      if (reader.bodies()[b].fixed) continue;
      Current current{reader.ownPieceAt(branch, b, t), std::nullopt};
      if (!current.now) continue;
      if (rows.jumps(t, b) && current.now->piece.t0 == t)
        if (const auto start = reader.startBefore(branch, b, t)) current.left = reader.ownPieceAt(branch, b, *start);
      rows.add(t, b, current);
    }
}

}  // namespace

std::string bodyName(const Reader& reader, int body) {
  return body >= 0 && body < static_cast<int>(reader.bodies().size())
             ? reader.bodies()[static_cast<std::size_t>(body)].name
             : std::string();
}

std::vector<double> ExportTimes::within(double from, double to) const {
  RIGOR_REQUIRE(!everyStep());
  std::vector<double> list;
  if (rate > 0) {
    // k / rate itself decides: a product would miss ends by a rounding.
    for (double k = std::max(0.0, std::floor(from * rate) - 1); k / rate <= to; ++k)
      if (k / rate >= from) list.push_back(k / rate);
  } else {
    std::copy_if(at.begin(), at.end(), std::back_inserter(list), [&](double t) { return from <= t && t <= to; });
  }
  return list;
}

void forEachState(Reader& reader, const std::string& branch, const Use& use, const ExportTimes& times) {
  const StateRows rows(reader, branch, use);
  if (times.everyStep()) return addEveryStep(reader, branch, rows);
  const BranchRow row = reader.branch(branch);
  addAt(reader, branch, times.within(row.fork_time, row.end_time), rows);
}

}  // namespace rigor::record
