// SPDX-License-Identifier: MIT
// Proved: a run restored from a snapshot continues bit for bit like the run that was never stopped, at any step.
// Oracle: the uninterrupted run itself; every control point and every witness enters a hash.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>

#include "sim/simulation.h"
#include "tests/sim/simulated_run.h"

namespace rigor::sim::test {
namespace {

struct HashSink : Sink {
  std::uint64_t hash = 14695981039346656037ull;
  long pieces = 0;
  void add(double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211ull; }
  void piece(const PieceRecord& r) override {
    ++pieces;
    add(r.piece.t0), add(r.piece.t1);
    for (int i = 0; i <= r.piece.p_degree; ++i)
      for (int k = 0; k < 3; ++k) add(r.piece.p[i][k]);
    for (int i = 0; i <= r.piece.q_degree; ++i)
      for (int k = 0; k < 4; ++k) add(r.piece.q[i][k]);
  }
  void witness(const WitnessRecord& w) override { add(w.witness.gap), add(w.witness.t1); }
};

class Snapshot : public testing::TestWithParam<const char*> {};

TEST_P(Snapshot, ContinuesBitForBit) {
  const Scene scene = bundledScene(GetParam());
  for (const double share : {0.0, 0.1, 0.3, 0.55}) {
    SCOPED_TRACE(share);
    Simulation whole(scene, 3);
    HashSink ignored;
    whole.run(share * scene.until, ignored);
    const std::vector<unsigned char> state = whole.snapshot();
    HashSink expected;
    const Summary end = whole.run(scene.until, expected);

    Simulation restored(scene, 3);
    restored.restore(state);
    EXPECT_EQ(restored.snapshot(), state);
    HashSink actual;
    const Summary again = restored.run(scene.until, actual);
    EXPECT_EQ(actual.hash, expected.hash);
    EXPECT_EQ(actual.pieces, expected.pieces);
    EXPECT_EQ(again.steps, end.steps);
    EXPECT_EQ(again.min_gap, end.min_gap);
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Snapshot,
                         testing::Values("die", "cube-on-cube", "edge-edge", "flat-drop", "needle-and-plate"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(SnapshotBytes, OfAnotherSceneOrCutShortAreRefused) {
  const Scene die = bundledScene("die");
  const Scene cubes = bundledScene("cube-on-cube");
  std::vector<unsigned char> state = Simulation(die, 0).snapshot();
  Simulation other(cubes, 0);
  EXPECT_THROW(other.restore(state), std::invalid_argument);
  state.pop_back();
  Simulation same(die, 0);
  EXPECT_THROW(same.restore(state), std::invalid_argument);
}

}  // namespace
}  // namespace rigor::sim::test
