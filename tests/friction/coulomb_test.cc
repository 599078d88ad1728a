// SPDX-License-Identifier: MIT
// Proved: answers of CoulombSolver obey Coulomb's law, written out contact by contact (contact_sets.h), to 1e-6 of the
// data's
// scale for random rigid-body contact sets, redundant ones included; velocity-level problems, which always have a
// solution, are
// solved; kinetic energy never grows. Oracles: closed forms (sliding, rolling, spinning bodies), invariance under
// units.
#include "friction/coulomb.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <numbers>

#include "tests/allocation_counter.h"
#include "tests/friction/contact_sets.h"
#include "tests/dense_algebra.h"

namespace rigor::friction {
namespace {

using test::boxInertia;
using test::boxStack;
using test::ContactSet;
using test::coulombViolation;
using test::randomSet;
using test::randomVector;
using test::SetBuilder;

constexpr double kGravity = 9.81;
// Violations of the law in units of the scale of b; the solver's own tolerance is 1e-7 in another norm.
constexpr double kLawTolerance = 1e-6;
constexpr double kClosedFormTolerance = 1e-9;

// A problem with everything that it refers to.
struct Case {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  std::vector<double> mu;
  std::vector<unsigned char> slides;
  std::vector<Eigen::Vector2d> direction, out;
  std::vector<ContactMode> modes;
  Eigen::VectorXd f;

  Case(const ContactSet& set, const Eigen::VectorXd& rate, ContactMode guess = ContactMode::kStick)
      : A(set.delassus()),
        b(set.J * rate),
        mu(set.mu),
        slides(mu.size(), 0),
        direction(mu.size(), Eigen::Vector2d(1, 0)),
        out(mu.size()),
        modes(mu.size(), guess),
        f(Eigen::VectorXd::Zero(b.size())) {}
  CoulombProblem problem() const { return {A, b, mu, slides, direction}; }
  CoulombStatus solve(CoulombSolver& solver) { return solver.solve(problem(), modes, out, f); }
  double violation() const {
    const double scale = b.cwiseAbs().maxCoeff();
    return coulombViolation(problem(), f) / (scale > 0 ? scale : 1);
  }
};

Eigen::VectorXd gravityOn(int bodies, const Eigen::Vector3d& g) {
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(6 * bodies);
  for (int b = 0; b < bodies; ++b) rate.segment<3>(6 * b) = g;
  return rate;
}

// Gravity in the frame of a plane that is tilted about y by `angle`.
Eigen::Vector3d tilted(double angle) { return kGravity * Eigen::Vector3d(std::sin(angle), 0, -std::cos(angle)); }

TEST(CoulombClosedForm, BoxAtRestCarriesItsWeight) {
  for (int boxes : {1, 2, 5}) {
    const ContactSet set = boxStack(boxes, {0.1, 0.2, 0.3}, 2, 0.5);
    Case c(set, gravityOn(boxes, tilted(0)));
    CoulombSolver solver;
    ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved);
    for (int level = 0; level < boxes; ++level) {
      double sum = 0;
      for (int i = 4 * level; i < 4 * level + 4; ++i) sum += c.f[3 * i];
      EXPECT_NEAR(sum, 2 * kGravity * (boxes - level), kClosedFormTolerance * kGravity * boxes);
    }
    EXPECT_LT((c.A * c.f + c.b).cwiseAbs().maxCoeff(), kClosedFormTolerance * kGravity);
  }
}

TEST(CoulombClosedForm, TiltedPlaneSticksBelowTheFrictionAngleAndSlidesAbove) {
  const double mu = 0.4;
  const ContactSet set = boxStack(1, {0.3, 0.3, 0.1}, 1.5, mu);
  for (double angle = 0.02; angle < 0.8; angle += 0.013) {
    Case c(set, gravityOn(1, tilted(angle)));
    CoulombSolver solver;
    ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved) << angle;
    const Eigen::VectorXd change = set.inverse_mass * (set.J.transpose() * c.f);
    const double a_x = kGravity * std::sin(angle) + change[0];
    const double expected = std::tan(angle) <= mu ? 0 : kGravity * (std::sin(angle) - mu * std::cos(angle));
    EXPECT_NEAR(a_x, expected, kClosedFormTolerance * kGravity) << angle;
    EXPECT_NEAR(kGravity * -std::cos(angle) + change[2], 0, kClosedFormTolerance * kGravity);
  }
}

