// SPDX-License-Identifier: MIT
#include "sim/contact/contact_system.h"

#include <algorithm>
#include <cmath>

#include "sim/contact/traced_solve.h"

// The contact problem of what is held, and what its forces and impulses do.

namespace rigor::sim {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using friction::ContactMode;
using friction::CoulombStatus;

namespace {

/// Mobility of the heaviest pad of a brake, of the joint's [-].
constexpr double kHeaviestPad = 1e-6;
/// A force along a tangent that moves its contact less than this fraction of a normal force is rounding [-].
constexpr double kNoResponse = 1e-12;
/// By more of what contacts approach with rows of what sticks may not contradict each other.
constexpr double kMostContradiction = 1e-3;
/// Masses of this ratio are unequal [-]. What a contact of theirs still approaches with is taken away by a push that
/// moves the light one by as much more: it may be so many contradictions, the ratio less; and so much of the fastest
/// contact as doubles can tell.
constexpr double kUnequalMasses = 100, kLetThrough = 50, kFinestSolution = 1e-11;
/// Of what gravity does in a step, which it leaves at most: an answer to within that may be no forces at all, in steps
/// so short that another tolerance lets it through, one after the other.
constexpr double kOfGravity = 1e-2;
/// Points without slip from which on slow searches for what they do with large friction are not worth their time.
constexpr int kFewStuck = 8;
/// Friction of points without slip that cannot stick, tried in this order [-].
constexpr double kFrictionInstead[] = {kLargeFriction, 3, 1};

}  // namespace

/// Which contacts the problem has. Brakes that slide are not of it: their force is known.
void ContactSystem::gather(const SystemState& bodies, std::span<const Contact> contacts) {
  held_.clear();
  row_of_.assign(contacts.size(), -1);
  double lightest = HUGE_VAL, heaviest = 0;
  applySliding(bodies, contacts);
  for (size_t c = 0; c < contacts.size(); ++c)
    if (contacts[c].held && !(contacts[c].isBrake() && contacts[c].slides)) {
      respond(static_cast<int>(c));
      row_of_[c] = static_cast<int>(held_.size());
      held_.push_back(static_cast<int>(c));
      for (const int slot : {contacts[c].slot_a, contacts[c].slot_b}) {
        if (slot < 0 || bodies[slot].robot >= 0) continue;
        const double mass = bodies[slot].model->mass;
        lightest = std::min(lightest, mass), heaviest = std::max(heaviest, mass);
      }
    }
  mass_ratio_ = heaviest > 0 ? heaviest / lightest : 1;
}

/// Forces of the brakes that slide.
void ContactSystem::applySliding(const SystemState& bodies, std::span<const Contact> contacts) {
  braking_.resize(bodies.robots.size());
  for (size_t r = 0; r < braking_.size(); ++r) {
    if (bodies.robots[r].brakes.empty()) braking_[r].resize(0);
    else braking_[r].setZero(bodies.robots[r].model->numVelocities());
  }
  for (const Contact& c : contacts) {
    if (!c.held || !c.isBrake() || !c.slides) continue;
    const SystemRobot& robot = bodies.robots[c.robot];
    const RobotBrake& brake = robot.brakes[c.limit - robot.limits.size()];
    braking_[c.robot][brake.dof] -= brake.length * brake.hold * c.direction[0];
  }
}

/// The pad of a brake is a mass of its own that a force presses on: what stops it is a normal force as large.
/// `duration` 0: an impact, which a bounded force has no part in.
void ContactSystem::pressBrakes(std::span<const Contact> contacts, double duration) {
  for (size_t i = 0; i < held_.size(); ++i) {
    const Contact& c = contacts[held_[i]];
    if (!c.isBrake()) continue;
    const long row = 3 * static_cast<long>(i);
    // The pad's mass is free: one that lets it move no faster than the joint keeps the scale of the problem.
    const double press = c.hold * duration, mobility = A_(row + 1, row + 1);
    A_(row, row) = mobility;
    if (press * mobility > std::abs(b_[row + 1]))
      A_(row, row) = std::max(std::abs(b_[row + 1]) / press, kHeaviestPad * mobility);
    b_[row] = -A_(row, row) * press;
    if (!(duration > 0)) mu_[i] = 0;
  }
}

void ContactSystem::assemble(std::span<const Contact> contacts) {
  const int m = static_cast<int>(held_.size());
  if (A_.rows() < 3 * m) A_.resize(3 * m, 3 * m);
  for (int j = 0; j < m; ++j) {
    const Contact& cj = contacts[held_[j]];
    const Kinematics& kj = kinematics_[held_[j]];
    for (int i = j; i < m; ++i) {
      const Contact& ci = contacts[held_[i]];
      const Kinematics& ki = kinematics_[held_[i]];
      Matrix3d block = coupling(ci, ki, cj, kj);
      // A limit has no tangents; that its diagonal is not zero keeps the solver's scales.
      if (i == j && ci.isBrake()) block(0, 0) = block(2, 2) = block(1, 1);
      else if (i == j && ci.isLimit()) block(1, 1) = block(2, 2) = block(0, 0);
      A_.block<3, 3>(3 * i, 3 * j) = block;
      if (i != j) A_.block<3, 3>(3 * j, 3 * i) = block.transpose();
    }
  }
  leaveOutRounding(m);
}

/// Two links that can only approach each other have no response along a tangent, but its rounding, of either sign.
void ContactSystem::leaveOutRounding(int m) {
  for (int i = 0; i < 3 * m; ++i) {
    const double normal = A_(i - i % 3, i - i % 3);
    if (i % 3 == 0 || !(A_(i, i) <= kNoResponse * normal)) continue;  // NaN is the solver's to refuse.
    A_.row(i).head(3 * m).setZero(), A_.col(i).head(3 * m).setZero();
    A_(i, i) = normal;
  }
}

/// `duration`: that of the window for impulses, 1 for forces; 0 for an impact.
void ContactSystem::takeLaws(std::span<const Contact> contacts, double duration) {
  const int m = static_cast<int>(held_.size());
  mu_.resize(m), slides_.resize(m), brakes_.resize(m), direction_.resize(m), direction_out_.resize(m), modes_.resize(m);
  if (f_.size() < 3 * m) f_.resize(3 * m);
  for (int i = 0; i < m; ++i) {
    const Contact& c = contacts[held_[i]];
    mu_[i] = c.slides && std::isinf(c.friction) ? kLargeFriction : c.friction;
    slides_[i] = c.slides;
    brakes_[i] = c.isBrake();
    direction_[i] = direction_out_[i] = c.direction;
  }
  pressBrakes(contacts, duration);
}

/// `duration`: the time over which the contacts' own forces are the guess; 0 for none.
CoulombStatus ContactSystem::solveOnce(std::span<const Contact> contacts, double duration,
                                       const friction::CoulombOptions& options) {
  for (size_t i = 0; i < held_.size(); ++i) {
    modes_[i] = contacts[held_[i]].mode;
    f_.segment<3>(3 * static_cast<int>(i)) = duration * contacts[held_[i]].force;
  }
  const int n = 3 * static_cast<int>(held_.size());
  return solveTraced(solver_, {A_.topLeftCorner(n, n), b_.head(n), mu_, slides_, direction_, brakes_}, modes_,
                     direction_out_, f_.head(n), options);
}

/// Sticking may need a pull where letting go needs a push: such a contact slips, with large friction. What many points
/// with so much of it do at once slow searches hardly ever find; less of it, or a shorter step, asks for less.
CoulombStatus ContactSystem::solveSlipping(std::span<const Contact> contacts, double duration) {
  CoulombStatus status = CoulombStatus::kFailed;
  const bool sticks = std::any_of(mu_.begin(), mu_.end(), [](double mu) { return std::isinf(mu); });
  if (!sticks) return status;
  friction::CoulombOptions options;
  options.persistent = held_.size() <= kFewStuck;
  // With slip already, as the stages of a step have it, there may be no forces at all.
  const bool slides = std::any_of(slides_.begin(), slides_.end(), [](unsigned char s) { return s != 0; });
  for (const double large : kFrictionInstead) {
    for (size_t i = 0; i < held_.size(); ++i)
      if (!slides_[i] && std::isinf(contacts[held_[i]].friction)) mu_[i] = large;
    // The forces before were found so, mostly: from none, every stage of a step would search for them again.
    status = solveOnce(contacts, duration, options);
    if (status != CoulombStatus::kFailed || slides) break;
  }
  return status;
}

/// `contradiction` [m/s]: 0 for forces, whose rows may not contradict each other.
CoulombStatus ContactSystem::solve(std::span<Contact> contacts, double duration, double contradiction,
                                   double g) {
  takeLaws(contacts, duration);
  const double fastest = b_.head(3 * static_cast<int>(held_.size())).cwiseAbs().maxCoeff();
  const double share = contradiction / fastest;
  friction::CoulombOptions options;
  CoulombStatus status = CoulombStatus::kFailed;
  if (mass_ratio_ > kUnequalMasses && contradiction > 0) {
    friction::CoulombOptions fine;
    double finer = kLetThrough * share / mass_ratio_;
    if (g > 0) finer = std::min(finer, kOfGravity * g * duration / fastest);
    fine.tolerance = std::clamp(finer, kFinestSolution, fine.tolerance);
    fine.loose_tolerance = 10 * fine.tolerance;
    status = solveOnce(contacts, duration, fine);
  }
  if (status == CoulombStatus::kFailed) status = solveOnce(contacts, duration, options);
  if (status == CoulombStatus::kFailed) status = solveSlipping(contacts, duration);
  if (status == CoulombStatus::kFailed && contradiction > 0) {
    // Points that stick may stand so that their rows say the same, and differ in what motion adds to second order: a
    // slider between two of them is at its nearest. Nothing that the forces can do makes them agree.
    options.loose_tolerance = std::min(kMostContradiction, share);
    if (options.loose_tolerance > options.tolerance) {
      for (size_t i = 0; i < held_.size(); ++i) mu_[i] = contacts[held_[i]].friction;
      status = solveOnce(contacts, 0, options);
    }
  }
  if (status == CoulombStatus::kFailed) return status;
  for (size_t i = 0; i < held_.size(); ++i) {
    Contact& c = contacts[held_[i]];
    c.mode = modes_[i];
    if (duration > 0) c.force = f_.segment<3>(3 * static_cast<int>(i)) / duration;
    if (!c.slides && c.mode == ContactMode::kSlip) c.direction = direction_out_[i];
  }
  return status;
}

Vector6d ContactSystem::pushAcceleration(const SystemBody& body, size_t slot) const {
  return dynamics::stacked(body.model->inverse_mass * body.push.head<3>(),
                           inverse_inertia_[slot] * body.push.tail<3>());
}

CoulombStatus ContactSystem::solveAccelerations(SystemState& bodies, std::span<Contact> contacts,
                                                const Vector3d& gravity, bool links) {
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].robot >= 0) continue;
    bodies[i].acceleration << gravity,
        dynamics::gyroscopicAcceleration(*bodies[i].model, placement_[i].R, bodies[i].state.w);
    if (bodies[i].isPushed()) bodies[i].acceleration += pushAcceleration(bodies[i], i);
  }
  const int m = static_cast<int>(held_.size());
  for (SystemRobot& robot : bodies.robots) {
    equations(robot).freeAcceleration(robot, gravity, robot.acceleration, braking_[&robot - bodies.robots.data()]);
    if (m > 0 || links) equations(robot).accelerate(robot.acceleration);
  }
  const auto moveLink = [&](int slot) {
    SystemBody& body = bodies[slot];
    if (body.robot >= 0) body.acceleration = equations(bodies.robots[body.robot]).linkAcceleration(body.link);
  };
  const auto moveLinks = [&] {
    for (size_t i = 0; i < bodies.size() && links; ++i) moveLink(static_cast<int>(i));
  };
  if (m == 0) {
    moveLinks();
    return CoulombStatus::kSolved;
  }
  for (const int c : held_)
    for (const int slot : {contacts[c].slot_a, contacts[c].slot_b})
      if (slot >= 0) moveLink(slot);
  if (b_.size() < 3 * m) b_.resize(3 * m);
  for (int i = 0; i < m; ++i) {
    const Contact& c = contacts[held_[i]];
    const Kinematics& k = kinematics_[held_[i]];
    b_.segment<3>(3 * i) =
        k.bias + multiply(
                     c, k, [&](int slot) -> const Vector6d& { return bodies[slot].acceleration; },
                     [&](int robot) -> const Eigen::VectorXd& { return bodies.robots[robot].acceleration; });
  }
  const CoulombStatus status = solve(contacts, 1);
  if (status == CoulombStatus::kFailed) return status;
  for (int i = 0; i < m; ++i) {
    const Contact& c = contacts[held_[i]];
    const Kinematics& k = kinematics_[held_[i]];
    const Vector3d f = f_.segment<3>(3 * i);
    if (c.slot_a >= 0 && k.side_a < 0) bodies[c.slot_a].acceleration.noalias() += k.WJa * f;
    if (c.slot_b >= 0 && k.side_b < 0) bodies[c.slot_b].acceleration.noalias() += k.WJb * f;
    for (const int side : {k.side_a, k.side_b})
      if (side >= 0) bodies.robots[sides_[side].robot].acceleration.noalias() += sides_[side].response * f;
  }
  if (!links) return status;
  for (const SystemRobot& robot : bodies.robots) equations(robot).accelerate(robot.acceleration);
  moveLinks();
  return status;
}

