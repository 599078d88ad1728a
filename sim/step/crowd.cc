// SPDX-License-Identifier: MIT
// Steps of a crowd: docs/event-loop.md.
#include "sim/step/crowd.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr int kCrowd = 12;              // Moving bodies of a group from which on it is a crowd,
constexpr int kChatteringCrowd = 4;     // and where its impacts chatter.
constexpr double kTickShare = 10;       // Longest tick, in event windows.
constexpr int kLinearisations = 40;     // Of the contacts at the end of a tick,
constexpr double kPolishGaps = 30;      // Violations, in deltas, from which on the ends are put right directly,
constexpr int kPolishedContacts = 80;   // for at most so many contacts that carry force,
constexpr int kPolishRounds = 4;        // in so many Newton steps.
constexpr int kSweeps = 40;             // each with so many sweeps at most.
constexpr double kSweptShare = 0.02;    // Sweeps end when they move contacts by less than this share of delta in a tick.
constexpr double kEndShare = 0.75;      // Gaps at the end, of delta, that need no further correction.
constexpr double kNewShare = 0.9;       // Features that come closer than this share of delta become contacts of the tick.
constexpr double kSamePlane = 1e-9;     // Normals that differ by less belong to one plane.
constexpr int kCrowdTries = 40;
constexpr double kBumpShare = 0.9;      // Dips within a tick are lifted to this share of delta,
constexpr double kBumpAccepted = 0.7;   // and accepted above this one.
constexpr int kBumpRounds = 6, kBumpSweeps = 30;
constexpr double kStillShare = 0.05;    // Of g times the event window: slower bodies are asked whether they can stay.
constexpr int kRestSweeps = 400;
constexpr double kLiftEnergyShare = 0.01;  // Of the kinetic energy: the most that lifting contacts to delta may take.
constexpr double kHeldEnergyShare = 0.1;   // Of the energy that lifts all bodies by delta: what sweeps do not resolve.

}  // namespace

bool Crowd::isCrowd(const StepMemory& memory) const {
  if (!x_.start.robots.empty()) return false;
  // Where impacts are to be told apart, only the groups that leave no other way are crowds.
  const bool chatters = !x_.forks && memory.event_window > x_.scales.event_window;
  if (static_cast<int>(x_.island.size()) < (chatters ? kChatteringCrowd : kCrowd)) return false;
  for (const int i : x_.island)
    if (x_.bodies[i].material.restitution > 0) return false;
  return chatters || !isSlow();
}

bool Crowd::isSlow() const {
  const double speed = kStillShare * x_.scales.acceleration * x_.scales.event_window;
  return std::all_of(x_.start.begin(), x_.start.end(), [&](const SystemBody& b) {
    return b.state.v.norm() + x_.scales.length * b.state.w.norm() <= speed;
  });
}

/// Features of all near pairs that touch or may close within `h`.
void Crowd::findAhead(double h) {
  x_.contacts.clear();
  for (int p = 0; p < x_.pairs.size(); ++p) {
    x_.pairs[p].first_contact = -1;
    addFeatures(p, x_.t0, x_.scales.band + h * closingSpeed(x_.pairs[p]));
  }
}

/// Bound of the speed at which the points of a pair may come together, what gravity adds in a tick left out [m/s].
double Crowd::closingSpeed(const NearPair& pair) const {
  auto velocity = [&](int part, int slot) -> Vector6d {
    const BodyRuntime& body = x_.bodies[x_.parts[part].body];
    if (slot >= 0) return x_.start[slot].state.velocity();
    if (body.fixed) return Vector6d::Zero();
    Vector6d u;
    Vector3d v, w;
    body.piece.velocityAt(std::min(x_.t0, body.piece.t1), v, w);
    u << v, w;
    return u;
  };
  const Vector6d a = velocity(pair.part_a, pair.slot_a), b = velocity(pair.part_b, pair.slot_b);
  const double spin_a = a.tail<3>().norm(), spin_b = b.tail<3>().norm();
  double bound = (a - b).head<3>().norm();
  if (spin_a > 0) bound += spin_a * x_.bodies[x_.parts[pair.part_a].body].radius;
  if (spin_b > 0) bound += spin_b * x_.bodies[x_.parts[pair.part_b].body].radius;
  return bound;
}

