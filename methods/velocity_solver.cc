// SPDX-License-Identifier: MIT
#include "methods/velocity_solver.h"

namespace rigor::methods {

using Eigen::Vector3d;

void VelocitySolver::setBodies(const sim::SystemState& at, const std::vector<sim::Vector6d>& bodies,
                               const std::vector<Eigen::VectorXd>& robots, sim::ContactSystem& system) {
  problem_.clear();
  block_of_slot_.assign(at.size(), -1), block_of_robot_.assign(at.robots.size(), -1);
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i].robot >= 0) continue;
    const Eigen::Matrix3d R = at[i].state.pose.rotation();
    block_of_slot_[i] = problem_.addFreeBody(at[i].model->mass, R * at[i].model->inertia * R.transpose(), bodies[i]);
  }
  for (std::size_t r = 0; r < at.robots.size(); ++r) {
    Eigen::MatrixXd M(robots[r].size(), robots[r].size());
    system.robotMassMatrix(at.robots[r], M);
    block_of_robot_[r] = problem_.addBody(M, robots[r]);
  }
  for (std::size_t i = 0; i < at.size(); ++i)
    if (at[i].robot >= 0) block_of_slot_[i] = block_of_robot_[at[i].robot];
}

void VelocitySolver::addContact(const sim::SystemState& at, const sim::ContactList& contacts, std::size_t c,
                                double offset) {
  const sim::Contact& contact = contacts[c];
  const auto& k = contacts.kinematics(c);
  Eigen::Matrix3Xd rows[2];
  int blocks[2] = {-1, -1};
  const auto robotRows = [&](int robot) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(3, at.robots[robot].model->numVelocities());
    contacts.system().addRobotRows(static_cast<int>(c), robot, sum);
    return Eigen::Matrix3Xd(sum);
  };
  const auto side = [&](int which, int slot, const Eigen::Matrix<double, 3, 6>& J) {
    if (slot < 0) return;
    blocks[which] = block_of_slot_[slot];
    rows[which] = at[slot].robot >= 0 ? robotRows(at[slot].robot) : Eigen::Matrix3Xd(J);
  };
  if (contact.isLimit()) {
    blocks[0] = block_of_robot_[contact.robot], rows[0] = robotRows(contact.robot);
  } else {
    side(0, contact.slot_a, k.Ja), side(1, contact.slot_b, k.Jb);
    if (blocks[0] == blocks[1]) blocks[1] = -1, rows[1].resize(3, 0);  // Two links of one robot: its rows are of both.
  }
  problem_.addContact(blocks[0], rows[0], blocks[1], rows[1], Vector3d(offset, 0, 0),
                      contact.isLimit() ? 0 : contact.friction);
}

bool VelocitySolver::solve(World& world, const sim::SystemState& at, const sim::ContactList& contacts,
                           const std::function<double(std::size_t)>& offset, FrictionLaw law, double tolerance,
                           std::vector<sim::Vector6d>& bodies, std::vector<Eigen::VectorXd>& robots) {
  impulses_.assign(contacts.size(), Vector3d::Zero());
  residual_ = 0;
  if (contacts.empty()) return true;
  sim::SystemState scratch;
  if (!at.robots.empty())
    scratch = at, masses_.accelerateRobots(scratch, world.scene().gravity);  // Positions for the mass matrices.
  setBodies(at, bodies, robots, masses_);
  for (std::size_t c = 0; c < contacts.size(); ++c) addContact(at, contacts, c, offset(c));
  bool solved = false;
  const auto take = [&](auto& solver) {
    for (std::size_t c = 0; c < contacts.size(); ++c)
      impulses_[c] = problem_.impulse(static_cast<int>(c), solver.scaledImpulses()[c]);
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i].robot < 0) solver.velocity(block_of_slot_[i], bodies[i].data());
    for (std::size_t r = 0; r < at.robots.size(); ++r) solver.velocity(block_of_robot_[r], robots[r].data());
    residual_ = solver.residual();
  };
  if (law == FrictionLaw::kConvex) solved = cone_.solve(problem_, tolerance), take(cone_);
  else solved = coulomb_.solve(problem_, {.tolerance = tolerance}), take(coulomb_);
  return solved && problem_.valid();
}

}  // namespace rigor::methods
