// SPDX-License-Identifier: MIT
#include "impact/sets/exact_cone.h"

#include <algorithm>

namespace rigor::impact {
namespace {

// A prime below 2^31: ranks modulo it are lower bounds of ranks.
constexpr std::uint64_t kPrime = 2147483629;

std::uint64_t inverseModulo(std::uint64_t a) {
  std::uint64_t result = 1;
  for (std::uint64_t e = kPrime - 2; e > 0; e >>= 1) {
    if (e & 1) result = result * a % kPrime;
    a = a * a % kPrime;
  }
  return result;
}

int rankModulo(const std::vector<ExactVector>& vectors, int dimension) {
  const auto d = static_cast<size_t>(dimension);
  std::vector<std::vector<std::uint64_t>> echelon(d);
  int rank = 0;
  std::vector<std::uint64_t> v(d);
  for (const ExactVector& vector : vectors) {
    if (rank == dimension) break;
    for (size_t i = 0; i < d; ++i) v[i] = mpz_fdiv_ui(vector[static_cast<int>(i)].get_mpz_t(), kPrime);
    for (size_t p = 0; p < d; ++p) {
      if (v[p] == 0) continue;
      if (echelon[p].empty()) {
        const std::uint64_t scale = inverseModulo(v[p]);
        for (size_t i = p; i < d; ++i) v[i] = v[i] * scale % kPrime;
        echelon[p] = v;
        ++rank;
        break;
      }
      const std::uint64_t factor = kPrime - v[p];
      for (size_t i = p; i < d; ++i) v[i] = (v[i] + factor * echelon[p][i]) % kPrime;
    }
  }
  return rank;
}

using Incidence = ExactCone::Incidence;

/// Of a product with an entry of each.
std::int64_t effortOf(const std::vector<ExactVector>& vectors) {
  std::int64_t sum = 0;
  for (const ExactVector& x : vectors) sum += x.effort();
  return sum;
}

void requireRoom(size_t entries) {
  if (entries > ExactCone::kMostEntries) throw ExactLimit("the limit of rays or half-spaces of one polytope");
}

}  // namespace

ExactCone ExactCone::whole(int dimension, ExactBudget* budget) {
  ExactCone cone;
  cone.dimension_ = dimension;
  cone.budget_ = budget;
  for (int axis = 0; axis < dimension; ++axis) cone.lines_.push_back(ExactVector::unit(dimension, axis));
  return cone;
}

/// The cone {y : x.y >= 0 for all x} has as constraints what this one has as generators, and the reverse.
ExactCone ExactCone::polar() const {
  ExactCone other;
  other.dimension_ = dimension_;
  other.budget_ = budget_;
  other.rays_ = halfspaces_;
  other.lines_ = equalities_;
  other.halfspaces_ = rays_;
  other.equalities_ = lines_;
  other.on_.assign(halfspaces_.size(), {});
  for (size_t r = 0; r < rays_.size(); ++r) {
    for (size_t h = 0; h < halfspaces_.size(); ++h) {
      if (on_[r][h]) other.on_[h].set(r);
    }
  }
  other.updateRank();
  return other;
}

ExactCone ExactCone::ofGenerators(int dimension, const std::vector<ExactVector>& generators, ExactBudget* budget) {
  ExactCone polar = whole(dimension, budget);
  for (const ExactVector& generator : generators) polar.intersect(generator, false);
  polar.minimise();
  return polar.polar();
}

ExactCone ExactCone::joined(const std::vector<ExactVector>& generators) const {
  ExactCone other = polar();
  for (const ExactVector& generator : generators) other.intersect(generator, false);
  other.minimise();
  return other.polar();
}

void ExactCone::updateRank() {
  std::vector<ExactVector> all = lines_;
  all.insert(all.end(), rays_.begin(), rays_.end());
  rank_ = rankModulo(all, dimension_) - static_cast<int>(lines_.size());
}

bool ExactCone::cutLines(const ExactVector& a, bool equality) {
  size_t pivot = 0;
  while (pivot < lines_.size() && a.signOfDot(lines_[pivot]) == 0) ++pivot;
  if (pivot == lines_.size()) return false;
  ExactVector line = lines_[pivot];
  lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(pivot));
  mpz_class along = a.dot(line);
  if (sgn(along) < 0) {
    line = line.negated();
    along = -along;
  }
  // What remains is moved along the line into a.x = 0.
  for (std::vector<ExactVector>* list : {&lines_, &rays_}) {
    for (ExactVector& x : *list) {
      const mpz_class height = a.dot(x);
      if (sgn(height) != 0) x = ExactVector::combine(along, x, -height, line);
    }
  }
  budget_->spend((effortOf(lines_) + effortOf(rays_) + 1) * dimension_);
  if (equality) {
    equalities_.push_back(a);
  } else {
    const size_t index = halfspaces_.size();
    requireRoom(index + 1);
    halfspaces_.push_back(a);
    for (Incidence& on : on_) on.set(index);
    Incidence on;
    for (size_t h = 0; h < index; ++h) on.set(h);
    rays_.push_back(line);
    on_.push_back(on);
  }
  updateRank();
  return true;
}

