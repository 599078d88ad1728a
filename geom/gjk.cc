// SPDX-License-Identifier: MIT
#include "geom/gjk.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "geom/penetration.h"
#include "geom/vclip.h"

namespace rigor::geom {
namespace {

using Eigen::Matrix3Xd;
using Eigen::Vector3d;

constexpr int kMaxIterations = 1000;
constexpr int kFewVertices = 32;  // Scanned faster than climbed.

/// Minimal vectors over any real: Eigen has no traits for binary128.
template <class Real>
struct Vec {
  Real x, y, z;
  friend Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec operator*(Real s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend Real dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Vec cross(const Vec& a, const Vec& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
};

template <class Real>
struct Traits;
template <>
struct Traits<double> {
  static constexpr double kConverged = 4e-16, kTouching = 4e-15;
};
template <>
struct Traits<WideReal> {
  static constexpr double kConverged = 1e-18, kTouching = 1e-16;
};

/// A vertex array and its pose relative to A's origin, axes of the world.
template <class Real>
struct Placed {
  const Matrix3Xd& local;
  std::array<Vec<Real>, 3> row;  // Rotation.
  Vec<Real> origin;
  double size = 0;    // Largest |R v| + |origin| [m].
  Vector3d mean;
  const Polytope* solid;
  mutable int last = 0;  // Where climbing starts.

  Placed(const GjkPoints& set, const Pose& X, const Vector3d& reference) 
      : local(set.points), mean(set.mean), solid(set.solid) {
    const Real w = X.q[0], x = X.q[1], y = X.q[2], z = X.q[3];
    const Real s = 1 / (w * w + x * x + y * y + z * z);
    row[0] = s * Vec<Real>{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)};
    row[1] = s * Vec<Real>{2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)};
    row[2] = s * Vec<Real>{2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z};
    origin = {Real(X.p[0]) - Real(reference[0]), Real(X.p[1]) - Real(reference[1]), Real(X.p[2]) - Real(reference[2])};
    size = set.reach + toDouble(origin).stableNorm();
  }

  static Vector3d toDouble(const Vec<Real>& v) { return {double(v.x), double(v.y), double(v.z)}; }

  Vec<Real> place(const Vector3d& p) const {
    const Vec<Real> v{p[0], p[1], p[2]};
    return origin + Vec<Real>{dot(row[0], v), dot(row[1], v), dot(row[2], v)};
  }
  Vec<Real> at(int v) const { return place(local.col(v)); }

  /// Vertex farthest along d: a scan in double, ties within its rounding settled in Real. Not `certain`: by climbing,
  /// where that is faster.
  int support(const Vec<Real>& d, bool certain) const {
    const Vec<Real> e = d.x * row[0] + d.y * row[1] + d.z * row[2];
    // Scaled so that the conversion to double keeps the direction whatever its length.
    const Real largest = std::max({e.x < 0 ? -e.x : e.x, e.y < 0 ? -e.y : e.y, e.z < 0 ? -e.z : e.z});
    if (!(largest > 0)) return 0;
    const Real s = 1 / largest;
    const Vector3d n = toDouble(s * e);
    if (!certain && solid) return last = climb(*solid, n, last);
    int best = 0;
    double height = -std::numeric_limits<double>::infinity(), reach = 0;
    for (int v = 0; v < local.cols(); ++v) {
      const double h = n.dot(local.col(v));
      reach = std::max(reach, std::abs(h));
      if (h > height) height = h, best = v;
    }
    if constexpr (!std::is_same_v<Real, double>) {
      const double band = 0x1p-48 * (reach + local.col(best).cwiseAbs().sum());
      Real top = exact(e, best);
      for (int v = 0; v < local.cols(); ++v) {
        if (v == best || !(n.dot(local.col(v)) >= height - band)) continue;
        const Real h = exact(e, v);
        if (h > top) top = h, best = v;
      }
    }
    return best;
  }

  Real exact(const Vec<Real>& e, int v) const { return e.x * local(0, v) + e.y * local(1, v) + e.z * local(2, v); }
};

template <class Real>
struct Simplex {
  int count = 0;
  std::array<int, 4> a, b;
  std::array<Vec<Real>, 4> pa, pb, w;  // w = pa - pb
  std::array<Real, 4> weight;

  bool holds(int va, int vb) const {
    for (int i = 0; i < count; ++i) {
      if (a[i] == va && b[i] == vb) return true;
    }
    return false;
  }