CoulombStatus ContactSystem::solveVelocities(const SystemState& bodies, std::span<Contact> contacts,
                                             const Vector3d& gravity, double h, bool with_bias,
                                             double contradiction) {
  velocities_.resize(bodies.size());
  robot_velocities_.resize(bodies.robots.size());
  for (size_t r = 0; r < bodies.robots.size(); ++r) {
    // J (v + h v'), to which the change of J adds over the window.
    const SystemRobot& robot = bodies.robots[r];
    equations(robot).freeAcceleration(robot, gravity, robot_velocities_[r], braking_[r]);
    if (with_bias) {
      link_bias_.resize(bodies.size());
      equations(robot).linkAccelerations(robot, robot_velocities_[r], velocities_, link_bias_);
      for (size_t k = 0; k < robot.links.size(); ++k) {
        const int i = robot.first_slot + static_cast<int>(k);
        velocities_[i] = bodies[i].state.velocity() + h * velocities_[i];
      }
    }
    robot_velocities_[r] = robot.state.v + h * robot_velocities_[r];
    // Without the change of J a link moves as its robot's coordinates say.
    if (!with_bias) equations(robot).linkVelocities(robot, robot_velocities_[r], velocities_);
  }
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].robot >= 0) continue;
    velocities_[i] = bodies[i].state.velocity();
    velocities_[i].head<3>() += h * gravity;
    velocities_[i].tail<3>() +=
        h * dynamics::gyroscopicAcceleration(*bodies[i].model, placement_[i].R, bodies[i].state.w);
    if (bodies[i].isPushed()) velocities_[i] += h * pushAcceleration(bodies[i], i);
  }
  auto moveLinks = [&] {
    for (size_t r = 0; r < bodies.robots.size(); ++r)
      equations(bodies.robots[r]).linkVelocities(bodies.robots[r], robot_velocities_[r], velocities_);
    if (!with_bias) return;
    for (size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].robot >= 0) velocities_[i] += h * link_bias_[i];
  };
  const int m = static_cast<int>(held_.size());
  if (m == 0) {
    moveLinks();
    return CoulombStatus::kSolved;
  }
  if (b_.size() < 3 * m) b_.resize(3 * m);
  for (int i = 0; i < m; ++i) {
    const Contact& c = contacts[held_[i]];
    Vector3d u = solvedVelocity(c, held_[i]);
    if (with_bias) u += addedVelocity(held_[i], h);
    b_.segment<3>(3 * i) = u;
  }
  const CoulombStatus status = solve(contacts, h, contradiction, gravity.norm());
  if (status == CoulombStatus::kFailed) return status;
  for (int i = 0; i < m; ++i) {
    const Contact& c = contacts[held_[i]];
    const Kinematics& k = kinematics_[held_[i]];
    const Vector3d f = f_.segment<3>(3 * i);
    if (c.slot_a >= 0 && k.side_a < 0) velocities_[c.slot_a].noalias() += k.WJa * f;
    if (c.slot_b >= 0 && k.side_b < 0) velocities_[c.slot_b].noalias() += k.WJb * f;
    for (const int side : {k.side_a, k.side_b})
      if (side >= 0) robot_velocities_[sides_[side].robot].noalias() += sides_[side].response * f;
  }
  moveLinks();
  return status;
}

Vector3d ContactSystem::impulse(int c) const {
  return row_of_[c] < 0 ? Vector3d::Zero() : Vector3d(f_.segment<3>(3 * row_of_[c]));
}

}  // namespace rigor::sim