TEST(CoulombClosedForm, SlidingBlockDeceleratesAtMuG) {
  const double mu = 0.25;
  const ContactSet set = boxStack(1, {0.3, 0.3, 0.1}, 1.5, mu);
  const Eigen::Vector3d velocity(0.6, 0.8, 0);
  Case c(set, gravityOn(1, tilted(0)), ContactMode::kSlip);
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d v_contact = set.J.middleRows(3 * i, 3).leftCols(3) * velocity;
    c.slides[i] = 1;
    c.direction[i] = v_contact.tail<2>().normalized();
  }
  CoulombSolver solver;
  ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved);
  const Eigen::VectorXd change = set.inverse_mass * (set.J.transpose() * c.f);
  EXPECT_NEAR(change[0], -mu * kGravity * 0.6, kClosedFormTolerance * kGravity);
  EXPECT_NEAR(change[1], -mu * kGravity * 0.8, kClosedFormTolerance * kGravity);
  EXPECT_NEAR(change.tail<3>().norm(), 0, 1e-7 * kGravity / 0.1);
}

TEST(CoulombClosedForm, SpinningDiscIsBrakedByItsRim) {
  // Contacts on a ring of radius r slide around: torque mu m g r.
  const double mu = 0.3, mass = 2, radius = 0.5, inertia = 0.5 * mass * radius * radius;
  SetBuilder builder;
  builder.addBody(mass, Eigen::Vector3d(inertia, inertia, inertia).asDiagonal(), Eigen::Vector3d::Zero());
  for (int i = 0; i < 6; ++i) {
    const double angle = i * M_PI / 3;
    builder.addContact(-1, 0, {radius * std::cos(angle), radius * std::sin(angle), 0}, Eigen::Vector3d::UnitZ(), mu);
  }
  const ContactSet set = builder.build();
  Case c(set, gravityOn(1, tilted(0)), ContactMode::kSlip);
  Eigen::VectorXd spin = Eigen::VectorXd::Zero(6);
  spin[5] = 3;
  const Eigen::VectorXd slip = set.J * spin;
  for (int i = 0; i < 6; ++i) c.slides[i] = 1, c.direction[i] = slip.segment<2>(3 * i + 1).normalized();
  CoulombSolver solver;
  ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved);
  const Eigen::VectorXd change = set.inverse_mass * (set.J.transpose() * c.f);
  EXPECT_NEAR(change[5], -mu * mass * kGravity * radius / inertia, kClosedFormTolerance * kGravity / radius);
  EXPECT_NEAR(change.head<2>().norm(), 0, 1e-7 * kGravity);
}

TEST(CoulombClosedForm, ObliqueImpactOfOneContactSticksOrSlides) {
  // A ball of radius r, inertia 2/5 m r^2 hits with (v_t, v_n): sticks iff v_t (2/7) <= mu v_n; else f_t = mu f_n.
  const double mass = 3, radius = 0.2;
  for (double mu : {0.0, 0.1, 0.3, 1.0, 10.0}) {
    for (double speed : {0.1, 0.5, 1.0, 2.0, 8.0}) {
      SetBuilder builder;
      builder.addBody(mass, Eigen::Matrix3d(0.4 * mass * radius * radius * Eigen::Matrix3d::Identity()),
                      {0, 0, radius});
      builder.addContact(-1, 0, Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitZ(), mu);
      Eigen::VectorXd v = Eigen::VectorXd::Zero(6);
      v.head<3>() << 0.6 * speed, 0.8 * speed, -1;
      Case c(builder.build(), v);
      CoulombSolver solver;
      ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved);
      EXPECT_NEAR(c.f[0], mass, kClosedFormTolerance * mass);
      const double expected = std::min(mu * mass, mass * speed * 2 / 7);
      EXPECT_NEAR(c.f.tail<2>().norm(), expected, kClosedFormTolerance * mass * (1 + speed)) << mu << " " << speed;
    }
  }
}

