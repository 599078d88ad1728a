// SPDX-License-Identifier: MIT
// Steps of a crowd: many bodies in contact whose impacts follow each other faster than they could be told apart. A
// tick resolves all contacts that touch or close within it at velocity level, together and plastic (docs/event-loop.md).
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "sim/stepper.h"

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
constexpr double kRecordedKick = 2;     // Velocity jumps above this many times g times the tick are recorded as impacts.

}  // namespace

/// Large groups in motion, unless something in them may rebound.
bool Stepper::isCrowd(const StepMemory& memory) const {
  if (!start_.robots.empty()) return false;
  // Where impacts are to be told apart, only the groups that leave no other way are crowds.
  const bool chatters = !forks_ && memory.event_window > scales_.event_window;
  if (static_cast<int>(island_.size()) < (chatters ? kChatteringCrowd : kCrowd)) return false;
  for (const int i : island_)
    if (bodies_[i].material.restitution > 0) return false;
  return chatters || !isSlow();
}

bool Stepper::isSlow() const {
  const double speed = kStillShare * scales_.acceleration * scales_.event_window;
  return std::all_of(start_.begin(), start_.end(), [&](const SystemBody& b) {
    return b.state.v.norm() + scales_.length * b.state.w.norm() <= speed;
  });
}

/// Features of all near pairs that touch or may close within `h`.
void Stepper::findAhead(double h) {
  contacts_.clear(), fixed_a_.clear(), fixed_b_.clear();
  for (int p = 0; p < num_pairs_; ++p) {
    pairs_[p].first_contact = -1;
    addFeatures(p, t0_, scales_.band + h * closingSpeed(pairs_[p]));
  }
}

/// Bound of the speed at which the points of a pair may come together, what gravity adds in a tick left out [m/s].
double Stepper::closingSpeed(const NearPair& pair) const {
  auto velocity = [&](int part, int slot) -> Vector6d {
    const BodyRuntime& body = bodies_[parts_[part].body];
    if (slot >= 0) return start_[slot].state.velocity();
    if (body.fixed) return Vector6d::Zero();
    Vector6d u;
    Vector3d v, w;
    body.piece.velocityAt(std::min(t0_, body.piece.t1), v, w);
    u << v, w;
    return u;
  };
  const Vector6d a = velocity(pair.part_a, pair.slot_a), b = velocity(pair.part_b, pair.slot_b);
  const double spin_a = a.tail<3>().norm(), spin_b = b.tail<3>().norm();
  double bound = (a - b).head<3>().norm();
  if (spin_a > 0) bound += spin_a * bodies_[parts_[pair.part_a].body].radius;
  if (spin_b > 0) bound += spin_b * bodies_[parts_[pair.part_b].body].radius;
  return bound;
}

/// Adds the pair's features at time t (t0 or the end of the tick at hand) that are closer than `reach` and not known yet.
/// @returns the number of those added.
int Stepper::addFeatures(int index, double t, double reach) {
  NearPair& pair = pairs_[index];
  const PartRuntime& A = parts_[pair.part_a];
  const PartRuntime& B = parts_[pair.part_b];
  features_.clear();
  manifold_.find(*A.shape, originPose(pair.part_a, pair.slot_a, t), *B.shape, originPose(pair.part_b, pair.slot_b, t),
                 reach, pair.cache, features_, scales_.band);
  int added = 0;
  for (const auto& feature : features_) {
    // The same vertex may meet another face, or turn around a vertex or an edge: that is another plane.
    const auto known = [&](const Contact& c) {
      return c.pair_index == index && c.feature.sameVertices(feature) &&
             (feature.kind == advance::AxisKind::kEdges || (c.feature.axis - feature.axis).norm() <= kSamePlane);
    };
    if (pair.first_contact >= 0 && std::any_of(contacts_.begin() + pair.first_contact, contacts_.end(), known)) continue;
    Contact c = makeContact(index, feature);
    c.mode = impact::ContactMode::kFree;
    for (const Contact& old : previous_)
      if (old.pair == c.pair && old.feature.sameVertices(feature)) {
        c.force = old.force;
        break;
      }
    if (pair.first_contact < 0) pair.first_contact = static_cast<int>(contacts_.size());
    contacts_.push_back(c);
    fixed_a_.push_back(fixedPlacement(c.pair.body_a, c.slot_a));
    fixed_b_.push_back(fixedPlacement(c.pair.body_b, c.slot_b));
    ++added;
  }
  return added;
}

