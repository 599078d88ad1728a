// SPDX-License-Identifier: MIT
#include "tests/geom/exact_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace rigor::geom::oracle {
namespace {

using Integer = mpz_class;
using IntegerVector = std::array<Integer, 3>;

IntegerVector operator-(const IntegerVector& u, const IntegerVector& v) {
  return {Integer(u[0] - v[0]), Integer(u[1] - v[1]), Integer(u[2] - v[2])};
}
Integer dot(const IntegerVector& u, const IntegerVector& v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; }
IntegerVector cross(const IntegerVector& u, const IntegerVector& v) {
  return {Integer(u[1] * v[2] - u[2] * v[1]), Integer(u[2] * v[0] - u[0] * v[2]), Integer(u[0] * v[1] - u[1] * v[0])};
}
IntegerVector scaled(const IntegerVector& u, const Integer& s) {
  return {Integer(u[0] * s), Integer(u[1] * s), Integer(u[2] * s)};
}
bool isZero(const IntegerVector& u) { return sgn(u[0]) == 0 && sgn(u[1]) == 0 && sgn(u[2]) == 0; }

/// A double is m 2^e with |m| < 2^53. kNoExponent for 0.
constexpr int kNoExponent = std::numeric_limits<int>::max();
int lowExponent(double value) {
  if (!std::isfinite(value)) throw std::invalid_argument("exact distance: a value is not finite");
  if (value == 0) return kNoExponent;
  int exponent;
  std::frexp(value, &exponent);
  return exponent - 53;
}
Integer integerAt(double value, int exponent) {
  if (value == 0) return 0;
  int e;
  const double fraction = std::frexp(value, &e);
  Integer m(std::ldexp(fraction, 53));
  const int shift = e - 53 - exponent;
  Integer result;
  mpz_mul_2exp(result.get_mpz_t(), m.get_mpz_t(), static_cast<unsigned long>(shift));  // shift >= 0 by choice.
  return result;
}

/// Both sets in the world on one integer grid: p_WV = integer * 2^exponent / denominator.
struct Grid {
  std::vector<IntegerVector> a, b;
  Integer denominator;
  int exponent = 0;

