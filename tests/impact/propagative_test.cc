// SPDX-License-Identifier: MIT
// Proved: the propagative model gives the published and closed-form outcomes: Newton's cradle, billiards, rocking
// block, plastic and inelastic impacts; its set does not depend on the contacts' order, the frame or the units.
// Oracles: closed forms, brute force (brute_reflections.h), conservation laws and orthogonality computed here.
#include "impact/models/propagative.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <random>

#include "brute_reflections.h"
#include "published_problems.h"
#include "tests/dense_algebra.h"
#include "tests/impact/outcome_checks.h"

namespace rigor::impact {
namespace {

using test::energyOf;

ImpactProblem frictionless(const Eigen::MatrixXd& M, const Eigen::MatrixXd& normal, const Eigen::VectorXd& v,
                           double R) {
  ImpactProblem p;
  p.mass_matrix = M;
  p.normal = normal;
  p.friction.assign(normal.rows(), 0.0);
  p.restitution.assign(normal.rows(), R);
  p.velocity = v;
  return p;
}

/// Balls in a row along x, contacts between neighbours.
ImpactProblem cradle(const std::vector<double>& mass, const Eigen::VectorXd& v, double R) {
  const int n = static_cast<int>(mass.size());
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(n - 1, n);
  for (int i = 0; i + 1 < n; ++i) normal(i, i) = -1, normal(i, i + 1) = 1;
  return frictionless(Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(mass.data(), n)).asDiagonal(), normal, v, R);
}

std::vector<ImpactOutcome> everyOutcome(const ImpactProblem& problem) {
  Propagative model;
  std::vector<ImpactOutcome> outcomes;
  EXPECT_EQ(model.resolveAll(problem, {}, outcomes), ImpactStatus::kResolved);
  return outcomes;
}

void expectMomentumBalance(const ImpactProblem& p, const ImpactOutcome& o) {
  Eigen::VectorXd change = p.mass_matrix * (o.velocity - p.velocity);
  const double size = change.cwiseAbs().maxCoeff();
  ASSERT_EQ(static_cast<int>(o.impulses.size()), p.numContacts());
  for (int i = 0; i < p.numContacts(); ++i) change -= o.impulses[i][0] * p.normal.row(i).transpose();
  EXPECT_LE(change.cwiseAbs().maxCoeff(), 1e-12 * size);
}

ImpactProblem randomFrictionless(std::mt19937_64& random, int m, double R) {
  std::normal_distribution<double> gauss;
  const int n = m + 1;
  const auto draw = [&] { return gauss(random); };
  const Eigen::MatrixXd root = Eigen::MatrixXd::NullaryExpr(n, n, draw);
  return frictionless(root * root.transpose() + Eigen::MatrixXd::Identity(n, n),
                      Eigen::MatrixXd::NullaryExpr(m, n, draw), Eigen::VectorXd::NullaryExpr(n, draw), R);
}

// Both sets hold the same velocities, `map` applied to the first.
template <typename Map>
void expectSameSet(const std::vector<ImpactOutcome>& a, const std::vector<ImpactOutcome>& b, double size, Map map) {
  ASSERT_EQ(a.size(), b.size());
  for (const ImpactOutcome& x : a) {
    double nearest = HUGE_VAL;
    for (const ImpactOutcome& y : b) nearest = std::min(nearest, (map(x.velocity) - y.velocity).cwiseAbs().maxCoeff());
    EXPECT_LE(nearest, 1e-9 * size);
  }
}

TEST(Propagative, NewtonsCradleExchangesExactly) {
  for (int n = 2; n <= 7; ++n) {
    // One ball hits n - 1 at rest; two balls hit n - 2; all different.
    for (int moving = 1; moving < n; ++moving) {
      Eigen::VectorXd v = Eigen::VectorXd::Zero(n);
      v.head(moving).setConstant(1.5);
      const auto outcomes = everyOutcome(cradle(std::vector<double>(n, 0.7), v, 1));
      ASSERT_EQ(outcomes.size(), 1u);
      EXPECT_LT((outcomes[0].velocity - v.reverse()).cwiseAbs().maxCoeff(), 1e-12);
      expectMomentumBalance(cradle(std::vector<double>(n, 0.7), v, 1), outcomes[0]);
    }
  }
}

TEST(Propagative, UnequalBallsHaveTwoOutcomesThatFollowByHand) {
  // Masses 1, 2, 1; the outer balls run into the middle one, 1 and -1 m/s: symmetric, two reflections each way.
  const ImpactProblem p = cradle({1, 2, 1}, Eigen::Vector3d(1, 0, -1), 1);
  const auto outcomes = everyOutcome(p);
  // Elastic collisions of pairs: v1' = ((m1 - m2) v1 + 2 m2 v2) / (m1 + m2).
  const auto collide = [](Eigen::Vector3d v, int i, int j, double mi, double mj) {
    const double vi = v[i], vj = v[j];
    v[i] = ((mi - mj) * vi + 2 * mj * vj) / (mi + mj);
    v[j] = ((mj - mi) * vj + 2 * mi * vi) / (mi + mj);
    return v;
  };
  const auto left = [&](const Eigen::Vector3d& v) { return collide(v, 0, 1, 1, 2); };
  const auto right = [&](const Eigen::Vector3d& v) { return collide(v, 1, 2, 2, 1); };
  Eigen::Vector3d a = p.velocity, b = p.velocity;
  int steps = 0;
  for (; (p.normal * a).minCoeff() < -1e-12; ++steps) {
    a = steps % 2 == 0 ? left(a) : right(a);
    b = steps % 2 == 0 ? right(b) : left(b);
  }
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].lcps, steps);
  std::vector<Eigen::Vector3d> found = {outcomes[0].velocity, outcomes[1].velocity};
  if ((found[0] - a).norm() > 0.1) std::swap(found[0], found[1]);
  EXPECT_LT((found[0] - a).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((found[1] - b).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Propagative, ElasticOutcomesConserveEnergyAndComeFromBruteForce) {
  std::mt19937_64 random(31);
  int checked = 0;
  for (int k = 0; k < 120; ++k) {
    const ImpactProblem p = randomFrictionless(random, 2 + k % 3, 1);
    if ((p.normal * p.velocity).minCoeff() >= 0) continue;
    test::BruteReflections brute(p.mass_matrix, p.normal, p.velocity);
    const auto expected = brute.all(8);
    if (!brute.complete()) continue;
    ++checked;
    std::vector<ImpactOutcome> distinct;
    for (const auto& e : expected) {
      const bool known = std::any_of(distinct.begin(), distinct.end(), [&](const ImpactOutcome& d) {
        return (d.velocity - e.velocity).cwiseAbs().maxCoeff() < 1e-8;
      });
      if (!known) distinct.emplace_back().velocity = e.velocity;
    }
    const auto outcomes = everyOutcome(p);
    expectSameSet(outcomes, distinct, p.velocity.cwiseAbs().maxCoeff(), [](const Eigen::VectorXd& v) { return v; });
    for (const ImpactOutcome& o : outcomes) {
      EXPECT_NEAR(energyOf(p, o.velocity), energyOf(p, p.velocity), 1e-12 * energyOf(p, p.velocity));
      for (const auto& impulse : o.impulses) EXPECT_GE(impulse[0], 0);
      expectMomentumBalance(p, o);
    }
  }
  EXPECT_GT(checked, 70);
}

TEST(Propagative, PlasticIsTheOrthogonalProjection) {
  std::mt19937_64 random(32);
  for (int k = 0; k < 60; ++k) {
    ImpactProblem p = randomFrictionless(random, 1 + k % 8, 0);
    if (k % 3 == 0) {  // a redundant contact
      p.normal.row(p.normal.rows() - 1) = p.normal.colwise().sum() * 0.5;
    }
    if ((p.normal * p.velocity).minCoeff() >= 0) continue;
    const auto outcomes = everyOutcome(p);
    ASSERT_EQ(outcomes.size(), 1u);
    const Eigen::VectorXd& v = outcomes[0].velocity;
    EXPECT_LT((p.normal * v).cwiseAbs().maxCoeff(),
              1e-9 * p.velocity.cwiseAbs().maxCoeff() * p.normal.cwiseAbs().maxCoeff());
    // The nearest point in the metric: the change is M-orthogonal to every motion the contacts allow.
    const Eigen::MatrixXd kernel = algebra::kernel(p.normal);
    EXPECT_LT((kernel.transpose() * (p.mass_matrix * (v - p.velocity))).cwiseAbs().maxCoeff(),
              1e-10 * (kernel.cwiseAbs().maxCoeff() + 1) * p.mass_matrix.cwiseAbs().maxCoeff() * p.velocity.norm());
    EXPECT_LT(outcomes[0].residual, 1e-9);
    expectMomentumBalance(p, outcomes[0]);
  }
}

TEST(Propagative, RestitutionIsTheShareOfEnergyThatComesBack) {
  // Definition (16): R = sqrt(1 - dE/E_p). The printed factor sqrt(1 - R^2) would fail this at every R but one.
  std::mt19937_64 random(33);
  int several = 0;
  for (int k = 0; k < 60; ++k) {
    ImpactProblem p = randomFrictionless(random, 2 + k % 2, 0);
    if ((p.normal * p.velocity).minCoeff() >= 0) continue;
    const double before = energyOf(p, p.velocity), plastic = before - energyOf(p, everyOutcome(p)[0].velocity);
    for (const double R : {0.25, 0.5, 0.8, 1.0}) {
      p.restitution.assign(p.numContacts(), R);
      const auto outcomes = everyOutcome(p);
      several += outcomes.size() > 1;
      for (const ImpactOutcome& o : outcomes) {
        EXPECT_NEAR(std::sqrt(std::max(0.0, 1 - (before - energyOf(p, o.velocity)) / plastic)), R, 1e-9);
        EXPECT_GE((p.normal * o.velocity).minCoeff(), -1e-9 * p.velocity.norm());
        expectMomentumBalance(p, o);
      }
    }
  }
  EXPECT_GT(several, 5);
}

TEST(Propagative, OneContactIsNewtons) {
  for (const double R : {0.0, 0.3, 1.0}) {
    const ImpactProblem p =
        frictionless(Eigen::Vector2d(2, 3).asDiagonal(), Eigen::RowVector2d(-1, 1), Eigen::Vector2d(4, 1), R);
    const auto outcomes = everyOutcome(p);
    ASSERT_EQ(outcomes.size(), 1u);
    EXPECT_NEAR((p.normal * outcomes[0].velocity)[0], 3 * R, 1e-14);
    EXPECT_NEAR(outcomes[0].impulses[0][0], (1 + R) * 3 * 6.0 / 5, 1e-14);
  }
}

TEST(Propagative, RockingBlockHasTwoMirrorOutcomes) {
  ImpactProblem p = test::rockingBlock();
  p.restitution.assign(2, 1.0);
  const auto outcomes = everyOutcome(p);
  // <u, v> = (1 - .25 / I) / (1 + .25 / I) = .25, I = 5/12: A then B, or B then A.
  ASSERT_EQ(outcomes.size(), 2u);
  const double w = p.velocity[1], c = .25;
  for (const ImpactOutcome& o : outcomes) {
    EXPECT_EQ(o.lcps, 2);
    EXPECT_NE(o.note.find("friction is ignored"), std::string_view::npos);
    ASSERT_EQ(o.impulses[0].size(), 2);
    EXPECT_EQ(o.impulses[0][1], 0);
    // First the one corner: w2 = w - 2 c w; then the other: reflected; the first gets -w + 2 c (-w2)... [unit normals]
    const Eigen::Vector2d lift = p.normal * o.velocity;
    const double second = w - 2 * c * w;
    EXPECT_NEAR(lift.maxCoeff(), std::max(-second, -w - 2 * c * second), 1e-14);
    EXPECT_NEAR(lift.minCoeff(), std::min(-second, -w - 2 * c * second), 1e-14);
  }
  EXPECT_NEAR(outcomes[0].velocity[2], -outcomes[1].velocity[2], 1e-14);
}

TEST(Propagative, BilliardBreakAtRightAnglesIsUnique) {
  // Ball c hits a and b at +-45 degrees: orthogonal contacts. Unique, by hand: c gives each its normal component.
  const double s = std::sqrt(0.5);
  Eigen::MatrixXd normal(2, 6);  // a, b, c
  normal << s, s, 0, 0, -s, -s, 0, 0, s, -s, -s, s;
  const double m = 0.17, mc = 0.2;
  Eigen::VectorXd masses(6), v(6);
  masses << m, m, m, m, mc, mc;
  v << 0, 0, 0, 0, 2, 0;
  const auto outcomes = everyOutcome(frictionless(masses.asDiagonal(), normal, v, 1));
  ASSERT_EQ(outcomes.size(), 1u);
  const double impulse = 2 * (2 * s) / (1 / m + 1 / mc);
  Eigen::VectorXd expected(6);
  expected << impulse * s / m, impulse * s / m, impulse * s / m, -impulse * s / m, 2 - 2 * impulse * s / mc, 0;
  EXPECT_LT((outcomes[0].velocity - expected).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Propagative, SetIsIndependentOfOrderFrameAndUnits) {
  std::mt19937_64 random(34);
  std::normal_distribution<double> gauss;
  for (int k = 0; k < 16; ++k) {
    const int m = 2 + k % 3;
    const ImpactProblem p = randomFrictionless(random, m, k % 2 ? 1.0 : 0.6);
    if ((p.normal * p.velocity).minCoeff() >= 0) continue;
    Propagative model;
    std::vector<ImpactOutcome> base;
    if (model.resolveAll(p, {}, base) != ImpactStatus::kResolved) continue;
    const double size = p.velocity.cwiseAbs().maxCoeff();

    ImpactProblem other = p;
    std::vector<int> order(m);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (int i = 0; i < m; ++i) other.normal.row(i) = p.normal.row(order[i]);
    const auto shuffled = everyOutcome(other);
    expectSameSet(base, shuffled, size, [](const Eigen::VectorXd& v) { return v; });
    // resolve() does not depend on it either.
    EXPECT_LT((base[0].velocity - shuffled[0].velocity).cwiseAbs().maxCoeff(), 1e-9 * size);
    for (int i = 0; i < m; ++i)
      EXPECT_NEAR(shuffled[0].impulses[i][0], base[0].impulses[order[i]][0], 1e-8 * size * p.mass_matrix.norm());

    // Other coordinates: v = T x.
    const Eigen::MatrixXd T = Eigen::MatrixXd::NullaryExpr(m + 1, m + 1, [&] { return gauss(random); }) +
                              3 * Eigen::MatrixXd::Identity(m + 1, m + 1);
    other = p;
    other.mass_matrix = algebra::congruence(T.transpose(), p.mass_matrix);
    other.normal = algebra::product(p.normal, T);
    const Eigen::MatrixXd inverse = algebra::inverse(T);
    other.velocity = inverse * p.velocity;
    const auto moved = everyOutcome(other);
    ASSERT_EQ(moved.size(), base.size());
    for (const ImpactOutcome& x : base) {
      double nearest = HUGE_VAL;
      for (const ImpactOutcome& y : moved)
        nearest = std::min(nearest, (x.velocity - T * y.velocity).cwiseAbs().maxCoeff());
      EXPECT_LT(nearest, 1e-7 * size);
    }

    other = p;
    other.mass_matrix *= 1e-9;
    other.velocity *= 1e6;
    expectSameSet(base, everyOutcome(other), 1e6 * size,
                  [](const Eigen::VectorXd& v) { return Eigen::VectorXd(1e6 * v); });
  }
}

ImpactOptions inLayers() {
  ImpactOptions options;
  options.own[std::string(kDifferentRestitutions)] = std::string("layers");
  return options;
}

std::vector<ImpactOutcome> everyLayeredOutcome(const ImpactProblem& problem) {
  Propagative model;
  std::vector<ImpactOutcome> outcomes;
  EXPECT_EQ(model.resolveAll(problem, inLayers(), outcomes), ImpactStatus::kResolved);
  return outcomes;
}

TEST(Propagative, LayersOfOneRestitutionAreTheModelItself) {
  std::mt19937_64 random(35);
  for (int k = 0; k < 30; ++k) {
    const ImpactProblem p = randomFrictionless(random, 2 + k % 2, k % 4 < 2 ? 1.0 : 0.6);
    const auto one = everyOutcome(p), layers = everyLayeredOutcome(p);
    ASSERT_EQ(one.size(), layers.size());
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].velocity, layers[i].velocity);
  }
}