  void add(const Placed<Real>& A, int va, const Placed<Real>& B, int vb) {
    const int k = count++;
    a[k] = va, b[k] = vb;
    pa[k] = A.at(va), pb[k] = B.at(vb);
    w[k] = pa[k] - pb[k];
    weight[k] = 0;
  }

  /// Keeps the corners of `mask`, with the weights of the point found there.
  void keep(int mask, const std::array<Real, 4>& weights) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      if (!(mask >> i & 1)) continue;
      a[kept] = a[i], b[kept] = b[i];
      pa[kept] = pa[i], pb[kept] = pb[i], w[kept] = w[i];
      weight[kept] = weights[i];
      ++kept;
    }
    count = kept;
  }
};

/// Closest point to the origin of the relative interior of a face of the simplex; false where there is none.
template <class Real>
bool interiorPoint(const Simplex<Real>& s, int mask, std::array<Real, 4>& weight, Vec<Real>& point) {
  int corner[4], n = 0;
  for (int i = 0; i < s.count; ++i) {
    if (mask >> i & 1) corner[n++] = i;
  }
  weight = {0, 0, 0, 0};
  const auto& p = s.w[corner[0]];
  if (n == 1) {
    weight[corner[0]] = 1;
    point = p;
    return true;
  }
  const auto& q = s.w[corner[1]];
  if (n == 2) {
    const Vec<Real> u = q - p;
    const Real tail = -dot(u, p), head = dot(u, q), total = dot(u, u);
    if (!(tail > 0 && head > 0 && total > 0)) return false;
    weight[corner[0]] = head / total, weight[corner[1]] = tail / total;
    point = 2 * tail < total ? p + (tail / total) * u : q - (head / total) * u;
    return true;
  }
  const auto& r = s.w[corner[2]];
  if (n == 3) {
    const Vec<Real> N = cross(q - p, r - p);
    const Real nn = dot(N, N);
    if (!(nn > 0)) return false;
    const Real a = dot(N, cross(q, r)), b = dot(N, cross(r, p)), c = dot(N, cross(p, q)), total = a + b + c;
    if (!(a > 0 && b > 0 && c > 0)) return false;
    weight[corner[0]] = a / total, weight[corner[1]] = b / total, weight[corner[2]] = c / total;
    point = (dot(N, p) / nn) * N;
    return true;
  }
  const auto& t = s.w[corner[3]];
  const Real a = dot(q, cross(r, t)), b = -dot(p, cross(r, t)), c = dot(p, cross(q, t)), d = -dot(p, cross(q, r));
  const Real total = a + b + c + d;
  if (total == 0 || !(a / total > 0 && b / total > 0 && c / total > 0 && d / total > 0)) return false;
  weight = {a / total, b / total, c / total, d / total};
  point = {0, 0, 0};
  return true;
}

