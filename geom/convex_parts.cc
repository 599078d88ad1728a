// SPDX-License-Identifier: MIT
#include "geom/convex_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "elementary/require.h"
#include "geom/cut_candidates.h"
#include "geom/solid_piece.h"
#include "geom/sticking_out.h"

namespace rigor::geom {

using Eigen::Vector3d;

namespace {

/// Parts are not joined where their hull is empty of both in a larger share: it hardly ever passes.
constexpr double kMostAdded = 0.5;
constexpr int kProbesOfJoin = 64;

/// A hull, and of one that is to be cut the piece that it is the hull of.
struct Part {
  Polytope hull;
  double error, volume;
  Vector3d low, high;
  SolidPiece piece;
  bool can_be_cut = true;

  Part(Polytope polytope, double sticks_out, SolidPiece of)
      : hull(std::move(polytope)),
        error(sticks_out),
        volume(volumeOf(hull)),
        low(hull.vertices().rowwise().minCoeff()),
        high(hull.vertices().rowwise().maxCoeff()),
        piece(std::move(of)) {}
};

/// Two parts, and the hull of both.
struct Join {
  double added;  ///< What of the hull is in neither.
  size_t i, j;
  Polytope hull;

  bool operator<(const Join& other) const { return std::tie(added, i, j) < std::tie(other.added, other.i, other.j); }
};

class Decomposition {
 public:
  Decomposition(const TriangleSolid& solid, double error, size_t most, const std::function<void(int parts)>& progress)
      : solid_(solid),
        error_(error),
        allowed_(error + kCutRounding * solid.size()),
        most_(most),
        progress_(progress) {}

  ConvexParts run() {
    SolidPiece whole = wholeSolid(solid_);
    Polytope hull = Polytope::fromPoints(whole.corners());
    const double out = stickingOut(hull, solid_, error_, infinity).most;
    parts_.emplace_back(std::move(hull), out, std::move(whole));
    for (bool cut = true; cut;) {
      cut = false;
      while (parts_.size() < most_ && cutWorst()) cut = true, tell(parts_.size());
      joinAll();
    }
    ConvexParts result;
    for (Part& part : parts_) {
      result.error = std::max(result.error, part.error);
      result.parts.push_back(std::move(part.hull));
    }
    return result;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  void tell(size_t parts) const {
    if (progress_) progress_(static_cast<int>(parts));
  }

  bool cutWorst() {
    size_t worst = parts_.size();
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].error <= allowed_ || !parts_[i].can_be_cut) continue;
      if (worst == parts_.size() || parts_[i].error > parts_[worst].error) worst = i;
    }
    if (worst == parts_.size()) return false;
    const SolidPiece& piece = parts_[worst].piece;
    std::optional<CutPlane> best;
    double least = infinity;
    const CutCosts costs(piece, solid_.size());
    for (const CutPlane& plane : cutCandidates(piece, solid_.size())) {
      const double cost = costs.of(plane);
      if (cost < least) least = cost, best = plane;
    }
    std::optional<Part> sides[2];
    for (int k = 0; best && k < 2; ++k) sides[k] = partOf(cutPiece(piece, solid_, *best, 2 * k - 1));
    if (!sides[0] || !sides[1]) {
      parts_[worst].can_be_cut = false;
      return true;
    }
    parts_[worst] = std::move(*sides[0]);
    parts_.push_back(std::move(*sides[1]));
    return true;
  }

  /// None where the hull fails.
  std::optional<Part> partOf(SolidPiece piece) const {
    try {
      Polytope hull = Polytope::fromPoints(piece.corners());
      const double out = stickingOut(hull, solid_, error_, infinity).most;
      if (out <= allowed_) piece = {};
      return Part(std::move(hull), out, std::move(piece));
    } catch (const GeometryError&) {
      return std::nullopt;
    }
  }

  /// Joins parts that are done, those first whose common hull adds least.
  void joinAll() {
    std::vector<std::optional<Part>> parts(std::make_move_iterator(parts_.begin()),
                                           std::make_move_iterator(parts_.end()));
    std::vector<Join> joins;
    const auto consider = [&](size_t i, size_t j) {
      if (!parts[i] || !parts[j] || !mayJoin(*parts[i], *parts[j]) || gapes(*parts[i], *parts[j])) return;
      std::optional<Polytope> hull = common(*parts[i], *parts[j]);
      if (!hull) return;
      const double volume = volumeOf(*hull), added = (volume - parts[i]->volume - parts[j]->volume) / volume;
      if (added < kMostAdded) joins.push_back({added, i, j, std::move(*hull)});
    };
    for (size_t j = 0; j < parts.size(); ++j)
      for (size_t i = 0; i < j; ++i) consider(i, j);
    while (!joins.empty()) {
      tell(parts.size());
      const auto least = std::min_element(joins.begin(), joins.end());
      Join next = std::move(*least);
      joins.erase(least);
      if (!parts[next.i] || !parts[next.j]) continue;
      const StickingOut out = stickingOut(next.hull, solid_, error_, error_);
      if (out.most > allowed_) continue;
      parts[next.i].reset(), parts[next.j].reset();
      parts.emplace_back(Part(std::move(next.hull), out.most, {}));
      for (size_t k = 0; k + 1 < parts.size(); ++k) consider(k, parts.size() - 1);
    }
    parts_.clear();
    for (std::optional<Part>& part : parts)
      if (part) parts_.push_back(std::move(*part));
  }

  bool mayJoin(const Part& a, const Part& b) const {
    const double slack = kCutRounding * solid_.size();
    return a.error <= allowed_ && b.error <= allowed_ && (a.low.array() <= b.high.array() + slack).all() &&
           (b.low.array() <= a.high.array() + slack).all();
  }

  /// Whether a point half way between the two is out of reach: then no hull of both does, and none is made.
  bool gapes(const Part& a, const Part& b) const {
    const int m = a.hull.numVertices(), n = b.hull.numVertices();
    for (int k = 0; k < kProbesOfJoin; ++k) {
      const int probe = k * std::max(m, n) / kProbesOfJoin;
      const Vector3d middle = 0.5 * (a.hull.vertex(probe % m) + b.hull.vertex((probe + n / 2) % n));
      if (solid_.surface().distance(middle) > allowed_ && !solid_.contains(middle)) return true;
    }
    return false;
  }

  static std::optional<Polytope> common(const Part& a, const Part& b) {
    std::vector<Vector3d> points;
    for (const Part* part : {&a, &b})
      for (int v = 0; v < part->hull.numVertices(); ++v) points.emplace_back(part->hull.vertex(v));
    try {
      return Polytope::fromPoints(points);
    } catch (const GeometryError&) {
      return std::nullopt;
    }
  }

  const TriangleSolid& solid_;
  double error_, allowed_;
  size_t most_;
  const std::function<void(int parts)>& progress_;
  std::vector<Part> parts_;
};

}  // namespace

ConvexParts convexParts(const TriangleSolid& solid, double error, int most,
                        const std::function<void(int parts)>& progress) {
  RIGOR_REQUIRE(!(error <= 0));
  return Decomposition(solid, error, static_cast<size_t>(most), progress).run();
}

}  // namespace rigor::geom