TEST(Propagative, ContactsThatDoNotFeelEachOtherReturnTheirOwnRestitution) {
  ImpactProblem p = frictionless(Eigen::Vector3d(1, 2, 5).asDiagonal(), Eigen::Matrix3d::Identity(),
                                 Eigen::Vector3d(-1, -2, -3), 0);
  p.restitution = {0.2, 0.9, 0};
  const auto outcomes = everyLayeredOutcome(p);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_LT((outcomes[0].velocity - Eigen::Vector3d(0.2, 1.8, 0)).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Propagative, ABlockWhoseOneCornerIsElasticPivotsOnTheOther) {
  ImpactProblem p = test::rockingBlock();
  p.restitution = {0, 1};
  const auto outcomes = everyLayeredOutcome(p);
  ASSERT_EQ(outcomes.size(), 1u);
  // <u, v> = .25: while the one corner is held, .75 of the other's speed is left, and comes back.
  EXPECT_LT((p.normal * outcomes[0].velocity - Eigen::Vector2d(0, -0.75 * p.velocity[1])).cwiseAbs().maxCoeff(), 1e-14);
  expectMomentumBalance(p, outcomes[0]);
}

TEST(Propagative, LayersKeepTheLaws) {
  std::mt19937_64 random(36);
  std::uniform_real_distribution<double> unit;
  int several = 0;
  for (int k = 0; k < 80; ++k) {
    const int m = 2 + k % 2;
    ImpactProblem p = randomFrictionless(random, m, 0);
    if ((p.normal * p.velocity).minCoeff() >= 0) continue;
    for (double& e : p.restitution) e = unit(random);
    if (k % 4 == 0) p.normal.row(1) = 2 * p.normal.row(0);  // The same contact twice.
    const auto outcomes = everyLayeredOutcome(p);
    several += outcomes.size() > 1;
    for (const ImpactOutcome& o : outcomes) {
      EXPECT_GE((p.normal * o.velocity).minCoeff(), -1e-9 * p.velocity.norm());
      EXPECT_LE(energyOf(p, o.velocity), energyOf(p, p.velocity) * (1 + 1e-12));
      expectMomentumBalance(p, o);
    }
    // A restitution that hardly differs makes a layer that hardly counts.
    ImpactProblem equal = p, nearly = p;
    equal.restitution.assign(m, 0.5), nearly.restitution.assign(m, 0.5);
    nearly.restitution[m - 1] += 1e-9;
    Propagative model;
    ImpactOutcome a, b;
    ASSERT_EQ(model.resolve(equal, inLayers(), {}, a), ImpactStatus::kResolved);
    ASSERT_EQ(model.resolve(nearly, inLayers(), {}, b), ImpactStatus::kResolved);
    EXPECT_LT((a.velocity - b.velocity).norm(), 1e-7 * p.velocity.norm());
    // The order of contacts changes nothing.
    ImpactProblem reversed = p;
    reversed.normal = p.normal.colwise().reverse();
    std::reverse(reversed.restitution.begin(), reversed.restitution.end());
    expectSameSet(outcomes, everyLayeredOutcome(reversed), p.velocity.cwiseAbs().maxCoeff(),
                  [](const Eigen::VectorXd& v) { return v; });
  }
  EXPECT_GT(several, 5);
}

TEST(Propagative, BadInputIsRefusedWithItsReason) {
  Propagative model;
  ImpactOutcome outcome;
  ImpactProblem p = test::rockingBlock();
  p.restitution = {0.5, 0.6};
  try {
    (void)model.resolve(p, {}, {}, outcome);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("one restitution"), std::string::npos);
  }
  p.restitution = {1.5, 1.5};
  EXPECT_THROW((void)model.resolve(p, {}, {}, outcome), std::invalid_argument);
  // Seven contacts: only without restitution.
  Eigen::VectorXd v = Eigen::VectorXd::Zero(8);
  v[0] = 1;
  EXPECT_THROW((void)model.resolve(cradle(std::vector<double>(8, 1), v, 0.5), {}, {}, outcome), std::invalid_argument);
  ASSERT_EQ(model.resolve(cradle(std::vector<double>(8, 1), v, 0), {}, {}, outcome), ImpactStatus::kResolved);
  EXPECT_LT((outcome.velocity.array() - 1.0 / 8).abs().maxCoeff(), 1e-14);
}