  mpq_class toWorld(const Integer& value, const Integer& divisor) const {
    mpq_class q(value, divisor * denominator);
    q.canonicalize();
    mpq_class result;
    if (exponent >= 0) mpq_mul_2exp(result.get_mpq_t(), q.get_mpq_t(), static_cast<unsigned long>(exponent));
    else mpq_div_2exp(result.get_mpq_t(), q.get_mpq_t(), static_cast<unsigned long>(-exponent));
    return result;
  }
};

/// M(Q) and Q.Q of the quaternion as integers: both have degree 2 in q, so a common factor of q cancels.
void integerRotation(const Pose& X, std::array<IntegerVector, 3>& M, Integer& D) {
  int low = kNoExponent;
  for (int i = 0; i < 4; ++i) low = std::min(low, lowExponent(X.q[i]));
  if (low == kNoExponent) throw std::invalid_argument("exact distance: the quaternion is zero");
  const Integer w = integerAt(X.q[0], low), x = integerAt(X.q[1], low), y = integerAt(X.q[2], low),
                z = integerAt(X.q[3], low);
  M[0] = {Integer(w * w + x * x - y * y - z * z), Integer(2 * (x * y - w * z)), Integer(2 * (x * z + w * y))};
  M[1] = {Integer(2 * (x * y + w * z)), Integer(w * w - x * x + y * y - z * z), Integer(2 * (y * z - w * x))};
  M[2] = {Integer(2 * (x * z - w * y)), Integer(2 * (y * z + w * x)), Integer(w * w - x * x - y * y + z * z)};
  D = w * w + x * x + y * y + z * z;
}

Grid makeGrid(std::span<const Eigen::Vector3d> a, const Pose& X_WA, std::span<const Eigen::Vector3d> b,
              const Pose& X_WB) {
  if (a.empty() || b.empty()) throw std::invalid_argument("exact distance: a set has no points");
  Grid grid;
  int low = kNoExponent;
  for (const auto& set : {a, b})
    for (const auto& v : set)
      for (int i = 0; i < 3; ++i) low = std::min(low, lowExponent(v[i]));
  for (int i = 0; i < 3; ++i) low = std::min({low, lowExponent(X_WA.p[i]), lowExponent(X_WB.p[i])});
  grid.exponent = low == kNoExponent ? 0 : low;
  std::array<IntegerVector, 3> M_A, M_B;
  Integer D_A, D_B;
  integerRotation(X_WA, M_A, D_A);
  integerRotation(X_WB, M_B, D_B);
  // p_WV = (D p + M v) / D; both sets over the common denominator D_A D_B.
  const auto place = [&](std::span<const Eigen::Vector3d> set, const Pose& X, const std::array<IntegerVector, 3>& M,
                         const Integer& D, const Integer& D_other, std::vector<IntegerVector>& out) {
    IntegerVector origin;
    for (int i = 0; i < 3; ++i) origin[i] = integerAt(X.p[i], grid.exponent) * D;
    out.reserve(set.size());
    for (const auto& v : set) {
      const IntegerVector local{integerAt(v[0], grid.exponent), integerAt(v[1], grid.exponent),
                                integerAt(v[2], grid.exponent)};
      IntegerVector world;
      for (int i = 0; i < 3; ++i) world[i] = (origin[i] + dot(M[i], local)) * D_other;
      out.push_back(std::move(world));
    }
  };
  place(a, X_WA, M_A, D_A, D_B, grid.a);
  place(b, X_WB, M_B, D_B, D_A, grid.b);
  grid.denominator = D_A * D_B;
  return grid;
}

/// Doubles of integers that may exceed the range of double: value = result * 2^shift, one shift for all.
double scaledDouble(const Integer& value, long shift) {
  long exponent;
  const double fraction = mpz_get_d_2exp(&exponent, value.get_mpz_t());
  return std::ldexp(fraction, static_cast<int>(std::max(exponent - shift, -2000l)));
}
long bits(const IntegerVector& v) {
  size_t n = 0;
  for (const auto& x : v) n = std::max(n, sgn(x) == 0 ? size_t{0} : mpz_sizeinbase(x.get_mpz_t(), 2));
  return static_cast<long>(n);
}
Eigen::Vector3d scaledDouble(const IntegerVector& v, long shift) {
  return {scaledDouble(v[0], shift), scaledDouble(v[1], shift), scaledDouble(v[2], shift)};
}

/// A vertex of the Minkowski difference A - B.
struct Difference {
  int a, b;
  IntegerVector w;
};

/// Minimum-norm point of a simplex: `keep` its vertices, `weight` their barycentric coordinates up to a common positive
/// factor (all > 0), `direction` the point up to a positive factor (zero iff the origin is in the simplex), and
/// norm_sq_num / norm_sq_den its squared length.
struct SimplexMinimum {
  std::vector<Difference> keep;
  std::vector<Integer> weight;
  IntegerVector direction;
  Integer norm_sq_num, norm_sq_den;
};

/// Tries one sub-simplex: true if its affine minimum lies in its relative interior.
bool affineMinimum(const std::vector<Difference>& s, SimplexMinimum& m) {
  m.keep = s;
  switch (s.size()) {
    case 1:
      m.weight = {1};
      m.direction = s[0].w;
      m.norm_sq_num = dot(s[0].w, s[0].w);
      m.norm_sq_den = 1;
      return true;
    case 2: {
      const IntegerVector d = s[1].w - s[0].w;
      const Integer dd = dot(d, d), w0_d = dot(s[0].w, d), w1_d = dot(s[1].w, d);
      if (sgn(w1_d) <= 0 || sgn(w0_d) >= 0) return false;
      m.weight = {w1_d, Integer(-w0_d)};
      m.direction = scaled(s[0].w, dd) - scaled(d, w0_d);
      const IntegerVector moment = cross(s[0].w, d);
      m.norm_sq_num = dot(moment, moment);
      m.norm_sq_den = dd;
      return true;
    }
    case 3: {
      const IntegerVector n = cross(s[1].w - s[0].w, s[2].w - s[0].w);
      if (isZero(n)) return false;
      m.weight = {dot(cross(s[1].w, s[2].w), n), dot(cross(s[2].w, s[0].w), n), dot(cross(s[0].w, s[1].w), n)};
      for (const auto& weight : m.weight)
        if (sgn(weight) <= 0) return false;
      const Integer offset = dot(n, s[0].w);
      m.direction = scaled(n, Integer(sgn(offset)));
      m.norm_sq_num = offset * offset;
      m.norm_sq_den = dot(n, n);
      return true;
    }
    default: {
      const IntegerVector bc = cross(s[1].w, s[2].w), da = cross(s[3].w, s[0].w);
      m.weight = {dot(bc, s[3].w), Integer(-dot(s[2].w, da)), dot(s[1].w, da), Integer(-dot(bc, s[0].w))};
      // Signed volumes of the origin with each facet; they share one sign iff the origin is strictly inside.
      const int sign = sgn(m.weight[0]);
      if (sign == 0) return false;
      for (auto& weight : m.weight) {
        if (sgn(weight) != sign) return false;
        weight *= sign;
      }
      m.direction = {0, 0, 0};
      m.norm_sq_num = 0;
      m.norm_sq_den = 1;
      return true;
    }
  }
}

/// The minimum over a simplex of at most 4 points, by trying every subset against its optimality condition.
SimplexMinimum simplexMinimum(const std::vector<Difference>& simplex) {
  const unsigned count = static_cast<unsigned>(simplex.size());
  for (unsigned size = 1; size <= count; ++size)
    for (unsigned mask = 1; mask < (1u << count); ++mask) {
      if (static_cast<unsigned>(__builtin_popcount(mask)) != size) continue;
      std::vector<Difference> subset;
      for (unsigned i = 0; i < count; ++i)
        if (mask >> i & 1) subset.push_back(simplex[i]);
      SimplexMinimum m;
      if (!affineMinimum(subset, m)) continue;
      const Integer level = dot(m.direction, subset[0].w);
      bool optimal = true;
      for (const auto& other : simplex) optimal = optimal && dot(m.direction, other.w) >= level;
      if (optimal) return m;
    }
  throw std::logic_error("exact distance: a simplex has no minimum");  // Contradicts Caratheodory's theorem.
}

mpf_class rootOf(const mpq_class& value) {
  mpf_class root(0, kRootBits), v(0, kRootBits);
  mpf_set_q(v.get_mpf_t(), value.get_mpq_t());
  mpf_sqrt(root.get_mpf_t(), v.get_mpf_t());
  return root;
}

/// Doubles of the grid, centred on the first vertex of A, for proposals only; every decision is exact.
struct Approximation {
  std::vector<Eigen::Vector3d> a, b;
  double size = 0;  ///< Largest coordinate; the doubles' error is below 2^-52 of it.
  long shift = 0;   ///< Grid units are doubles times 2^shift.