TEST(CoulombClosedForm, NoSlipHoldsAnySlope) {
  const ContactSet base = boxStack(1, {0.3, 0.3, 0.1}, 1.5, kNoSlip);
  for (double angle : {0.1, 0.8, 1.2}) {
    Case c(base, gravityOn(1, tilted(angle)));
    CoulombSolver solver;
    const CoulombStatus status = c.solve(solver);
    ASSERT_EQ(status, CoulombStatus::kSolved) << angle;
    EXPECT_LT(c.violation(), kLawTolerance);
    if (std::tan(angle) < 3) {  // does not tip
      EXPECT_LT((c.A * c.f + c.b).cwiseAbs().maxCoeff(), 1e-8 * kGravity);
    }
  }
}

// Corners that stick are redundant. Motions that were found with errors make them contradict each other: forces can do
// nothing about it, however many contacts there are.
TEST(CoulombClosedForm, ContradictionsOfRedundantContactsAreNoInternalForces) {
  for (const int boxes : {1, 3, 4, 6}) {  // 4 to 24 contacts: few are solved by dense rows, many by blocks.
    const ContactSet stack = boxStack(boxes, {0.3, 0.3, 0.1}, 1.5, kNoSlip);
    Case consistent(stack, gravityOn(boxes, {0, 0, -kGravity})), c = consistent;
    std::mt19937_64 random(5);
    c.b += 1e-8 * kGravity * randomVector(random, static_cast<int>(c.b.size()));
    CoulombSolver solver, other;
    ASSERT_EQ(consistent.solve(solver), CoulombStatus::kSolved) << boxes;
    ASSERT_EQ(c.solve(other), CoulombStatus::kSolved) << boxes;
    EXPECT_LT(c.violation(), kLawTolerance);
    EXPECT_LT((c.f - consistent.f).norm(), 1e-3 * consistent.f.norm()) << boxes;
  }
}

// A body on ninety points has six freedoms. The set of points that push is not unique: none is searched for.
TEST(CoulombClosedForm, ManyPointsUnderOneBodyAreSolvedByItsFreedoms) {
  SetBuilder builder;
  builder.addBody(2, Eigen::Vector3d(0.02, 0.02, 0.03).asDiagonal(), Eigen::Vector3d::Zero());
  for (int k = 0; k < 90; ++k) {
    const double angle = 2 * std::numbers::pi * k / 90;
    const Eigen::Vector3d point(0.2 * std::cos(angle), 0.2 * std::sin(angle), -0.1);
    builder.addContact(-1, 0, point, Eigen::Vector3d::UnitZ(), 0.5);
  }
  const ContactSet set = builder.build();
  for (const double angle : {0.0, 0.3, 0.7}) {  // It stays, stays, slides.
    Case c(set, gravityOn(1, tilted(angle)));
    CoulombSolver solver;
    ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved) << angle;
    EXPECT_LT(c.violation(), kLawTolerance);
    EXPECT_EQ(solver.stats().set_changes, 0);
    const double slips = std::max(0.0, std::sin(angle) - 0.5 * std::cos(angle)) * kGravity;
    EXPECT_NEAR((c.A * c.f + c.b).cwiseAbs().maxCoeff(), slips, 1e-6 * kGravity) << angle;
  }
}

