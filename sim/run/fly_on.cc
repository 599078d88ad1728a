// SPDX-License-Identifier: MIT
// Flights that others cut, docs/event-loop.md.
#include <algorithm>
#include <array>
#include <limits>

#include "dynamics/quaternion.h"
#include "sim/free_flight.h"
#include "sim/run/claims.h"
#include "sim/run/run.h"

namespace rigor::sim {

namespace {

/// Null where what the claim speaks of was handed over, and forgotten.
const advance::MotionPiece* motionOf(const BodyRuntime& body, const advance::Witness& claim) {
  const auto holds = [&](const advance::MotionPiece& piece) {
    return piece.t0 <= claim.t0 && claim.t1 <= piece.t1;
  };
  if (holds(body.piece)) return &body.piece;
  const auto found = std::find_if(body.past.begin(), body.past.end(), holds);
  return found == body.past.end() ? nullptr : &*found;
}

}  // namespace

/// Flights that were cut go on as if they had not been: from where they are, beside the ends of their curves, which
/// turn right to third order only. What is published of them has the energy of the flight, where that can be proved.
void Run::flyOn(std::span<const int> moved) {
  for (const int i : moved) {
    BodyRuntime& body = bodies[i];
    const dynamics::RigidBodyState flight = flightAt(body, scene.gravity, body.piece.t1);
    const Eigen::Vector4d published = body.state.pose.q.normalized();
    body.beside = dynamics::multiply(flight.pose.q, dynamics::conjugate(published)).normalized();
    body.state.v = flight.v;
    body.state.w = geom::quaternionMatrix(body.beside).transpose() * flight.w;
    body.v_end.head<3>() = flight.v;
  }
  if (!showAnew(moved)) return;
  for (const int i : moved) bodies[i].v_end = bodies[i].state.velocity();
}

/// Curves to the same ends, where they turn as the flights do. A motion that somebody has seen part of is another there
/// than what he saw; ContinuedSink makes up for that. @returns false, and changes nothing, where that makes no
/// difference, or where a claim does not hold of the new curves.
bool Run::showAnew(std::span<const int> moved) {
  const auto turnsAsShown = [&](int i) {
    const BodyRuntime& body = bodies[i];
    return (body.v_end - body.state.velocity()).tail<3>().norm() <= kCutEpsilon * body.state.w.norm();
  };
  if (std::all_of(moved.begin(), moved.end(), turnsAsShown)) return false;
  shown_.clear(), claims_.clear();
  for (const int i : moved) {
    BodyRuntime& body = bodies[i];
    shown_.push_back(body.piece);
    turnTo(body.piece.end().q, body.v_start.tail<3>(), body.state.w, body.piece);
  }
  const auto speaksOf = [](const BodyRuntime& body) {
    return [&](const WitnessRecord& w) { return w.witness.t1 > body.piece.t0; };
  };
  const auto isKnown = [&](int other, int i) {  // Of two that moved, the first has proved it.
    return other < i && std::binary_search(moved.begin(), moved.end(), other);
  };
  bool holds = true;
  for (const int i : moved)
    pending_.each(i, [&](const WitnessRecord& w) {
      if (!holds || !speaksOf(bodies[i])(w) || isKnown(w.pair.body_a, i) || isKnown(w.pair.body_b, i)) return;
      holds = proveAnew(w, claims_);
    });
  if (!holds) {
    for (size_t k = 0; k < moved.size(); ++k) bodies[moved[k]].piece = shown_[k];
    return false;
  }
  for (const int i : moved) pending_.eraseIf(i, speaksOf(bodies[i]));
  for (const WitnessRecord& claim : claims_) {
    pending_.add(claim);
    noteGap(groups_[groups_.of(moved[0])], claim.witness.gap);
  }
  return true;
}

/// Proves a claim of the motions that its bodies have now.
bool Run::proveAnew(const WitnessRecord& w, std::vector<WitnessRecord>& proved) {
  const advance::MotionPiece *a = motionOf(bodies[w.pair.body_a], w.witness),
                             *b = motionOf(bodies[w.pair.body_b], w.witness);
  if (!a || !b) return false;
  proofs_.clear();
  // Above the floor if possible: these pieces may be cut again.
  const auto level = [&](double share) { return (1 + share * (kCutMargin - 1)) * scales.floor; };
  if (!provesAnew(w, *a, *b, bodies, parts, std::array{level(1), level(0.5), level(0)}, proofs_)) return false;
  for (const advance::Witness& witness : proofs_) proved.push_back({w.pair, witness});
  return true;
}

/// Keeps a motion that ends as long as claims speak of it whose other body may yet be shown anew. A stay is kept from
/// its start on, however much of it was handed over before.
void Run::remember(int index, const advance::MotionPiece& piece, double start) {
  BodyRuntime& body = bodies[index];
  double earliest = std::numeric_limits<double>::infinity();
  pending_.each(index, [&](const WitnessRecord& w) {
    const int other = w.pair.body_a == index ? w.pair.body_b : w.pair.body_a;
    if (!bodies[other].fixed) earliest = std::min(earliest, w.witness.t0);
  });
  std::erase_if(body.past, [&](const advance::MotionPiece& past) { return past.t1 <= earliest; });
  if (!(piece.t1 > earliest)) return;
  body.past.push_back(piece);
  if (piece.p_degree == 0 && piece.q_degree == 0) body.past.back().t0 = start;
}

}  // namespace rigor::sim