/// Adds the pair's features at time t (t0 or the end of the tick at hand) that are closer than `reach` and not known yet.
/// @returns the number of those added.
int Crowd::addFeatures(int index, double t, double reach) {
  NearPair& pair = x_.pairs[index];
  const PartRuntime& A = x_.parts[pair.part_a];
  const PartRuntime& B = x_.parts[pair.part_b];
  features_.clear();
  manifold_.find(*A.shape, x_.originPose(pair.part_a, pair.slot_a, t), *B.shape, x_.originPose(pair.part_b, pair.slot_b, t),
                 reach, pair.cache, features_, x_.scales.band);
  int added = 0;
  for (const auto& feature : features_) {
    // The same vertex may meet another face, or turn around a vertex or an edge: that is another plane.
    const auto known = [&](const Contact& c) {
      return c.pair_index == index && c.feature.sameVertices(feature) &&
             (feature.kind == advance::AxisKind::kEdges || (c.feature.axis - feature.axis).norm() <= kSamePlane);
    };
    if (pair.first_contact >= 0 && std::any_of(x_.contacts.begin() + pair.first_contact, x_.contacts.end(), known)) continue;
    Contact c = x_.finder.make(index, feature);
    c.mode = impact::ContactMode::kFree;
    for (const Contact& old : previous_)
      if (old.pair == c.pair && old.feature.sameVertices(feature)) {
        c.force = old.force;
        break;
      }
    if (pair.first_contact < 0) pair.first_contact = static_cast<int>(x_.contacts.size());
    x_.contacts.add(c, x_.fixedPlacement(c.pair.body_a, c.slot_a), x_.fixedPlacement(c.pair.body_b, c.slot_b));
    ++added;
  }
  return added;
}

/// Velocities of a tick of length h, in u_, such that the gaps at its end are those wanted. @returns false if they are not
/// reached.
bool Crowd::crowdVelocities(double h) {
  const size_t n = x_.start.size();
  base_.resize(n), u_.resize(n);
  double kinetic = 0, weight = 0;
  for (size_t i = 0; i < n; ++i) {
    const SystemBody& b = x_.start[i];
    kinetic += dynamics::kineticEnergy(*b.model, b.state);
    weight += b.model->mass * x_.scales.acceleration;
    base_[i] = b.state.velocity();
    base_[i].head<3>() += h * x_.scene.gravity;
    base_[i].tail<3>() += h * dynamics::gyroscopicAcceleration(*b.model, b.state.pose.rotation(), b.state.w);
  }
  const bool lift = kLiftEnergyShare * kinetic > weight * x_.scales.gap;
  auto& ends = x_.trial.ends;
  auto moveEnds = [&] {
    ends = x_.start;
    for (size_t i = 0; i < n; ++i) {
      ends[i].state.pose.p += h * u_[i].head<3>();
      ends[i].state.pose.q = dynamics::rotate(x_.start[i].state.pose.q, h * u_[i].tail<3>());
      ends[i].state.setVelocity(u_[i]);
    }
  };
  auto target = [&](const Contact& c) {
    return lift ? x_.scales.gap : std::clamp(c.start_gap, kEndShare * x_.scales.gap, x_.scales.gap);
  };
  auto restart = [&] {  // Velocities for the impulses at hand and the kinematics at hand.
    sweeps_.rows.resize(x_.contacts.size());
    for (size_t c = 0; c < x_.contacts.size(); ++c) {
      auto& row = sweeps_.rows[c];
      row.at = &x_.contacts.kinematics(c);
      row.slot_a = x_.contacts[c].slot_a, row.slot_b = x_.contacts[c].slot_b;
      row.mu = x_.contacts[c].friction;
      row.impulse = h * x_.contacts[c].force;
    }
    u_ = base_;
    sweeps_.addImpulses(u_);
  };
  x_.contacts.place(x_.start);
  for (size_t c = 0; c < x_.contacts.size(); ++c) x_.contacts[c].start_gap = x_.contacts.kinematics(c).gap;
  restart();
  moveEnds();
  const double accepted = kEndShare * x_.scales.gap;
  for (int k = 0; k < kLinearisations; ++k) {
    x_.contacts.place(ends);
    double least = HUGE_VAL;
    for (size_t c = 0; c < x_.contacts.size(); ++c) least = std::min(least, x_.contacts.kinematics(c).gap);
    if (k > 0 && (least >= accepted || (k > 1 && least > -kPolishGaps * x_.scales.gap && polishEnds(h, lift)))) {
      if (!addEndFeatures(h)) return true;
      x_.contacts.place(x_.start);
      for (size_t c = 0; c < x_.contacts.size(); ++c) x_.contacts[c].start_gap = x_.contacts.kinematics(c).gap;
      x_.contacts.place(ends);
    }
    reference_ = u_;
    restart();
    for (size_t c = 0; c < x_.contacts.size(); ++c) {
      auto& row = sweeps_.rows[c];
      double speed = 0;
      if (row.slot_a >= 0) speed += row.at->Ja.row(0).dot(reference_[row.slot_a]);
      if (row.slot_b >= 0) speed += row.at->Jb.row(0).dot(reference_[row.slot_b]);
      row.offset = (row.at->gap - target(x_.contacts[c])) / h - speed;
      if (!std::isfinite(row.offset)) return false;
    }
    sweeps_.prepare();
    sweeps_.solve(u_, kSweeps, kSweptShare * x_.scales.gap / h);
    for (size_t c = 0; c < x_.contacts.size(); ++c) x_.contacts[c].force = sweeps_.rows[c].impulse / h;
    moveEnds();
  }
  return false;
}