TEST(CoulombPainleve, SlidingRodWithoutConsistentForceFails) {
  // A slender rod on one end, leaning at angle a, sliding against its lean: no force exists where
  // A_nn - mu A_nt.d < 0 and b_n < 0 (Painleve). In 2D: A_nn = 1/m + (l cos a)^2/I, A_nt = -l^2 sin a cos a / I.
  const double mass = 1, half = 0.5, inertia = mass * half * half / 3, angle = 1.0;
  const Eigen::Vector3d tip(-half * std::cos(angle), 0, -half * std::sin(angle));
  for (double mu : {0.5, 1.0, 2.0, 3.0}) {
    SetBuilder builder;
    builder.addBody(mass, Eigen::Vector3d(1e-3, inertia, inertia).asDiagonal(), Eigen::Vector3d::Zero());
    builder.addContact(-1, 0, tip, Eigen::Vector3d::UnitZ(), mu);
    const ContactSet set = builder.build();
    for (double side : {1.0, -1.0}) {
      Case c(set, gravityOn(1, tilted(0)), ContactMode::kSlip);
      const Eigen::Vector3d slip(side, 0, 0);
      c.slides[0] = 1;
      c.direction[0] = (set.J.leftCols(3) * slip).tail<2>();
      const double effective = c.A(0, 0) - mu * c.A.row(0).tail<2>().dot(c.direction[0]);
      CoulombSolver solver;
      const CoulombStatus status = c.solve(solver);
      if (effective > 0) {
        EXPECT_EQ(status, CoulombStatus::kSolved);
        EXPECT_NEAR(c.f[0], kGravity / effective, 1e-9 * kGravity / effective);
      } else {
        EXPECT_EQ(status, CoulombStatus::kFailed) << "mu " << mu << " side " << side;
      }
    }
  }
}

TEST(CoulombPainleve, BothBranchesOfTheRodTestAreExercised) {
  const double half = 0.5, inertia = half * half / 3, angle = 1.0;
  const double nn = 1 + std::pow(half * std::cos(angle), 2) / inertia,
               nt = half * half * std::sin(angle) * std::cos(angle) / inertia;
  EXPECT_LT(nn - 3 * nt, 0);
  EXPECT_GT(nn - 0.5 * nt, 0);
}

TEST(CoulombEdges, SeparatingContactsGetNothing) {
  const ContactSet set = boxStack(1, {1, 1, 1}, 1, 0.5);
  Case c(set, gravityOn(1, {0.3, 0.2, 1}));
  c.f.setOnes();
  CoulombSolver solver;
  ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved);
  EXPECT_EQ(c.f.norm(), 0);
  for (ContactMode mode : c.modes) EXPECT_EQ(mode, ContactMode::kFree);
}

TEST(CoulombEdges, NothingMovesAndNothingIsThere) {
  const ContactSet set = boxStack(1, {1, 1, 1}, 1, 0.5);
  Case c(set, Eigen::VectorXd::Zero(6));
  CoulombSolver solver;
  EXPECT_EQ(c.solve(solver), CoulombStatus::kSolved);
  EXPECT_EQ(c.f.norm(), 0);
  Eigen::VectorXd none(0);
  const Eigen::MatrixXd empty(0, 0);
  EXPECT_EQ(solver.solve({empty, none, {}, {}, {}}, {}, {}, none), CoulombStatus::kSolved);
}

TEST(CoulombEdges, NanIsRefused) {
  const ContactSet set = boxStack(1, {1, 1, 1}, 1, 0.5);
  for (double bad : {std::nan(""), HUGE_VAL}) {
    Case c(set, gravityOn(1, tilted(0)));
    c.b[4] = bad;
    CoulombSolver solver;
    EXPECT_EQ(c.solve(solver), CoulombStatus::kFailed);
    Case d(set, gravityOn(1, tilted(0)));
    d.A(0, 0) = bad;
    EXPECT_EQ(d.solve(solver), CoulombStatus::kFailed);
  }
}

TEST(CoulombInvariance, UnitsDoNotMatter) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 300; ++k) {
    const ContactSet set = randomSet(random, k % 4);
    const Eigen::VectorXd v = randomVector(random, static_cast<int>(set.J.cols()));
    Case c(set, v);
    CoulombSolver solver;
    ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved);
    // Powers of two: the scaled run must do the same arithmetic, bit for bit.
    for (double velocity : {0x1p-30, 0x1p30}) {
      for (double mass : {0x1p-20, 0x1p20}) {
        Case s(set, v * velocity);
        s.A /= mass;
        ASSERT_EQ(s.solve(solver), CoulombStatus::kSolved);
        EXPECT_EQ((s.f / (velocity * mass) - c.f).cwiseAbs().maxCoeff(), 0);
      }
    }
  }
}

