// SPDX-License-Identifier: MIT
#include "sim/run/continued_sink.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "sim/free_flight.h"
#include "sim/run/claims.h"
#include "sim/run/contact_place.h"
#include "sim/step/step_impulses.h"

namespace rigor::sim {

namespace {

/// De Casteljau's second half.
template <typename Vector>
void restOf(Vector* points, int degree, double u) {
  for (int level = 0; level < degree; ++level)
    for (int i = 0; i < degree - level; ++i) points[i] = (1 - u) * points[i] + u * points[i + 1];
}

/// What is left of a piece after t, from the pose on that ended what is over.
advance::MotionPiece restOf(const advance::MotionPiece& piece, double t, const geom::Pose& start) {
  advance::MotionPiece rest = piece;
  const double u = (t - piece.t0) / (piece.t1 - piece.t0);
  restOf(rest.p, rest.p_degree, u);
  restOf(rest.q, rest.q_degree, u);
  rest.t0 = t, rest.p[0] = start.p, rest.q[0] = start.q;
  return rest;
}

}  // namespace

ContinuedSink::ContinuedSink(Sink& sink, double time, std::span<const End> ends, std::span<const BodyRuntime> bodies,
                             std::span<const PartRuntime> parts, const Scales& scales)
    : sink_(sink), time_(time), ends_(ends), bodies_(bodies), parts_(parts), scales_(scales), handed_(bodies.size()),
      smallest_gap_(std::numeric_limits<double>::infinity()) {
  for (const BodyRuntime& body : bodies_) {
    begun_.push_back(begunBy(body, ends_[begun_.size()]));
    if (!body.fixed && !body.rests() && body.piece.t0 < time_) last_ = std::max(last_, body.piece.t1);
  }
}

/// What was handed over may end as the motion does, and not as the beginning of its curve.
ContinuedSink::Begun ContinuedSink::begunBy(const BodyRuntime& body, const End& end) const {
  Begun begun{body.piece};
  if (body.fixed || !(body.piece.t0 < time_ && time_ < body.piece.t1)) return begun;
  Eigen::Vector3d w;
  body.piece.velocityAt(time_, begun.v, w);
  begun.anew = w != end.velocity.tail<3>();
  return begun;
}

/// Whether that is another curve than the one of which the beginning was handed over.
bool ContinuedSink::isAnew(const PieceRecord& record) const {
  const advance::MotionPiece &whole = begun_[record.body].piece, &piece = record.piece;
  if (piece.q_degree != 3 || whole.q_degree != 3 || piece.t0 != whole.t0) return false;
  const advance::MotionPiece begun = piece.t1 < whole.t1 ? whole.cutAt(piece.t1) : whole;
  return !std::equal(std::begin(piece.q), std::end(piece.q), std::begin(begun.q));
}

void ContinuedSink::piece(const PieceRecord& record) {
  if (!(record.piece.t1 > time_)) return;
  PieceRecord handed = record;
  if (record.piece.t0 < time_) {
    const End& end = ends_[record.body];
    handed.piece = restOf(record.piece, time_, end.pose);
    handed.v_start = begun_[record.body].v, handed.w_start = end.velocity.tail<3>();
    begun_[record.body].anew = begun_[record.body].anew || isAnew(record);
    if (begun_[record.body].anew) turnTo(record.piece.q[3], handed.w_start, handed.w_end, handed.piece);
    last_ = std::max(last_, handed.piece.t1);
  }
  if (handed.piece.t0 < last_) handed_[record.body].push_back(handed.piece);
  sink_.piece(handed);
}

void ContinuedSink::impact(const ImpactRecord& record) {
  ImpactRecord handed = record;
  for (size_t i = 0; i < record.bodies.size(); ++i) {
    Begun& begun = begun_[record.bodies[i]];
    if (record.time != time_ || !(begun.piece.t0 < time_) || std::exchange(begun.hit, true)) continue;
    handed.before[i] = ends_[record.bodies[i]].velocity;
  }
  sink_.impact(handed);
}

void ContinuedSink::impulses(const ImpulseRecord& record) {
  const bool jump = record.t0 == record.t1;
  if (jump ? record.t0 < time_ : !(record.t1 > time_)) return;
  if (jump || !(record.t0 < time_)) return sink_.impulses(record);
  StepImpulses rest{actingOf(record), record};
  rest.startAt(time_);
  noteAxes(bodies_, parts_, [&](int body, double t) { return handedPose(body, t); }, rest.record);
  sink_.impulses(rest.record);
}

void ContinuedSink::joints(const JointRecord& record) {
  if (!(record.time < time_)) sink_.joints(record);
}

/// Of what was handed over since time_, and stays there afterwards.
geom::Pose ContinuedSink::handedPose(int body, double t) const {
  for (const advance::MotionPiece& piece : handed_[body])
    if (piece.t0 <= t && t <= piece.t1) return piece.at(t);
  return poseAt(bodies_[body], t);
}

/// Null where no piece of the body covers that.
const advance::MotionPiece* ContinuedSink::pieceOf(int body, double t0, double t1) const {
  if (bodies_[body].fixed) return &bodies_[body].piece;
  for (const advance::MotionPiece& piece : handed_[body])
    if (piece.t0 <= t0 && t1 <= piece.t1) return &piece;
  return nullptr;
}

/// What the rounding of a rest takes from claims about it.
double ContinuedSink::slack(int body, const advance::Witness& witness) const {
  if (bodies_[body].fixed || handed_[body].empty()) return 0;
  const advance::MotionPiece& rest = handed_[body].front();
  if (rest.t0 != time_ || !(witness.t0 < rest.t1) || (rest.p_degree == 0 && rest.q_degree == 0)) return 0;
  return cutSlack(rest, bodies_[body].radius);
}

void ContinuedSink::witness(const WitnessRecord& record) {
  if (!(record.witness.t1 > time_)) return;
  WitnessRecord handed = record;
  handed.witness.t0 = std::max(handed.witness.t0, time_);
  const double slack_a = slack(record.pair.body_a, handed.witness), slack_b = slack(record.pair.body_b, handed.witness);
  for (const double taken : {slack_a, slack_b})
    if (taken > 0) lowerClaim(taken, handed.witness);
  const auto endsAnew = [&](int body) { return begun_[body].anew && handed.witness.t0 < handed_[body].front().t1; };
  if (endsAnew(record.pair.body_a) || endsAnew(record.pair.body_b)) {
    if (!proveAnew(handed)) unproved_ = record.pair;
    return;
  }
  const bool lowered = slack_a > 0 || slack_b > 0;
  if (lowered && (handed.witness.axis.kind == advance::AxisKind::kEdges || !(handed.witness.gap >= scales_.floor)) &&
      proveAnew(handed))
    return;
  if (lowered) smallest_gap_ = std::min(smallest_gap_, handed.witness.gap);
  sink_.witness(handed);
}

bool ContinuedSink::proveAnew(const WitnessRecord& record) {
  const auto &[pair, witness] = record;
  const advance::MotionPiece *a = pieceOf(pair.body_a, witness.t0, witness.t1),
                             *b = pieceOf(pair.body_b, witness.t0, witness.t1);
  if (!a || !b) return false;
  std::vector<advance::Witness> found;
  if (!provesAnew(record, *a, *b, bodies_, parts_, {&scales_.floor, 1}, found)) return false;
  for (const advance::Witness& proved : found) {
    smallest_gap_ = std::min(smallest_gap_, proved.gap);
    sink_.witness({pair, proved});
  }
  return true;
}

}  // namespace rigor::sim