/// Velocities of a tick of length h, in crowd_u_, such that the gaps at its end are those wanted. @returns false if they are not
/// reached.
bool Stepper::crowdVelocities(double h) {
  const size_t n = start_.size();
  crowd_base_.resize(n), crowd_u_.resize(n);
  double kinetic = 0, weight = 0;
  for (size_t i = 0; i < n; ++i) {
    const SystemBody& b = start_[i];
    kinetic += dynamics::kineticEnergy(*b.model, b.state);
    weight += b.model->mass * scales_.acceleration;
    crowd_base_[i] = b.state.velocity();
    crowd_base_[i].head<3>() += h * scene_.gravity;
    crowd_base_[i].tail<3>() += h * dynamics::gyroscopicAcceleration(*b.model, b.state.pose.rotation(), b.state.w);
  }
  const bool lift = kLiftEnergyShare * kinetic > weight * scales_.gap;
  auto& ends = trial_.ends;
  auto moveEnds = [&] {
    ends = start_;
    for (size_t i = 0; i < n; ++i) {
      ends[i].state.pose.p += h * crowd_u_[i].head<3>();
      ends[i].state.pose.q = dynamics::rotate(start_[i].state.pose.q, h * crowd_u_[i].tail<3>());
      ends[i].state.setVelocity(crowd_u_[i]);
    }
  };
  auto target = [&](const Contact& c) {
    return lift ? scales_.gap : std::clamp(c.start_gap, kEndShare * scales_.gap, scales_.gap);
  };
  auto restart = [&] {  // Velocities for the impulses at hand and the kinematics at hand.
    sweeps_.rows.resize(contacts_.size());
    for (size_t c = 0; c < contacts_.size(); ++c) {
      auto& row = sweeps_.rows[c];
      row.at = &system_[static_cast<int>(c)];
      row.slot_a = contacts_[c].slot_a, row.slot_b = contacts_[c].slot_b;
      row.mu = contacts_[c].friction;
      row.impulse = h * contacts_[c].force;
    }
    crowd_u_ = crowd_base_;
    sweeps_.addImpulses(crowd_u_);
  };
  system_.place(start_, contacts_, fixed_a_, fixed_b_);
  for (size_t c = 0; c < contacts_.size(); ++c) contacts_[c].start_gap = system_[static_cast<int>(c)].gap;
  restart();
  moveEnds();
  const double accepted = kEndShare * scales_.gap;
  for (int k = 0; k < kLinearisations; ++k) {
    system_.place(ends, contacts_, fixed_a_, fixed_b_);
    double least = HUGE_VAL;
    for (size_t c = 0; c < contacts_.size(); ++c) least = std::min(least, system_[static_cast<int>(c)].gap);
    if (k > 0 && (least >= accepted || (k > 1 && least > -kPolishGaps * scales_.gap && polishEnds(h, lift)))) {
      if (!addEndFeatures(h)) return true;
      system_.place(start_, contacts_, fixed_a_, fixed_b_);
      for (size_t c = 0; c < contacts_.size(); ++c) contacts_[c].start_gap = system_[static_cast<int>(c)].gap;
      system_.place(ends, contacts_, fixed_a_, fixed_b_);
    }
    crowd_reference_ = crowd_u_;
    restart();
    for (size_t c = 0; c < contacts_.size(); ++c) {
      auto& row = sweeps_.rows[c];
      double speed = 0;
      if (row.slot_a >= 0) speed += row.at->Ja.row(0).dot(crowd_reference_[row.slot_a]);
      if (row.slot_b >= 0) speed += row.at->Jb.row(0).dot(crowd_reference_[row.slot_b]);
      row.offset = (row.at->gap - target(contacts_[c])) / h - speed;
      if (!std::isfinite(row.offset)) return false;
    }
    sweeps_.prepare();
    sweeps_.solve(crowd_u_, kSweeps, kSweptShare * scales_.gap / h);
    for (size_t c = 0; c < contacts_.size(); ++c) contacts_[c].force = sweeps_.rows[c].impulse / h;
    moveEnds();
  }
  return false;
}