// Pads that brake joints: pressed on by a force each, with one tangent, coupled by a mass matrix. The solution is that
// of a boxed problem, |f_t| <= press, whether the solver is told that their other rows are coupled to nothing or not.
TEST(CoulombInvariance, PadsOfOneTangentCostNoRowsAndChangeNothing) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int sticking = 0, slipping = 0;
  for (int k = 0; k < 300; ++k) {
    const int m = 1 + k % 18;  // Also above the size from which factors are banded.
    const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(m, m, [&] { return uniform(random); });
    const Eigen::MatrixXd S = root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(m, m);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * m, 3 * m);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(3 * m), press(m);
    for (int i = 0; i < m; ++i) {
      press[i] = 0.5 + 0.4 * uniform(random);
      A(3 * i, 3 * i) = A(3 * i + 2, 3 * i + 2) = S(i, i);
      for (int j = 0; j < m; ++j) A(3 * i + 1, 3 * j + 1) = S(i, j);
      b[3 * i] = -S(i, i) * press[i], b[3 * i + 1] = uniform(random);
    }
    const std::vector<double> mu(m, 1);
    const std::vector<unsigned char> slides(m, 0), pads(m, 1);
    const std::vector<Eigen::Vector2d> direction(m, Eigen::Vector2d(1, 0));
    std::vector<ContactMode> modes(m, ContactMode::kStick), plain_modes = modes;
    std::vector<Eigen::Vector2d> out(m);
    Eigen::VectorXd f = Eigen::VectorXd::Zero(3 * m), plain = f;
    CoulombSolver solver;
    ASSERT_EQ(solver.solve({A, b, mu, slides, direction, pads}, modes, out, f), CoulombStatus::kSolved) << k;
    ASSERT_EQ(solver.solve({A, b, mu, slides, direction}, plain_modes, out, plain), CoulombStatus::kSolved) << k;
    EXPECT_NEAR((f - plain).norm(), 0, 1e-6 * press.norm()) << k;
    const Eigen::VectorXd a = A * f + b;
    for (int i = 0; i < m; ++i) {
      EXPECT_NEAR(f[3 * i], press[i], 1e-6) << k;
      const double t = f[3 * i + 1], rate = a[3 * i + 1];
      EXPECT_LE(std::abs(t), press[i] * (1 + 1e-6)) << k;
      const bool slips = std::abs(rate) > 1e-5;
      (slips ? slipping : sticking) += 1;
      if (slips) {
        EXPECT_NEAR(t, rate > 0 ? -press[i] : press[i], 1e-5) << k;
      }
    }
  }
  EXPECT_GT(sticking, 300);
  EXPECT_GT(slipping, 300);
}

TEST(CoulombInvariance, WarmStartRepeatsTheSolution) {
  std::mt19937_64 random(8);
  constexpr int kCases = 500;
  long changes = 0;
  for (int k = 0; k < kCases; ++k) {
    const ContactSet set = randomSet(random, k % 3);
    Case c(set, randomVector(random, static_cast<int>(set.J.cols())));
    CoulombSolver solver;
    ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved);
    const Eigen::VectorXd a = c.A * c.f + c.b;
    const auto before = solver.stats();
    ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved);
    changes += solver.stats().set_changes - before.set_changes;
    EXPECT_EQ(solver.stats().of(CoulombAttempt::kGraph).tried, before.of(CoulombAttempt::kGraph).tried);
    EXPECT_LT((c.A * c.f + c.b - a).cwiseAbs().maxCoeff(), 1e-6 * c.b.cwiseAbs().maxCoeff());
  }
  EXPECT_LE(changes, 1.5 * kCases);
}

