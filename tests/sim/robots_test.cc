// SPDX-License-Identifier: MIT
// Proved: robots in the event loop keep to their joints, their energy and to published closest approaches, in few
// steps; they land, walk and trot as they should and are proved apart from the ground at every instant; a snapshot
// continues bit for bit. Oracles: reference values of an independent integrator (the chain), minimal coordinates and
// exchange of momentum written out here (the walker, the triple pendulum), closed form (the pendulum's period),
// invariants of the recorded pieces, the verifier.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"

namespace rigor::sim::test {
namespace {

/// Largest distance of the two ends of the joints between consecutive links `first`, first + 1, ... of a chain of links
/// of length `length` along x, at samples of the published pieces [m].
double largestOpening(const ProvedRun& run, int first, int links, double length) {
  std::map<std::pair<double, int>, const PieceRecord*> pieces;
  for (const PieceRecord& r : run.pieces) pieces[{r.piece.t0, r.body}] = &r;
  double worst = 0;
  for (const auto& [key, piece] : pieces) {
    if (key.second < first || key.second >= first + links - 1) continue;
    const PieceRecord* next = pieces.at({key.first, key.second + 1});
    for (const double u : {0.0, 0.3, 0.5, 0.8, 1.0}) {
      const double t = piece->piece.t0 + u * (piece->piece.t1 - piece->piece.t0);
      auto end = [&](const PieceRecord* r, double x) {
        const geom::Pose X = r->piece.at(t);
        return Eigen::Vector3d(X.p + X.rotation() * (Eigen::Vector3d(x, 0, 0) - run.scene.bodies[r->body].centre));
      };
      worst = std::max(worst, (end(piece, length) - end(next, 0)).norm());
    }
  }
  return worst;
}

TEST(Robots, TheChainPassesAtThePublishedDistanceAndStaysClosed) {
  const ProvedRun run = simulate(bundledScene("chain-20"));
  EXPECT_EQ(wrong(run), "");
  EXPECT_NEAR(run.summary.min_gap, 0.8172, 0.005 * 0.8172);  // At 4.489 s, by RK4 at fine steps.
  EXPECT_LE(run.summary.steps, 700);
  const int first = bodyNamed(run.scene, "chain/link0");
  EXPECT_LT(largestOpening(run, first, 20, 5), 2 * 0.1 * run.gap);
  double weight = 0;
  for (const Body& body : run.scene.bodies) weight += body.mass * 9.81;
  EXPECT_LT(std::abs(run.summary.energy_final - run.summary.energy_initial), 1e-4 * weight * 100);
}

TEST(Robots, ThePendulumKeepsItsPeriodAndEnergy) {
  const ProvedRun run = simulate(bundledScene("pendulum"));
  EXPECT_EQ(wrong(run), "");
  EXPECT_NEAR(run.summary.energy_final, run.summary.energy_initial, 1e-6);
  // A rod about its end from theta0: T = 2 pi sqrt(I / (m g l)) / agm(1, cos(theta0 / 2)).
  const Body& rod = run.scene.bodies[bodyNamed(run.scene, "pendulum/rod0")];
  const double l = rod.centre.norm(), inertia = rod.inertia(1, 1) + rod.mass * l * l;
  double a = 1, b = std::cos(0.6);
  for (int i = 0; i < 8; ++i) std::tie(a, b) = std::pair{0.5 * (a + b), std::sqrt(a * b)};
  const double period = 2 * std::numbers::pi * std::sqrt(inertia / (rod.mass * 9.81 * l)) / a;
  const int body = bodyNamed(run.scene, "pendulum/rod0");
  auto centreAt = [&](double t) {
    for (const PieceRecord& r : run.pieces)
      if (r.body == body && t <= r.piece.t1) return r.piece.at(t).p;
    return Eigen::Vector3d(Eigen::Vector3d::Constant(NAN));
  };
  EXPECT_LT((centreAt(2 * period) - centreAt(0)).norm(), 1e-4);
  EXPECT_GT((centreAt(1.5 * period) - centreAt(0)).norm(), 0.5);
}

/// A chain of a hundred links at its closest is the hardest to follow with few steps.
TEST(SlowRobots, TheLongChainPassesAtThePublishedDistanceInFewSteps) {
  const ProvedRun run = simulate(bundledScene("chain-100"));
  EXPECT_EQ(wrong(run), "");
  EXPECT_NEAR(run.summary.min_gap, 0.8532, 0.005 * 0.8532);  // At 4.4888 s.
  EXPECT_LE(run.summary.steps, 700);
  EXPECT_LT(largestOpening(run, bodyNamed(run.scene, "chain/link0"), 100, 1), 2 * 0.1 * run.gap);
  const double weight = 100 * 0.1 * 9.81;
  EXPECT_LT(std::abs(run.summary.energy_final - run.summary.energy_initial), 1e-4 * weight * 100);
}

TEST(Robots, StepsThatArePublishedInPartsAreOneStep) {
  const ProvedRun run = simulate(bundledScene("chain-20"), {.until = 2});
  EXPECT_EQ(wrong(run), "");
  const int tip = bodyNamed(run.scene, "chain/link19");
  long parts = 0, last_step = 0;
  double last = 0, sum = 0;
  for (const PieceRecord& r : run.pieces) {
    if (r.body != tip) continue;
    EXPECT_EQ(r.piece.t0, last);
    EXPECT_TRUE(r.step == last_step || r.step == last_step + 1);
    last = r.piece.t1, last_step = r.step, sum += r.piece.t1 - r.piece.t0;
    ++parts;
  }
  EXPECT_EQ(last_step, run.summary.steps);
  EXPECT_GT(parts, run.summary.steps + 10);
  EXPECT_NEAR(run.summary.mean_step * static_cast<double>(run.summary.steps), sum, 1e-12);
  EXPECT_LE(run.summary.max_step, run.scene.solver.max_step * (1 + 1e-12));
}

/// A die that falls onto a chain in flight ends its step, in the middle of its parts.
TEST(Robots, AreHitInTheMiddleOfAStep) {
  const std::string text = R"(
name: hit
until: 1
robots:
  - {name: pendulum, urdf: robots/double-pendulum.urdf, joints: {joint0: 1.5, joint1: 0.1}}
bodies:
  - {name: die, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [-0.45, 0, 0.4], velocity: [0, 0, -1]}
)";
  for (const double when : {0.0, 0.003, 0.007}) {
    Scene scene = scenes::parseScene(text, std::string(RIGOR_SOURCE_DIR) + "/scenes/hit.yaml");
    scene.bodies.back().pose.p.z() += when;
    scene.text.clear(), scene.files.clear();  // No longer what they say.
    const ProvedRun run = simulate(scene);
    EXPECT_EQ(wrong(run), "");
    EXPECT_FALSE(run.impacts.empty());
  }
}

/// Uchida's example 4 in minimal coordinates: absolute angles of three rods from the vertical and their rates; the
/// ball's centre is at the end of the third.
class TriplePendulum {
 public:
  static Eigen::Matrix3d massMatrix(const Eigen::Vector3d& q) {
    constexpr double r = 0.1, ball = 0.25;
    Eigen::Matrix3d M = Eigen::Vector3d::Constant((3 * r * r + 1) / 12).asDiagonal();
    M(2, 2) += 0.4 * ball * ball;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) M(i, j) += levers().col(i).dot(levers().col(j)) * std::cos(q[i] - q[j]);
    return M;
  }

