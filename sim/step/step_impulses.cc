// SPDX-License-Identifier: MIT
#include "sim/step/step_impulses.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

namespace rigor::sim {

using dynamics::Vector6d;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kMiddle[] = {0.5}, kQuarters[] = {0.25, 0.75}, kSimpson[] = {0, 0.5, 1}, kBothEnds[] = {0, 1};

/// Impulses of a force of second degree, given by those of Simpson's rule over the whole, over the first share u of it.
template <typename Vector>
void restrictSmooth(double u, std::span<Vector> P) {
  const Vector f0 = 6 * P[0], f1 = 1.5 * P[1], f2 = 6 * P[2];
  const auto force = [&](double s) {
    return Vector((1 - s) * (1 - 2 * s) * f0 + 4 * s * (1 - s) * f1 + s * (2 * s - 1) * f2);
  };
  P[0] = u / 6 * f0, P[1] = 2 * u / 3 * force(0.5 * u), P[2] = u / 6 * force(u);
}

/// Of the change of velocity over a tick, what the Hermite cubic between its ends has made at the share u of it.
double changedShare(double u) { return u * (6 * kTickEndWeight - 2) + u * u * (3 - 6 * kTickEndWeight); }

template <typename Vector>
void restrictAny(Acting acting, double u, std::span<Vector> P) {
  if (u == 1) return;
  if (acting == Acting::kConstant) {
    P[0] *= u;
  } else if (acting == Acting::kHalves) {
    const Vector all = P[0] * std::min(1.0, 2 * u) + P[1] * std::max(0.0, 2 * u - 1);
    P[0] *= u;
    P[1] = all - P[0];
  } else if (acting == Acting::kSmooth) {
    restrictSmooth(u, P);
  } else if (acting == Acting::kEnds) {
    for (Vector& p : P) p *= changedShare(u);
  }
}

}  // namespace

std::span<const double> instantsOf(Acting acting) {
  switch (acting) {
    case Acting::kConstant: return kMiddle;
    case Acting::kHalves: return kQuarters;
    case Acting::kSmooth: return kSimpson;
    case Acting::kEnds: return kBothEnds;
    case Acting::kNothing: break;
  }
  return {};
}

void restrictImpulses(Acting acting, double u, std::span<Vector3d> impulses) { restrictAny(acting, u, impulses); }
void restrictImpulses(Acting acting, double u, std::span<Vector6d> impulses) { restrictAny(acting, u, impulses); }

void StepImpulses::setTimes(double t0, double t1) {
  record.t0 = t0, record.t1 = t1;
  for (ImpulseRecord::Impulse& impulse : record.impulses)
    impulse.time = impulse.time == 1 ? t1 : t0 + impulse.time * (t1 - t0);
}

void StepImpulses::cut(double t) {
  const double t0 = record.t0, u = std::clamp((t - t0) / (record.t1 - t0), 0.0, 1.0);
  const std::span<const double> instants = instantsOf(acting);
  const size_t n = instants.size();
  const auto restrict = [&](auto& entry) {
    ImpulseRecord::Impulse* const impulses = &record.impulses[entry.first];
    std::array<Vector6d, 3> all;
    for (size_t k = 0; k < n; ++k) all[k] = dynamics::stacked(impulses[k].P, impulses[k].moment);
    restrictImpulses(acting, u, {all.data(), n});
    for (size_t k = 0; k < n; ++k) {
      impulses[k].P = all[k].head<3>(), impulses[k].moment = all[k].tail<3>();
      impulses[k].time = instants[k] == 1 ? t : t0 + instants[k] * (t - t0);
    }
    entry.count = static_cast<int>(n);
  };
  for (ImpulseRecord::Contact& contact : record.contacts) restrict(contact);
  for (ImpulseRecord::Wrench& limit : record.wrenches) restrict(limit);
  record.t1 = t;
}

void StepImpulses::startAt(double t) {
  const double t0 = record.t0, t1 = record.t1, u = std::clamp((t1 - t) / (t1 - t0), 0.0, 1.0);
  const std::span<const double> instants = instantsOf(acting);
  const size_t n = instants.size();
  for (const ImpulseRecord::Contact& contact : record.contacts) {
    ImpulseRecord::Impulse* const impulses = &record.impulses[contact.first];
    std::array<Vector3d, 3> P;  // Backwards in time: every way to act is symmetric but that of ticks.
    for (size_t k = 0; k < n; ++k) P[k] = impulses[n - 1 - k].P;
    if (acting == Acting::kEnds)
      for (Vector3d& p : P) p *= 1 - changedShare(1 - u);
    else
      restrictImpulses(acting, u, {P.data(), n});
    for (size_t k = 0; k < n; ++k)
      impulses[k].P = P[n - 1 - k], impulses[k].time = instants[k] == 1 ? t1 : t + instants[k] * (t1 - t);
  }
  for (const ImpulseRecord::Wrench& wrench : record.wrenches)
    for (int k = wrench.first; k < wrench.first + wrench.count; ++k) {
      ImpulseRecord::Impulse& impulse = record.impulses[k];
      impulse.P *= u, impulse.moment *= u;
      impulse.time = impulse.time == t1 ? t1 : t + (impulse.time - t0) / (t1 - t0) * (t1 - t);
    }
  record.t0 = t;
}

bool addLimit(const SystemRobot& robot, const RobotLimit& limit, ImpulseRecord& record) {
  const int joint = robot.model->jointOf(limit.limit.dof);
  const auto type = robot.model->joint(joint).type;
  if (type != dynamics::JointType::kRevolute && type != dynamics::JointType::kPrismatic) return false;
  record.addWrench(ImpulseRecord::Wrench::Source::kLimit, robot.id, joint);
  return true;
}

ImpulseRecord::Impulse limitImpulse(const RobotLimit& limit, double time, double impulse) {
  return {time, Vector3d::Zero(), Vector3d(limit.length * limit.limit.sign * impulse, 0, 0)};
}

Acting actingOf(const ImpulseRecord& record) {
  if (record.impulses.empty() || record.contacts.empty()) return Acting::kNothing;
  const double first = record.impulses[record.contacts[0].first].time,
               share = (first - record.t0) / (record.t1 - record.t0);
  if (!(share > 0)) return record.contacts[0].count == 2 ? Acting::kEnds : Acting::kSmooth;
  return share < 0.375 ? Acting::kHalves : Acting::kConstant;
}

void StepImpulses::keep(std::span<const int> group) {
  const auto has = [&](int body) { return std::binary_search(group.begin(), group.end(), body); };
  std::erase_if(record.contacts,
                [&](const ImpulseRecord::Contact& c) { return !has(c.pair.body_a) && !has(c.pair.body_b); });
}

Vector6d balancedVelocity(const dynamics::RigidBody& model, const geom::Pose& start, const Vector6d& velocity,
                          const geom::Pose& end, const Vector3d& integral, double h, const Vector3d& gravity,
                          const BodyImpulse& acted) {
  const Matrix3d R0 = start.rotation(), R1 = end.rotation();
  const Vector3d v1 = velocity.head<3>() + h * gravity + model.inverse_mass * acted.P;
  const Vector3d L0 = R0 * (model.inertia * (R0.transpose() * velocity.tail<3>()));
  const Vector3d L1 = L0 + model.mass * (integral.cross(gravity) - (end.p - start.p).cross(v1)) + acted.K;
  return dynamics::stacked(v1, R1 * (model.inverse_inertia * (R1.transpose() * L1)));
}

}  // namespace rigor::sim
