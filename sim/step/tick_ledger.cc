// SPDX-License-Identifier: MIT
#include "sim/step/tick_ledger.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr double kSlipping = 0.999;  // Of the friction cone: contacts that push so much along it slip.
constexpr double kAligned = 0.9;     // Cosine between friction and the slip against which it acts.
constexpr double kFrictionOff = 1;   // Of m V of the lighter body: what friction may be off -mu P_n u / |u| by
constexpr double kSlides = 0.02;    // where the slip u is faster than this share of V.

}  // namespace

/// Whether the friction of the end does not oppose the slip at the start, where the contacts are placed now.
bool TickLedger::slipTurns(const Contact& contact, size_t c, const Vector3d& P) const {
  const auto& at = x_.contacts.kinematics(c);
  const Vector3d local = at.frame * P;
  const double friction = local.tail<2>().norm();
  if (!(friction >= kSlipping * contact.friction * local[0])) return false;
  const Eigen::Vector2d slip = x_.contacts.velocity(x_.start, c).tail<2>();
  const double speed = slip.norm();
  return speed > x_.scales.slip_speed && local.tail<2>().dot(slip) > -kAligned * speed * friction;
}

/// What the end of a joint's range does acts at the end of the tick.
void TickLedger::recordLimit(const Contact& contact, double P, ImpulseRecord& record) const {
  const SystemRobot& robot = x_.start.robots[contact.robot];
  const RobotLimit& limit = robot.limits[contact.limit];
  if (!addLimit(robot, limit, record)) return;
  for (const auto& [time, share] : {std::pair{0.0, 0.0}, std::pair{1.0, P}}) {
    const ImpulseRecord::Impulse impulse = limitImpulse(limit, time, share);
    record.addToWrench(impulse.time, impulse.P, impulse.moment);
  }
}

void TickLedger::balance(Trial& trial) {
  const double h = trial.h;
  StepImpulses& acted = trial.acted;
  acted.clear();
  acted.acting = Acting::kEnds;
  acting_.clear();
  x_.contacts.place(trial.ends);
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    if (x_.contacts[c].force.isZero(0)) continue;
    const auto& at = x_.contacts.kinematics(c);
    if (x_.contacts[c].isBrake()) continue;  // Of what the joint does.
    if (x_.contacts[c].isLimit()) {
      recordLimit(x_.contacts[c], h * x_.contacts[c].force[0], acted.record);
      continue;
    }
    acting_.push_back({static_cast<int>(c), h * (at.frame.transpose() * x_.contacts[c].force), {}, at.point, false});
  }
  x_.contacts.place(x_.start);
  sums_.assign(x_.start.size(), {});
  for (Acted& a : acting_) {
    const Contact& contact = x_.contacts[a.contact];
    const auto& at = x_.contacts.kinematics(a.contact);
    a.at_start = at.point;
    a.throughout = at.gap >= x_.scales.floor && at.gap <= x_.scales.band && !slipTurns(contact, a.contact, a.P);
    const Vector3d first = a.throughout ? Vector3d(0.5 * a.P) : Vector3d(Vector3d::Zero()), last = a.P - first;
    acted.record.addContact(contact.pair, axisOf(contact.feature));
    acted.record.addToContact(0, first);
    acted.record.addToContact(1, last);
    for (const auto& [slot, sign] : {std::pair{contact.slot_a, -1.0}, std::pair{contact.slot_b, 1.0}}) {
      if (slot < 0) continue;
      const Vector3d& p = x_.start[slot].state.pose.p;
      sums_[slot].P += sign * a.P;
      sums_[slot].K += sign * ((a.at_start - p).cross(first) + (a.at_end - p).cross(last));
    }
  }
  for (size_t i = 0; i < sums_.size(); ++i) {
    const dynamics::RigidBodyState& from = x_.start[i].state;
    dynamics::RigidBodyState& to = trial.ends[i].state;
    if (x_.start[i].robot >= 0 || (sums_[i].P.isZero(0) && sums_[i].K.isZero(0))) continue;
    const Vector3d integral = hermiteIntegral(to.pose.p - from.pose.p, from.v, to.v, h);
    to.setVelocity(balancedVelocity(*x_.start[i].model, from.pose, from.velocity(), to.pose, integral, h,
                                    x_.scene.gravity, sums_[i]));
  }
}

bool TickLedger::opposesSlip(Trial& trial) {
  const auto unit = [&](const Acted& a) { return x_.scales.speed * x_.lighterMass(x_.contacts[a.contact]); };
  const auto isStrong = [&](const Acted& a) {
    return std::isfinite(x_.contacts[a.contact].friction) && !(a.P.norm() <= kFrictionOff * unit(a));
  };
  if (std::none_of(acting_.begin(), acting_.end(), isStrong)) return true;
  x_.contacts.place(trial.ends);
  return std::none_of(acting_.begin(), acting_.end(), [&](const Acted& a) {
    if (!isStrong(a)) return false;
    const Contact& contact = x_.contacts[a.contact];
    const Eigen::Vector2d slip = x_.contacts.velocity(trial.ends, a.contact).tail<2>();
    const Vector3d P = trial.h * contact.force;
    if (!(slip.norm() > kSlides * x_.scales.speed)) return false;
    return !((P.tail<2>() + contact.friction * P[0] * slip.normalized()).norm() <= kFrictionOff * unit(a));
  });
}

void TickLedger::rest(double t1, StepImpulses& acted) const {
  ImpulseRecord& record = acted.record;
  record.t0 = x_.t0, record.t1 = t1;
  acted.acting = Acting::kConstant;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    if (!contact.held || contact.force.isZero(0)) continue;
    record.addContact(contact.pair, axisOf(contact.feature));
    const Vector3d force = x_.contacts.kinematics(c).frame.transpose() * contact.force;
    record.addToContact(0.5 * (record.t0 + t1), (t1 - record.t0) * force);
  }
}

}  // namespace rigor::sim