TEST(Propagative, JammedContactsFailAndSayWhy) {
  // A ball between two walls that close in on it cannot leave.
  const ImpactProblem p =
      frictionless(Eigen::Matrix<double, 1, 1>(1), Eigen::Vector2d(1, -1), Eigen::Matrix<double, 1, 1>(-1), 1);
  ImpactOutcome outcome;
  EXPECT_EQ(Propagative().resolve(p, {}, {}, outcome), ImpactStatus::kFailed);
  EXPECT_NE(outcome.note.find("jammed"), std::string_view::npos);
}

TEST(Propagative, PullsAreSaid) {
  // Pivoting on A and landing on B: the projection keeps A down.
  ImpactProblem p = test::rockingBlock();
  p.velocity = Eigen::Vector3d(1, -.5, -1);
  ImpactOutcome outcome;
  ASSERT_EQ(Propagative().resolve(p, {}, {}, outcome), ImpactStatus::kResolved);
  EXPECT_LT((p.normal * outcome.velocity).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT(std::min(outcome.impulses[0][0], outcome.impulses[1][0]), 0);
  EXPECT_NE(outcome.note.find("negative impulses"), std::string_view::npos);
}

TEST(Propagative, SlowImpactsAreCaptured) {
  ImpactOptions options;
  options.capture_speed = 1;
  ImpactOutcome outcome;
  ASSERT_EQ(Propagative().resolve(cradle({1, 1}, Eigen::Vector2d(.9, 0), 1), options, {}, outcome),
            ImpactStatus::kResolved);
  EXPECT_NEAR(outcome.velocity[0], .45, 1e-15);
  ASSERT_EQ(Propagative().resolve(cradle({1, 1}, Eigen::Vector2d(1.1, 0), 1), options, {}, outcome),
            ImpactStatus::kResolved);
  EXPECT_NEAR(outcome.velocity[0], 0, 1e-15);
}

}  // namespace
}  // namespace rigor::impact
