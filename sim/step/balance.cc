// SPDX-License-Identifier: MIT
#include "sim/step/balance.h"

#include <Eigen/Geometry>
#include <algorithm>

#include "sim/step/rubbing.h"

namespace rigor::sim {

using Eigen::Vector3d;
using Eigen::Vector4d;

namespace {

constexpr double kSliding = 0.999;  // Of the friction cone: contacts that push so much along it slide.
// By how much a cubic moves inside a step, of its length times what the velocity at its end changes by: 4 / 27.
constexpr double kInside = 0.15;
constexpr double kWedged = 5;  // Of m V: bodies that contacts push by more in a step may be wedged.

/// About the world's origin.
Vector3d angularMomentum(const dynamics::RigidBody& model, const dynamics::RigidBodyState& state) {
  if (model.isMassless()) return Vector3d::Zero();
  const Eigen::Matrix3d R = state.pose.rotation();
  return state.pose.p.cross(model.mass * state.v) + R * (model.inertia * (R.transpose() * state.w));
}

}  // namespace

/// Where the bodies that contacts act on are at a share of the trial, on the Hermite cubics between its ends.
void Balance::placeBodies(const Trial& trial, double s) {
  const double r = 1 - s, b0 = r * r * r + 3 * s * r * r, b1 = trial.h * s * r * r, b2 = trial.h * s * s * r,
               b3 = s * s * s + 3 * s * s * r;
  placed_.resize(x_.start.size()), moving_.resize(x_.start.size()), poses_.resize(x_.start.size());
  for (const int i : acted_on_) {
    const dynamics::RigidBodyState &from = x_.start[i].state, &to = trial.ends[i].state;
    geom::Pose pose = s == 0 ? from.pose : to.pose;
    moving_[i] = s == 0 ? from.velocity() : to.velocity();
    if (s > 0 && s < 1) {
      const Vector4d q0 = dynamics::quaternionRate(from.pose.q, from.w), q1 = dynamics::quaternionRate(to.pose.q, to.w);
      pose.p = b0 * from.pose.p + b1 * from.v - b2 * to.v + b3 * to.pose.p;
      pose.q = b0 * from.pose.q + b1 * q0 - b2 * q1 + b3 * to.pose.q;
      const double d0 = r * (1 - 3 * s), d1 = s * (2 - 3 * s) * -1, d = 6 * s * r / trial.h;
      const Vector4d &q = pose.q, dq = d0 * q0 + d1 * q1 + d * (to.pose.q - from.pose.q);
      moving_[i] << d0 * from.v + d1 * to.v + d * (to.pose.p - from.pose.p),
          2 / q.squaredNorm() * (q[0] * dq.tail<3>() - dq[0] * q.tail<3>() - dq.tail<3>().cross(q.tail<3>()));
    }
    placed_[i] = Placement(pose), poses_[i] = pose;
  }
}

void Balance::placeContact(size_t c, FeaturePlace& place) const {
  const Contact& contact = x_.contacts[c];
  placeFeature(contact, contact.slot_a >= 0 ? placed_[contact.slot_a] : x_.contacts.fixedA(c),
               contact.slot_b >= 0 ? placed_[contact.slot_b] : x_.contacts.fixedB(c), place);
}

/// Where the bodies are placed.
Eigen::Vector2d Balance::slipAt(const Contact& contact, const FeaturePlace& place) const {
  Vector3d u = Vector3d::Zero();
  if (contact.slot_b >= 0) u += moving_[contact.slot_b].head<3>() + moving_[contact.slot_b].tail<3>().cross(place.r_b);
  if (contact.slot_a >= 0) u -= moving_[contact.slot_a].head<3>() + moving_[contact.slot_a].tail<3>().cross(place.r_a);
  return (place.frame * u).tail<2>();
}

/// Friction of a sliding contact opposes the slip of the published motion: the method's stages know it less well. Slip
/// that friction could turn within the step keeps the method's direction, and so does that of robots: their velocities
/// are not found anew from what acted.
void Balance::turnFriction(const Contact& contact, const FeaturePlace& place, double h, Vector3d& P) const {
  const double mu = contact.friction, friction = P.tail<2>().norm();
  if (!contact.slides || !(friction >= kSliding * mu * P[0])) return;
  for (const int slot : {contact.slot_a, contact.slot_b})
    if (slot >= 0 && x_.start[slot].robot >= 0) return;
  const Eigen::Vector2d slip = slipAt(contact, place);
  const double speed = slip.norm();
  if (speed > mu * x_.scales.acceleration * h) P.tail<2>() = -friction / speed * slip;
}

/// Adds an impulse on a contact to the sums of its moving sides.
void Balance::act(const Contact& contact, const Vector3d& P, const Vector3d& point) {
  for (const auto& [slot, sign] : {std::pair{contact.slot_b, 1.0}, std::pair{contact.slot_a, -1.0}}) {
    if (slot < 0) continue;
    const Vector3d along = sign * P;
    sums_[slot].P += along, sums_[slot].K += (point - x_.start[slot].state.pose.p).cross(along);
    loads_[slot] += P.norm();
  }
}

double Balance::apply(Trial& trial) {
  const std::span<const double> instants = instantsOf(trial.acting);
  loads_.assign(x_.start.size(), 0);
  if (instants.empty()) return 0;
  assumed_.resize(x_.start.size());
  for (size_t i = 0; i < assumed_.size(); ++i) assumed_[i] = trial.ends[i].state.velocity();
  sums_.assign(x_.start.size(), {});
  impulses_ = trial.forces;
  for (auto& P : impulses_) restrictImpulses(trial.acting, trial.share, {P.data(), instants.size()});
  acted_on_.clear();
  for (const Contact& c : x_.contacts)
    for (const int slot : {c.slot_a, c.slot_b})
      if (slot >= 0 && !c.isLimit()) acted_on_.push_back(slot);
  std::sort(acted_on_.begin(), acted_on_.end());
  acted_on_.erase(std::unique(acted_on_.begin(), acted_on_.end()), acted_on_.end());
  FeaturePlace place;
  for (size_t k = 0; k < instants.size(); ++k) {
    placeBodies(trial, instants[k]);
    for (size_t c = 0; c < impulses_.size(); ++c) {
      const Contact& contact = x_.contacts[c];
      if (contact.isLimit() || impulses_[c][k].isZero(0)) continue;
      placeContact(c, place);
      if (trial.acting == Acting::kSmooth) turnFriction(contact, place, trial.h, impulses_[c][k]);
      impulses_[c][k] = place.frame.transpose() * impulses_[c][k];
      act(contact, impulses_[c][k], place.point);
    }
  }
  double changed = 0;
  const double h = trial.h;
  for (size_t i = 0; i < x_.start.size(); ++i) {
    const SystemBody& from = x_.start[i];
    SystemBody& to = trial.ends[i];
    if (from.robot >= 0) continue;
    const Vector3d integral = hermiteIntegral(to.state.pose.p - from.state.pose.p, from.state.v, to.state.v, h);
    if (from.isPushed()) {
      sums_[i].P += h * from.push.head<3>();
      sums_[i].K += integral.cross(Vector3d(from.push.head<3>())) + h * from.push.tail<3>();
    }
    const Vector6d u = balancedVelocity(*from.model, from.state.pose, from.state.velocity(), to.state.pose, integral, h,
                                        x_.scene.gravity, sums_[i]);
    changed = std::max(changed, x_.speed(u - to.state.velocity()));
    to.state.setVelocity(u);
  }
  return changed;
}

double Balance::offBy(const Trial& trial) const {
  double most = 0;
  for (size_t i = 0; i < loads_.size(); ++i) {
    if (loads_[i] == 0 || x_.start[i].robot >= 0) continue;
    const double moved = kInside * trial.h * x_.speed(trial.ends[i].state.velocity() - assumed_[i]);
    most = std::max(most, moved * loads_[i] / (x_.start[i].model->mass * x_.scales.length));
  }
  return most;
}

double Balance::cutOffBy(const Trial& trial) {
  // What closed the contacts at the end of a step at velocity level moves its curve, and has not acted before.
  if (trial.acting == Acting::kHalves) return std::max(missedBy(trial, 0.5), missedBy(trial, 1));
  if (trial.acting != Acting::kSmooth) return 0;
  for (size_t i = 0; i < loads_.size(); ++i)
    if (loads_[i] > kWedged * x_.start[i].model->mass * x_.scales.speed) return missedBy(trial, 0.5);
  return 0;
}

/// Of free bodies: by how much what acted up to a share of the trial misses the change of their angular momentum on the
/// curve, as a velocity [m/s].
double Balance::missedBy(const Trial& trial, double share) {
  sums_.assign(x_.start.size(), {});
  const std::span<const double> instants = instantsOf(trial.acting);
  FeaturePlace place;
  for (size_t k = 0; k < instants.size(); ++k) {
    placeBodies(trial, share * instants[k]);
    for (size_t c = 0; c < impulses_.size(); ++c) {
      const Contact& contact = x_.contacts[c];
      std::array<Vector3d, 3> P = impulses_[c];
      restrictImpulses(trial.acting, share, {P.data(), instants.size()});
      if (contact.isLimit() || P[k].isZero(0)) continue;
      placeContact(c, place);
      act(contact, P[k], place.point);
    }
  }
  placeBodies(trial, share);
  double most = 0;
  for (const int i : acted_on_) {
    const SystemBody& from = x_.start[i];
    if (from.robot >= 0 || from.isPushed()) continue;
    const double h = share * trial.h;
    const Vector3d integral =
        hermiteIntegral(poses_[i].p - from.state.pose.p, from.state.v, moving_[i].head<3>(), h);
    const Vector6d u = balancedVelocity(*from.model, from.state.pose, from.state.velocity(), poses_[i], integral, h,
                                        x_.scene.gravity, sums_[i]);
    const Vector3d dw = placed_[i].R.transpose() * (u - moving_[i]).tail<3>();
    most = std::max(most, (from.model->inertia * dw).norm() / (from.model->mass * x_.scales.length));
  }
  return most;
}

bool Balance::rubsElsewhere(const Trial& trial) {
  if (trial.acting != Acting::kHalves) return false;
  const std::span<const double> instants = instantsOf(trial.acting);
  FeaturePlace place;
  for (size_t k = 0; k < instants.size(); ++k) {
    // Of each contact, at the instant and at both ends.
    off_.assign(impulses_.size(), 1);
    for (const double share : {instants[k], 0.0, 1.0}) {
      placeBodies(trial, share);
      for (size_t c = 0; c < impulses_.size(); ++c) {
        const Contact& contact = x_.contacts[c];
        const Vector3d& P = impulses_[c][k];
        off_[c] = off_[c] && !contact.isLimit() && !P.isZero(0);
        if (!off_[c]) continue;
        placeContact(c, place);
        off_[c] = sim::rubsElsewhere(x_, contact, place.frame * P, slipAt(contact, place));
      }
    }
    if (std::find(off_.begin(), off_.end(), 1) != off_.end()) return true;
  }
  return false;
}

double Balance::outside(const Trial& trial) const {
  double most = 0;
  if (trial.share == 1 || trial.acting != Acting::kSmooth) return most;
  for (size_t c = 0; c < trial.forces.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    if (contact.isLimit()) continue;
    std::array<Vector3d, 3> impulses = trial.forces[c];
    restrictImpulses(trial.acting, trial.share, impulses);
    const double mu = std::min(contact.friction, kLargeFriction);
    for (const Vector3d& P : impulses) {
      const double by = P[0] < 0 ? P.norm() : P.tail<2>().norm() - mu * P[0];
      if (by > most * x_.lighterMass(contact)) most = by / x_.lighterMass(contact);
    }
  }
  return most;
}

double Balance::robotsOffBy(const Trial& trial) const {
  double most = 0;
  for (const SystemRobot& robot : x_.start.robots) {
    if (instantsOf(trial.acting).empty() || robot.model->freeRoot() < 0 || x_.start.isPushed()) continue;
    Vector3d moment = Vector3d::Zero();
    double heaviest = 0;
    for (size_t k = 0; k < robot.links.size(); ++k) {
      const size_t i = robot.first_slot + k;
      const dynamics::RigidBody& model = *x_.start[i].model;
      const dynamics::RigidBodyState &from = x_.start[i].state, &to = trial.ends[i].state;
      const Vector3d integral = hermiteIntegral(to.pose.p - from.pose.p, from.v, to.v, trial.h);
      moment += angularMomentum(model, to) - angularMomentum(model, from) -
                model.mass * (trial.h * from.pose.p + integral).cross(x_.scene.gravity) - sums_[i].K -
                from.pose.p.cross(sums_[i].P);
      heaviest = std::max(heaviest, model.mass);
    }
    most = std::max(most, moment.norm() / (heaviest * x_.scales.length));
  }
  return most;
}

double Balance::apartFromJoints(std::span<const Vector3d> closing, const Trial& trial) const {
  const std::span<const double> instants = instantsOf(trial.acting);
  double most = 0;
  for (size_t c = 0; c < x_.contacts.size() && !x_.start.robots.empty(); ++c) {
    const Contact& contact = x_.contacts[c];
    if (contact.isLimit() || contact.isBrake()) continue;
    Vector3d late = 0.5 * (x_.contacts.kinematics(c).frame.transpose() * closing[c]);
    for (size_t k = 0; k < instants.size() && c < impulses_.size(); ++k) late += (instants[k] - 0.5) * impulses_[c][k];
    for (const int slot : {contact.slot_a, contact.slot_b}) {
      if (slot < 0 || x_.start[slot].robot < 0) continue;
      const double mass = x_.start.robots[x_.start[slot].robot].model->mass(),
                   turn = trial.h * std::max(x_.start[slot].state.w.norm(), trial.ends[slot].state.w.norm());
      most = std::max(most, late.norm() * turn * x_.bodies[x_.island[slot]].radius / (mass * x_.scales.length));
    }
  }
  return most;
}

void Balance::record(std::span<const Vector3d> closing, Trial& trial) const {
  const std::span<const double> instants = instantsOf(trial.acting);
  trial.acted.clear();
  trial.acted.makeRoom();
  trial.acted.acting = trial.acting;
  ImpulseRecord& record = trial.acted.record;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    const bool acts = c < impulses_.size() && std::any_of(impulses_[c].begin(), impulses_[c].begin() + instants.size(),
                                                          [](const Vector3d& P) { return !P.isZero(0); });
    if ((!acts && closing[c].isZero(0)) || contact.isBrake()) continue;  // Brakes are of what the joint does.
    if (contact.isLimit()) {
      const SystemRobot& robot = x_.start.robots[contact.robot];
      const RobotLimit& limit = robot.limits[contact.limit];
      if (!addLimit(robot, limit, record)) continue;
      const auto add = [&](double time, double P) {
        const ImpulseRecord::Impulse impulse = limitImpulse(limit, time, P);
        record.addToWrench(impulse.time, impulse.P, impulse.moment);
      };
      for (size_t k = 0; k < instants.size(); ++k) add(instants[k], acts ? impulses_[c][k][0] : 0);
      if (!closing[c].isZero(0)) add(1, closing[c][0]);
      continue;
    }
    record.addContact(contact.pair, axisOf(contact.feature));
    for (size_t k = 0; k < instants.size(); ++k)
      record.addToContact(instants[k], acts ? impulses_[c][k] : Vector3d(Vector3d::Zero()));
    if (!closing[c].isZero(0)) record.addToContact(1, x_.contacts.kinematics(c).frame.transpose() * closing[c]);
  }
}

}  // namespace rigor::sim