  /// From rest, by Runge and Kutta's method.
  static void fall(double time, Eigen::Vector3d& q, Eigen::Vector3d& w) {
    constexpr int kSteps = 20000;
    const double h = time / kSteps;
    w.setZero();
    for (int k = 0; k < kSteps; ++k) {
      const Eigen::Vector3d a1 = acceleration(q, w), w2 = w + h / 2 * a1, a2 = acceleration(q + h / 2 * w, w2),
                            w3 = w + h / 2 * a2, a3 = acceleration(q + h / 2 * w2, w3), w4 = w + h * a3,
                            a4 = acceleration(q + h * w3, w4);
      q += h / 6 * (w + 2 * w2 + 2 * w3 + w4), w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
  }

 private:
  /// Of mass k about the axis of angle i.
  static Eigen::Matrix<double, 4, 3> levers() {
    return (Eigen::Matrix<double, 4, 3>() << .5, 0, 0, 1, .5, 0, 1, 1, .5, 1, 1, 1).finished();
  }
  static Eigen::Vector3d acceleration(const Eigen::Vector3d& q, const Eigen::Vector3d& w) {
    const Eigen::Matrix<double, 4, 3> lever = levers();
    Eigen::Vector3d f;
    for (int i = 0; i < 3; ++i) {
      f[i] = -9.81 * lever.col(i).sum() * std::sin(q[i]);
      for (int j = 0; j < 3; ++j) f[i] -= lever.col(i).dot(lever.col(j)) * std::sin(q[i] - q[j]) * w[j] * w[j];
    }
    return massMatrix(q).inverse() * f;
  }
};

TEST(Robots, TheTriplePendulumHitsTheGroundAsInMinimalCoordinates) {
  for (const std::string model : {"plus", "routh", "anitescu-potra", "sequential", "propagative"}) {
    SCOPED_TRACE(model);
    Scene scene = bundledScene("triple-pendulum");
    scene.impact_model = model;
    scene.solver.max_step = 0.01;
    // Example 4: no energy is lost but by friction.
    const bool elastic = model == "plus";
    for (Body& body : scene.bodies)
      if (elastic) body.material.restitution = 1;
    scene.text.clear(), scene.files.clear();  // No longer what they say.
    const ProvedRun run = simulate(scene, {.until = 0.9});
    EXPECT_EQ(run.summary.status, RunStatus::kDone) << run.summary.message;
    EXPECT_TRUE(run.report.verified);
    EXPECT_LE(run.summary.max_energy_increase, 1e-12 * run.energy_scale);
    ASSERT_FALSE(run.impacts.empty());
    const ImpactRecord& hit = run.impacts[0];
    ASSERT_EQ(hit.contacts.size(), 1u);
    constexpr double pi = std::numbers::pi;
    Eigen::Vector3d q(pi / 4, 3 * pi / 4, 5 * pi / 6), w;
    TriplePendulum::fall(hit.time, q, w);
    // A rod that turns about y by q points to (-sin q, -cos q) in x and z.
    const Eigen::Vector3d tip(-q.array().sin().sum(), 0, 2 - q.array().cos().sum());
    int number[3];
    for (int k = 0; k < 3; ++k) {
      const int body = bodyNamed(scene, "pendulum/rod" + std::to_string(k));
      const auto at = std::find(hit.bodies.begin(), hit.bodies.end(), body);
      ASSERT_NE(at, hit.bodies.end());
      number[k] = static_cast<int>(at - hit.bodies.begin());
      EXPECT_NEAR(hit.before[number[k]][4], w[k], 1e-6 * w.norm());
    }
    EXPECT_LT((run.positionAt(bodyNamed(scene, "pendulum/ball"), hit.time) - tip).norm(), 1e-6);
    // The impact at the vertex of the ball that touched.
    const Eigen::Vector3d arm = hit.contacts[0].point - tip;
    EXPECT_NEAR(arm.norm(), 0.25, 1e-5);
    impact::ImpactProblem problem;
    problem.mass_matrix = TriplePendulum::massMatrix(q);
    problem.normal = q.array().sin().matrix().transpose();
    problem.normal(0, 2) -= arm.x();
    problem.tangent = {-q.array().cos().matrix().transpose()};
    problem.tangent[0](0, 2) += arm.z();
    problem.friction = {0.1};
    problem.restitution = {elastic ? 1.0 : 0.0};
    problem.velocity = w;
    impact::ImpactOutcome outcome;
    ASSERT_EQ(impact::makeResolver(model)->resolve(problem, scene.impact, {}, outcome),
              impact::ImpactStatus::kResolved);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(hit.after[number[k]][4], outcome.velocity[k], 1e-5 * w.norm());
    EXPECT_NEAR(hit.contacts[0].impulse[0], outcome.impulses[0][0], 1e-5 * outcome.impulses[0][0]);
  }
}

/// The compass walker in minimal coordinates, on a slope: angles of the standing and of the swinging leg from the
/// slope's normal.
class CompassWalker {
 public:
  using Vector4 = Eigen::Vector4d;  ///< Angles and rates.