  explicit Approximation(const Grid& grid) {
    for (const auto& v : grid.a) shift = std::max(shift, bits(v - grid.a[0]));
    for (const auto& v : grid.b) shift = std::max(shift, bits(v - grid.a[0]));
    for (const auto& v : grid.a) a.push_back(scaledDouble(v - grid.a[0], shift));
    for (const auto& v : grid.b) b.push_back(scaledDouble(v - grid.a[0], shift));
    for (const auto* set : {&a, &b})
      for (const auto& v : *set) size = std::max(size, v.cwiseAbs().maxCoeff());
  }
};

int supportIndex(const std::vector<Eigen::Vector3d>& points, const Eigen::Vector3d& n) {
  int best = 0;
  for (int i = 1; i < static_cast<int>(points.size()); ++i)
    if (n.dot(points[i]) > n.dot(points[best])) best = i;
  return best;
}
int supportIndex(const std::vector<IntegerVector>& points, const IntegerVector& n, Integer& level) {
  int best = 0;
  level = dot(n, points[0]);
  for (int i = 1; i < static_cast<int>(points.size()); ++i)
    if (Integer l = dot(n, points[i]); l > level) {
      level = l;
      best = i;
    }
  return best;
}

}  // namespace

mpf_class ExactSeparation::distance() const { return rootOf(distance_sq); }

