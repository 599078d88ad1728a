// SPDX-License-Identifier: MIT
#include "sim/contact/tick_contacts.h"

#include "sim/contact/traced_solve.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr int kSteps = 150;    // Newton steps of an attempt: a tick that needs more is better halved;
constexpr int kPatience = 50;  // without a half of the residual gained: it has none, as a rule.

}  // namespace

void TickContacts::setBodies(const SystemState& bodies, const TickVelocities& free, ContactSystem& system) {
  robots_.resize(bodies.robots.size());
  for (size_t r = 0; r < robots_.size(); ++r) {
    system.robotInertia(bodies.robots[r], robots_[r].inertia);
    robots_[r].velocity = free.robots[r];
  }
  bodies_.clear(), owner_.clear();
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].robot >= 0) {
      owner_.push_back(bodies[i].robot);
      continue;
    }
    owner_.push_back(static_cast<int>(robots_.size() + bodies_.size()));
    const Eigen::Matrix3d R = bodies[i].state.pose.rotation();
    bodies_.push_back(
        {static_cast<int>(i), bodies[i].model->mass, R * bodies[i].model->inertia * R.transpose(), free.bodies[i]});
  }
}

void TickContacts::clearContacts() {
  problem_.clear();
  for (const RobotData& robot : robots_) problem_.addBody(robot.inertia, robot.velocity);
  for (const BodyData& b : bodies_) problem_.addFreeBody(b.mass, b.inertia, b.velocity);
}

void TickContacts::add(const Contact& contact, int c, const ContactSystem& system, double offset,
                       const Vector3d& guess) {
  const ContactSystem::Kinematics& at = system[c];
  const auto ownerOf = [&](int slot) { return slot < 0 ? -1 : owner_[slot]; };
  int a = ownerOf(contact.slot_a);
  const int b = contact.isLimit() ? contact.robot : ownerOf(contact.slot_b);
  if (a == b && a >= 0) a = -1;  // Of one robot: its rows are those of both sides.
  problem_.addContact(a, rowsOf(c, a, system, at.Ja, rows_a_), b, rowsOf(c, b, system, at.Jb, rows_b_),
                      Vector3d(offset, 0, 0), contact.friction, guess);
}

/// Of contact c on a body of the problem: its own ones, or on the coordinates of a robot, by both sides of the contact.
const Eigen::Matrix3Xd& TickContacts::rowsOf(int c, int body, const ContactSystem& system,
                                             const Eigen::Matrix<double, 3, 6>& own, Eigen::Matrix3Xd& rows) const {
  if (body < 0) return rows;  // Not read.
  if (body >= static_cast<int>(robots_.size())) return rows = own;
  rows.setZero(3, robots_[body].velocity.size());
  system.addRobotRows(c, body, rows);
  return rows;
}

void TickContacts::addBrake(const Contact& contact, int c, ContactSystem& system, double impulse,
                            const Vector3d& guess) {
  // As mobile as the joint, so that the two weigh the same; what presses it stops it.
  const double mobility = system.brakeMobility(c);
  const Eigen::Matrix<double, 1, 1> mass(1 / mobility), speed(-mobility * impulse);
  const int pad = problem_.addBody(mass, speed);
  const Eigen::Matrix3Xd& rows = rowsOf(c, contact.robot, system, system[c].Jb, rows_b_);
  problem_.addContact(pad, Vector3d::UnitX(), contact.robot, rows, Vector3d::Zero(), contact.friction, guess);
}

bool TickContacts::solve(double tolerance, TickVelocities& u) {
  const bool solved = solveTraced(solver_, problem_, {tolerance, kSteps, false, kPatience});
  if (!problem_.valid()) return false;
  const int robots = static_cast<int>(robots_.size());
  for (int r = 0; r < robots; ++r) solver_.velocity(r, u.robots[r].data());
  for (size_t k = 0; k < bodies_.size(); ++k)
    solver_.velocity(robots + static_cast<int>(k), u.bodies[bodies_[k].slot].data());
  return solved;
}

}  // namespace rigor::sim
