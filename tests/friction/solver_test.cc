// SPDX-License-Identifier: MIT
// Proved: impulses of friction::Solver obey Coulomb's law with a residual that is computed from the scene's own masses,
// points and normals (contact_scenes.cc, nothing of the solver's), for stacks, walls, card houses, piles and random
// clusters, mass ratios to 1e8, friction 0 to no-slip; velocities() are what the impulses make; the table of attempts
// is the one in docs/contact-solver.md; the order of contacts does not matter; nothing is allocated once warm; energy
// never grows. Oracles: the scene's data, closed forms, Siconos where it is installed (siconos_test.cc).
#include "friction/solver.h"
#include "friction/coulomb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/allocation_counter.h"
#include "tests/friction/contact_scenes.h"

namespace rigor::friction {
namespace {

using Eigen::Vector3d;
using test::ContactScene;

constexpr double kTolerance = 1e-9;       // Asked for [m/s].
constexpr double kRounding = 2;           // What two ways of computing the same residual may differ by, as a factor.
constexpr double kGravityTick = 9.81e-3;  // Gravity in the tick that the scenes fall [m/s].

struct Solved {
  bool solved = false;
  double residual = HUGE_VAL;
  std::vector<Vector3d> impulses;
};

/// Rounding of a velocity of 1 m/s over the 1e-9 that the tests ask for, times some hundred operations: 1e-13 in all.
constexpr double kRoundings = 1e-4;

Solved solve(const ContactScene& scene, Solver& solver, double tolerance = kTolerance) {
  Problem problem;
  scene.fill(problem);
  Solved result;
  result.solved = solver.solve(problem, {tolerance, 400, true});
  for (int c = 0; c < problem.numContacts(); ++c) result.impulses.push_back(solver.impulse(c));
  result.residual = scene.residual(result.impulses);
  const auto u = scene.velocities(result.impulses);
  for (std::size_t i = 0; i < u.size(); ++i) {
    Eigen::Matrix<double, 6, 1> v;
    solver.velocity(static_cast<int>(i), v.data());
    // Both are sums of what the impulses do to the body, which may cancel: a light one between heavy ones.
    double summands = 1 + u[i].norm();
    for (std::size_t c = 0; c < scene.points.size(); ++c)
      if (scene.points[c].a == static_cast<int>(i) || scene.points[c].b == static_cast<int>(i))
        summands += kRoundings * result.impulses[c].norm() / scene.bodies[i].mass;
    EXPECT_LE((v - u[i]).norm(), 1e-9 * summands);
  }
  return result;
}

double kineticEnergy(const ContactScene& scene, const std::vector<Eigen::Matrix<double, 6, 1>>& u) {
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) sum += 0.5 * u[i].dot(scene.massMatrix(static_cast<int>(i)) * u[i]);
  return sum;
}

void expectSolved(const ContactScene& scene, const std::string& name) {
  Solver solver;
  const Solved s = solve(scene, solver);
  EXPECT_TRUE(s.solved) << name << ": " << solver.residual();
  EXPECT_LE(s.residual, kRounding * kTolerance) << name;
}

TEST(FrictionSolver, StacksOfAllMassRatiosStandAndAreSolved) {
  for (int count : {1, 2, 10, 30})
    for (double ratio : {1.0, 1e4, 1e-4, 1e8}) {
      const ContactScene scene = test::cubeStack(count, ratio, 0.5, 0);
      Solver solver;
      const Solved s = solve(scene, solver);
      // With masses that differ by 1e8, rounding of the impulses alone moves the lightest by 1e-16 x 1e8 of what they
      // carry.
      const double tolerance = kTolerance + 1e-15 * ratio * kGravityTick * 100;
      EXPECT_LE(s.residual, kRounding * tolerance) << count << " cubes, " << ratio;
      for (const auto& u : scene.velocities(s.impulses))
        EXPECT_LE(u.head<3>().norm(), 1e3 * tolerance) << count << " cubes, " << ratio;
      double carried = 0, weight = 0;
      for (std::size_t c = 0; c < 4; ++c) carried += s.impulses[c][0];
      for (const auto& b : scene.bodies) weight += b.mass * kGravityTick;
      EXPECT_NEAR(carried, weight, 1e-6 * weight);
    }
}

TEST(FrictionSolver, PushedStacksSlideAsTheyMust) {
  // The top cube is pushed faster than friction can hold it in the tick, the others stay: push - mu g h.
  for (double ratio : {1.0, 1e-4}) {
    const ContactScene scene = test::cubeStack(10, ratio, 0.5, 0.02);
    Solver solver;
    const Solved s = solve(scene, solver);
    EXPECT_LE(s.residual, kRounding * kTolerance);
    EXPECT_NEAR(scene.velocities(s.impulses).back()[0], 0.02 - 0.5 * kGravityTick, 1e-6) << ratio;
  }
}

TEST(FrictionSolver, HousesWallsAndPilesAreSolved) {
  expectSolved(test::heavyOnLight(30, 1e4, 0.5), "heavy on light");
  expectSolved(test::cubeStack(10, 1e4, 0.5, 0.1), "pushed stack 1:1e4");
  expectSolved(test::cubeStack(10, 1e4, kNoSlip, 0.1), "pushed stack without slip");
  expectSolved(test::cardHouse(5, 10, 0.6), "card house");
  expectSolved(test::brickWall(8, 8, 0.5, 0), "wall");
  expectSolved(test::brickWall(8, 8, 0.5, 0.1), "pushed wall");
  for (double mu : {0.0, 0.3, 0.5}) {
    expectSolved(test::randomPile(60, mu, 0.1, 3), "pile, friction " + std::to_string(mu));
    expectSolved(test::randomPile(60, mu, 2, 4), "fast pile, friction " + std::to_string(mu));
  }
}

// Velocity-level problems with finite friction always have a solution.
void randomClusters(int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Solver solver;
  int open = 0;
  for (int k = 0; k < count; ++k) {
    const double ratio = std::pow(10.0, 2 * (k % 4)), mu = k % 3 == 0 ? 0.5 : k % 3 == 1 ? 1 : 2;
    const ContactScene scene = test::randomCluster(random, ratio, mu);
    const Solved s = solve(scene, solver);
    if (!s.solved) {
      ++open;
      continue;
    }
    EXPECT_LE(s.residual, kRounding * kTolerance + 1e-14 * ratio) << "case " << k;
    for (std::size_t c = 0; c < s.impulses.size(); ++c) {
      EXPECT_GE(s.impulses[c][0], 0);
      EXPECT_LE(s.impulses[c].tail<2>().norm(), scene.points[c].mu * s.impulses[c][0] * (1 + 1e-12));
    }
    std::vector<Eigen::Matrix<double, 6, 1>> before;
    for (const auto& b : scene.bodies) before.push_back(b.velocity);
    EXPECT_LE(kineticEnergy(scene, scene.velocities(s.impulses)), kineticEnergy(scene, before) * (1 + 1e-9))
        << "case " << k;
  }
  EXPECT_LE(open, count / 500) << "not solved";
}

TEST(FrictionSolver, RandomClusters) { randomClusters(3000, 11); }
TEST(SlowFrictionSolver, HundredThousandRandomClusters) { randomClusters(100000, 12); }

TEST(FrictionSolver, ContactsWithoutFrictionNeedOnlyPush) {
  const ContactScene scene = test::randomPile(40, 0, 0.5, 9);
  Solver solver;
  const Solved s = solve(scene, solver);
  ASSERT_TRUE(s.solved);
  for (const Vector3d& f : s.impulses) EXPECT_EQ(f.tail<2>().norm(), 0);
}

TEST(FrictionSolver, LeastNormDoesNotDependOnTheOrderOfContacts) {
  const ContactScene scene = test::brickWall(4, 3, 0.5, 0);
  Solver solver;
  const auto least = [&](const ContactScene& s) {
    Problem problem;
    s.fill(problem);
    EXPECT_TRUE(solver.solve(problem, {1e-11, 400, true}));
    EXPECT_TRUE(solver.takeLeastNorm(kTolerance));
    std::vector<Vector3d> world;  // In world axes, by place.
    for (int c = 0; c < problem.numContacts(); ++c) world.push_back(s.frame(c).transpose() * solver.impulse(c));
    return world;
  };
  const std::vector<Vector3d> one = least(scene);
  double largest = 0, before = 0, after = 0;
  for (const Vector3d& f : one) largest = std::max(largest, f.norm());
  for (std::uint64_t seed : {1, 2}) {
    const ContactScene other = scene.shuffled(seed);
    const std::vector<Vector3d> two = least(other);
    for (std::size_t c = 0; c < one.size(); ++c) {
      double nearest = HUGE_VAL;
      for (std::size_t k = 0; k < two.size(); ++k)
        if (other.points[k].at == scene.points[c].at && other.points[k].a == scene.points[c].a &&
            other.points[k].b == scene.points[c].b)
          nearest = std::min(nearest, (one[c] - two[k]).norm());
      EXPECT_LE(nearest, 1e-5 * largest);
    }
  }
  // And it is no larger than what the solver itself ends with.
  Problem problem;
  scene.fill(problem);
  ASSERT_TRUE(solver.solve(problem, {1e-11, 400, true}));
  for (const Vector3d& f : solver.scaledImpulses()) before += f.squaredNorm();
  ASSERT_TRUE(solver.takeLeastNorm(kTolerance));
  for (const Vector3d& f : solver.scaledImpulses()) after += f.squaredNorm();
  EXPECT_LE(after, before * (1 + 1e-9));
}

TEST(FrictionSolver, AGuessThatIsASolutionIsTakenAsItIs) {
  const ContactScene scene = test::cubeStack(3, 10, 0.5, 0);
  Solver solver;
  const Solved s = solve(scene, solver);
  ASSERT_TRUE(s.solved);
  Problem problem;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    problem.addFreeBody(scene.bodies[i].mass, scene.massMatrix(static_cast<int>(i)).bottomRightCorner<3, 3>(),
                        scene.bodies[i].velocity);
  const Eigen::Matrix<double, 3, 6> none = Eigen::Matrix<double, 3, 6>::Zero();
  for (int c = 0; c < static_cast<int>(scene.points.size()); ++c) {
    const auto& p = scene.points[c];
    problem.addContact(p.a, p.a >= 0 ? scene.rows(c, 0) : none, p.b, scene.rows(c, 1), p.offset, p.mu, s.impulses[c]);
  }
  const long before = solver.count(Attempt::kGuess).solved;
  ASSERT_TRUE(solver.solve(problem, {kRounding * kTolerance, 400, true}));
  EXPECT_EQ(solver.count(Attempt::kGuess).solved, before + 1);
}

TEST(FrictionSolver, RefusesWhatIsNoProblem) {
  ContactScene scene = test::cubeStack(2, 1, 0.5, 0);
  Problem problem;
  Solver solver;
  scene.fill(problem);
  EXPECT_TRUE(problem.valid());
  scene.bodies[0].velocity[2] = std::nan("");
  scene.fill(problem);
  EXPECT_FALSE(problem.valid());
  EXPECT_FALSE(solver.solve(problem, {}));
  scene = test::cubeStack(2, 1, 0.5, 0);
  scene.bodies[1].mass = -1;
  scene.fill(problem);
  EXPECT_FALSE(solver.solve(problem, {}));
}

TEST(FrictionSolver, AJamIsNotSolvedAndSaysSo) {
  // A slender rod that slides against its lean (Painleve): no impulse exists where A_nn - mu A_nt < 0 and b_n < 0.
  const double half = 0.5, inertia = half * half / 3, angle = 1, mu = 3;
  Problem problem;
  Eigen::Matrix<double, 6, 1> gravity;
  gravity << 0, 0, -9.81, 0, 0, 0;
  problem.addFreeBody(1, Vector3d(1e-3, inertia, inertia).asDiagonal(), gravity);
  const Vector3d tip(-half * std::cos(angle), 0, -half * std::sin(angle));
  Eigen::Matrix<double, 3, 6> J;
  const Vector3d axes[] = {Vector3d::UnitZ(), Vector3d::UnitX(), Vector3d::UnitY()};
  for (int k = 0; k < 3; ++k) J.row(k) << axes[k].transpose(), tip.cross(axes[k]).transpose();
  const Eigen::Matrix<double, 3, 6> none = Eigen::Matrix<double, 3, 6>::Zero();
  const double nn = 1 + std::pow(tip.x(), 2) / inertia, nt = tip.x() * tip.z() / inertia;
  int jams = 0;
  for (double side : {1.0, -1.0}) {
    Problem slides = problem;
    slides.addContact(-1, none, 0, J, Vector3d::Zero(), mu);
    slides.setSliding({side, 0});
    Solver solver;
    const double effective = nn + mu * side * nt;  // w_n per unit of f_n.
    const bool solved = solver.solve(slides, {1e-9, 60, false});
    EXPECT_EQ(solved, effective > 0);
    jams += effective <= 0;
    if (solved) {
      EXPECT_NEAR(solver.impulse(0)[0], 9.81 / effective, 1e-7);
    }
  }
  EXPECT_EQ(jams, 1);
}

// A body between two walls that are both to be left at 1 m/s. What stands still can be told from what is hard: the same
// patience solves a tall stack.
TEST(FrictionSolver, PatienceEndsWhatHasNoSolution) {
  Problem wedged;
  wedged.addFreeBody(1, Eigen::Matrix3d::Identity(), Eigen::Matrix<double, 6, 1>::Zero());
  for (const double side : {1.0, -1.0}) {
    Eigen::Matrix<double, 3, 6> rows = Eigen::Matrix<double, 3, 6>::Zero();
    rows(0, 0) = side, rows(1, 1) = 1, rows(2, 2) = side;
    wedged.addContact(-1, rows, 0, rows, Vector3d(-1, 0, 0), 0.5);
  }
  Solver solver;
  const auto steps = [&] {
    long sum = 0;
    for (const AttemptRow& row : attempts()) sum += solver.count(row.attempt).iterations;
    return sum;
  };
  EXPECT_FALSE(solver.solve(wedged, {kTolerance, 400, false}));
  const long without = steps();
  EXPECT_FALSE(solver.solve(wedged, {kTolerance, 400, false, 50}));
  EXPECT_LT(steps() - without, without);
  EXPECT_LE(steps() - without, 25 + 2 * 60);  // Interior point steps, and two attempts that overshoot by a few.
  Problem stack;
  test::cubeStack(30, 1, 0.5, 0).fill(stack);
  EXPECT_TRUE(solver.solve(stack, {kTolerance, 400, false, 50}));
}

TEST(FrictionSolver, AllocatesNothingOnceWarm) {
  const ContactScene scene = test::cubeStack(5, 10, 0.5, 0.1);
  Problem problem;
  Solver solver;
  for (int k = 0; k < 2; ++k) {
    scene.fill(problem);
    ASSERT_TRUE(solver.solve(problem, {kTolerance, 400, false}));
  }
  if (allocations() < 0) GTEST_SKIP() << "a sanitizer owns the allocator";
  const long before = allocations();
  scene.fill(problem);
  ASSERT_TRUE(solver.solve(problem, {kTolerance, 400, false}));
  EXPECT_EQ(allocations(), before);
}

TEST(FrictionSolver, SameBitsWhateverWasSolvedBefore) {
  const ContactScene scene = test::randomPile(30, 0.5, 0.5, 5);
  Solver fresh, used;
  (void)solve(test::brickWall(4, 4, 0.5, 0.1), used);
  const Solved one = solve(scene, fresh), two = solve(scene, used);
  EXPECT_EQ(one.impulses, two.impulses);
}

/// Where a page has the table of these attempts, from `at` on; npos, and a failure, where it has not.
template <typename Rows>
std::size_t findTable(const std::string& page, const Rows& rows, std::size_t at) {
  for (const auto& row : rows) {
    const std::string line = "| " + std::string(row.name) + " | " + row.condition + " | " + row.does + " |\n";
    const std::size_t found = page.find(line, at);
    EXPECT_NE(found, std::string::npos) << "docs/contact-solver.md lacks, in this place:\n" << line;
    if (found == std::string::npos) return found;
    at = found + line.size();
  }
  return at;
}

TEST(FrictionDocs, TheTablesOfAttemptsAreTheCodes) {
  std::ifstream file(std::string(RIGOR_SOURCE_DIR) + "/docs/contact-solver.md");
  std::stringstream text;
  text << file.rdbuf();
  ASSERT_FALSE(text.str().empty());
  const std::size_t many = findTable(text.str(), attempts(), 0);
  ASSERT_NE(many, std::string::npos);
  EXPECT_NE(findTable(text.str(), coulombAttempts(), many), std::string::npos);
  EXPECT_EQ(attempts().size(), static_cast<std::size_t>(kNumAttempts));
  EXPECT_EQ(coulombAttempts().size(), static_cast<std::size_t>(kNumCoulombAttempts));
}

}  // namespace
}  // namespace rigor::friction
