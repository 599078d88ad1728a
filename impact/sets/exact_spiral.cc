// SPDX-License-Identifier: MIT
#include "impact/sets/exact_spiral.h"

#include <algorithm>
#include <cmath>

namespace rigor::impact {
namespace {

using Rationals = std::vector<mpq_class>;
using Doubles = std::vector<double>;

// Relative to the points: three that are not on a spiral in doubles are not looked at in rationals. Generous; what it
// leaves out is a spiral not found, no wrong one.
constexpr double kParallel = 1e-9;

/// The ratio of c - b to b - a; 0 where they are not parallel, or where it is not between 0 and 1.
mpq_class ratioOf(const Rationals& a, const Rationals& b, const Rationals& c) {
  mpq_class ratio = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (b[i] == a[i]) continue;
    ratio = (c[i] - b[i]) / (b[i] - a[i]);
    break;
  }
  if (ratio <= 0 || ratio >= 1) return 0;
  for (size_t i = 0; i < a.size(); ++i) if (c[i] - b[i] != ratio * (b[i] - a[i])) return 0;
  return ratio;
}

Doubles rounded(const ExactVector& x) {
  Doubles out;
  for (int i = 1; i < x.size(); ++i) out.push_back(mpq_class(x[i], x[0]).get_d());
  return out;
}

std::vector<Doubles> rounded(const std::vector<ExactVector>& points) {
  std::vector<Doubles> out;
  for (const ExactVector& x : points) out.push_back(rounded(x));
  return out;
}

/// What ratioOf() says, about: is it worth to be asked?
bool maybeTurns(const Doubles& a, const Doubles& b, const Doubles& c) {
  double along = 0, before = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    along += (c[i] - b[i]) * (b[i] - a[i]);
    before += (b[i] - a[i]) * (b[i] - a[i]);
    size = std::max({size, std::abs(a[i]), std::abs(b[i]), std::abs(c[i])});
  }
  if (!(along > 0 && along < before)) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::abs(c[i] - b[i] - along / before * (b[i] - a[i])) > kParallel * size) return false;
  }
  return true;
}

/// Vertices of a polytope that another one lacks.
std::vector<ExactVector> freshOf(const ExactCone& polytope, const ExactCone& before) {
  std::vector<ExactVector> fresh;
  for (const ExactVector& x : polytope.rays()) {
    if (std::find(before.rays().begin(), before.rays().end(), x) == before.rays().end()) fresh.push_back(x);
  }
  return fresh;
}

/// Does one turn lead from b to c?
bool leads(const ExactFaces& faces, const std::vector<ExactSpiral::Move>& turn, const ExactVector& b,
           const ExactVector& c) {
  std::vector<ExactVector> reached{b};
  for (const ExactSpiral::Move& move : turn) {
    if (move.plane >= 0)
      std::erase_if(reached, [&](const ExactVector& x) { return faces.plane(move.plane).signOfDot(x) != 0; });
    if (reached.empty()) return false;
    const ExactCone post = faces.post(reached, move.face);
    if (&move == &turn.back()) return post.contains(c);
    reached = post.rays();
  }
  return false;
}

}  // namespace

bool restsOn(const ExactFaces& faces, const std::vector<ExactSpiral::Move>& turn, const ExactVector& x) {
  return std::all_of(turn.begin(), turn.end(), [&](const ExactSpiral::Move& move) {
    const ExactFaces::Signs& signs = faces.signs(move.face);
    for (int plane = 0; plane < faces.numPlanes(); ++plane) {
      const int side = faces.plane(plane).signOfDot(x);
      if (side != 0 && side != signs[static_cast<size_t>(plane)]) return false;
    }
    return true;
  });
}

std::optional<ExactSpiral> findSpiral(const ExactFaces& faces, std::vector<ExactSpiral::Move> turn,
                                      const ExactCone& first, const ExactCone& second, const ExactCone& third) {
  ExactSpiral spiral;
  spiral.turn = std::move(turn);
  const auto tryThree = [&](const ExactVector& a, const ExactVector& b, const ExactVector& c) {
    const Rationals from = b.point(), to = c.point();
    const mpq_class ratio = ratioOf(a.point(), from, to);
    if (sgn(ratio) == 0) return;
    Rationals limit{1};
    for (size_t i = 0; i < from.size(); ++i) limit.push_back(from[i] + (to[i] - from[i]) / (1 - ratio));
    const ExactVector x = ExactVector::ofRationals(limit);
    const bool known = !spiral.turning.empty();
    if (known && (ratio != spiral.ratio || !(x == spiral.limit))) return;
    if (!known && (third.contains(x) || !restsOn(faces, spiral.turn, x))) return;
    if (!third.contains(b) || !leads(faces, spiral.turn, b, c)) return;
    spiral.ratio = ratio;
    spiral.limit = x;
    spiral.turning.push_back(b);
  };
  const std::vector<ExactVector> before = freshOf(second, first), now = freshOf(third, second);
  const std::vector<Doubles> a = rounded(first.rays()), b = rounded(before), c = rounded(now);
  for (size_t j = 0; j < b.size(); ++j) {
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t k = 0; k < c.size(); ++k) {
        if (maybeTurns(a[i], b[j], c[k])) tryThree(first.rays()[i], before[j], now[k]);
      }
    }
  }
  if (spiral.turning.empty()) return std::nullopt;
  for (const ExactVector& x : third.rays()) if (restsOn(faces, spiral.turn, x)) spiral.resting.push_back(x);
  return spiral;
}

}  // namespace rigor::impact
