// SPDX-License-Identifier: MIT
#include "dynamics/controllers/sampled_feedback.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dynamics/forward_dynamics.h"
#include "dynamics/kinematics.h"

namespace rigor::dynamics {
namespace {

constexpr int kPowerSteps = 100;    // The eigenvalue is then right to a few percent, whatever the others are.
constexpr double kTakesPart = 0.5;  // Of the largest component.
constexpr double kCalmShare = 1.5;  // What is left turns about and halves: near 2 legs shake, and feet land many times.
constexpr std::array<double, 10> kRates{400, 500, 800, 1000, 1250, 1600, 2000, 2500, 5000, 10000};  // [1/s]

}  // namespace

StiffestMode findStiffestMode(const ArticulatedModel& model, const ArticulatedState& start, const Eigen::VectorXd& kp,
                              const Eigen::VectorXd& kd, double period) {
  ArticulatedWorkspace workspace(model);
  calcKinematics(model, start, workspace);
  factorInertia(model, workspace);
  // M^-1 G has the eigenvalues of R M^-1 R, R = sqrt G, which is symmetric.
  Eigen::VectorXd root = Eigen::VectorXd::Zero(model.numVelocities());
  for (size_t n = 1; n < model.nodes().size(); ++n) {
    const ArticulatedModel::Node& node = model.nodes()[n];
    if (node.kind == ArticulatedModel::Node::kFloating || model.joint(node.joint).follows()) continue;
    const bool turns_about_a_point = node.kind == ArticulatedModel::Node::kSpherical;  // It has no angles: kd alone.
    for (int v = node.v; v < node.v + (turns_about_a_point ? 3 : 1); ++v)
      root[v] = std::sqrt(std::max(kd[v] * period, turns_about_a_point ? 0 : kp[v] * period * period));
  }
  StiffestMode mode;
  Eigen::VectorXd x = root, y(root.size());
  for (int k = 0; k < kPowerSteps; ++k) {
    const double size = x.norm();
    if (!(size > 0)) return mode;  // No feedback.
    x /= size;
    y = root.cwiseProduct(x);
    solveMassMatrix(model, workspace, y, y);
    y = root.cwiseProduct(y);
    mode.share = x.dot(y);
    x = y;
  }
  const double least = kTakesPart * x.cwiseAbs().maxCoeff();
  for (int i = 0; i < x.size(); ++i)
    if (std::abs(x[i]) >= least) mode.dofs.push_back(i);
  return mode;
}

double calmRate(const ArticulatedModel& model, const ArticulatedState& start, const Eigen::VectorXd& kp,
                const Eigen::VectorXd& kd) {
  for (const double rate : kRates)
    if (findStiffestMode(model, start, kp, kd, 1 / rate).share <= kCalmShare) return rate;
  return kRates.back();
}

}  // namespace rigor::dynamics
