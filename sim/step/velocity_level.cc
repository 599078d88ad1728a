// SPDX-License-Identifier: MIT
#include "sim/step/velocity_level.h"

#include <algorithm>

namespace rigor::sim {

using Eigen::Vector3d;
using friction::ContactMode;
using friction::CoulombStatus;

namespace {

// The step is given up where its error, of the tolerance, is estimated beyond these:
constexpr double kHopelessCoarse = 20;    // from the coarse step's mean acceleration against that of the start,
constexpr double kHopelessHalf = 6;       // from the first half step against the middle of the coarse one.
// Of m V L of a robot: what a damper may do that the motion does not say, a fifth of what the proof grants joints.
constexpr double kDamperShare = 2.5e-3;
// Of m g V of what actuators drive: what bodies may gain beyond their work in a second. A window of l / V of such gains
// is less than half of what the proof grants energy.
constexpr double kGainShare = 0.06;
// Of the tolerance: by what rows of contacts that stick may contradict each other.
constexpr double kContradictionShare = 1e-3;
constexpr int kConfigurations = 4;        // Fixed-point iterations of the end's configuration,
constexpr double kConfigurationShare =
    0.05;  // until the next would move less than this share of the tolerance times h.

}  // namespace

/// Moves a robot at constant velocities, its loops closed at the end.
void VelocityLevel::move(const SystemRobot& from, const Eigen::VectorXd& v, double h, SystemRobot& to) {
  dynamics::integrate(*from.model, from.state.q, v, h, to.state.q);
  if (!from.model->loops().empty()) x_.contacts.system().constrainRobot(to);
}

/// Where the bodies end if their velocities there are `guess`.
template <typename Guess>
void VelocityLevel::predict(const SystemState& from, double h, const Guess& guess, SystemState& to) {
  to = from;
  for (size_t i = 0; i < from.size(); ++i) {
    const Vector6d mean = 0.5 * (from[i].state.velocity() + guess(i));
    to[i].state.pose.p = from[i].state.pose.p + h * mean.head<3>();
    to[i].state.pose.q = dynamics::rotate(from[i].state.pose.q, h * mean.tail<3>());
  }
  for (size_t r = 0; r < from.robots.size(); ++r) move(from.robots[r], from.robots[r].state.v, h, to.robots[r]);
}

/// `guess(i)`: velocity of body i at the end, as far as it is known. The configuration is iterated from there.
template <typename Guess>
bool VelocityLevel::step(const SystemState& from, double h, const Guess& guess, SystemState& to) {
  predict(from, h, guess, to);
  for (int k = 0; k < kConfigurations; ++k) {
    for (SystemBody& body : to) body.state.pose.q.normalize();
    for (size_t r = 0; r < from.robots.size(); ++r)
      to.robots[r].state.v = from.robots[r].state.v, to.robots[r].implicit_time = h;
    // Jacobians at the end configuration, velocities of the start: J1 u1 >= 0 needs no bias.
    for (size_t i = 0; i < from.size(); ++i) to[i].state.v = from[i].state.v, to[i].state.w = from[i].state.w;
    for (Contact& c : x_.contacts) c.slides = false;
    x_.contacts.update(to);
    for (SystemRobot& robot : to.robots) robot.implicit_time = 0;
    if (x_.contacts.solveVelocities(to, x_.scene.gravity, h, false,
                                    kContradictionShare * x_.scales.velocity_tolerance) == CoulombStatus::kFailed)
      return false;
    if (advance(from, h, to) < kConfigurationShare * x_.scales.velocity_tolerance * h) break;
  }
  for (Contact& c : x_.contacts) c.loaded = c.held && c.mode != ContactMode::kFree;
  return true;
}

/// Moves the end to the velocities that were solved for. @returns by how much the next iteration would move it [m].
double VelocityLevel::advance(const SystemState& from, double h, SystemState& to) {
  const ContactSystem& system = x_.contacts.system();
  double change = 0, fastest = 0;
  for (size_t r = 0; r < from.robots.size(); ++r) {
    to.robots[r].state.v = system.robotVelocities(static_cast<int>(r));
    mean_velocity_ = 0.5 * (from.robots[r].state.v + to.robots[r].state.v);
    move(from.robots[r], mean_velocity_, h, to.robots[r]);
  }
  for (size_t i = 0; i < from.size(); ++i) {
    const Vector6d u1 = system.velocities()[i];
    const Vector3d v = 0.5 * (from[i].state.v + u1.head<3>()), w = 0.5 * (from[i].state.w + u1.tail<3>());
    const Vector3d p = from[i].state.pose.p + h * v;
    change = std::max(change, (p - to[i].state.pose.p).norm()), fastest = std::max(fastest, x_.speed(u1));
    to[i].state.pose.p = p;
    to[i].state.pose.q = dynamics::rotate(from[i].state.pose.q, h * w);
    to[i].state.v = u1.head<3>(), to[i].state.w = u1.tail<3>();
  }
  // What a body turns by in the step is the share of this change that the next one would be: a fourth of it on average.
  return std::min(1.0, h * (fastest + x_.scales.acceleration * h) / x_.scales.length) * change;
}

/// The fastest of the velocities `difference(i)`.
template <typename Difference>
double VelocityLevel::farthest(Difference&& difference) const {
  double most = 0;
  for (size_t i = 0; i < x_.start.size(); ++i) most = std::max(most, x_.speed(difference(i)));
  return most;
}

/// Whether the first half step says that the whole cannot be accurate enough.
bool VelocityLevel::isHopeless(const SystemState& half) const {
  // A jump that contacts ask for at once, whatever the step, is in both of them and no error.
  const double hopeless = kHopelessHalf * x_.scales.velocity_tolerance;
  return farthest([&](size_t i) {
           return Vector6d(half[i].state.velocity() -
                           0.5 * (x_.start[i].state.velocity() + coarse_[i].state.velocity()));
         }) > hopeless &&
         farthest([&](size_t i) { return Vector6d(half[i].state.velocity() - coarse_[i].state.velocity()); }) >
             hopeless;
}

/// By how much what dampers do, by the velocities at the ends of both halves, differs from what the motion says, which
/// goes half of each way with those before: h / 4 of what the velocity loses. Of what is granted.
double VelocityLevel::damperError(double h, const Trial& trial) const {
  double most = 0;
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    const dynamics::ArticulatedModel& model = *x_.start.robots[r].model;
    const Eigen::VectorXd &v0 = x_.start.robots[r].state.v, &v1 = trial.ends.robots[r].state.v;
    double missed = 0, mass = 0;
    for (int j = 0; j < model.numJoints(); ++j) {
      const auto& joint = model.joint(j);
      if (!(joint.damping > 0) || joint.follows() || joint.num_v != 1) continue;
      const double reach = joint.type == dynamics::JointType::kRevolute ? x_.scales.length : 1;
      missed = std::max(missed, joint.damping * 0.25 * h * std::abs(v1[joint.v] - v0[joint.v]) / reach);
    }
    if (missed == 0) continue;
    for (int link = 0; link < model.numLinks(); ++link) mass += model.link(link).mass;
    most = std::max(most, missed / (kDamperShare * mass * x_.scales.speed));
  }
  return most;
}

