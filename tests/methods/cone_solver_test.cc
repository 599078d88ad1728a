// SPDX-License-Identifier: MIT
// The projection on Coulomb's cone against its definition (Moreau: z = P(z) + Q, Q in the polar cone, orthogonal), and
// the cone solver against the optimality condition of its convex problem on random problems.
#include "methods/cone_solver.h"

#include <gtest/gtest.h>

#include <random>

namespace rigor::methods {
namespace {

TEST(Cone, ProjectionIsMoreausDecomposition) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 1000; ++k) {
    const double mu = k % 10 == 0 ? 0 : std::abs(normal(random));
    const Eigen::Vector3d z(normal(random), normal(random), normal(random)), p = nearestOfCone(z, mu), rest = z - p;
    EXPECT_LE(p.tail<2>().norm(), mu * p[0] + 1e-14);
    EXPECT_NEAR(p.dot(rest), 0, 1e-13);
    EXPECT_LE(rest[0] + mu * rest.tail<2>().norm(), 1e-14);  // Polar: rest.f <= 0 for all f of the cone.
  }
}

TEST(Cone, SolutionIsOptimal) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20; ++trial) {
    friction::Problem problem;
    Eigen::Matrix<double, 6, 1> u0;
    for (int i = 0; i < 6; ++i) u0[i] = normal(random);
    const int body = problem.addFreeBody(2.0, Eigen::Vector3d(1, 2, 2.5).asDiagonal(), u0);
    std::vector<Eigen::Matrix<double, 3, 6>> rows(4);
    for (auto& J : rows) {
      for (int i = 0; i < 18; ++i) J.data()[i] = normal(random);
      problem.addContact(body, J, -1, Eigen::Matrix3Xd(3, 0), {0.1 * std::abs(normal(random)), 0, 0}, 0.7);
    }
    ConeSolver solver;
    ASSERT_TRUE(solver.solve(problem, 1e-10)) << solver.residual();
    // K* contains w, f.w = 0, f in K, in the caller's units.
    Eigen::Matrix<double, 6, 1> u;
    solver.velocity(body, u.data());
    for (int c = 0; c < 4; ++c) {
      const Eigen::Vector3d f = problem.impulse(c, solver.scaledImpulses()[c]);
      Eigen::Vector3d w = rows[c] * u;
      w[0] += problem.contacts()[c].offset[0] * problem.contacts()[c].unit;
      EXPECT_LE(f.tail<2>().norm(), 0.7 * f[0] + 1e-12);
      EXPECT_GE(w[0], 0.7 * w.tail<2>().norm() - 1e-8);
      EXPECT_NEAR(f.dot(w), 0, 1e-8);
    }
  }
}

}  // namespace
}  // namespace rigor::methods