// Two rows of points carry a body whose weight is near one end of them. The least forces that balance it pull at the
// other end; those given do not, and hardly change with the load: one system of equations says by how much, and nobody
// has to let go.
TEST(CoulombInvariance, RedundantContactsKeepTheForcesGiven) {
  constexpr int kRow = 12;
  constexpr double kFar = 0.02, kMore = 1.01;
  SetBuilder builder;
  builder.addBody(1, boxInertia(1, {1, 1, 1}), Eigen::Vector3d(0, 0, 0.1));
  for (int i = 0; i < 2 * kRow; ++i)
    builder.addContact(-1, 0, Eigen::Vector3d(i / 2 - 1, i % 2 - 0.5, 0), Eigen::Vector3d::UnitZ(), 0.5);
  const ContactSet set = builder.build();
  const auto carries = [&](const Eigen::VectorXd& f) {
    double sum = 0;
    for (int i = 0; i < 2 * kRow; ++i) sum += f[3 * i];
    return sum;
  };
  Case c(set, kMore * gravityOn(1, tilted(0)));
  // What the far points carry has its moment about the centre from those at -1; those at 0 carry the rest.
  double moment = 0;
  for (int i = 4; i < 2 * kRow; ++i) c.f[3 * i] = kFar, moment += kFar * (i / 2 - 1);
  c.f[0] = c.f[3] = moment / 2;
  c.f[6] = c.f[9] = (kGravity - carries(c.f)) / 2;
  const Eigen::VectorXd given = c.f;
  ASSERT_GT(given[6], 0);
  CoulombSolver solver;
  ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved);
  EXPECT_EQ(solver.stats().set_changes, 1);
  EXPECT_LT(c.violation(), kLawTolerance);
  EXPECT_NEAR(carries(c.f), kMore * kGravity, kClosedFormTolerance * kGravity);
  EXPECT_LT((c.f - given).cwiseAbs().maxCoeff(), (kMore - 1) * kGravity);
}

TEST(CoulombHotPath, DoesNotAllocate) {
  const ContactSet set = boxStack(3, {0.1, 0.1, 0.1}, 1, 0.5);
  Case c(set, gravityOn(3, tilted(0.2)));
  CoulombSolver solver;
  ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved);
  const CoulombProblem problem = c.problem();
  if (allocations() < 0) GTEST_SKIP() << "a sanitizer owns the allocator";
  const long before = allocations();
  for (int k = 0; k < 10; ++k) {
    c.b *= 1.001;
    ASSERT_EQ(solver.solve(problem, c.modes, c.out, c.f), CoulombStatus::kSolved);
  }
  EXPECT_EQ(allocations(), before);
}

struct Tally {
  long solved = 0, approximate = 0, failed = 0;
  long searched = 0, found = 0;  ///< Problems where something pushes; those that the first search solved.
};

TEST(CoulombLarge, StacksUnderGravityAndWithAPushedTop) {
  const double push = 6, mu = 0.5;
  for (int boxes : {10, 30, 100}) {
    const ContactSet set = boxStack(boxes, {0.1, 0.1, 0.1}, 1, mu);
    Eigen::VectorXd rate = gravityOn(boxes, tilted(0));
    Case rest(set, rate);
    CoulombSolver solver;
    ASSERT_EQ(rest.solve(solver), CoulombStatus::kSolved);
    EXPECT_LT(rest.violation(), kLawTolerance);
    EXPECT_LT((rest.A * rest.f + rest.b).cwiseAbs().maxCoeff(), kLawTolerance * kGravity);
    EXPECT_EQ(solver.stats().of(CoulombAttempt::kGuess).tried, 0);
    // The top box is pushed harder than friction holds: it slides at push - mu g, all others stay.
    rate[6 * (boxes - 1)] = push;
    Case pushed(set, rate);
    ASSERT_EQ(pushed.solve(solver), CoulombStatus::kSolved);
    EXPECT_LT(pushed.violation(), kLawTolerance);
    const Eigen::VectorXd result = rate + set.inverse_mass * set.J.transpose() * pushed.f;
    EXPECT_NEAR(result[6 * (boxes - 1)], push - mu * kGravity, kLawTolerance * kGravity);
    EXPECT_NEAR(result.head(6 * (boxes - 1)).cwiseAbs().maxCoeff(), 0, 1e-5 * kGravity);
  }
}

