// SPDX-License-Identifier: MIT
// Proved: once their buffers have grown, steps of robots allocate nothing: in flight, on joint limits, and in contact
// with a controller at work; nor do those of dice, impacts and events included. Oracle: a counter in malloc itself.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/allocation_counter.h"
#include "scenes/loader.h"
#include "sim/simulation.h"

namespace rigor::sim::test {
namespace {

const std::string kScenes = RIGOR_SOURCE_DIR "/scenes/";

/// Counts what is allocated between the first and the last piece that start within [from, to), and how many start one
/// after the other.
struct Counter : Sink {
  Counter(double start, double end) : from(start), to(end) {}
  void piece(const PieceRecord& r) override {
    if (!(r.piece.t0 >= from && r.piece.t0 < to)) return;
    last = rigor::allocations();
    if (first < 0) first = last;
    if (r.piece.t0 > last_start) ++parts, last_start = r.piece.t0;
  }
  void event(const EventRecord& r) override { limits += r.kind == "limit-reached" && r.time < from; }
  double from, to;
  double last_start = -1;
  long first = -1, last = -1, parts = 0, limits = 0;
};

void expectNone(const Scene& scene, double from, double to, long least_parts, long limits = 0) {
  if (rigor::allocations() < 0) GTEST_SKIP() << "a sanitizer owns the allocator";
  Scene ends = scene;
  ends.until = to;  // A run that is stopped on the way keeps what it goes on from.
  Simulation simulation(ends, 0);
  Counter counter(from, to);
  const Summary summary = simulation.run(to, counter);
  ASSERT_EQ(summary.status, RunStatus::kDone) << summary.message;
  EXPECT_EQ(counter.last - counter.first, 0);
  EXPECT_GE(counter.parts, least_parts);
  EXPECT_EQ(counter.limits, limits);
}

Scene parse(const std::string& text) { return scenes::parseScene(text, kScenes + "s.yaml"); }

TEST(Allocations, ARobotInFlight) {
  expectNone(parse("name: flight\nuntil: 1\nsolver: {max_step: 0.01}\nrobots:\n  - {name: q, urdf: "
                   "robots/quadruped.urdf, position: [0, 0, 30], angular_velocity: [1, 2, 3],\n"
                   "     joint_velocities: {lf_knee: 1, rh_thigh: -2}}\n"
                   "bodies:\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n"),
             0.05, 0.3, 20);
}

TEST(Allocations, ARobotInContactUnderAController) {
  expectNone(scenes::loadScene(kScenes + "gripper.yaml"), 0.1, 3, 200);
}

TEST(Allocations, ARobotOnItsLimits) {
  // The lift falls to its lower end and stays; a weak controller keeps it awake.
  expectNone(parse("name: stop\nuntil: 1\nrobots:\n  - {name: g, urdf: robots/gripper.urdf, position: [0, 0, 2], "
                   "joints: {lift: -0.4},\n"
                   "     controller: {type: pd, rate: 100, kp: 0.01, kd: 0.01}}\n"),
             0.5, 3, 200, 1);
}

TEST(Allocations, ARobotStandsOnItsFeet) {
  std::ifstream file(kScenes + "quadruped-trot.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  std::string scene = text.str();
  const std::string trot = "{type: trot, ";
  scene.insert(scene.find(trot) + trot.size(), "stand: 5, ");
  expectNone(parse(scene), 0.5, 0.7, 150);
}

/// Counts what is allocated from the first piece to the last, and what happens between them.
struct ImpactCounter : Sink {
  void piece(const PieceRecord&) override {
    last = rigor::allocations();
    if (first < 0) first = last;
  }
  void impact(const ImpactRecord&) override { ++impacts; }
  void event(const EventRecord&) override { ++events; }
  long first = -1, last = -1, impacts = 0, events = 0;
};

/// One simulation makes the same motion three times: in the first two its buffers, some of which change places from
/// step to step, grow to what its impacts need; in the third nothing does.
void expectNoneAgain(const std::string& material, double to, long least_impacts) {
  if (rigor::allocations() < 0) GTEST_SKIP() << "a sanitizer owns the allocator";
  const Scene scene = parse("name: dice\nuntil: 3\ncontact: {" + material +
                            "}\nbodies:\n  - {name: ground, fixed: true, shape: {halfspace: {}}}\n"
                            "  - {name: die, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.5],\n"
                            "     velocity: [0.7, 0.3, -2], angular_velocity: [7, -4, 2]}\n");
  Simulation simulation(scene, 5);
  const auto start = simulation.snapshot();
  for (int time = 0; time < 3; ++time) {
    simulation.restore(start);
    ImpactCounter counter;
    const Summary summary = simulation.run(to, counter);
    ASSERT_EQ(summary.status, RunStatus::kDone) << summary.message;
    EXPECT_GE(counter.impacts, least_impacts);
    EXPECT_GT(counter.events, counter.impacts);
    if (time == 2) { EXPECT_EQ(counter.last - counter.first, 0); }
  }
}

TEST(Allocations, ADieThatBouncesAndComesToRest) { expectNoneAgain("restitution: 0.5, friction: 0.4", 3, 10); }

TEST(Allocations, ADieThatRollsAndComesToRest) { expectNoneAgain("restitution: 0, friction: 0.8", 3, 10); }

}  // namespace
}  // namespace rigor::sim::test
