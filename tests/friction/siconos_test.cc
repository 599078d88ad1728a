// SPDX-License-Identifier: MIT
// Proved: what friction::Solver finds is a solution for Siconos (Debian: libsiconos-numerics-dev) too. Its own error
// measure of our impulses, on a dense Delassus matrix made from the scene's data, is below 1e-9; where its Newton
// method converges on standing stacks, the velocities agree to 1e-7.
#ifdef RIGOR_HAS_SICONOS
#include <gtest/gtest.h>

extern "C" {
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/fc3d_Solvers.h>
#include <siconos/numerics/fc3d_compute_error.h>
}

#include "friction/solver.h"
#include "tests/friction/contact_scenes.h"

namespace rigor::friction {
namespace {

using Eigen::Vector3d;
using test::ContactScene;

/// Siconos' problem of a scene, from the scene's own data: reaction, velocity = W reaction + q.
struct Peer {
  int m;
  Eigen::MatrixXd W;
  Eigen::VectorXd q;
  std::vector<double> mu;
  FrictionContactProblem* problem;

  explicit Peer(const ContactScene& scene) : m(static_cast<int>(scene.points.size())), W(3 * m, 3 * m), q(3 * m) {
    const int n = static_cast<int>(scene.bodies.size());
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3 * m, 6 * n), inverse = Eigen::MatrixXd::Zero(6 * n, 6 * n);
    Eigen::VectorXd u(6 * n);
    for (int i = 0; i < n; ++i) {
      const auto& b = scene.bodies[i];
      inverse.block<3, 3>(6 * i, 6 * i) = Eigen::Matrix3d::Identity() / b.mass;
      inverse.block<3, 3>(6 * i + 3, 6 * i + 3) = b.turn * b.inertia.cwiseInverse().asDiagonal() * b.turn.transpose();
      u.segment<6>(6 * i) = b.velocity;
    }
    for (int c = 0; c < m; ++c) {
      const auto& p = scene.points[c];
      if (p.a >= 0) J.block<3, 6>(3 * c, 6 * p.a) = scene.rows(c, 0);
      if (p.b >= 0) J.block<3, 6>(3 * c, 6 * p.b) = scene.rows(c, 1);
      mu.push_back(p.mu);
    }
    W = J * inverse * J.transpose();
    q = J * u;
    problem = frictionContactProblem_new_with_data(3, m, NM_create_from_data(NM_DENSE, 3 * m, 3 * m, W.data()),
                                                   q.data(), mu.data());
  }
  double error(const std::vector<Vector3d>& f) const {
    Eigen::VectorXd reaction(3 * m), velocity(3 * m);
    for (int c = 0; c < m; ++c) reaction.segment<3>(3 * c) = f[c];
    ::SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    double result = HUGE_VAL;
    fc3d_compute_error(problem, reaction.data(), velocity.data(), 1, options, 1, &result);
    solver_options_delete(options);
    return result;
  }
};

std::vector<Vector3d> ours(const ContactScene& scene, bool& solved) {
  Problem problem;
  scene.fill(problem);
  Solver solver;
  solved = solver.solve(problem, {1e-12, 400, true});
  std::vector<Vector3d> f;
  for (int c = 0; c < problem.numContacts(); ++c) f.push_back(solver.impulse(c));
  return f;
}

TEST(Siconos, FindsNoErrorInOurImpulses) {
  std::mt19937_64 random(21);
  int compared = 0;
  for (int k = 0; k < 500; ++k) {
    const ContactScene scene = test::randomCluster(random, 100, 1);
    bool solved = false;
    const auto f = ours(scene, solved);
    if (!solved) continue;
    ++compared;
    EXPECT_LE(Peer(scene).error(f), 1e-9) << "case " << k;
  }
  EXPECT_GE(compared, 490);
}

TEST(Siconos, AgreesOnStandingStacks) {
  for (double ratio : {1.0, 100.0}) {
    const ContactScene scene = test::cubeStack(4, ratio, 0.5, 0);
    bool solved = false;
    const auto f = ours(scene, solved);
    ASSERT_TRUE(solved);
    const Peer peer(scene);
    EXPECT_LE(peer.error(f), 1e-9);
    // Its own answer makes the same velocities: none.
    ::SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSN_AC);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-11;
    Eigen::VectorXd reaction = Eigen::VectorXd::Zero(3 * peer.m), velocity(3 * peer.m);
    const int failed = fc3d_driver(peer.problem, reaction.data(), velocity.data(), options);
    solver_options_delete(options);
    if (failed) continue;
    std::vector<Vector3d> theirs;
    for (int c = 0; c < peer.m; ++c) theirs.push_back(reaction.segment<3>(3 * c));
    const auto a = scene.velocities(f), b = scene.velocities(theirs);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LE((a[i] - b[i]).norm(), 1e-7);
  }
}

}  // namespace
}  // namespace rigor::friction
#endif
