// SPDX-License-Identifier: MIT
#include "sim/step/joint_impact.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/contact/traced_solve.h"

namespace rigor::sim {

using Eigen::Matrix3Xd;
using Eigen::Vector3d;

namespace {

constexpr int kJointSteps = 200;  // Newton steps of one attempt,
constexpr int kStickSteps = 40;   // and where contacts do not slip: what these do not solve contradicts itself.

/// Of a block's coordinates.
double kineticEnergy(const impact::ImpactProblem& problem, const ImpactBlock& block, const Eigen::VectorXd& v) {
  const auto own = v.segment(block.first, block.size);
  return 0.5 * own.dot(problem.mass_matrix.block(block.first, block.first, block.size, block.size) * own);
}

}  // namespace

void JointImpact::writeBodies(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks) {
  problem_.clear();
  for (const auto& [first, size] : blocks)
    problem_.addBody(problem.mass_matrix.block(first, first, size, size), problem.velocity.segment(first, size));
}

void JointImpact::writeContacts(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks) {
  pushed_.clear();
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
    pushed_.push_back({side[0], side[1], false});
    problem_.addContact(side[0], rows[0], side[1], rows[1], Vector3d(-shares_.of(c) * rebound_[c], 0, 0),
                        problem.friction[c]);
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

/// Whether bodies that push each other gain energy that they need not: @post their contacts rebound less.
bool JointImpact::lessensGains(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks,
                                const impact::ImpactOutcome& outcome) {
  before_.clear(), after_.clear();
  for (const ImpactBlock& block : blocks) {
    before_.push_back(kineticEnergy(problem, block, problem.velocity));
    after_.push_back(kineticEnergy(problem, block, outcome.velocity));
  }
  for (size_t c = 0; c < pushed_.size(); ++c) pushed_[c].pushed = !outcome.impulses[c].isZero(0);
  return shares_.lessen(pushed_, before_, after_);
}

bool JointImpact::resolve(const impact::ImpactProblem& problem, std::span<const ImpactBlock> blocks, double capture,
                          double tolerance, impact::ImpactOutcome& outcome) {
  rebound_.assign(problem.numContacts(), 0.0);
  for (int c = 0; c < problem.numContacts(); ++c) {
    const double speed = -problem.normal.row(c).dot(problem.velocity);
    if (speed > capture) rebound_[c] = problem.restitution[c] * speed;
  }
  shares_.begin(rebound_);
  // Contacts without slip may contradict each other. Plastic impacts of all others have an answer, worth a long search.
  const auto slips = [](double mu) { return std::isfinite(mu); };
  const bool has_answer = std::all_of(problem.friction.begin(), problem.friction.end(), slips);
  for (bool less = true; less;) {
    writeBodies(problem, blocks);
    writeContacts(problem, blocks);
    const int steps = has_answer ? kJointSteps : kStickSteps;
    if (!solveTraced(solver_, problem_, {tolerance, steps, has_answer && !shares_.any()})) {
      less = shares_.lessenAll();
      continue;
    }
    read(problem, blocks, outcome);
    less = lessensGains(problem, blocks, outcome);
    if (!less) {
      const double before = std::reduce(before_.begin(), before_.end());
      return std::reduce(after_.begin(), after_.end()) <= before * (1 + kJointEnergyRounding);
    }
  }
  return false;
}

}  // namespace rigor::sim