double VelocityLevel::gainError(const Trial& trial) {
  double work = 0, heaviest = 0;
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    const SystemRobot& robot = x_.start.robots[r];
    if (robot.effort.size() == 0) continue;
    // In the middle of the curve, where the record takes it: the cubic between ends that are two halves apart.
    mean_velocity_ = 0.75 * half_.robots[r].state.v + 0.125 * (robot.state.v + trial.ends.robots[r].state.v);
    work += trial.h * robot.effort.dot(mean_velocity_);
    double mass = 0;
    for (int link = 0; link < robot.model->numLinks(); ++link) mass += robot.model->link(link).mass;
    heaviest = std::max(heaviest, mass);
  }
  if (heaviest == 0) return 0;  // EndPlacement takes away what others gain.
  const double gain = x_.energy(trial.ends) - x_.energy(x_.start) - work;
  return gain / (kGainShare * heaviest * x_.scales.acceleration * x_.scales.speed * trial.h);
}

Integrated VelocityLevel::integrate(double h, bool jumps, Trial& trial) {
  const SystemState& start = x_.start;
  const size_t n = start.size();
  // Only for single bodies that need not jump: among several, and in robots, velocities may have to whatever the step.
  const bool may_give_up = !jumps && n == 1 && start.robots.empty(), knows_rates = stages_.knowsStart();
  trial.velocity_level = true;
  trial.stop = 1;
  if (!step(
          start, h,
          [&](size_t i) {
            return Vector6d(start[i].state.velocity() +
                            (knows_rates ? Vector6d(h * stages_.startAcceleration(i)) : Vector6d(Vector6d::Zero())));
          },
          coarse_))
    return Integrated::kNoSolution;
  // Of first order: with the acceleration a at its start and a1 at its end the coarse step is off by about h (a1 - a) /
  // 4 from two halves.
  if (may_give_up && knows_rates && farthest([&](size_t i) {
                                      return Vector6d(0.25 * (coarse_[i].state.velocity() - start[i].state.velocity() -
                                                              h * stages_.startAcceleration(i)));
                                    }) > kHopelessCoarse * x_.scales.velocity_tolerance)
    return Integrated::kNoSolution;
  // From the modes of the whole: what creeps slips in all three.
  if (!step(start, 0.5 * h, [&](size_t i) {
        return Vector6d(0.5 * (start[i].state.velocity() + coarse_[i].state.velocity()));
      }, half_)) return Integrated::kNoSolution;
  if (may_give_up && isHopeless(half_)) return Integrated::kNoSolution;
  trial.acting = Acting::kHalves, trial.share = 1;
  trial.forces.resize(x_.contacts.size());
  for (size_t c = 0; c < x_.contacts.size(); ++c) trial.forces[c][0] = x_.contacts.impulse(c);
  if (!step(
          half_, 0.5 * h, [&](size_t i) { return coarse_[i].state.velocity(); }, trial.ends))
    return Integrated::kNoSolution;
  for (size_t c = 0; c < x_.contacts.size(); ++c) trial.forces[c][1] = x_.contacts.impulse(c);
  trial.error =
      farthest([&](size_t i) { return Vector6d(trial.ends[i].state.velocity() - coarse_[i].state.velocity()); });
  if (jumps) trial.error = std::min(trial.error, x_.scales.velocity_tolerance);
  trial.error = std::max(trial.error, x_.scales.velocity_tolerance * damperError(h, trial));
  trial.a0.resize(n), trial.a1.resize(n), trial.changes.resize(n);
  for (size_t i = 0; i < n; ++i) {
    limitTurn(h * std::max(start[i].state.w.norm(), trial.ends[i].state.w.norm()), x_.scales.velocity_tolerance, trial);
    trial.changes[i] = {half_[i].state.velocity() - start[i].state.velocity(),
                        trial.ends[i].state.velocity() - half_[i].state.velocity(), Vector6d::Zero()};
    trial.a0[i] = trial.a1[i] = (trial.ends[i].state.velocity() - start[i].state.velocity()) / h;
  }
  for (size_t r = 0; r < start.robots.size(); ++r) {
    const Eigen::VectorXd& middle = half_.robots[r].state.v;
    x_.start.robots[r].acceleration = 2 / h * (middle - start.robots[r].state.v);
    trial.ends.robots[r].acceleration = 2 / h * (trial.ends.robots[r].state.v - middle);
  }
  trial.settled = trial.placed = false;
  if (x_.mayWait() || placement_.settleEnd(trial) == Placed::kDone) return Integrated::kDone;
  return Integrated::kNoSolution;
}

}  // namespace rigor::sim
