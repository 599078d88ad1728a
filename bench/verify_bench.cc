// SPDX-License-Identifier: MIT
// Cost of recording and of verifying a step, on synthetic runs: a die over a plane (a witness against a half-space,
// cubic orientations) and two turning cubes (witnesses fixed in either, and edges).
#include <benchmark/benchmark.h>

#include "tests/verify/synthetic_record.h"
#include "verify/verify.h"

namespace {

using namespace rigor;

void verify(benchmark::State& state, const std::string& path) {
  const int threads = static_cast<int>(state.range(0));
  verify::Report report;
  for (auto _ : state) report = verify::verifyRecord(path, {threads, 10});
  if (!report.verified) state.SkipWithError("the record does not verify");
  state.counters["us/witness"] =
      benchmark::Counter(static_cast<double>(report.witnesses) * 1e-6,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  std::filesystem::remove(path);
}

void VerifyDie(benchmark::State& state) {
  const std::string path = synthetic::temporaryPath("bench_die");
  synthetic::writeDie(path, 20000, 5e-3, true, 3);
  verify(state, path);
}
BENCHMARK(VerifyDie)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void VerifyCubes(benchmark::State& state) {
  const std::string path = synthetic::temporaryPath("bench_cubes");
  synthetic::writeCubes(path, 5000, 2e-4);
  verify(state, path);
}
BENCHMARK(VerifyCubes)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

// A piece, a witness and a checkpoint.
void WriteStep(benchmark::State& state) {
  const std::string path = synthetic::temporaryPath("bench_write");
  sim::Scene scene;
  scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
  record::Writer writer(path, scene, synthetic::runInfo(), synthetic::replacing());
  sim::PieceRecord piece{1, 0, {}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  piece.piece.p_degree = piece.piece.q_degree = 3;
  sim::WitnessRecord witness{{0, 0, 1, 0}, {}};
  const std::vector<unsigned char> snapshot(500);
  for (auto _ : state) {
    piece.piece.t0 = piece.piece.t1;
    piece.piece.t1 += 1e-3;
    ++piece.step;
    writer.piece(piece);
    writer.witness(witness);
    writer.checkpoint(piece.piece.t1, piece.step, snapshot);
  }
  writer.finish("done", "", "{}");
  std::filesystem::remove(path);
}
BENCHMARK(WriteStep)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