  /// Times at which feet come down, the first `count`.
  static std::vector<double> heelStrikes(Vector4 y, int count) {
    constexpr double kStep = 1e-4;
    std::vector<double> times;
    double t = 0;
    while (static_cast<int>(times.size()) < count && t < 20) {
      const Vector4 next = advance(y, kStep);
      // The swinging foot is as high as the two legs differ; ahead, its leg leans back.
      if (height(y) > 0 && height(next) <= 0 && next[1] < 0 && next[0] > 0) {
        double h = kStep;
        for (int i = 0; i < 50; ++i) {
          const Vector4 z = advance(y, h);
          h -= height(z) / (std::sin(z[1]) * z[3] - std::sin(z[0]) * z[2]);
        }
        times.push_back(t += h);
        y = afterImpact(advance(y, h));
      } else {
        y = next, t += kStep;
      }
    }
    return times;
  }

 private:
  static constexpr double kHip = 10, kLeg = 5, kFoot = 0.1, kEdge = 0.03, kSlope = 3 * std::numbers::pi / 180;
  struct Leg {  // About its own centre of mass; distances from the hip, length 1.
    double mass = kLeg + kFoot, centre, inertia;
    Leg() {
      const double foot = 1 - kEdge / std::sqrt(2.0), rod = kLeg / 12 * (3 * .02 * .02 + .5 * .5);
      centre = (kLeg * 0.5 + kFoot * foot) / mass;
      inertia = rod + kLeg * std::pow(0.5 - centre, 2) + kFoot * (kEdge * kEdge / 6 + std::pow(foot - centre, 2));
    }
  };