// Velocity-level problems b = J v from random contact sets of one kind.
Tally runVelocityProblems(int kind, int count, double mu_max, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  CoulombSolver solver;
  Tally tally;
  for (int k = 0; k < count; ++k) {
    const ContactSet set = randomSet(random, kind, mu_max);
    Eigen::VectorXd v = randomVector(random, static_cast<int>(set.J.cols()));
    if (k % 3 == 0) {
      for (double& entry : v) {
        if (random() % 2) entry = 0;
      }
    }
    Case c(set, v, static_cast<ContactMode>(random() % 3));
    const CoulombStatus status = c.solve(solver);
    if (status == CoulombStatus::kFailed) {
      ++tally.failed;
      continue;
    }
    const double tolerance = status == CoulombStatus::kSolved ? kLawTolerance : 100 * kLawTolerance;
    status == CoulombStatus::kSolved ? ++tally.solved : ++tally.approximate;
    EXPECT_LE(c.violation(), tolerance) << "kind " << kind << " case " << k;
    EXPECT_GE(c.f(Eigen::seq(0, Eigen::last, 3)).minCoeff(), 0);
    const Eigen::MatrixXd M = algebra::inverse(set.inverse_mass);
    const Eigen::VectorXd after = v + set.inverse_mass * (set.J.transpose() * c.f);
    EXPECT_LE(after.dot(M * after), v.dot(M * v) * (1 + 1e-6)) << "kind " << kind << " case " << k;
  }
  const CoulombSolver::Count& search = solver.stats().of(CoulombAttempt::kSearch);
  tally.searched = search.tried, tally.found = search.solved;
  return tally;
}

TEST(CoulombRandom, BodiesOnPlanesAndInCornersAreAlwaysSolved) {
  for (int kind : {0, 1, 2, 3, 6}) {
    for (double mu_max : {0.5, 2.0, 10.0}) {
      const Tally tally = runVelocityProblems(kind, 1000, mu_max, 100 + kind);
      EXPECT_EQ(tally.failed, 0) << "kind " << kind << " mu " << mu_max;
    }
  }
}

// Four corners of a box, and stacks.
TEST(CoulombRandom, WhatTheFirstSearchLeavesOpenIsSolvedOnTheGraph) {
  for (const int kind : {3, 4}) {
    std::mt19937_64 random(400 + kind);
    CoulombSolver solver;
    for (int k = 0; k < 1500; ++k) {
      const ContactSet set = randomSet(random, kind, 2);
      Case c(set, randomVector(random, static_cast<int>(set.J.cols())));
      ASSERT_NE(c.solve(solver), CoulombStatus::kFailed);
    }
    const CoulombSolver::Count& graph = solver.stats().of(CoulombAttempt::kGraph);
    EXPECT_GT(graph.tried, 30);
    EXPECT_EQ(graph.solved, graph.tried) << "kind " << kind;
  }
}