ExactSeparation exactSeparation(std::span<const Eigen::Vector3d> a, const Pose& X_WA,
                                std::span<const Eigen::Vector3d> b, const Pose& X_WB) {
  const Grid grid = makeGrid(a, X_WA, b, X_WB);
  const Approximation approximation(grid);
  const auto difference = [&](int i, int j) { return Difference{i, j, grid.a[i] - grid.b[j]}; };

  std::vector<Difference> simplex{difference(0, 0)};
  SimplexMinimum minimum = simplexMinimum(simplex);
  while (!isZero(minimum.direction)) {
    const IntegerVector& n = minimum.direction;
    const IntegerVector minus_n = scaled(n, -1);
    const Integer level = dot(n, minimum.keep[0].w);
    const Eigen::Vector3d n_double = scaledDouble(n, bits(n));
    Difference next = difference(supportIndex(approximation.a, -n_double), supportIndex(approximation.b, n_double));
    if (dot(n, next.w) >= level) {
      // Doubles see no descent: look again at every vertex, exactly.
      Integer level_a, level_b;
      const int i = supportIndex(grid.a, minus_n, level_a), j = supportIndex(grid.b, n, level_b);
      if (-level_a - level_b >= level) break;  // Optimal: n.a - n.b >= n.z for all a and b.
      next = difference(i, j);
    }
    simplex = minimum.keep;
    simplex.push_back(std::move(next));
    minimum = simplexMinimum(simplex);
  }

  ExactSeparation result;
  result.disjoint = !isZero(minimum.direction);
  Integer total = 0;
  IntegerVector sum_a{0, 0, 0}, sum_b{0, 0, 0};
  for (size_t k = 0; k < minimum.keep.size(); ++k) {
    total += minimum.weight[k];
    for (int i = 0; i < 3; ++i) {
      sum_a[i] += minimum.weight[k] * grid.a[minimum.keep[k].a][i];
      sum_b[i] += minimum.weight[k] * grid.b[minimum.keep[k].b][i];
    }
  }
  for (int i = 0; i < 3; ++i) {
    result.point_a[i] = grid.toWorld(sum_a[i], total);
    result.point_b[i] = grid.toWorld(sum_b[i], total);
    result.direction[i] = mpq_class(minimum.direction[i]);
  }
  const mpq_class unit = grid.toWorld(1, 1);
  mpq_class norm_sq(minimum.norm_sq_num, minimum.norm_sq_den);
  norm_sq.canonicalize();
  result.distance_sq = norm_sq * unit * unit;
  return result;
}