  static double height(const Vector4& y) { return std::cos(y[0]) - std::cos(y[1]); }

  static Vector4 rates(const Vector4& y) {
    const Leg leg;
    const double m = leg.mass, c = leg.centre, s = std::sin(y[0] - y[1]);
    const double along = 9.81 * std::sin(kSlope), across = 9.81 * std::cos(kSlope);
    const double A = kHip + m * (2 - c), B = m * c;
    Eigen::Matrix2d M;
    M << kHip + m * (1 - c) * (1 - c) + leg.inertia + m, -B * std::cos(y[0] - y[1]), -B * std::cos(y[0] - y[1]),
        m * c * c + leg.inertia;
    const Eigen::Vector2d f(B * s * y[3] * y[3] + along * A * std::cos(y[0]) + across * A * std::sin(y[0]),
                            -B * s * y[2] * y[2] - along * B * std::cos(y[1]) - across * B * std::sin(y[1]));
    Vector4 rate;
    rate << y.tail<2>(), M.inverse() * f;
    return rate;
  }

  static Vector4 advance(const Vector4& y, double h) {
    const Vector4 a = rates(y), b = rates(y + h / 2 * a), c = rates(y + h / 2 * b), d = rates(y + h * c);
    return y + h / 6 * (a + 2 * b + 2 * c + d);
  }