/// Puts the ends of a tick whose sweeps have nearly converged on their gaps: sweeps are slow to remove the last few deltas from stiff
/// patches. @returns false, with the ends as they were, if that does not succeed at once.
bool Stepper::polishEnds(double h, bool lift) {
  auto& ends = trial_.ends;
  int rows = 0;
  for (Contact& c : contacts_) {
    c.loaded = c.force[0] > 0;
    c.pressed = false;
    c.target = lift ? scales_.gap : std::clamp(c.start_gap, kEndShare * scales_.gap, scales_.gap);
    rows += c.loaded;
  }
  if (rows > kPolishedContacts) return false;
  before_projection_ = ends;
  for (int k = 0; k < kPolishRounds; ++k) {
    for (size_t c = 0; c < contacts_.size(); ++c)
      if (!(system_[static_cast<int>(c)].gap >= contacts_[c].target)) contacts_[c].pressed = true;
    system_.projectGaps(ends, contacts_);
    for (SystemBody& b : ends) b.state.pose.q.normalize();
    system_.place(ends, contacts_, fixed_a_, fixed_b_);
    double least = HUGE_VAL;
    for (size_t c = 0; c < contacts_.size(); ++c) least = std::min(least, system_[static_cast<int>(c)].gap);
    if (!(least >= kEndShare * scales_.gap)) continue;
    for (size_t i = 0; i < ends.size(); ++i) {
      const Eigen::Vector4d &q = ends[i].state.pose.q, &o = before_projection_[i].state.pose.q;
      const Vector3d turn = 2 * (o[0] * q.tail<3>() - q[0] * o.tail<3>() - q.tail<3>().cross(o.tail<3>())) / o.squaredNorm();
      crowd_u_[i].head<3>() += (ends[i].state.pose.p - before_projection_[i].state.pose.p) / h;
      crowd_u_[i].tail<3>() += turn / h;
      ends[i].state.setVelocity(crowd_u_[i]);
    }
    return true;
  }
  ends = before_projection_;
  system_.place(ends, contacts_, fixed_a_, fixed_b_);
  return false;
}

/// Features that the tick at hand would bring too close although they are none of its contacts. @returns true if there are any.
bool Stepper::addEndFeatures(double h) {
  const double t1 = t0_ + h;
  trial_.h = h;
  bool added = false;
  hermitePieces(trial_);
  for (int p = 0; p < num_pairs_; ++p) {
    NearPair& pair = pairs_[p];
    double t = t1;
    for (auto [part, slot] : {std::pair{pair.part_a, pair.slot_a}, std::pair{pair.part_b, pair.slot_b}})
      if (slot < 0) t = std::min(t, bodies_[parts_[part].body].clock);
    if (!(t > t0_)) continue;
    if (addFeatures(p, std::min(t, pieces_[0].t1), kNewShare * scales_.gap) > 0) added = true;
  }
  return added;
}