mpf_class exactDepth(std::span<const Eigen::Vector3d> a, const Pose& X_WA, std::span<const Eigen::Vector3d> b,
                     const Pose& X_WB) {
  const Grid grid = makeGrid(a, X_WA, b, X_WB);
  const Approximation approximation(grid);
  bool have_bound = false;
  mpq_class best_sq;       // Of the exact values so far, in grid units.
  double bound = 0;        // Its root, in the units of the approximation.
  const auto tryDirection = [&](const IntegerVector& d, const IntegerVector& e) {
    const IntegerVector n = cross(d, e);
    if (isZero(n)) return;
    const Eigen::Vector3d n_double = scaledDouble(n, bits(n)).normalized();
    for (int sign : {1, -1}) {
      const Eigen::Vector3d m = sign * n_double;
      const double approximate = m.dot(approximation.a[supportIndex(approximation.a, m)]) -
                                 m.dot(approximation.b[supportIndex(approximation.b, -m)]);
      // n was rounded once from its exact value, so `approximate` errs by less than 1e-14 size.
      if (have_bound && approximate > bound + 1e-6 * approximation.size) continue;
      const IntegerVector n_exact = scaled(n, sign);
      Integer level_a, level_b;
      supportIndex(grid.a, n_exact, level_a);
      supportIndex(grid.b, scaled(n_exact, -1), level_b);
      Integer width = level_a + level_b;
      if (sgn(width) < 0) throw std::invalid_argument("exact depth: the hulls are disjoint");
      mpq_class value_sq(width * width, dot(n, n));
      value_sq.canonicalize();
      if (!have_bound || value_sq < best_sq) {
        best_sq = value_sq;
        have_bound = true;
        bound = std::max(approximate, 0.0);
      }
    }
  };
  const auto edges = [](const std::vector<IntegerVector>& points) {
    std::vector<IntegerVector> result;
    for (size_t i = 0; i < points.size(); ++i)
      for (size_t j = i + 1; j < points.size(); ++j) result.push_back(points[j] - points[i]);
    return result;
  };
  const auto edges_a = edges(grid.a), edges_b = edges(grid.b);
  for (const auto* points : {&grid.a, &grid.b})
    for (size_t i = 0; i < points->size(); ++i)
      for (size_t j = i + 1; j < points->size(); ++j)
        for (size_t k = j + 1; k < points->size(); ++k)
          tryDirection((*points)[j] - (*points)[i], (*points)[k] - (*points)[i]);
  for (const auto& e : edges_a)
    for (const auto& f : edges_b) tryDirection(e, f);
  const mpq_class unit = grid.toWorld(1, 1);
  // No direction at all: both sets lie on one line (or are points), and a sideways move of no length separates them.
  return have_bound ? rootOf(best_sq * unit * unit) : mpf_class(0, kRootBits);
}

ExactVector exactPoint(const Eigen::Vector3d& local, const Pose& X_WB) {
  const std::array<Eigen::Vector3d, 1> points{local};
  const Grid grid = makeGrid(points, X_WB, points, X_WB);
  return {grid.toWorld(grid.a[0][0], 1), grid.toWorld(grid.a[0][1], 1), grid.toWorld(grid.a[0][2], 1)};
}

mpf_class exactSupportGap(std::span<const Eigen::Vector3d> a, const Pose& X_WA, std::span<const Eigen::Vector3d> b,
                          const Pose& X_WB, const Eigen::Vector3d& n) {
  const Grid grid = makeGrid(a, X_WA, b, X_WB);
  int low = kNoExponent;
  for (int i = 0; i < 3; ++i) low = std::min(low, lowExponent(n[i]));
  if (low == kNoExponent) throw std::invalid_argument("exact support gap: the direction is zero");
  const IntegerVector direction{integerAt(n[0], low), integerAt(n[1], low), integerAt(n[2], low)};
  Integer level_a, level_b;
  supportIndex(grid.a, scaled(direction, -1), level_a);
  supportIndex(grid.b, direction, level_b);
  const mpq_class gap = grid.toWorld(-level_a - level_b, 1);
  mpf_class result(0, kRootBits), length = rootOf(mpq_class(dot(direction, direction)));
  mpf_set_q(result.get_mpf_t(), gap.get_mpq_t());
  return mpf_class(result / length, kRootBits);
}

}  // namespace rigor::geom::oracle
