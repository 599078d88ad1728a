// SPDX-License-Identifier: MIT
// Proves that the number of threads changes no bit of what a run hands over, nor its order: pieces, witnesses, events,
// impacts, impulses, joints, checkpoints and complete states. Oracle: the run on one thread.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>

#include <fmt/format.h>

#include "scenes/loader.h"
#include "sim/simulation.h"
#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

/// Everything that it is handed, as bytes.
class Bytes : public Sink {
 public:
  void piece(const PieceRecord& r) override {
    begin('p'), add(r.body), add(r.step), add(r.piece.t0), add(r.piece.t1);
    for (int i = 0; i <= r.piece.p_degree; ++i) addAll(r.piece.p[i]);
    for (int i = 0; i <= r.piece.q_degree; ++i) addAll(r.piece.q[i]);
    addAll(r.v_start), addAll(r.w_start), addAll(r.v_end), addAll(r.w_end);
  }
  void witness(const WitnessRecord& r) override {
    begin('w'), addPair(r.pair), add(r.witness.t0), add(r.witness.t1), add(r.witness.gap);
    addAll(r.witness.axis.axis);
  }
  void event(const EventRecord& r) override {
    begin('e'), add(r.time), add(r.body_a), add(r.body_b);
    all.append(r.kind).append(r.detail);
  }
  void impact(const ImpactRecord& r) override {
    begin('i'), add(r.time);
    all.append(r.model);
    for (std::size_t k = 0; k < r.bodies.size(); ++k) add(r.bodies[k]), addAll(r.before[k]), addAll(r.after[k]);
    for (const ImpactContactRecord& contact : r.contacts) addPair(contact.pair), addAll(contact.impulse);
  }
  void impulses(const ImpulseRecord& r) override {
    begin('a'), add(r.t0), add(r.t1), add(r.step);
    for (const ImpulseRecord::Contact& contact : r.contacts) addPair(contact.pair), add(contact.count);
    for (const ImpulseRecord::Wrench& wrench : r.wrenches) add(wrench.robot), add(wrench.joint), add(wrench.count);
    for (const ImpulseRecord::Impulse& impulse : r.impulses) add(impulse.time), addAll(impulse.P);
  }
  void joints(const JointRecord& r) override {
    begin('j'), add(r.number), add(r.time), addAll(r.state.q), addAll(r.end.v), addAll(r.effort);
  }
  void checkpoint(double time, long step, const std::vector<unsigned char>& state) override {
    begin('c'), add(time), add(step);
    all.append(state.begin(), state.end());
    if (!state.empty()) last_state = state;
  }

  std::string all;
  std::vector<unsigned char> last_state;
  std::thread::id thread = std::this_thread::get_id();

 private:
  void begin(char kind) {
    EXPECT_EQ(std::this_thread::get_id(), thread);
    all.push_back(kind);
  }
  template <typename T>
  void add(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    all.append(bytes, sizeof value);
  }
  template <typename Vector>
  void addAll(const Vector& values) {
    for (int i = 0; i < values.size(); ++i) add(values[i]);
  }
  void addPair(const PairKey& p) { add(p.body_a), add(p.part_a), add(p.body_b), add(p.part_b); }
};

void expectSame(const Summary& a, const Summary& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.impacts, b.impacts);
  EXPECT_EQ(a.manifold_changes, b.manifold_changes);
  EXPECT_EQ(a.contacts_made, b.contacts_made);
  EXPECT_EQ(a.contacts_broken, b.contacts_broken);
  EXPECT_EQ(a.false_liftoffs, b.false_liftoffs);
  EXPECT_EQ(a.plastic_impacts, b.plastic_impacts);
  EXPECT_EQ(a.min_gap, b.min_gap);
  EXPECT_EQ(a.min_step, b.min_step);
  EXPECT_EQ(a.max_step, b.max_step);
  EXPECT_EQ(a.mean_step, b.mean_step);
  EXPECT_EQ(a.energy_final, b.energy_final);
  EXPECT_EQ(a.max_energy_increase, b.max_energy_increase);
}