// A light body between the ground and a heavy one, whose points slide fast and hardly approach. Where it wedges itself
// it stops at once, by impulses thousands of times its own momentum. Solved far below the approach: else it is no stop.
TEST(CoulombRandom, LightBodiesThatWedgeUnderHeavyOnesStop) {
  constexpr int kProblems = 3000;
  std::mt19937_64 random(11);
  CoulombSolver solver;
  CoulombOptions fine;
  fine.tolerance = 1e-10, fine.loose_tolerance = 1e-9;
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int k = 0; k < kProblems; ++k) {
    const auto point = [&] { return Eigen::Vector3d(unit(random), unit(random), unit(random)); };
    const double ratio = std::pow(10, 3 + 2 * std::abs(unit(random))), mu = std::abs(unit(random));
    SetBuilder builder;
    const int light = builder.addBody(1, 0.3 * Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero());
    const int heavy = builder.addBody(ratio, 30 * ratio * Eigen::Matrix3d::Identity(), 10 * Eigen::Vector3d::UnitZ());
    const Eigen::Vector3d up = Eigen::Vector3d::UnitZ(), foot = -0.5 * up;
    builder.addContact(-1, light, foot + 0.5 * point(), up, mu);
    builder.addContact(-1, light, foot + 0.5 * point(), up, mu);
    builder.addContact(light, heavy, 0.5 * up + 0.5 * point(), up + 0.7 * point(), mu);
    const ContactSet set = builder.build();
    Eigen::MatrixXd normals(3, 12);
    for (int c = 0; c < 3; ++c) normals.row(c) = set.J.row(3 * c);
    Eigen::VectorXd v = randomVector(random, 12);
    v -= normals.completeOrthogonalDecomposition().solve(normals * v);  // Nothing approaches,
    for (int c = 0; c < 3; ++c) v -= 1e-7 * std::abs(unit(random)) * normals.row(c).transpose();  // but for this.
    Case c(set, v, ContactMode::kSlip);
    ASSERT_NE(solver.solve(c.problem(), c.modes, c.out, c.f, fine), CoulombStatus::kFailed) << k;
    EXPECT_LT(c.violation(), 1e-8) << k;
  }
  EXPECT_GT(solver.stats().of(CoulombAttempt::kSqueeze).solved, 0);
}

// Sixty points on three bodies: what a short search leaves open the graph solves, whose matrix has 18 rows.
TEST(CoulombRandom, ManyContactsOfFewBodiesTakeShortSearches) {
  constexpr int kProblems = 40, kContacts = 60, kMostChanges = 30;
  std::mt19937_64 random(7);
  CoulombSolver solver;
  for (int k = 0; k < kProblems; ++k) {
    SetBuilder builder;
    for (int b = 0; b < 3; ++b)
      builder.addBody(1 + b, Eigen::Matrix3d::Identity() * 0.1 * (1 + b), Eigen::Vector3d(0, 0, b));
    for (int c = 0; c < kContacts; ++c) {
      const int over = c % 3;
      const Eigen::Vector3d out = randomVector(random, 3).normalized(), centre(0, 0, over);
      builder.addContact(c % 2 == 0 ? -1 : over - 1, over, centre + out, -out + Eigen::Vector3d(0, 0, 0.7), 0.6);
    }
    const ContactSet set = builder.build();
    Case c(set, randomVector(random, 18));
    ASSERT_EQ(c.solve(solver), CoulombStatus::kSolved) << k;
    EXPECT_LE(c.violation(), kLawTolerance) << k;
  }
  EXPECT_GT(solver.stats().of(CoulombAttempt::kGraph).tried, kProblems / 4);
  EXPECT_LE(solver.stats().set_changes, kProblems * kMostChanges);
}

TEST(CoulombRandom, StacksAreAlwaysSolved) { EXPECT_EQ(runVelocityProblems(4, 500, 2, 200).failed, 0); }

TEST(CoulombRandom, RandomClustersAreNearlyAlwaysSolved) {
  // Up to 12 contacts with arbitrary normals on 1-4 bodies: wedged, forces up to 1e4 of what the velocities suggest.
  EXPECT_LE(runVelocityProblems(5, 5000, 2, 300).failed, 1);
}

TEST(SlowCoulombRandom, HundredThousandVelocityProblems) {
  Tally total;
  for (int kind : {0, 1, 2, 3, 4, 6}) {
    const Tally tally = runVelocityProblems(kind, kind == 4 ? 10000 : 18000, 2, 1000 + kind);
    total.solved += tally.solved, total.approximate += tally.approximate, total.failed += tally.failed;
    total.searched += tally.searched, total.found += tally.found;
  }
  std::printf("solved %ld, approximate %ld, failed %ld; the first search solved %ld of %ld\n", total.solved,
              total.approximate, total.failed, total.found, total.searched);
  EXPECT_EQ(total.failed, 0);
}

}  // namespace
}  // namespace rigor::friction