/// Puts the ends of a tick whose sweeps have nearly converged on their gaps: sweeps are slow to remove the last few deltas from stiff
/// patches. @returns false, with the ends as they were, if that does not succeed at once.
bool Crowd::polishEnds(double h, bool lift) {
  auto& ends = x_.trial.ends;
  int rows = 0;
  for (Contact& c : x_.contacts) {
    c.loaded = c.force[0] > 0;
    c.pressed = false;
    c.target = lift ? x_.scales.gap : std::clamp(c.start_gap, kEndShare * x_.scales.gap, x_.scales.gap);
    rows += c.loaded;
  }
  if (rows > kPolishedContacts) return false;
  before_projection_ = ends;
  for (int k = 0; k < kPolishRounds; ++k) {
    for (size_t c = 0; c < x_.contacts.size(); ++c)
      if (!(x_.contacts.kinematics(c).gap >= x_.contacts[c].target)) x_.contacts[c].pressed = true;
    x_.contacts.projectGaps(ends);
    for (SystemBody& b : ends) b.state.pose.q.normalize();
    x_.contacts.place(ends);
    double least = HUGE_VAL;
    for (size_t c = 0; c < x_.contacts.size(); ++c) least = std::min(least, x_.contacts.kinematics(c).gap);
    if (!(least >= kEndShare * x_.scales.gap)) continue;
    for (size_t i = 0; i < ends.size(); ++i) {
      const Eigen::Vector4d &q = ends[i].state.pose.q, &o = before_projection_[i].state.pose.q;
      const Vector3d turn = 2 * (o[0] * q.tail<3>() - q[0] * o.tail<3>() - q.tail<3>().cross(o.tail<3>())) / o.squaredNorm();
      u_[i].head<3>() += (ends[i].state.pose.p - before_projection_[i].state.pose.p) / h;
      u_[i].tail<3>() += turn / h;
      ends[i].state.setVelocity(u_[i]);
    }
    return true;
  }
  ends = before_projection_;
  x_.contacts.place(ends);
  return false;
}

/// Features that the tick at hand would bring too close although they are none of its contacts. @returns true if there are any.
bool Crowd::addEndFeatures(double h) {
  const double t1 = x_.t0 + h;
  x_.trial.h = h;
  bool added = false;
  proposal_.publisher.hermitePieces(x_.trial);
  for (int p = 0; p < x_.pairs.size(); ++p) {
    NearPair& pair = x_.pairs[p];
    double t = t1;
    for (auto [part, slot] : {std::pair{pair.part_a, pair.slot_a}, std::pair{pair.part_b, pair.slot_b}})
      if (slot < 0) t = std::min(t, x_.bodies[x_.parts[part].body].clock);
    if (!(t > x_.t0)) continue;
    if (addFeatures(p, std::min(t, x_.pieces[0].t1), kNewShare * x_.scales.gap) > 0) added = true;
  }
  return added;
}

