// SPDX-License-Identifier: MIT
#include "geom/vclip.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "geom/edge_cross.h"

namespace rigor::geom {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Kind = Feature::Kind;

/// Moves after which the walk gives up; walks of 1000-vertex polytopes from afar take below 60.
constexpr int kMaxMoves = 200;

/// Upper and lower bound of the distance must meet within this, relative to sizes + |t|, where the walk stalls.
constexpr double kCertified = 0x1p-49;

/// A point so little beyond the border of a face, relative to its polytope's size, counts as over it; distances so
/// little apart, relative to both sizes, count as equal.
constexpr double kTie = 0x1p-51;

/// Below this distance, relative to both sizes, the direction between the points is noise: touching.
constexpr double kTouching = 0x1p-50;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double clamp01(double x) { return x > 0 ? (x < 1 ? x : 1) : 0; }

class Walk {
 public:
  Walk(const Polytope& A, const Polytope& B, const RelativePose& X) : A_(A), B_(B), X_(X) {}

  WalkResult run(const SeparationCache& cache) {
    if (cache.warm && names(A_, cache.feature_a) && names(B_, cache.feature_b)) {
      evaluate(cache.feature_a, cache.feature_b);
    } else {
      startFromSupports(cache);
    }
    return settle();
  }

 private:
  /// The closest points of two closed features, and the open features that carry them.
  struct Pair {
    double d = kInfinity;
    Feature fa, fb;
    Vector3d pa, pb, n;  // Frame of A; n unit, from B to A.
  };
  enum class Found : unsigned char { kPair, kInside };

  static bool names(const Polytope& P, Feature f) {
    const int count = f.kind == Kind::kVertex ? P.numVertices() : f.kind == Kind::kEdge ? P.numEdges() : P.numFaces();
    return f.index >= 0 && f.index < count;
  }

  Vector3d inA(int v) const { return A_.vertices().col(v); }
  Vector3d ofB(int v) const { return X_.toA(B_.vertices().col(v)); }
  /// Rotated, not the difference of placed ends: a short edge keeps its direction.
  Vector3d edgeOfB(const Polytope::Edge& e) const {
    return X_.R * (B_.vertices().col(e.head) - B_.vertices().col(e.tail));
  }

  void startFromSupports(const SeparationCache& cache) {
    const Vector3d towards = X_.toA(B_.centre()) - A_.centre();
    const int a = climb(A_, towards, names(A_, {Kind::kVertex, cache.support_a}) ? cache.support_a : 0);
    const int b =
        climb(B_, -(X_.R.transpose() * towards), names(B_, {Kind::kVertex, cache.support_b}) ? cache.support_b : 0);
    vertexVertex(a, b);
  }

  // ---- Closest points of closed features. Each sets pair_ if it is closer than the best so far.

  void offer(Feature fa, Feature fb, const Vector3d& pa, const Vector3d& pb, const Vector3d& w) {
    const double d = w.norm();
    if (d < pair_.d) pair_ = {d, fa, fb, pa, pb, w / d};
  }

  void vertexVertex(int a, int b) { offer({Kind::kVertex, a}, {Kind::kVertex, b}, inA(a), ofB(b), inA(a) - ofB(b)); }

  /// Vertex a of A and closed edge e of B.
  void vertexEdge(int a, int e) {
    const auto& edge = B_.edge(e);
    const Vector3d p = inA(a), e0 = ofB(edge.tail), u = edgeOfB(edge), e1 = e0 + u;
    pointSegment(p, e0, u, e1, [&](int end, const Vector3d& foot, const Vector3d& w) {
      offer({Kind::kVertex, a}, end < 0 ? Feature{Kind::kEdge, e} : Feature{Kind::kVertex, end ? edge.head : edge.tail},
            p, foot, w);
    });
  }

  void edgeVertex(int e, int b) {
    const auto& edge = A_.edge(e);
    const Vector3d p = ofB(b), e0 = inA(edge.tail), e1 = inA(edge.head), u = e1 - e0;
    pointSegment(p, e0, u, e1, [&](int end, const Vector3d& foot, const Vector3d& w) {
      offer(end < 0 ? Feature{Kind::kEdge, e} : Feature{Kind::kVertex, end ? edge.head : edge.tail}, {Kind::kVertex, b},
            foot, p, -w);
    });
  }

