// SPDX-License-Identifier: MIT
// Cost of articulated dynamics: the quadruped of the bundled scenes (floating base, 12 revolute joints, 18 velocities)
// and the chain of 100 links. Each iteration has another configuration, and computes positions and velocities anew.
#include <benchmark/benchmark.h>

#include "dynamics/forward_dynamics.h"
#include "dynamics/inverse_dynamics.h"
#include "dynamics/kinematics.h"
#include "dynamics/mass_matrix.h"

namespace {

using namespace rigor::dynamics;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

const Vector3d kGravity(0, 0, -9.81);

JointDescription joint(const std::string& name, JointType type, int parent, int child, const Vector3d& at,
                       const Vector3d& axis) {
  JointDescription result;
  result.name = name, result.type = type, result.parent = parent, result.child = child;
  result.origin.p = at, result.axis = axis;
  return result;
}

/// scenes/robots/quadruped.urdf without its shapes.
ArticulatedModel quadruped() {
  std::vector<LinkDescription> links = {{"base", 2.6, {0, 0, 0}, Vector3d(.005833, .003033, .008633).asDiagonal()}};
  std::vector<JointDescription> joints = {joint("free", JointType::kFloating, kWorld, 0, {0, 0, 0}, {1, 0, 0})};
  for (const double x : {1.0, -1.0}) {
    for (const double y : {1.0, -1.0}) {
      const std::string leg = (y > 0 ? "l" : "r") + std::string(x > 0 ? "f" : "h");
      const int first = static_cast<int>(links.size());
      const double z = x > 0 ? -.005 : -.0065;
      links.push_back({leg + "_hip", .1, {x * .025, 0, 0}, Vector3d(1.5e-5, 2.833e-5, 2.833e-5).asDiagonal()});
      links.push_back({leg + "_thigh", .1, {x * .0385, 0, 0}, Vector3d(1.083e-5, 1.233e-4, 1.275e-4).asDiagonal()});
      links.push_back({leg + "_shank", .1, {x * .05, 0, 0}, Vector3d(5e-7, 3.358e-5, 3.358e-5).asDiagonal()});
      joints.push_back(joint(leg + "_hip", JointType::kRevolute, 0, first, {x * .0775, y * .0625, 0}, {x, 0, 0}));
      joints.push_back(joint(leg + "_thigh", JointType::kRevolute, first, first + 1, {x * .025, 0, z}, {0, y, 0}));
      joints.push_back(joint(leg + "_knee", JointType::kRevolute, first + 1, first + 2, {x * .077, 0, 0}, {0, y, 0}));
    }
  }
  return ArticulatedModel(links, joints);
}

ArticulatedModel chain() {
  std::vector<LinkDescription> links;
  std::vector<JointDescription> joints;
  for (int i = 0; i < 100; ++i) {
    links.push_back({"link" + std::to_string(i), 40, {0.5, 0, 0}, Vector3d(16.7, 16.7, 6.7).asDiagonal()});
    joints.push_back(
        joint("joint" + std::to_string(i), JointType::kRevolute, i - 1, i, {i ? 1.0 : 0.0, 0, 0}, {0, 1, 0}));
  }
  return ArticulatedModel(links, joints);
}

struct Setup {
  ArticulatedModel model;
  ArticulatedState state;
  ArticulatedWorkspace workspace;
  VectorXd tau, out;
  MatrixXd M;

  explicit Setup(int which)
      : model(which == 0 ? quadruped() : chain()),
        state(model),
        workspace(model),
        tau(VectorXd::Constant(model.numVelocities(), 0.1)),
        out(tau),
        M(tau.size(), tau.size()) {
    for (int i = 0; i < model.numVelocities(); ++i) state.v[i] = 0.3 * (i % 5) - 0.5;
    integrate(model, state.q, state.v, 1, state.q);
  }
  void move() { integrate(model, state.q, state.v, 1e-6, state.q); }
};

void kinematics(benchmark::State& run) {
  Setup s(run.range(0));
  for (auto _ : run) {
    s.move();
    calcKinematics(s.model, s.state, s.workspace);
    benchmark::ClobberMemory();
  }
}
void massMatrix(benchmark::State& run) {
  Setup s(run.range(0));
  for (auto _ : run) {
    s.move();
    calcPositions(s.model, s.state.q, s.workspace);
    calcMassMatrix(s.model, s.workspace, s.M);
    benchmark::ClobberMemory();
  }
}
void forwardDynamics(benchmark::State& run) {
  Setup s(run.range(0));
  for (auto _ : run) {
    s.move();
    calcKinematics(s.model, s.state, s.workspace);
    factorInertia(s.model, s.workspace);
    calcForwardDynamics(s.model, s.workspace, s.state.v, s.tau, kGravity, s.out);
    benchmark::ClobberMemory();
  }
}
void inverseDynamics(benchmark::State& run) {
  Setup s(run.range(0));
  for (auto _ : run) {
    s.move();
    calcKinematics(s.model, s.state, s.workspace);
    calcInverseDynamics(s.model, s.workspace, s.state.v, s.tau, kGravity, s.out);
    benchmark::ClobberMemory();
  }
}
void solveOneRow(benchmark::State& run) {
  Setup s(run.range(0));
  calcKinematics(s.model, s.state, s.workspace);
  factorInertia(s.model, s.workspace);
  for (auto _ : run) {
    solveMassMatrix(s.model, s.workspace, s.tau, s.out);
    benchmark::ClobberMemory();
  }
}

// 0: the quadruped, 1: the chain.
BENCHMARK(kinematics)->Arg(0)->Arg(1);
BENCHMARK(massMatrix)->Arg(0)->Arg(1);
BENCHMARK(forwardDynamics)->Arg(0)->Arg(1);
BENCHMARK(inverseDynamics)->Arg(0)->Arg(1);
BENCHMARK(solveOneRow)->Arg(0)->Arg(1);

}  // namespace
