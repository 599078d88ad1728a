// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "geom/round.h"
#include "scenes/document.h"

namespace rigor::scenes {

/// How many facets stand for a round surface. The vertices lie on the surface, so the polytope is inside it; with a
/// tolerance, no point of the surface is farther than that from the polytope.
class Facets {
 public:
  static constexpr long kMost = 10'000;  ///< Vertices or sides of one shape: more takes minutes.

  Facets() = default;
  Facets(int vertices, int sides) : vertices_(vertices), sides_(sides) {}
  explicit Facets(double tolerance) : tolerance_(tolerance) {}  ///< [m], > 0

  /// Which round shapes are round: the facets stand for them in pictures.
  enum class Solids { kNone, kBalls, kWithoutRims, kAll };
  bool areRound(const geom::Round& solid) const {
    if (solid.core.cols() == 1) return round_ >= Solids::kBalls;
    return round_ >= (solid.isCylinder() ? Solids::kAll : Solids::kWithoutRims);
  }
  void makeRound(Solids which) { round_ = which; }
  /// Of a sphere of this radius [m], as spherePoints() takes them; more than kMost where the tolerance asks for more.
  long verticesOf(double radius) const;
  /// Of a cylinder of this radius [m].
  long sidesOf(double radius) const;

 private:
  int vertices_ = 100, sides_ = 32;
  Solids round_ = Solids::kNone;
  std::optional<double> tolerance_;
};

/// `facets: {tolerance: T}` [m], or `facets: {vertices: V, sides: S}`, either or both; `round: true` beside them or
/// alone. @throws LoadError.
Facets readFacets(const Value& map);

/// The count of a shape of a scene: its field `count_name`, `tolerance` [m], or what Facets has by itself.
int readCount(const Value& shape, const char* count_name, int least, long (Facets::*count)(double) const,
              double radius);

}  // namespace rigor::scenes