/// Lifts the inner control points where contacts dip between two good ends. @returns false if the lift needed is too large.
bool Stepper::liftCrowd() {
  constexpr double kSamples[] = {0.5, 0.25, 0.75};
  const size_t n = pieces_.size(), m = contacts_.size();
  crowd_bump_.assign(n, Vector3d::Zero());
  poses_.resize(n);
  std::vector<LiftRow>& rows = lift_rows_;
  rows.resize(m);
  for (int round = 0; round < kBumpRounds; ++round) {
    for (LiftRow& r : rows) r = {-HUGE_VAL, Vector3d::Zero(), 0};
    double least = HUGE_VAL;
    for (double u : kSamples) {
      const double v = 1 - u, b0 = v * v * v, b1 = 3 * u * v * v, b2 = 3 * u * u * v, b3 = u * u * u;
      for (size_t i = 0; i < n; ++i) {
        const auto& P = pieces_[i];
        poses_[i].p = b0 * P.p[0] + b1 * P.p[1] + b2 * P.p[2] + b3 * P.p[3];
        poses_[i].q = b0 * P.q[0] + b1 * P.q[1] + b2 * P.q[2] + b3 * P.q[3];
      }
      for (size_t c = 0; c < m; ++c) {
        if (contacts_[c].start_gap < scales_.floor) continue;  // Of the end: not over each other yet.
        if ((contacts_[c].slot_a < 0 && !bodies_[contacts_[c].pair.body_a].fixed) ||
            (contacts_[c].slot_b < 0 && !bodies_[contacts_[c].pair.body_b].fixed)) continue;
        Vector3d normal;
        const double gap = contactGapAt(contacts_[c], poses_, &normal);
        least = std::min(least, gap);
        const double need = (kBumpShare * scales_.gap - gap) / (3 * u * v);
        if (need > rows[c].need) rows[c].need = need, rows[c].normal = normal;
      }
    }
    if (least >= kBumpAccepted * scales_.gap) return true;
    for (int s = 0; s < kBumpSweeps; ++s) {
      double largest = 0;
      for (size_t k = 0; k < m; ++k) {
        const size_t c = s % 2 ? m - 1 - k : k;
        LiftRow& r = rows[c];
        if (!(r.need > -scales_.max_lift)) continue;
        const int a = contacts_[c].slot_a, b = contacts_[c].slot_b;
        double have = 0, compliance = 0;
        if (a >= 0) have -= r.normal.dot(crowd_bump_[a]), compliance += start_[a].model->inverse_mass;
        if (b >= 0) have += r.normal.dot(crowd_bump_[b]), compliance += start_[b].model->inverse_mass;
        const double next = std::max(0.0, r.multiplier + (r.need - have) / compliance), change = next - r.multiplier;
        if (change == 0) continue;
        r.multiplier = next;
        if (a >= 0) crowd_bump_[a] -= change * start_[a].model->inverse_mass * r.normal;
        if (b >= 0) crowd_bump_[b] += change * start_[b].model->inverse_mass * r.normal;
        largest = std::max(largest, std::abs(change) * compliance);
      }
      if (largest < 0.05 * scales_.gap) break;
    }
    for (size_t i = 0; i < n; ++i) {
      pieces_[i].p[1] += crowd_bump_[i], pieces_[i].p[2] += crowd_bump_[i];
      const Vector3d total = pieces_[i].p[1] - (start_[i].state.pose.p + trial_.h / 3 * start_[i].state.v);
      if (!(total.norm() <= scales_.max_lift)) return false;
      crowd_bump_[i].setZero();
    }
  }
  return false;
}

