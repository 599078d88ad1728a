// SPDX-License-Identifier: MIT
#include "sim/contact/tick_contacts.h"

#include "sim/contact/traced_solve.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr int kSteps = 150;  // Newton steps of an attempt: a tick that needs more is better halved.

}  // namespace

void TickContacts::setBodies(const SystemState& bodies, std::span<const Vector6d> free_velocities) {
  bodies_.clear();
  for (size_t i = 0; i < bodies.size(); ++i) {
    const Eigen::Matrix3d R = bodies[i].state.pose.rotation();
    bodies_.push_back({bodies[i].model->mass, R * bodies[i].model->inertia * R.transpose(), free_velocities[i]});
  }
}

void TickContacts::clearContacts() {
  problem_.clear();
  for (const BodyData& b : bodies_) problem_.addFreeBody(b.mass, b.inertia, b.velocity);
}

void TickContacts::add(const Contact& contact, const ContactSystem::Kinematics& at, double offset,
                       const Vector3d& guess) {
  problem_.addContact(contact.slot_a, at.Ja, contact.slot_b, at.Jb, Vector3d(offset, 0, 0), contact.friction, guess);
}

bool TickContacts::solve(double tolerance, bool persistent, std::span<Vector6d> u) {
  const bool solved = solveTraced(solver_, problem_, {tolerance, kSteps, persistent});
  if (!problem_.valid()) return false;
  for (size_t i = 0; i < u.size(); ++i) solver_.velocity(static_cast<int>(i), u[i].data());
  return solved;
}

}  // namespace rigor::sim
