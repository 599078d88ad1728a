// SPDX-License-Identifier: MIT
#include "sim/history.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "impact/model_registry.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr std::size_t kForgetAtLeast = 64;  // Pieces that are dropped together.

bool isJump(const ImpulseRecord& record) { return record.t0 == record.t1; }

}  // namespace

History::History(const Scene& scene, double keep) : keep_(keep) {
  for (const Body& body : scene.bodies) {
    Track& track = tracks_.emplace_back();
    track.fixed = body.fixed;
    if (!body.fixed) track.centre = body.centre;
    const Vector3d arm = body.pose.rotation() * track.centre;
    track.start = {body.pose.q, body.pose.p + arm};
    if (body.fixed) continue;
    track.w = body.angular_velocity;
    track.v = body.velocity + body.angular_velocity.cross(arm);
    track.start_v = track.v, track.start_w = track.w;
  }
}

const PieceRecord* History::pieceAt(const Track& track, double time) const {
  const auto next = std::upper_bound(track.pieces.begin(), track.pieces.end(), time,
                                     [](double t, const PieceRecord& record) { return t < record.piece.t0; });
  if (next == track.pieces.begin() || !(time <= next[-1].piece.t1)) return nullptr;
  return &next[-1];
}

std::optional<geom::Pose> History::centrePose(int body, double time) const {
  const Track& track = tracks_[body];
  if (track.fixed) return track.start;
  if (const PieceRecord* record = pieceAt(track, time)) return record->piece.at(time);
  if (track.pieces.empty() && time == track.since) return track.start;
  return {};
}

std::optional<History::State> History::at(int body, double time) const {
  const Track& track = tracks_[body];
  const std::optional<geom::Pose> pose = centrePose(body, time);
  if (!pose) return {};
  Vector3d v = track.v, w = track.w;
  const PieceRecord* record = track.fixed ? nullptr : pieceAt(track, time);
  if (record) {
    const advance::MotionPiece& piece = record->piece;
    const bool set_here = time == piece.t1 && record == &track.pieces.back() && time == track.since && time > 0;
    if (time == piece.t0) v = record->v_start, w = record->w_start;
    else if (time == piece.t1 && !set_here) v = record->v_end, w = record->w_end;
    else if (time < piece.t1) piece.velocityAt(time, v, w);
  }
  if (track.fixed) v.setZero(), w.setZero();
  const Vector3d arm = pose->rotation() * track.centre;
  return State{pose->p - arm, v - w.cross(arm), w, pose->q};
}

History::Mark History::mark(double time) const {
  const auto jumps = std::count_if(impulses_.begin(), impulses_.end(), isJump);
  return {time, events_.size(), impacts_.size(), static_cast<std::size_t>(jumps)};
}

void History::goBack(const Mark& mark) {
  events_.resize(std::min(events_.size(), mark.events));
  impacts_.resize(std::min(impacts_.size(), mark.impacts));
  std::erase_if(events_, [&](const Event& event) { return event.time > mark.time; });
  std::erase_if(impacts_, [&](const ImpactRecord& impact) { return impact.time > mark.time; });
  std::size_t jumps = 0;
  std::erase_if(impulses_, [&](const ImpulseRecord& record) {
    return record.t1 > mark.time || (isJump(record) && ++jumps > mark.jumps);
  });
  for (Track& track : tracks_) {
    std::erase_if(track.pieces, [&](const PieceRecord& record) { return !(record.piece.t0 < mark.time); });
    track.v = track.start_v, track.w = track.start_w, track.since = 0;
  }
  for (const ImpactRecord& impact : impacts_) noteSet(impact);
}

/// A velocity that was set holds from its time on, until a piece starts there.
void History::noteSet(const ImpactRecord& impact) {
  if (impact.model != impact::kVelocitySet) return;
  Track& track = tracks_[impact.bodies[0]];
  track.v = impact.after[0].head<3>(), track.w = impact.after[0].tail<3>(), track.since = impact.time;
}

void History::piece(const PieceRecord& record) {
  Track& track = tracks_[record.body];
  track.pieces.push_back(record);
  const auto old = std::find_if(track.pieces.begin(), track.pieces.end(),
                                [&](const PieceRecord& p) { return p.piece.t1 >= record.piece.t1 - keep_; });
  if (old - track.pieces.begin() >= static_cast<long>(kForgetAtLeast)) track.pieces.erase(track.pieces.begin(), old);
}

void History::event(const EventRecord& record) {
  events_.push_back({record.time, std::string(record.kind), record.body_a, record.body_b, record.detail});
}

void History::impact(const ImpactRecord& record) {
  impacts_.push_back(record);
  noteSet(record);
}

void History::impulses(const ImpulseRecord& record) {
  impulses_.push_back(record);
}

}  // namespace rigor::sim
