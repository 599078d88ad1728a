// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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
  bool known = false;
  sim::PieceRecord now, left;
  bool has_left = false;
};

}  // namespace

void forEachState(Reader& reader, const std::string& branch,
                  const std::function<void(double, int, const BodyState&, bool)>& use) {
  const auto jumps = readJumps(reader, branch);
  const std::vector<BodyRow>& bodies = reader.bodies();
  std::vector<Current> current(bodies.size());
  const auto emit = [&](double t, int b, const geom::Pose& pose, const Eigen::Vector3d& v, const Eigen::Vector3d& w,
                        bool after) { use(t, b, originState(pose, v, w, bodies[b].centre), after); };
  const auto emitAt = [&](double t) {
    for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
      if (bodies[b].fixed || !current[b].known) continue;
      const sim::PieceRecord& now = current[b].now;
      if (now.piece.t0 == t) {
        const auto jump = jumps.find({t, b});
        if (jump != jumps.end()) {
          const sim::PieceRecord& left = current[b].left;
          const Twist& before = jump->second.before;
          current[b].has_left ? emit(t, b, left.piece.end(), left.v_end, left.w_end, false)
                              : emit(t, b, now.piece.start(), before.head<3>(), before.tail<3>(), false);
        }
        emit(t, b, now.piece.start(), now.v_start, now.w_start, jump != jumps.end());
      } else if (now.piece.t1 == t) {
        emit(t, b, now.piece.end(), now.v_end, now.w_end, false);
        const auto jump = jumps.find({t, b});
        if (jump != jumps.end())
          emit(t, b, now.piece.end(), jump->second.after.head<3>(), jump->second.after.tail<3>(), true);
      } else if (t < now.piece.t1) {
        Eigen::Vector3d v, w;
        now.piece.velocityAt(t, v, w);
        emit(t, b, now.piece.at(t), v, w, false);
      }
    }
  };
  double time = std::numeric_limits<double>::quiet_NaN();
  reader.forEachPiece(branch, -INFINITY, INFINITY, [&](const sim::PieceRecord& piece) {
    if (bodies[piece.body].fixed) return;
    if (piece.piece.t0 != time) {
      emitAt(time);  // Nothing at first: no time equals NaN, and no body is known.
      time = piece.piece.t0;
    }
    Current& c = current[piece.body];
    c.left = c.now;
    c.has_left = c.known;
    c.now = piece;
    c.known = true;
  });
  emitAt(time);
  // The end of the run: of what every body has, where the writer was killed.
  double end = INFINITY;
  for (const Current& c : current)
    if (c.known) end = std::min(end, c.now.piece.t1);
  if (end > time && std::isfinite(end)) emitAt(end);
}

}  // namespace rigor::record
