// SPDX-License-Identifier: MIT
// Proves that runs are the same for any number of threads: groups of bodies that are apart step side by side. Oracles:
// all that a sink is handed, byte for byte and in its order, states included.
#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <type_traits>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

/// All that it is handed, as bytes.
class Tape : public Sink {
 public:
  void piece(const PieceRecord& p) override {
    add('p', p.body, p.step, p.piece.t0, p.piece.t1, p.v_start, p.w_start, p.v_end, p.w_end);
    for (int i = 0; i <= p.piece.p_degree; ++i) add(p.piece.p[i]);
    for (int i = 0; i <= p.piece.q_degree; ++i) add(p.piece.q[i]);
  }
  void witness(const WitnessRecord& w) override {
    add('w', w.pair, w.witness.t0, w.witness.t1, w.witness.gap, w.witness.cross, w.witness.cosine);
    add(w.witness.axis.kind, w.witness.axis.axis);
  }
  void event(const EventRecord& e) override {
    add('e', e.time, e.body_a, e.body_b);
    bytes.append(e.kind).append(e.detail);
  }
  void impact(const ImpactRecord& i) override {
    add('i', i.time);
    bytes.append(i.model);
    for (size_t k = 0; k < i.bodies.size(); ++k) add(i.bodies[k], i.before[k], i.after[k]);
    for (const ImpactContactRecord& c : i.contacts) add(c.pair, c.point, c.normal, c.impulse, c.tangent);
  }
  void impulses(const ImpulseRecord& r) override {
    add('f', r.t0, r.t1, r.step);
    for (const auto& c : r.contacts) add(c.pair, c.feature.kind, c.feature.axis, c.first, c.count);
    for (const auto& w : r.wrenches) add(w.source, w.robot, w.joint, w.first, w.count);
    for (const auto& i : r.impulses) add(i.time, i.P, i.moment);
  }
  void joints(const JointRecord& j) override { add('j', j.time), addList(j.state.q), addList(j.state.v); }
  void checkpoint(double time, long step, const std::vector<unsigned char>& state) override {
    add('c', time, step);
    bytes.append(reinterpret_cast<const char*>(state.data()), state.size());
  }

  std::string bytes;

 private:
  template <typename... Values>
  void add(const Values&... values) {
    (addOne(values), ...);
  }
  template <typename T>
  void addOne(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename T, int Rows, int Columns>
  void addOne(const Eigen::Matrix<T, Rows, Columns>& value) {
    bytes.append(reinterpret_cast<const char*>(value.data()), value.size() * sizeof(T));
  }
  void addList(const Eigen::VectorXd& list) {
    for (const double value : list) add(value);
  }
};

struct Made {
  Summary summary;
  std::string bytes, state;
};

/// @param looks  Calls of run() up to the end.
Made make(const Scene& scene, int threads, int looks = 1) {
  Simulation simulation(scene, 3);
  simulation.setThreads(threads);
  Tape tape;
  Made made;
  for (int k = 1; k <= looks; ++k) made.summary = simulation.run(scene.until * k / looks, tape);
  const std::vector<unsigned char> state = simulation.snapshot();
  made.state.assign(state.begin(), state.end());
  made.bytes = std::move(tape.bytes);
  return made;
}

void expectSameForAnyThreads(const Scene& scene, int looks = 1) {
  const Made one = make(scene, 1, looks);
  EXPECT_EQ(one.summary.status, RunStatus::kDone) << one.summary.message;
  ASSERT_FALSE(one.bytes.empty());
  for (const int threads : {2, 3}) {
    const Made made = make(scene, threads, looks);
    EXPECT_TRUE(made.bytes == one.bytes) << threads << " threads";
    EXPECT_TRUE(made.state == one.state) << threads << " threads";
    EXPECT_EQ(made.summary.steps, one.summary.steps);
    EXPECT_EQ(made.summary.min_gap, one.summary.min_gap);
    EXPECT_EQ(made.summary.energy_final, one.summary.energy_final);
  }
}

struct Thrown {
  unsigned seed;
  int count;
  double apart;  // Of their starts [m].
  double restitution;
  double until;
};

/// Dice that are thrown beside each other. The nearer, the more often they meet.
Scene thrown(const Thrown& t) {
  std::mt19937_64 engine(t.seed);
  const auto draw = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); };
  SceneText text;
  text.restitution = t.restitution;
  text.until = t.until;
  text.bodies = {ground()};
  const int side = static_cast<int>(std::ceil(std::sqrt(t.count)));
  for (int i = 0; i < t.count; ++i) {
    BodyText b{fmt::format("die-{}", i), kCube};
    b.position = {t.apart * (i % side), t.apart * (i / side), draw(0.15, 0.5)};
    const Eigen::Quaterniond q = Eigen::Quaterniond(draw(-1, 1), draw(-1, 1), draw(-1, 1), draw(-1, 1)).normalized();
    b.orientation = {q.w(), q.x(), q.y(), q.z()};
    b.velocity = {draw(-1, 1), draw(-1, 1), draw(-2, 0)};
    b.angular_velocity = {draw(-6, 6), draw(-6, 6), draw(-6, 6)};
    text.bodies.push_back(b);
  }
  return text.parse();
}