template <class Real>
GjkResult run(const GjkPoints& A, const Pose& X_WA, const GjkPoints& B, const Pose& X_WB) {
  const Placed<Real> a(A, X_WA, X_WA.p), b(B, X_WB, X_WA.p);
  const double scale = a.size + b.size;
  GjkResult result;
  result.status = GjkResult::Status::kUncertain;

  Simplex<Real> simplex{};
  const Vec<Real> towards = b.place(b.mean) - a.place(a.mean);
  bool certain = !a.solid && !b.solid;  // Else what climbing finds is confirmed at the end.
  simplex.add(a, a.support(towards, certain), b, b.support(Real(-1) * towards, certain));
  simplex.weight[0] = 1;
  Vec<Real> v = simplex.w[0];
  Real vv = dot(v, v), best_lower = -std::numeric_limits<double>::infinity();
  const Real touching = Real(Traits<Real>::kTouching) * scale, converged = Real(Traits<Real>::kConverged) * scale;

  bool meets = false;
  for (; result.iterations < kMaxIterations; ++result.iterations) {
    const Real length = squareRoot(vv);
    if (!(length > touching)) {
      meets = true;  // NaN too.
      break;
    }
    const int va = a.support(Real(-1) * v, certain), vb = b.support(v, certain);
    const Vec<Real> w = a.at(va) - b.at(vb);
    const Real lower = dot(v, w) / length;
    if (certain && lower > best_lower) best_lower = lower;  // Each support plane bounds the distance.
    if (length - (certain ? best_lower : lower) <= converged || simplex.holds(va, vb)) {
      if (certain) break;
      certain = true;
      continue;
    }
    simplex.add(a, va, b, vb);
    // The closest point of the new simplex lies on a face with the new corner.
    const int newest = 1 << (simplex.count - 1);
    int best_mask = 0;
    std::array<Real, 4> weight, best_weight{};
    Vec<Real> point, best_point{};
    Real best_sq = vv;
    for (int mask = newest; mask < 2 * newest; ++mask) {
      if (!interiorPoint(simplex, mask, weight, point)) continue;
      const Real sq = dot(point, point);
      if (sq < best_sq) best_sq = sq, best_mask = mask, best_weight = weight, best_point = point;
    }
    if (best_mask == 0) {  // No progress: the end of this arithmetic's digits.
      --simplex.count;
      if (!std::exchange(certain, true)) continue;
      break;
    }
    simplex.keep(best_mask, best_weight);
    v = best_point;
    vv = best_sq;
  }
  result.count = simplex.count;
  Vec<Real> pa{0, 0, 0}, pb{0, 0, 0};
  for (int i = 0; i < simplex.count; ++i) {
    result.vertex_a[i] = simplex.a[i], result.vertex_b[i] = simplex.b[i];
    pa = pa + simplex.weight[i] * simplex.pa[i];
    pb = pb + simplex.weight[i] * simplex.pb[i];
  }
  const Vec<Real> origin{X_WA.p[0], X_WA.p[1], X_WA.p[2]};
  result.point_a = Placed<Real>::toDouble(pa + origin);
  result.point_b = Placed<Real>::toDouble(pb + origin);
  result.normal = Placed<Real>::toDouble((1 / squareRoot(vv)) * v);
  // Not |v|: on a slender simplex v has left its plane by rounding; a combination of corners has not.
  const Vec<Real> gap = pa - pb;
  const Real length = squareRoot(dot(gap, gap));
  result.distance = double(length);
  if (meets) {
    result.status = GjkResult::Status::kTouching;
    result.distance = 0;
  } else {
    const bool known = length - best_lower <= 8 * converged && best_lower - length <= 8 * converged;
    result.status = known ? GjkResult::Status::kSeparated : GjkResult::Status::kUncertain;
  }
  return result;
}

}  // namespace

Feature carrierFeature(const Polytope& P, const int* vertices, int count) {
  std::array<int, 4> v{};
  int n = 0;
  for (int i = 0; i < count; ++i) {
    if (std::find(v.begin(), v.begin() + n, vertices[i]) == v.begin() + n) v[n++] = vertices[i];
  }
  if (n == 1) return {Feature::Kind::kVertex, v[0]};
  if (n == 2) {
    const auto neighbours = P.neighbours(v[0]);
    const auto it = std::find(neighbours.begin(), neighbours.end(), v[1]);
    if (it != neighbours.end()) return {Feature::Kind::kEdge, P.vertexEdges(v[0])[it - neighbours.begin()]};
  }
  int best = 0, most = 0;
  for (int e : P.vertexEdges(v[0])) {
    for (int f : {P.edge(e).left, P.edge(e).right}) {
      const auto loop = P.faceVertices(f);
      int hits = 0;
      for (int i = 0; i < n; ++i) hits += std::find(loop.begin(), loop.end(), v[i]) != loop.end();
      if (hits > most) most = hits, best = f;
    }
  }
  return {Feature::Kind::kFace, best};
}

GjkPoints::GjkPoints(const Matrix3Xd& of)
    : points(of),
      reach(of.colwise().stableNorm().maxCoeff()),
      mean(of.col(0) + (of.colwise() - of.col(0)).rowwise().mean()) {}

GjkPoints::GjkPoints(const Polytope& of)
    : points(of.round() ? of.round()->core : of.vertices()), reach(of.radius()), mean(of.centre()) {
  if (!of.round()) {
    if (of.numVertices() > kFewVertices) solid = &of;
    return;
  }
  const GjkPoints core(of.round()->core);
  reach = core.reach, mean = core.mean;
}

GjkResult gjk(const GjkPoints& A, const Pose& X_WA, const GjkPoints& B, const Pose& X_WB) {
  return run<double>(A, X_WA, B, X_WB);
}

GjkResult gjkWide(const GjkPoints& A, const Pose& X_WA, const GjkPoints& B, const Pose& X_WB) {
  return run<WideReal>(A, X_WA, B, X_WB);
}

Separation gjkSeparation(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB,
                         const GjkResult& found) {
  if (found.status == GjkResult::Status::kTouching) return penetration(A, X_WA, B, X_WB);
  return {found.distance,
          found.point_a,
          found.point_b,
          found.normal,
          carrierFeature(A, found.vertex_a, found.count),
          carrierFeature(B, found.vertex_b, found.count)};
}

}  // namespace rigor::geom