/// True when the contact forces balance gravity: what does not move stays.
bool Stepper::crowdRests(double window) {
  if (!isSlow()) return false;
  const size_t n = start_.size();
  crowd_u_.resize(n);
  system_.place(start_, contacts_, fixed_a_, fixed_b_);
  sweeps_.rows.clear();
  std::vector<int>& touching = crowd_touching_;
  touching.clear();
  for (size_t c = 0; c < contacts_.size(); ++c) {
    contacts_[c].held = system_[static_cast<int>(c)].gap <= scales_.band;
    if (!contacts_[c].held) continue;
    touching.push_back(static_cast<int>(c));
    ContactSweeps::Row row;
    row.at = &system_[static_cast<int>(c)];
    row.slot_a = contacts_[c].slot_a, row.slot_b = contacts_[c].slot_b;
    row.mu = contacts_[c].friction;
    row.impulse = window * contacts_[c].force;
    sweeps_.rows.push_back(row);
  }
  for (Vector6d& u : crowd_u_) u << window * scene_.gravity, Vector3d::Zero();
  sweeps_.addImpulses(crowd_u_);
  sweeps_.prepare();
  sweeps_.solve(crowd_u_, kRestSweeps, 1e-2 * scales_.rest_acceleration * window);
  for (size_t k = 0; k < touching.size(); ++k) contacts_[touching[k]].force = sweeps_.rows[k].impulse / window;
  for (const Vector6d& u : crowd_u_)
    if (!(u.head<3>().norm() + scales_.length * u.tail<3>().norm() <= scales_.rest_acceleration * window)) return false;
  return true;
}

/// A tick that moves a body by more than rounding is an impact of all bodies whose velocities it changes: if it is taken back, what it
/// gives to some of them only may be energy.
void Stepper::recordKicks(double h, StepResult& result) {
  std::vector<char> kicked(start_.size(), 0);
  for (size_t i = 0; i < start_.size(); ++i) {
    const Vector6d jump = start_[i].state.velocity() - bodies_[island_[i]].state.velocity();
    kicked[i] = jump.head<3>().norm() + scales_.length * jump.tail<3>().norm() > kRecordedKick * scales_.acceleration * h;
  }
  if (std::find(kicked.begin(), kicked.end(), 1) == kicked.end()) return;
  ImpactRecord record = newImpact("coulomb");
  for (size_t i = 0; i < start_.size(); ++i) {
    if (start_[i].state.velocity() == bodies_[island_[i]].state.velocity()) continue;
    record.bodies.push_back(island_[i]);
    record.before.push_back(bodies_[island_[i]].v_end);
    record.after.push_back(start_[i].state.velocity());
  }
  for (size_t c = 0; c < contacts_.size(); ++c) {
    const Contact& k = contacts_[c];
    if (k.force.isZero(0)) continue;
    if (!(k.slot_a >= 0 && kicked[k.slot_a]) && !(k.slot_b >= 0 && kicked[k.slot_b])) continue;
    record.contacts.push_back({k.pair, system_[static_cast<int>(c)].point, system_[static_cast<int>(c)].frame.row(0).transpose(),
                               k.friction, k.restitution, h * k.force, system_[static_cast<int>(c)].frame.row(1).transpose()});
  }
  result.impacts.push_back(std::move(record));
  result.closed = true;
  ++stats_.impacts;
}