/// Heaps of cubes that fall into boxes, far from each other.
Scene heaps(int number, int cubes, double until) {
  SceneText text;
  text.until = until;
  text.bodies = {ground()};
  for (int h = 0; h < number; ++h) {
    const double x = 3.0 * h;
    for (int wall = 0; wall < 4; ++wall) {
      BodyText b{fmt::format("wall-{}-{}", h, wall), box({0.02, 0.5, 0.4}), 0};
      const double angle = 0.5 * M_PI * wall;
      b.position = {x + 0.2 * std::cos(angle), 0.2 * std::sin(angle), 0.21};
      b.orientation = {std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle)};
      if (wall % 2 == 1) b.shape = box({0.02, 0.36, 0.4});
      text.bodies.push_back(b);
    }
    for (int i = 0; i < cubes; ++i) {
      BodyText b{fmt::format("cube-{}-{}", h, i), kCube};
      b.position = {x + 0.08 * (i % 2 == 0 ? 1 : -1), 0.08 * (i / 2 % 2 == 0 ? 1 : -1), 0.15 + 0.16 * (i / 4)};
      const double angle = 0.3 * (i + h);
      b.orientation = {std::cos(angle), std::sin(angle), 0, 0};
      text.bodies.push_back(b);
    }
  }
  return text.parse();
}

TEST(Lookahead, DiceThatAreApartStepTheSameForAnyThreads) {
  expectSameForAnyThreads(thrown({1, 40, 0.6, 0, 1.5}));
  expectSameForAnyThreads(thrown({2, 40, 0.6, 0.5, 1}));
}

TEST(Lookahead, DiceThatMeetStepTheSameForAnyThreads) {
  for (const unsigned seed : {3u, 4u, 5u}) expectSameForAnyThreads(thrown({seed, 30, 0.22, 0.3, 1}));
}

TEST(Lookahead, HeapsThatAreApartStepTheSameForAnyThreads) { expectSameForAnyThreads(heaps(3, 8, 0.5)); }

TEST(Lookahead, LookingInBetweenChangesNothing) { expectSameForAnyThreads(thrown({6, 25, 0.3, 0.3, 0.8}), 7); }

TEST(Lookahead, RobotsWithAndWithoutControllersStepTheSameForAnyThreads) {
  for (const std::string name : {"quadruped-drop", "quadruped-trot", "chain-20"}) {
    SCOPED_TRACE(name);
    Scene scene = bundledScene(name);
    scene.until = 0.3;
    expectSameForAnyThreads(scene);
  }
}

TEST(Lookahead, ARunGoesOnFromItsStateForAnyThreads) {
  const Scene scene = thrown({7, 30, 0.3, 0.3, 1});
  Simulation whole(scene, 3);
  Tape tape;
  whole.setThreads(2);
  whole.run(0.4, tape);
  const std::vector<unsigned char> state = whole.snapshot();
  tape.bytes.clear();
  whole.run(1, tape);
  Simulation rest(scene, 3);
  rest.setThreads(3);
  rest.restore(state);
  Tape other;
  rest.run(1, other);
  EXPECT_TRUE(other.bytes == tape.bytes);
}

TEST(Lookahead, PushesAndBlowsFromOutsideActTheSameForAnyThreads) {
  const Scene scene = thrown({8, 20, 0.4, 0, 1});
  std::string first;
  for (const int threads : {1, 2, 3}) {
    Simulation simulation(scene, 3);
    simulation.setThreads(threads);
    Tape tape;
    simulation.run(0.3, tape);
    simulation.setVelocity(4, Vector3d(1, 0, 2), Vector3d(0, 3, 0), tape);
    Eigen::Matrix<double, 6, 1> wrench;
    wrench << 5, 0, 0, 0, 0, 0.1;
    simulation.applyWrench(7, wrench, 0.6, tape);
    simulation.run(1, tape);
    if (threads == 1) first = tape.bytes;
    EXPECT_TRUE(tape.bytes == first) << threads << " threads";
  }
}

}  // namespace
}  // namespace rigor::sim::test