/// Dice over a plane, in rows `apart` [m]; of each pair the second lies in the way of the first.
Scene dice(int count, double apart) {
  SceneText text;
  text.until = 1;
  text.bodies.push_back(ground());
  for (int i = 0; i < count; ++i) {
    BodyText die{"d" + std::to_string(i), kCube};
    die.position = {apart * (i / 8), apart * (i % 8), 0.15 + 0.01 * (i * 7 % 13)};
    die.orientation = {1, 0.1 * (i % 5), 0.07 * (i % 7), 0.2};
    die.velocity = {i % 2 == 0 ? 0.0 : 0.3, i % 2 == 0 ? 1.5 : -0.2, -0.5};
    die.angular_velocity = {1.0 * (i % 3), 2.0, -1.0 * (i % 4)};
    text.bodies.push_back(die);
  }
  return text.parse();
}

/// Quadrupeds that trot beside each other, 1 m apart, and dice that fall between them and onto the last one.
Scene trots(int count, int dice, double until) {
  std::string text = fmt::format("name: trots\nuntil: {}\ncontact: {{friction: 1, restitution: 0}}\nrobots:\n", until);
  for (int i = 0; i < count; ++i) {
    text += fmt::format("  - {{name: q{0}, urdf: robots/quadruped.urdf, position: [0, {0}, 0.17],\n     joints: {{", i);
    for (const auto& [leg, side, bend] :
         {std::tuple("lf", 1, 1), std::tuple("rf", -1, -1), std::tuple("lh", -1, -1), std::tuple("rh", 1, 1)})
      text += fmt::format("{0}_hip: {1}, {0}_thigh: {2}, {0}_knee: {3}, ", leg, 0.2 * side, 0.8 * bend, 1.2 * bend);
    text += fmt::format("}},\n     controller: {{type: trot, rate: 1000, period: 0.5, velocity: [{}, 0], "
                        "step_height: 0.03, footprint: [0.31, 0.134], height: 0.17, kp: 20, kd: 0.1, torque: pd}}}}\n",
                        0.1 + 0.02 * i);
  }
  text += "bodies:\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n";
  for (int i = 0; i < dice; ++i)
    text += fmt::format("  - {{name: d{}, shape: {}, mass: 0.1, position: [{}, {}, 0.4], velocity: [0.3, 0, -1],\n"
                        "     angular_velocity: [1, {}, 2]}}\n",
                        i, kCube, -0.3 * (i / 4), 0.5 + 1.0 * (i % 4), i % 3);
  if (dice > 0)
    text += fmt::format("  - {{name: hits, shape: {}, mass: 0.1, position: [0, {}, 0.4]}}\n", kCube, count - 1);
  return scenes::parseScene(text, RIGOR_SOURCE_DIR "/scenes/trots.yaml");
}

void expectThreadsMakeNoDifference(const Scene& scene) {
  Bytes one;
  Simulation alone(scene, 3);
  const Summary expected = alone.run(scene.until, one);
  for (const int threads : {2, 3, 5}) {
    SCOPED_TRACE(threads);
    Bytes several;
    Simulation simulation(scene, 3);
    simulation.setThreads(threads);
    expectSame(simulation.run(scene.until, several), expected);
    EXPECT_TRUE(several.all == one.all);
    EXPECT_EQ(simulation.snapshot(), alone.snapshot());
  }
}

TEST(SideBySide, DiceThatAreApart) { expectThreadsMakeNoDifference(dice(64, 1)); }

/// Regions meet that were expected to stay apart.
TEST(SideBySide, DiceThatMeet) { expectThreadsMakeNoDifference(dice(64, 0.3)); }

TEST(SideBySide, DiceThatCrossTheWayOfOthers) {
  Scene scene = dice(48, 0.8);
  for (std::size_t b = 1; b < scene.bodies.size(); b += 6) scene.bodies[b].velocity = {25, 12, 1};
  expectThreadsMakeNoDifference(scene);
}

TEST(SideBySide, TrotsBesideEachOther) { expectThreadsMakeNoDifference(trots(3, 0, 0.3)); }

TEST(SideBySide, TrotsAndDice) { expectThreadsMakeNoDifference(trots(3, 12, 0.3)); }