/// One tick of a crowd, or its rest.
void Stepper::stepCrowd(StepMemory& memory, double reach, StepResult& result) {
  const double longest = std::min({scene_.solver.max_step, t_end_ - t0_, kTickShare * scales_.event_window});
  double h = memory.next_step > 0 ? std::min(memory.next_step, longest) : longest;
  if (h > 0.6 * (t_end_ - t0_) && h < t_end_ - t0_) h = 0.5 * (t_end_ - t0_);
  const SystemState from = start_;
  previous_ = memory.contacts;
  findAhead(h);
  if (touchesOthers(result)) {
    result.status = StepStatus::kMerge;
    return;
  }
  std::string reason = "the contacts of a crowd could not be closed";
  if (crowdRests(h)) {
    for (SystemBody& b : start_) b.state.v.setZero(), b.state.w.setZero();
    trial_.h = t_end_ - t0_;
    trial_.ends = start_;
    stayUntil(t_end_);
    bool hit = false;
    for (Event event = firstEvent(false); event.u < 1 && event.u * (pieces_[0].t1 - t0_) > scales_.min_step; event = firstEvent(true)) {
      stayUntil(t0_ + event.u * (pieces_[0].t1 - t0_));
      hit = true;
    }
    if (certify(result, reach, reason)) {
      finishCrowd(memory, result);
      result.status = hit ? StepStatus::kStepped : StepStatus::kRest;
      return;
    }
    start_ = from;
  }
  double found_for = h;
  for (int tries = 0; tries < kCrowdTries; ++tries) {
    if (!(h > scales_.min_step)) break;
    ++stats_.tries;
    start_ = from;
    if (h != found_for) {
      // Features of the end of a longer tick need not be over each other yet.
      findAhead(h);
      found_for = h;
    }
    const bool closed = crowdVelocities(h);
    if (touchesOthers(result)) {
      result.status = StepStatus::kMerge;
      return;
    }
    if (!closed) { h *= 0.5; continue; }
    // The jump at the start takes no more energy than there is; the rest is gained on the way.
    double before = 0, after = 0, weight = 0;
    for (size_t i = 0; i < start_.size(); ++i) {
      before += dynamics::kineticEnergy(*start_[i].model, start_[i].state);
      weight += start_[i].model->mass * scales_.acceleration;
      start_[i].state.setVelocity(crowd_u_[i]);
      after += dynamics::kineticEnergy(*start_[i].model, start_[i].state);
    }
    if (after > before) {
      const double factor = before > 0 ? std::sqrt(before / after) * (1 - 1e-15) : 0;
      for (SystemBody& b : start_) b.state.v *= factor, b.state.w *= factor;
    }
    trial_.h = h;
    trial_.error = 0;
    for (Contact& c : contacts_) c.held = c.loaded = c.force[0] > 0;
    limitEnergy(trial_);
    if (trial_.gains_energy && before <= kHeldEnergyShare * weight * scales_.gap) {
      // Motion that would fall goes on; what only rises, by less than contacts are placed to, stands still for a tick.
      for (SystemBody& b : start_) b.state.v.setZero(), b.state.w.setZero();
      trial_.ends = start_;
      trial_.gains_energy = false;
    } else if (trial_.gains_energy) {
      h *= 0.5;
      continue;
    }
    hermitePieces(trial_);
    if (!liftCrowd()) { h *= 0.5; continue; }
    publishMotion();
    failed_pair_ = -1;
    if (!certify(result, reach, reason)) {
      int added = 0;
      if (failed_pair_ >= 0 && tries < kCrowdTries / 2)
        for (double u : {0.5, 1.0})
          added += addFeatures(failed_pair_, std::min(t0_ + u * h, pieces_[0].t1), 4 * scales_.gap);
      if (added == 0) h *= 0.5;
      continue;
    }
    system_.place(start_, contacts_, fixed_a_, fixed_b_);
    recordKicks(h, result);
    memory.next_step = tries == 0 ? 2 * h : h;
    finishCrowd(memory, result);
    result.status = StepStatus::kStepped;
    return;
  }
  result.message = reason;
}

void Stepper::finishCrowd(StepMemory& memory, StepResult& result) {
  memory.event_window = std::max(memory.event_window, 2 * scales_.event_window);  // Stays a crowd.
  result.start_velocities.resize(start_.size());
  result.ends.resize(start_.size());
  result.t1 = pieces_[0].t1;
  result.pieces = pieces_;
  result.robot_starts.clear(), result.robot_ends.clear();
  for (size_t i = 0; i < start_.size(); ++i) {
    result.start_velocities[i] = start_[i].state.velocity();
    result.ends[i] = trial_.ends[i].state;
    result.ends[i].pose = pieces_[i].end();
  }
  system_.place(trial_.ends, contacts_, fixed_a_, fixed_b_);
  memory.contacts.clear();
  for (size_t c = 0; c < contacts_.size(); ++c)
    if (contacts_[c].force[0] > 0 || system_[static_cast<int>(c)].gap <= scales_.band) memory.contacts.push_back(contacts_[c]);
}

}  // namespace rigor::sim