  /// use(end, foot, p - foot): end -1 inside the segment, 0 at its tail, 1 at its head.
  template <class Use>
  static void pointSegment(const Vector3d& p, const Vector3d& e0, const Vector3d& u, const Vector3d& e1, Use&& use) {
    const Vector3d r = p - e0;
    const double s = u.dot(r), uu = u.squaredNorm();
    if (s <= 0) return use(0, e0, r);
    if (s >= uu) return use(1, e1, p - e1);
    const Vector3d foot = e0 + (s / uu) * u;
    Vector3d w = p - foot;
    // Near contact the foot's rounding turns w: without this, w would not support the edge.
    w -= (u.dot(w) / uu) * u;
    use(-1, foot, w);
  }

  void edgeEdge(int e, int g) {
    const auto &ea = A_.edge(e), &eb = B_.edge(g);
    const Vector3d a0 = inA(ea.tail), b0 = ofB(eb.tail);
    const Vector3d u = inA(ea.head) - a0, v = edgeOfB(eb), r = b0 - a0;
    const double uu = u.squaredNorm(), vv = v.squaredNorm();
    const Vector3d N = edgeCross(u, v);
    const double nn = N.squaredNorm();
    double s = 0;
    if (nn > 0) {
      s = r.cross(v).dot(N) / nn;
      const double t = r.cross(u).dot(N) / nn;
      if (s > 0 && s < 1 && t > 0 && t < 1) {
        const double length = std::sqrt(nn);
        const double h = -r.dot(N) / length;
        const double d = std::abs(h);
        if (d < pair_.d) {
          // The foot on A's edge of the point on B's: perpendicular whatever t's error.
          const Vector3d pb = b0 + t * v;
          const Vector3d pa = a0 + clamp01(u.dot(pb - a0) / uu) * u;
          pair_ = {d, {Kind::kEdge, e}, {Kind::kEdge, g}, pa, pb, N * ((h < 0 ? -1 : 1) / length)};
        }
        return;
      }
    }
    // The closest points lie at an end of one of the segments.
    s = clamp01(s);
    double t = (s * u - r).dot(v) / vv;
    if (t < 0 || t > 1 || s == 0 || s == 1) {
      if (t <= 0) return edgeVertex(e, eb.tail);
      if (t >= 1) return edgeVertex(e, eb.head);
      return vertexEdge(s == 0 ? ea.tail : ea.head, g);
    }
    // Rounding only: t was outside by a hair when taken from the normal.
    edgeVertex(e, 2 * t < 1 ? eb.tail : eb.head);
    vertexEdge(2 * s < 1 ? ea.tail : ea.head, g);
  }

  /// Point p (frame of P) and closed face f of P: kInside if it lies over the face but not above it. `above(h)` is
  /// called where it lies above, `near(e)` for each border edge that it lies beyond.
  template <class Above, class Near>
  static Found pointFace(const Polytope& P, const Vector3d& p, int f, Above&& above, Near&& near) {
    const auto& face = P.face(f);
    const auto loop = P.faceVertices(f), border = P.faceEdges(f);
    const double slack = kTie * P.size();
    bool over = true;
    for (int i = 0; i < face.count; ++i) {
      if (P.faceInward(f, i).dot(p - P.vertices().col(loop[i])) < -slack) {
        near(border[i]);
        over = false;
      }
    }
    if (!over) return Found::kPair;
    const double h = face.normal.dot(p - P.vertices().col(loop[0]));
    if (!(h > 0)) return Found::kInside;
    above(h);
    return Found::kPair;
  }

  Found vertexFace(int a, int f) {
    const Vector3d p = inA(a);
    return pointFace(
        B_, X_.toB(p), f,
        [&](double h) {
          if (!(h < pair_.d)) return;
          const Vector3d n = X_.R * B_.face(f).normal;
          pair_ = {h, {Kind::kVertex, a}, {Kind::kFace, f}, p, p - h * n, n};
        },
        [&](int e) { vertexEdge(a, e); });
  }