/// Lifts the inner control points where contacts dip between two good ends. @returns false if the lift needed is too large.
bool Crowd::liftCrowd() {
  constexpr double kSamples[] = {0.5, 0.25, 0.75};
  const size_t n = x_.pieces.size(), m = x_.contacts.size();
  bump_.assign(n, Vector3d::Zero());
  poses_.resize(n);
  std::vector<LiftRow>& rows = lift_rows_;
  rows.resize(m);
  for (int round = 0; round < kBumpRounds; ++round) {
    for (LiftRow& r : rows) r = {-HUGE_VAL, Vector3d::Zero(), 0};
    double least = HUGE_VAL;
    for (double u : kSamples) {
      const double v = 1 - u;
      posesAt(x_.pieces, u, poses_);
      for (size_t c = 0; c < m; ++c) {
        if (x_.contacts[c].start_gap < x_.scales.floor) continue;  // Of the end: not over each other yet.
        if ((x_.contacts[c].slot_a < 0 && !x_.bodies[x_.contacts[c].pair.body_a].fixed) ||
            (x_.contacts[c].slot_b < 0 && !x_.bodies[x_.contacts[c].pair.body_b].fixed)) continue;
        Vector3d normal;
        const double gap = contactGapAt(x_, x_.contacts[c], poses_, &normal);
        least = std::min(least, gap);
        const double need = (kBumpShare * x_.scales.gap - gap) / (3 * u * v);
        if (need > rows[c].need) rows[c].need = need, rows[c].normal = normal;
      }
    }
    if (least >= kBumpAccepted * x_.scales.gap) return true;
    for (int s = 0; s < kBumpSweeps; ++s) {
      double largest = 0;
      for (size_t k = 0; k < m; ++k) {
        const size_t c = s % 2 ? m - 1 - k : k;
        LiftRow& r = rows[c];
        if (!(r.need > -x_.scales.max_lift)) continue;
        const int a = x_.contacts[c].slot_a, b = x_.contacts[c].slot_b;
        double have = 0, compliance = 0;
        if (a >= 0) have -= r.normal.dot(bump_[a]), compliance += x_.start[a].model->inverse_mass;
        if (b >= 0) have += r.normal.dot(bump_[b]), compliance += x_.start[b].model->inverse_mass;
        const double next = std::max(0.0, r.multiplier + (r.need - have) / compliance), change = next - r.multiplier;
        if (change == 0) continue;
        r.multiplier = next;
        if (a >= 0) bump_[a] -= change * x_.start[a].model->inverse_mass * r.normal;
        if (b >= 0) bump_[b] += change * x_.start[b].model->inverse_mass * r.normal;
        largest = std::max(largest, std::abs(change) * compliance);
      }
      if (largest < 0.05 * x_.scales.gap) break;
    }
    for (size_t i = 0; i < n; ++i) {
      x_.pieces[i].p[1] += bump_[i], x_.pieces[i].p[2] += bump_[i];
      const Vector3d total = x_.pieces[i].p[1] - (x_.start[i].state.pose.p + x_.trial.h / 3 * x_.start[i].state.v);
      if (!(total.norm() <= x_.scales.max_lift)) return false;
      bump_[i].setZero();
    }
  }
  return false;
}

/// True when the contact forces balance gravity: what does not move stays.
bool Crowd::crowdRests(double window) {
  if (!isSlow()) return false;
  const size_t n = x_.start.size();
  u_.resize(n);
  x_.contacts.place(x_.start);
  sweeps_.rows.clear();
  std::vector<int>& touching = touching_;
  touching.clear();
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    x_.contacts[c].held = x_.contacts.kinematics(c).gap <= x_.scales.band;
    if (!x_.contacts[c].held) continue;
    touching.push_back(static_cast<int>(c));
    ContactSweeps::Row row;
    row.at = &x_.contacts.kinematics(c);
    row.slot_a = x_.contacts[c].slot_a, row.slot_b = x_.contacts[c].slot_b;
    row.mu = x_.contacts[c].friction;
    row.impulse = window * x_.contacts[c].force;
    sweeps_.rows.push_back(row);
  }
  for (Vector6d& u : u_) u << window * x_.scene.gravity, Vector3d::Zero();
  sweeps_.addImpulses(u_);
  sweeps_.prepare();
  sweeps_.solve(u_, kRestSweeps, 1e-2 * x_.scales.rest_acceleration * window);
  for (size_t k = 0; k < touching.size(); ++k) x_.contacts[touching[k]].force = sweeps_.rows[k].impulse / window;
  for (const Vector6d& u : u_)
    if (!(u.head<3>().norm() + x_.scales.length * u.tail<3>().norm() <= x_.scales.rest_acceleration * window)) return false;
  return true;
}