bool ExactCone::areAdjacent(size_t i, size_t j) const {
  const Incidence common = on_[i] & on_[j];
  if (static_cast<int>(common.count()) + 2 < rank_) return false;
  for (size_t k = 0; k < rays_.size(); ++k) {
    if (k != i && k != j && (on_[k] & common) == common) return false;
  }
  return true;
}

void ExactCone::intersect(const ExactVector& a, bool equality) {
  if (cutLines(a, equality)) return;
  budget_->spend((effortOf(rays_) + 1) * dimension_);
  std::vector<size_t> above, below;
  std::vector<int> sign(rays_.size());
  for (size_t r = 0; r < rays_.size(); ++r) {
    sign[r] = a.signOfDot(rays_[r]);
    if (sign[r] > 0) above.push_back(r);
    if (sign[r] < 0) below.push_back(r);
  }
  if (below.empty() && (!equality || above.empty())) return;  // Nothing is cut.
  std::vector<mpz_class> height(rays_.size());
  for (size_t r = 0; r < rays_.size(); ++r) {
    if (sign[r] != 0) height[r] = a.dot(rays_[r]);
  }
  const size_t index = halfspaces_.size();
  if (!equality) requireRoom(index + 1);
  std::vector<ExactVector> rays;
  std::vector<Incidence> on;
  for (size_t r = 0; r < rays_.size(); ++r) {
    if (sign[r] < 0 || (equality && sign[r] > 0)) continue;
    rays.push_back(rays_[r]);
    on.push_back(on_[r]);
    if (sign[r] == 0 && !equality) on.back().set(index);
  }
  for (size_t i : above) {
    budget_->spend(static_cast<std::int64_t>(below.size() * (rays_.size() / 8 + 1)));
    for (size_t j : below) {
      if (!areAdjacent(i, j)) continue;
      rays.push_back(ExactVector::combine(height[i], rays_[j], -height[j], rays_[i]));
      on.push_back(on_[i] & on_[j]);
      if (!equality) on.back().set(index);
      budget_->spend(rays.back().effort() * dimension_);
    }
  }
  rays_ = std::move(rays);
  on_ = std::move(on);
  requireRoom(rays_.size());
  (equality ? equalities_ : halfspaces_).push_back(a);
  updateRank();
}

