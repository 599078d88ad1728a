// SPDX-License-Identifier: MIT
//
// Proves, as far as a fuzzer does: separation() keeps its promise on any pair of polytopes, from any cache.
// Oracle: exactSeparation. A failing pair is printed as a row for tests/corpus/distance.jsonl.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/byte_source.h"
#include "tests/geom/separation_check.h"

using namespace rigor::geom;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rigor::fuzz::ByteSource source(data, size);
  oracle::PolytopePair pair;
  pair.id = "fuzz";
  pair.X_WA = {source.quaternion(), source.point()};
  pair.X_WB = {source.quaternion(), source.point()};
  SeparationCache cache;
  cache.warm = source.byte() % 2;
  cache.feature_a = {static_cast<Feature::Kind>(source.byte() % 3), source.byte() - 4};
  cache.feature_b = {static_cast<Feature::Kind>(source.byte() % 3), source.byte() - 4};
  cache.support_a = source.byte() - 4;
  cache.support_b = source.byte() - 4;
  pair.a = source.points(4, 10);
  pair.b = source.points(4, 10);
  try {
    const Polytope A = Polytope::fromPoints(pair.a), B = Polytope::fromPoints(pair.b);
    const Separation answer = separation(A, pair.X_WA, B, pair.X_WB, cache);
    const auto exact = oracle::exactSeparation(pair.a, pair.X_WA, pair.b, pair.X_WB);
    if (const std::string fault = faultOf(pair, answer, exact); !fault.empty()) {
      std::fprintf(stderr, "%s\n%s\n", fault.c_str(), toLine(pair).c_str());
      std::abort();
    }
  } catch (const GeometryError&) {
    return 0;  // Flat: no polytope.
  }
  return 0;
}
