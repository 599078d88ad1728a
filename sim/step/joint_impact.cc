// SPDX-License-Identifier: MIT
#include "sim/step/joint_impact.h"

#include <algorithm>

#include "sim/contact/traced_solve.h"

namespace rigor::sim {

using Eigen::Matrix3Xd;
using Eigen::Vector3d;

namespace {

constexpr int kJointSteps = 200;  // Newton steps of one attempt.

double kineticEnergy(const impact::ImpactProblem& problem, const Eigen::VectorXd& v) {
  return 0.5 * v.dot(problem.mass_matrix * v);
}

}  // namespace

void JointImpact::writeBodies(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks) {
  problem_.clear();
  for (const auto& [first, size] : blocks)
    problem_.addBody(problem.mass_matrix.block(first, first, size, size), problem.velocity.segment(first, size));
}

void JointImpact::writeContacts(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks,
                                double share) {
  for (int c = 0; c < problem.numContacts(); ++c) {
    rows_.setZero(3, problem.numVelocities());
    rows_.row(0) = problem.normal.row(c);
    rows_.middleRows(1, problem.tangent[c].rows()) = problem.tangent[c];
    int side[2] = {-1, -1};
    Matrix3Xd rows[2] = {Matrix3Xd(3, 0), Matrix3Xd(3, 0)};
    int sides = 0;
    for (std::size_t b = 0; b < blocks.size() && sides < 2; ++b) {
      const auto own = rows_.middleCols(blocks[b].first, blocks[b].size);
      if (own.isZero(0)) continue;
      side[sides] = static_cast<int>(b);
      rows[sides++] = own;
    }
    problem_.addContact(side[0], rows[0], side[1], rows[1], Vector3d(-share * rebound_[c], 0, 0), problem.friction[c]);
  }
}

void JointImpact::read(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks,
                       impact::ImpactOutcome& outcome) const {
  outcome.velocity.resize(problem.numVelocities());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    solver_.velocity(static_cast<int>(b), outcome.velocity.data() + blocks[b].first);
  outcome.impulses.clear();
  for (int c = 0; c < problem.numContacts(); ++c)
    outcome.impulses.emplace_back(solver_.impulse(c).head(1 + problem.tangent[c].rows()));
}

bool JointImpact::resolve(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks, double capture,
                          double tolerance, impact::ImpactOutcome& outcome) {
  rebound_.assign(problem.numContacts(), 0.0);
  for (int c = 0; c < problem.numContacts(); ++c) {
    const double speed = -problem.normal.row(c).dot(problem.velocity);
    if (speed > capture) rebound_[c] = problem.restitution[c] * speed;
  }
  const bool rebounds = std::any_of(rebound_.begin(), rebound_.end(), [](double v) { return v > 0; });
  const double before = kineticEnergy(problem, problem.velocity);
  for (const double share : kReboundShares) {
    if (!rebounds && share > 0) continue;
    writeBodies(problem, blocks);
    writeContacts(problem, blocks, share);
    if (!solveTraced(solver_, problem_, {tolerance, kJointSteps, share == 0})) continue;
    read(problem, blocks, outcome);
    if (kineticEnergy(problem, outcome.velocity) <= before * (1 + kJointEnergyRounding)) return true;
  }
  return false;
}

}  // namespace rigor::sim