  /// The swinging foot stops and the standing one leaves: Newton's impact law at one foot, on hip and legs.
  static Vector4 afterImpact(const Vector4& y) {
    const Leg leg;
    const double k = leg.mass * leg.centre, own = k * leg.centre + leg.inertia;
    Eigen::Matrix4d M = Eigen::Matrix4d::Zero();  // Of (x', z') of the hip and the rates of the legs.
    M(0, 0) = M(1, 1) = kHip + 2 * leg.mass, M(2, 2) = M(3, 3) = own;
    for (int i = 0; i < 2; ++i)
      M(0, 2 + i) = M(2 + i, 0) = -k * std::cos(y[i]), M(1, 2 + i) = M(2 + i, 1) = k * std::sin(y[i]);
    Eigen::Matrix<double, 2, 4> J;
    J << 1, 0, 0, -std::cos(y[1]), 0, 1, 0, std::sin(y[1]);
    const Vector4 before(y[2] * std::cos(y[0]), -y[2] * std::sin(y[0]), y[2], y[3]);
    const Eigen::Matrix<double, 4, 2> response = M.inverse() * J.transpose();
    const Vector4 after = before - response * (J * response).inverse() * (J * before);
    return {y[1], y[0], after[3], after[2]};
  }
};

TEST(SlowRobots, TheCompassWalkerStepsWhenMinimalCoordinatesSay) {
  const Scene scene = bundledScene("compass-gait");
  const ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run), "");
  const dynamics::Robot& robot = scene.robots[0].robot;
  const auto& left = robot.model->joint(robot.model->findJoint("left_hip"));
  const auto& right = robot.model->joint(robot.model->findJoint("right_hip"));
  const double slope = 3 * std::numbers::pi / 180;
  const std::vector<double> expected = CompassWalker::heelStrikes(
      {robot.start.q[left.q] - slope, robot.start.q[right.q] - slope, robot.start.v[left.v], robot.start.v[right.v]},
      10);
  ASSERT_EQ(expected.size(), 10u);
  std::vector<double> found;
  for (const ImpactRecord& impact : run.impacts)
    if (found.empty() || impact.time > found.back() + 0.1) found.push_back(impact.time);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-4) << "step " << i;
  // One impact a step, of the foot that comes down alone.
  EXPECT_EQ(run.impacts.size(), found.size());
}

/// Where the base is after `cycles` gait cycles of a trot, which has to go `speed` forwards at the height `height`
/// above the ground.
void expectTrot(const ProvedRun& run, double period, double speed, double height) {
  EXPECT_EQ(wrong(run, RunStatus::kDone, HUGE_VAL), "");
  const double cycles = run.summary.time / period;
  EXPECT_GE(cycles, 10 - 1e-9);
  const int base = bodyNamed(run.scene, "quadruped/base");
  EXPECT_NEAR((run.positionAt(base, run.summary.time) - run.positionAt(base, 0))[0] / run.summary.time, speed,
              0.2 * speed);
  for (double t = period; t < run.summary.time; t += period / 10)
    EXPECT_NEAR(run.positionAt(base, t)[2], height, 0.2 * height) << "at " << t;
  EXPECT_LE(static_cast<double>(run.summary.steps), 20.0 * static_cast<double>(run.summary.manifold_changes));
  // It holds its heading after the first cycles: without the controller's term it is 15 to 30 degrees off.
  for (double t = 3 * period; t < run.summary.time; t += period / 10) {
    const Eigen::Vector3d forward = run.orientationAt(base, t).col(0);
    const double heading = std::atan2(forward[1], forward[0]);
    EXPECT_NEAR(heading, 0, 0.17) << "at " << t;
  }
  // Nothing but feet touches.
  for (const Event& event : run.events) {
    if (event.kind != "contact-made") continue;
    for (const int body : {event.body_a, event.body_b})
      if (!run.scene.bodies[body].fixed) {
        EXPECT_TRUE(run.scene.bodies[body].name.ends_with("_foot")) << run.scene.bodies[body].name;
      }
  }
}

TEST(SlowRobots, TheQuadrupedTrotsAtTheCommandedSpeed) {
  expectTrot(simulate(bundledScene("quadruped-trot")), 0.5, 0.1, 0.17);
}

TEST(SlowRobots, TheQuadrupedTrotsFast) { expectTrot(simulate(bundledScene("quadruped-trot-fast")), 0.3, 0.1, 0.17); }