void ExactCone::minimise() {
  const size_t count = halfspaces_.size();
  std::vector<Incidence> touched(count);  // of each half-space: the rays on its boundary
  for (size_t r = 0; r < rays_.size(); ++r) {
    for (size_t h = 0; h < count; ++h) {
      if (on_[r][h]) touched[h].set(r);
    }
  }
  std::vector<size_t> kept;
  for (size_t h = 0; h < count; ++h) {
    if (touched[h].count() == rays_.size()) {
      equalities_.push_back(halfspaces_[h]);
      continue;
    }
    bool needed = true;
    for (size_t other = 0; other < count && needed; ++other) {
      if (other == h || (touched[h] & touched[other]) != touched[h] || touched[other].count() == rays_.size()) continue;
      needed = touched[h] == touched[other] && h < other;  // Of equal ones the first.
    }
    if (needed) kept.push_back(h);
  }
  std::vector<ExactVector> halfspaces;
  for (size_t h : kept) halfspaces.push_back(halfspaces_[h]);
  for (Incidence& on : on_) {
    Incidence fewer;
    for (size_t k = 0; k < kept.size(); ++k) fewer[k] = on[kept[k]];
    on = fewer;
  }
  halfspaces_ = std::move(halfspaces);
  std::vector<ExactVector> equalities;
  for (int k : independentOnes(equalities_)) equalities.push_back(equalities_[static_cast<size_t>(k)]);
  equalities_ = std::move(equalities);
}

bool ExactCone::contains(const ExactVector& x) const {
  return std::all_of(equalities_.begin(), equalities_.end(),
                     [&](const ExactVector& a) { return a.signOfDot(x) == 0; }) &&
         std::all_of(halfspaces_.begin(), halfspaces_.end(), [&](const ExactVector& a) { return a.signOfDot(x) >= 0; });
}

bool ExactCone::contains(const ExactCone& other) const {
  budget_->spend(effortOf(other.rays_) * dimension_);
  return std::all_of(other.rays_.begin(), other.rays_.end(), [&](const ExactVector& x) { return contains(x); }) &&
         std::all_of(other.lines_.begin(), other.lines_.end(),
                     [&](const ExactVector& x) { return contains(x) && contains(x.negated()); });
}

namespace {

struct Beyond {
  const ExactVector* point = nullptr;
  std::vector<const ExactVector*> broken;  // half-spaces
};

/// Rays of a cone outside another one of the same span.
std::vector<Beyond> beyond(const ExactCone& of, const ExactCone& other) {
  std::vector<Beyond> out;
  for (const ExactVector& x : of.rays()) {
    Beyond point{&x, {}};
    for (const ExactVector& half : other.halfspaces()) {
      if (half.signOfDot(x) < 0) point.broken.push_back(&half);
    }
    if (!point.broken.empty()) out.push_back(std::move(point));
  }
  return out;
}

}  // namespace

bool joinIfConvex(const ExactCone& a, const ExactCone& b, ExactBudget* budget, ExactCone& hull) {
  if (a.dimension() != b.dimension()) return false;
  // A convex union of two sets of one dimension lies in one affine space.
  for (const ExactVector& x : b.rays()) {
    for (const ExactVector& equality : a.equalities()) {
      if (equality.signOfDot(x) != 0) return false;
    }
  }
  // A point between one of a outside b and one of b outside a must lie in one of them.
  const std::vector<Beyond> only_a = beyond(a, b), only_b = beyond(b, a);
  const auto within = [](const Beyond& point, const ExactVector& x) {
    return std::all_of(point.broken.begin(), point.broken.end(),
                       [&](const ExactVector* half) { return half->signOfDot(x) >= 0; });
  };
  for (const Beyond& x : only_a) {
    for (const Beyond& y : only_b) {
      const ExactVector middle = ExactVector::between(*x.point, *y.point);
      budget->spend(static_cast<std::int64_t>(x.broken.size() + y.broken.size()) * middle.effort() * a.ambient());
      if (!within(x, middle) && !within(y, middle)) return false;
    }
  }
  std::vector<ExactVector> further;
  for (const Beyond& y : only_b) further.push_back(*y.point);
  hull = a.joined(further);
  // The hull is the union if what of it lies outside a half-space of a lies in b.
  for (const ExactVector& half : a.halfspaces()) {
    const bool cuts = std::any_of(hull.rays().begin(), hull.rays().end(),
                                  [&](const ExactVector& x) { return half.signOfDot(x) < 0; });
    if (!cuts) continue;
    ExactCone outside = hull;
    outside.intersect(half.negated(), false);
    if (!b.contains(outside)) return false;
  }
  return true;
}

}  // namespace rigor::impact