TEST(SideBySide, LookingOnceOrOftenGivesTheSameStates) {
  const Scene scene = dice(64, 0.5);
  Bytes once, often;
  Simulation looked_once(scene, 3), looked_often(scene, 3);
  looked_often.setThreads(2);
  for (int k = 1; k < 60; ++k) looked_often.run(scene.until * k / 60, often);
  const Summary a = looked_once.run(scene.until, once), b = looked_often.run(scene.until, often);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.impacts, b.impacts);
  EXPECT_EQ(a.energy_final, b.energy_final);
  EXPECT_EQ(looked_often.snapshot(), looked_once.snapshot());
}

/// Regions step again after a hand from outside.
TEST(SideBySide, PushedBodies) {
  const Scene scene = dice(64, 0.5);
  Bytes bytes[2];
  std::vector<unsigned char> states[2];
  for (const int k : {0, 1}) {
    Simulation simulation(scene, 3);
    simulation.setThreads(1 + 2 * k);
    simulation.run(0.2, bytes[k]);
    for (int body = 1; body < 60; body += 7) simulation.setVelocity(body, {2, 1, 3}, {0, 5, 0}, bytes[k]);
    simulation.applyWrench(5, (Eigen::Matrix<double, 6, 1>() << 0, 3, 12, 0, 0, 0.1).finished(), 0.5, bytes[k]);
    simulation.run(scene.until, bytes[k]);
    states[k] = simulation.snapshot();
  }
  EXPECT_TRUE(bytes[0].all == bytes[1].all);
  EXPECT_EQ(states[0], states[1]);
}

/// Forks are found in the order of time, whoever asks for threads.
TEST(SideBySide, Forks) {
  SceneText text;
  text.until = 0.4;
  text.bodies.push_back(ground());
  for (int i = 0; i < 8; ++i) {
    BodyText die{"d" + std::to_string(i), kCube};
    die.position = {1.0 * i, 0, 0.15 + 0.01 * (7 - i)}, die.velocity = {1, 0, 0};
    text.bodies.push_back(die);
  }
  Bytes bytes[2];
  std::vector<unsigned char> states[2];
  for (const int k : {0, 1}) {
    Simulation simulation(text.parse(), 0);
    simulation.setThreads(1 + 2 * k);
    simulation.findForks({}, 7);
    EXPECT_EQ(simulation.run(text.until, bytes[k]).status, RunStatus::kForked);
    states[k] = simulation.snapshot();
  }
  EXPECT_TRUE(bytes[0].all == bytes[1].all);
  EXPECT_EQ(states[0], states[1]);
}

/// What a sink throws comes to who called run(), and nothing is called after that.
TEST(SideBySide, ASinkThatThrows) {
  struct Full : Sink {
    void piece(const PieceRecord&) override {
      EXPECT_FALSE(thrown);
      if (++pieces > 300) thrown = true, throw std::runtime_error("full");
    }
    int pieces = 0;
    bool thrown = false;
  } full;
  const Scene scene = dice(64, 1);
  Simulation simulation(scene, 3);
  simulation.setThreads(3);
  EXPECT_THROW(simulation.run(scene.until, full), std::runtime_error);
}

TEST(SideBySide, LookingChangesNothing) {
  const Scene scene = dice(64, 0.5);
  Bytes one, several;
  Simulation alone(scene, 3), simulation(scene, 3);
  simulation.setThreads(2);
  for (const double until : {0.3, 0.35, 0.9, 1.0}) {
    expectSame(simulation.run(until, several), alone.run(until, one));
    EXPECT_TRUE(several.all == one.all) << until;
  }
}

TEST(SideBySide, AnInterruptedRunGoesOnTheSame) {
  const Scene scene = dice(64, 0.6);
  Bytes whole;
  Simulation alone(scene, 3);
  const Summary expected = alone.run(scene.until, whole);
  std::atomic<bool> interrupt = false;
  Bytes begun, rest;
  Simulation simulation(scene, 3);
  simulation.setThreads(2);
  const auto stop = [&](double time, long) { interrupt = time > 0.3; };
  EXPECT_EQ(simulation.run(scene.until, begun, &interrupt, stop).status, RunStatus::kInterrupted);
  Simulation resumed(scene, 3);
  resumed.setThreads(3);
  resumed.restore(begun.last_state);
  expectSame(resumed.run(scene.until, rest), expected);
  EXPECT_EQ(resumed.snapshot(), alone.snapshot());
}

}  // namespace
}  // namespace rigor::sim::test
