// SPDX-License-Identifier: MIT
#include "scenes/facets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace rigor::scenes {
namespace {

/// The farthest that the sphere is from the hull of V points of spherePoints(), times V over the radius: 3.72 at the
/// poles, less elsewhere, 3.86 where capsules cut them in halves.
constexpr double kSphereDepth = 4;
constexpr long kLeastVertices = 20, kLeastSides = 8;  // However loose the tolerance.

long upTo(double count, long least) {
  if (!(count <= Facets::kMost)) return Facets::kMost + 1;  // NaN -> too many
  return std::max(least, static_cast<long>(std::ceil(count)));
}

}  // namespace

long Facets::verticesOf(double radius) const {
  return tolerance_ ? upTo(kSphereDepth * radius / *tolerance_, kLeastVertices) : vertices_;
}

long Facets::sidesOf(double radius) const {
  if (!tolerance_) return sides_;
  // radius (1 - cos(pi / n)) = 2 radius sin^2(pi / 2n) <= radius (pi / n)^2 / 2
  return upTo(std::numbers::pi * std::sqrt(0.5 * radius / *tolerance_), kLeastSides);
}

Facets readFacets(const Value& map) {
  map.fields({"tolerance", "vertices", "sides", "round"});
  const auto tolerance = map.find("tolerance"), vertices = map.find("vertices"), sides = map.find("sides"),
             round = map.find("round");
  if (tolerance && (vertices || sides))
    tolerance->fail(tolerance->name() + " beside a count", "tolerance, or vertices and sides");
  Facets facets = tolerance ? Facets(tolerance->positive("m"))
                            : Facets(vertices ? static_cast<int>(vertices->integer(4, Facets::kMost)) : 100,
                                     sides ? static_cast<int>(sides->integer(3, Facets::kMost)) : 32);
  if (round && round->boolean()) facets.makeRound(Facets::Solids::kAll);
  return facets;
}

int readCount(const Value& shape, const char* count_name, int least, long (Facets::*count)(double) const,
              double radius) {
  const auto given = shape.find(count_name), tolerance = shape.find("tolerance");
  if (given && tolerance) tolerance->fail(tolerance->name() + " beside " + count_name, "one of them");
  if (given) return static_cast<int>(given->integer(least, Facets::kMost));
  const long result = ((tolerance ? Facets(tolerance->positive("m")) : Facets()).*count)(radius);
  if (result > Facets::kMost)
    tolerance->fail(fmt::format("{} asks for more than {} {}", tolerance->name(), Facets::kMost, count_name),
                    "a larger tolerance [m]");
  return static_cast<int>(result);
}

}  // namespace rigor::scenes