  Found faceVertex(int f, int b) {
    const Vector3d p = ofB(b);
    return pointFace(
        A_, p, f,
        [&](double h) {
          if (!(h < pair_.d)) return;
          const Vector3d& n = A_.face(f).normal;
          pair_ = {h, {Kind::kFace, f}, {Kind::kVertex, b}, p - h * n, p, -n};
        },
        [&](int e) { edgeVertex(e, b); });
  }

  /// Segment p q (frame of P) against closed face f of P; at(end): the lower end of the part over the face is an end
  /// of the segment; border(e): it lies over border edge e, or no part lies over the face and e is a candidate.
  template <class At, class Border>
  static Found segmentFace(const Polytope& P, const Vector3d& p, const Vector3d& q, int f, At&& at, Border&& border) {
    const auto& face = P.face(f);
    const auto loop = P.faceVertices(f), edges = P.faceEdges(f);
    double lower = 0, upper = 1;
    int lower_edge = -1, upper_edge = -1;
    for (int i = 0; i < face.count; ++i) {
      const auto inward = P.faceInward(f, i);
      const Vector3d o = P.vertices().col(loop[i]);
      const double gp = inward.dot(p - o), gq = inward.dot(q - o);
      if (gp < 0 && gq < 0) {
        lower = 2;
        break;
      }
      if (gp < 0) {
        const double s = gp / (gp - gq);
        if (s > lower) lower = s, lower_edge = edges[i];
      } else if (gq < 0) {
        const double s = gp / (gp - gq);
        if (s < upper) upper = s, upper_edge = edges[i];
      }
    }
    if (!(lower <= upper)) {
      for (int e : edges) border(e);
      return Found::kPair;
    }
    const Vector3d o = P.vertices().col(loop[0]);
    const double hp = face.normal.dot(p - o), hq = face.normal.dot(q - o);
    const double h0 = hp + lower * (hq - hp), h1 = hp + upper * (hq - hp);
    if (!(h0 > 0 && h1 > 0)) return Found::kInside;
    if (hp <= hq) {
      lower_edge < 0 ? at(0) : border(lower_edge);
    } else {
      upper_edge < 0 ? at(1) : border(upper_edge);
    }
    return Found::kPair;
  }

  Found edgeFace(int e, int f) {
    const auto& edge = A_.edge(e);
    Found found = Found::kPair;
    const Found segment = segmentFace(
        B_, X_.toB(inA(edge.tail)), X_.toB(inA(edge.head)), f,
        [&](int end) { found = vertexFace(end ? edge.head : edge.tail, f); }, [&](int g) { edgeEdge(e, g); });
    return segment == Found::kInside ? segment : found;
  }

  Found faceEdge(int f, int g) {
    const auto& edge = B_.edge(g);
    Found found = Found::kPair;
    const Found segment = segmentFace(
        A_, ofB(edge.tail), ofB(edge.head), f,
        [&](int end) { found = faceVertex(f, end ? edge.head : edge.tail); }, [&](int e) { edgeEdge(e, g); });
    return segment == Found::kInside ? segment : found;
  }

  /// Any pair of features but two faces or an edge with a face it came from.
  Found evaluate(Feature fa, Feature fb) {
    const int a = fa.index, b = fb.index;
    if (fa.kind == Kind::kVertex) {
      if (fb.kind == Kind::kVertex) return vertexVertex(a, b), Found::kPair;
      if (fb.kind == Kind::kEdge) return vertexEdge(a, b), Found::kPair;
      return vertexFace(a, b);
    }
    if (fa.kind == Kind::kEdge) {
      if (fb.kind == Kind::kVertex) return edgeVertex(a, b), Found::kPair;
      if (fb.kind == Kind::kEdge) return edgeEdge(a, b), Found::kPair;
      return edgeFace(a, b);
    }
    if (fb.kind == Kind::kVertex) return faceVertex(a, b);
    if (fb.kind == Kind::kEdge) return faceEdge(a, b);
    return faceVertex(a, B_.faceVertices(b)[0]);
  }

  // ---- Optimality: the normal must support P at its feature. Returns the neighbour feature that violates it most.