// All from the robot itself, samples a second included: at 1 kHz its light shanks shook, and feet landed 34 times a
// step.
TEST(SlowRobots, ATrotOfItsOwnLandsItsFeetAFewTimes) {
  const Scene scene = scenes::parseScene(R"(
until: 2.5
contact: {friction: 1}
robots:
  - name: quadruped
    urdf: robots/quadruped.urdf
    position: [0, 0, 0.17]
    joints: {lf_hip: 0.2, lf_thigh: 0.8, lf_knee: 1.2, rf_hip: -0.2, rf_thigh: -0.8, rf_knee: -1.2,
             lh_hip: -0.2, lh_thigh: -0.8, lh_knee: -1.2, rh_hip: 0.2, rh_thigh: 0.8, rh_knee: 1.2}
    controller: {type: trot}
bodies: [{name: ground, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}]
)",
                                         RIGOR_SOURCE_DIR "/scenes/s.yaml");
  const ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run, RunStatus::kDone, HUGE_VAL), "");
  const auto landings = std::ranges::count(run.events, "contact-made", &Event::kind);
  EXPECT_LE(landings, 10 * 20);  // Four feet, five cycles.
  const int base = bodyNamed(run.scene, "quadruped/base");
  const Eigen::Vector3d way = run.positionAt(base, run.summary.time) - run.positionAt(base, 0);
  EXPECT_NEAR(way[0] / run.summary.time, 0.1, 0.02);
  EXPECT_LE(std::abs(way[1]), 0.02);
}

TEST(SlowRobots, TheQuadrupedClimbsStairs) {
  const ProvedRun run = simulate(bundledScene("quadruped-stairs"));
  expectTrot(run, 0.5, 0.1, 0.18);
  // All feet are on the second step, 20 mm up.
  const int base = bodyNamed(run.scene, "quadruped/base");
  EXPECT_NEAR(run.positionAt(base, run.summary.time)[2], 0.17 + 0.02, 0.01);
  for (const char* foot : {"lf", "rf", "lh", "rh"}) {
    const int body = bodyNamed(run.scene, std::string("quadruped/") + foot + "_foot");
    EXPECT_GT(run.positionAt(body, run.summary.time)[2], 0.02 + 0.0099) << foot;
  }
}

/// Hash over the positions of the pieces.
struct Last : Sink {
  std::uint64_t hash = 1469598103934665603ull;
  void piece(const PieceRecord& r) override {
    for (int i = 0; i <= r.piece.p_degree; ++i)
      for (int k = 0; k < 3; ++k) {
        std::uint64_t bits;
        std::memcpy(&bits, &r.piece.p[i][k], sizeof bits);
        hash = (hash ^ bits) * 1099511628211ull;
      }
  }
};

/// Interrupted after any part of a step.
TEST(Robots, AStepInPartsContinuesBitForBit) {
  const Scene scene = bundledScene("chain-20");
  Last whole;
  Simulation once(scene, 0);
  const Summary expected = once.run(1, whole);
  for (int calls = 90; calls < 100; ++calls) {
    Last pieces;
    std::atomic<bool> interrupt{false};
    int left = calls;
    Simulation first(scene, 0);
    const Summary part = first.run(1, pieces, &interrupt, [&](double, long) { interrupt = --left <= 0; });
    EXPECT_EQ(part.status, RunStatus::kInterrupted);
    Simulation second(scene, 0);
    second.restore(first.snapshot());
    const Summary rest = second.run(1, pieces);
    EXPECT_EQ(pieces.hash, whole.hash) << calls;
    EXPECT_EQ(rest.steps, expected.steps);
    EXPECT_EQ(rest.min_step, expected.min_step);
  }
}

TEST(Robots, SnapshotsContinueBitForBit) {
  Simulation once(bundledScene("quadruped-drop"), 3);
  Last first;
  (void)once.run(0.1, first);
  const std::vector<unsigned char> middle = once.snapshot();
  Last a, b;
  (void)once.run(0.2, a);
  Simulation again(bundledScene("quadruped-drop"), 3);
  again.restore(middle);
  (void)again.run(0.2, b);
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(once.snapshot(), again.snapshot());
}

}  // namespace
}  // namespace rigor::sim::test