StepStatus Crowd::step(StepMemory& memory, double reach, StepResult& result) {
  const double longest = std::min({x_.scene.solver.max_step, x_.t_end - x_.t0, kTickShare * x_.scales.event_window});
  double h = memory.next_step > 0 ? std::min(memory.next_step, longest) : longest;
  if (h > 0.6 * (x_.t_end - x_.t0) && h < x_.t_end - x_.t0) h = 0.5 * (x_.t_end - x_.t0);
  const SystemState from = x_.start;
  previous_ = memory.contacts;
  findAhead(h);
  if (x_.finder.touchesOthers(x_.contacts, result.touched)) return StepStatus::kMerge;
  x_.reason = "the contacts of a crowd could not be closed";
  if (crowdRests(h)) {
    for (SystemBody& b : x_.start) b.state.v.setZero(), b.state.w.setZero();
    bool hit = false;
    if (proposal_.stay(reach, hit, result) == Certified::kProved) {
      finishCrowd(memory, result);
      return hit ? StepStatus::kStepped : StepStatus::kRest;
    }
    x_.start = from;
  }
  double found_for = h;
  for (int tries = 0; tries < kCrowdTries; ++tries) {
    if (!(h > x_.scales.min_step)) break;
    ++x_.stats.tries;
    x_.start = from;
    if (h != found_for) {
      // Features of the end of a longer tick need not be over each other yet.
      findAhead(h);
      found_for = h;
    }
    const bool closed = crowdVelocities(h);
    if (x_.finder.touchesOthers(x_.contacts, result.touched)) return StepStatus::kMerge;
    if (!closed) { h *= 0.5; continue; }
    // The jump at the start takes no more energy than there is; the rest is gained on the way.
    double before = 0, after = 0, weight = 0;
    for (size_t i = 0; i < x_.start.size(); ++i) {
      before += dynamics::kineticEnergy(*x_.start[i].model, x_.start[i].state);
      weight += x_.start[i].model->mass * x_.scales.acceleration;
      x_.start[i].state.setVelocity(u_[i]);
      after += dynamics::kineticEnergy(*x_.start[i].model, x_.start[i].state);
    }
    if (after > before) {
      const double factor = before > 0 ? std::sqrt(before / after) * (1 - 1e-15) : 0;
      for (SystemBody& b : x_.start) b.state.v *= factor, b.state.w *= factor;
    }
    x_.trial.h = h;
    x_.trial.error = 0;
    x_.trial.acting = Acting::kNothing;
    for (Contact& c : x_.contacts) c.held = c.loaded = c.force[0] > 0;
    placement_.limitEnergy(x_.trial);
    if (x_.trial.gains_energy && before <= kHeldEnergyShare * weight * x_.scales.gap) {
      // Motion that would fall goes on; what only rises, by less than contacts are placed to, stands still for a tick.
      for (SystemBody& b : x_.start) b.state.v.setZero(), b.state.w.setZero();
      x_.trial.ends = x_.start;
      x_.trial.gains_energy = false;
    } else if (x_.trial.gains_energy) {
      h *= 0.5;
      continue;
    }
    proposal_.publisher.hermitePieces(x_.trial);
    if (!liftCrowd()) { h *= 0.5; continue; }
    proposal_.publisher.publishMotion();
    if (proposal_.certifier.certify(reach, result) != Certified::kProved) {
      const int failed = proposal_.certifier.failedPair();
      int added = 0;
      if (failed >= 0 && tries < kCrowdTries / 2)
        for (double u : {0.5, 1.0})
          added += addFeatures(failed, std::min(x_.t0 + u * h, x_.pieces[0].t1), 4 * x_.scales.gap);
      if (added == 0) h *= 0.5;
      continue;
    }
    x_.contacts.place(x_.start);
    if (x_.ledger.recordKicks(h, result.impacts)) ++x_.stats.impacts, result.closed = true;
    memory.next_step = tries == 0 ? 2 * h : h;
    finishCrowd(memory, result);
    return StepStatus::kStepped;
  }
  result.message = x_.reason;
  return StepStatus::kFailed;
}

void Crowd::finishCrowd(StepMemory& memory, StepResult& result) {
  memory.event_window = std::max(memory.event_window, 2 * x_.scales.event_window);  // Stays a crowd.
  result.start_velocities.resize(x_.start.size());
  result.ends.resize(x_.start.size());
  result.t1 = x_.pieces[0].t1;
  result.pieces = x_.pieces;
  result.robot_starts.clear(), result.robot_ends.clear();
  for (size_t i = 0; i < x_.start.size(); ++i) {
    result.start_velocities[i] = x_.start[i].state.velocity();
    result.ends[i] = x_.trial.ends[i].state;
    result.ends[i].pose = x_.pieces[i].end();
  }
  x_.contacts.place(x_.trial.ends);
  memory.contacts.clear();
  for (size_t c = 0; c < x_.contacts.size(); ++c)
    if (x_.contacts[c].force[0] > 0 || x_.contacts.kinematics(c).gap <= x_.scales.band) memory.contacts.push_back(x_.contacts[c]);
}

}  // namespace rigor::sim