  /// `n` in P's frame, pointing away from the other polytope.
  static bool violated(const Polytope& P, Feature f, const Vector3d& n, Feature& next) {
    double worst = 0;
    int arg = -1;
    if (f.kind == Kind::kVertex) {
      const Vector3d o = P.vertices().col(f.index);
      const auto neighbours = P.neighbours(f.index);
      for (size_t i = 0; i < neighbours.size(); ++i) {
        const double drop = n.dot(P.vertices().col(neighbours[i]) - o);
        if (drop < worst) worst = drop, arg = int(i);
      }
      if (arg < 0) return false;
      next = {Kind::kEdge, P.vertexEdges(f.index)[arg]};
      return true;
    }
    if (f.kind == Kind::kEdge) {
      const double left = n.dot(P.edgeInward(f.index, 0)), right = n.dot(P.edgeInward(f.index, 1));
      if (left >= 0 && right >= 0) return false;
      next = {Kind::kFace, left < right ? P.edge(f.index).left : P.edge(f.index).right};
      return true;
    }
    return false;
  }

  WalkResult settle() {
    int moves = 1;
    if (!(pair_.d < kInfinity)) return inside(moves);
    for (; moves < kMaxMoves; ++moves) {
      if (!(pair_.d > kTouching * (A_.size() + B_.size()))) break;
      Feature next;
      const double before = pair_.d;
      Found found;
      bool settled = true;
      if (violated(A_, pair_.fa, pair_.n, next)) {
        settled = false;
        found = evaluate(next, pair_.fb);
        if (found == Found::kInside) return inside(moves);
        if (pair_.d < before) continue;
      }
      if (violated(B_, pair_.fb, -(X_.R.transpose() * pair_.n), next)) {
        settled = false;
        found = evaluate(pair_.fa, next);
        if (found == Found::kInside) return inside(moves);
        if (pair_.d < before) continue;
      }
      if (settled || certified() || tieCertified()) return result(WalkResult::Status::kSeparated, moves);
      break;
    }
    return result(WalkResult::Status::kUnsettled, moves);
  }

  WalkResult inside(int moves) { return result(WalkResult::Status::kUnsettled, moves); }

  /// Whether the gap between the support planes along the normal is the distance, up to rounding.
  bool certified() const {
    const Vector3d &n = pair_.n, m = X_.R.transpose() * n;
    const int a = climb(A_, -n, someVertex(A_, pair_.fa)), b = climb(B_, m, someVertex(B_, pair_.fb));
    const double lower = n.dot(inA(a) - ofB(b));
    return pair_.d - lower <= kCertified * (A_.size() + B_.size() + X_.t.norm());
  }

  /// A tie within rounding (a vertex exactly over the border of a face): the neighbour may be no closer, but have the
  /// better normal.
  bool tieCertified() {
    const Pair best = pair_;
    const double tie = best.d + kTie * (A_.size() + B_.size());
    Feature next;
    if (violated(A_, best.fa, best.n, next)) {
      pair_.d = tie;
      if (evaluate(next, best.fb) == Found::kPair && pair_.d < tie && certified()) return true;
      pair_ = best;
    }
    if (violated(B_, best.fb, -(X_.R.transpose() * best.n), next)) {
      pair_.d = tie;
      if (evaluate(best.fa, next) == Found::kPair && pair_.d < tie && certified()) return true;
      pair_ = best;
    }
    return false;
  }

  static int someVertex(const Polytope& P, Feature f) {
    if (f.kind == Kind::kVertex) return f.index;
    return f.kind == Kind::kEdge ? P.edge(f.index).tail : P.faceVertices(f.index)[0];
  }

  WalkResult result(WalkResult::Status status, int moves) const {
    return {status, pair_.d, pair_.pa, pair_.pb, pair_.n, pair_.fa, pair_.fb, moves};
  }

  const Polytope& A_;
  const Polytope& B_;
  const RelativePose& X_;
  Pair pair_;
};

}  // namespace

int climb(const Polytope& P, const Vector3d& direction, int start) {
  int best = start;
  double height = direction.dot(P.vertices().col(best));
  for (bool rising = true; rising;) {
    rising = false;
    for (int v : P.neighbours(best)) {
      const double h = direction.dot(P.vertices().col(v));
      if (h > height) height = h, best = v, rising = true;
    }
  }
  return best;
}

WalkResult walkFeatures(const Polytope& A, const Polytope& B, const RelativePose& X_AB, const SeparationCache& cache) {
  return Walk(A, B, X_AB).run(cache);
}

}  // namespace rigor::geom
