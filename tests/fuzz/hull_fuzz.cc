// SPDX-License-Identifier: MIT
//
// Proves, as far as a fuzzer does: Polytope::fromPoints either refuses a set with a reason or makes a polytope that
// contains every input point, whose vertices are input points, and whose lattice is closed. Oracle: these invariants.
#include <cstdio>
#include <cstdlib>
#include <set>

#include "geom/polytope.h"
#include "tests/fuzz/byte_source.h"

using rigor::geom::GeometryError;
using rigor::geom::Polytope;

namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "hull: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rigor::fuzz::ByteSource source(data, size);
  const auto points = source.points(0, 60);
  try {
    const Polytope P = Polytope::fromPoints(points);
    require(P.numVertices() - P.numEdges() + P.numFaces() == 2, "Euler's relation fails");
    int last = -1;
    for (int v = 0; v < P.numVertices(); ++v) {
      int at = -1;
      for (int i = last + 1; i < static_cast<int>(points.size()) && at < 0; ++i)
        if (points[static_cast<size_t>(i)] == P.vertex(v)) at = i;
      require(at >= 0, "a vertex is no input point, or out of order");
      last = at;
    }
    std::set<std::pair<int, int>> darts;
    for (int f = 0; f < P.numFaces(); ++f) {
      const auto& face = P.face(f);
      require(std::abs(face.normal.norm() - 1) < 1e-14, "a normal is not unit");
      for (const auto& v : points)
        require(face.normal.dot(v) <= face.offset + P.epsilon(), "an input point is outside");
      const auto loop = P.faceVertices(f);
      require(loop.size() >= 3, "a face has less than 3 vertices");
      for (size_t i = 0; i < loop.size(); ++i)
        require(darts.emplace(loop[i], loop[(i + 1) % loop.size()]).second, "two faces share a directed edge");
    }
    for (const auto& [tail, head] : darts) require(darts.count({head, tail}) == 1, "the surface is not closed");
  } catch (const GeometryError& error) {
    require(error.what()[0] != '\0', "refused without a reason");
  }
  return 0;
}
