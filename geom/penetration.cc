// SPDX-License-Identifier: MIT
#include "geom/penetration.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "geom/edge_cross.h"
#include "geom/expanding_polytope.h"
#include "geom/gjk.h"
#include "geom/relative_pose.h"
#include "geom/vclip.h"

namespace rigor::geom {
namespace {

using Eigen::Matrix3Xd;
using Eigen::Vector3d;
using Kind = Feature::Kind;

// Of the sizes together. A point is on a face if it is not farther beside it than this;
constexpr double kInside = 4e-15;
// vertices whose depths differ by no more are equally deep.
constexpr double kSameDepth = 1e-15;
// The depth of the expanding polytope's face is taken if no other axis is shallower by more than this.
constexpr double kNearest = 6e-15;

class Penetration {
 public:
  Penetration(const Polytope& A, const Polytope& B, const RelativePose& X) : A_(A), B_(B), X_(X) {}

  /// Without points; the normal in the frame of A.
  Separation find() {
    if (!expand()) {
      b_ = (X_.R * B_.vertices()).colwise() + X_.t;
      faces();
      edges();
    }
    return {best_.gap, {0, 0, 0}, {0, 0, 0}, best_.normal, best_.feature_a, best_.feature_b};
  }

  /// Deepest points in the frame of A, from the features that were found. @returns false where the features do not
  /// hold any: those that do are others with the same depth.
  bool points(Vector3d& a, Vector3d& b) const {
    const double size = A_.size() + B_.size();
    if (best_.feature_a.kind == Kind::kEdge) return pointsOfEdges(a, b, kInside * size);
    const bool face_of_a = best_.feature_a.kind == Kind::kFace;
    const Polytope &F = face_of_a ? A_ : B_, &V = face_of_a ? B_ : A_;
    const int face = (face_of_a ? best_.feature_a : best_.feature_b).index;
    const Vector3d out = face_of_a ? Vector3d(-best_.normal) : best_.normal;
    const double level = out.dot(corner(F, F.faceVertices(face)[0])) + best_.gap + kSameDepth * size;
    for (int v = 0; v < V.numVertices(); ++v) {
      const Vector3d deep = corner(V, v), on_face = deep - best_.gap * out;
      if (out.dot(deep) > level || !isOn(F, face, out, on_face, kInside * size)) continue;
      a = face_of_a ? on_face : deep, b = face_of_a ? deep : on_face;
      return true;
    }
    return false;
  }

 private:
  struct Best {
    double gap;
    Vector3d normal;  // From B to A.
    Feature feature_a, feature_b;
  };

  Vector3d corner(const Polytope& P, int vertex) const {
    return &P == &A_ ? Vector3d(A_.vertices().col(vertex)) : inA(vertex);
  }

  /// A vertex of B.
  Vector3d inA(int vertex) const { return b_.size() ? Vector3d(b_.col(vertex)) : X_.toA(B_.vertex(vertex)); }

  /// Whether a point of a face's plane is on the face, up to `slack` [m].
  bool isOn(const Polytope& P, int face, const Vector3d& out, const Vector3d& x, double slack) const {
    const auto loop = P.faceVertices(face);
    for (std::size_t k = 0; k < loop.size(); ++k) {
      const Vector3d u = corner(P, loop[k]), along = corner(P, loop[(k + 1) % loop.size()]) - u;
      if (!(out.dot(along.cross(x - u)) >= -slack * along.norm())) return false;
    }
    return true;
  }

  /// Where the common normal of both edges meets them.
  bool pointsOfEdges(Vector3d& a, Vector3d& b, double slack) const {
    const auto &ea = A_.edge(best_.feature_a.index), &eb = B_.edge(best_.feature_b.index);
    const Vector3d p = corner(A_, ea.tail), u = corner(A_, ea.head) - p, q = corner(B_, eb.tail),
                   v = corner(B_, eb.head) - q, d = q - p;
    const double uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), det = uu * vv - uv * uv;
    if (!(det > 0)) return false;
    const double s = (d.dot(u) * vv - d.dot(v) * uv) / det, t = (d.dot(u) * uv - d.dot(v) * uu) / det;
    a = p + std::clamp(s, 0.0, 1.0) * u, b = q + std::clamp(t, 0.0, 1.0) * v;
    return (a - b - best_.gap * best_.normal).norm() <= slack;
  }

  /// The axis that the expanding polytope ends at. @returns false where another may be better.
  bool expand() {
    NearestFace nearest;
    if (!nearestFace(A_, B_, X_, nearest)) return false;
    const int *a = nearest.vertex_a, *b = nearest.vertex_b;
    faceOfA(alignedFace(A_, a[0], nearest.normal), b[0]);
    faceOfB(alignedFace(B_, b[0], -(X_.R.transpose() * nearest.normal)), a[0]);
    // Two vertices of each: its sides are an edge of A and one of B.
    const int p = edgeBetween(A_, a[0], a[1] != a[0] ? a[1] : a[2]),
              q = edgeBetween(B_, b[0], b[1] != b[0] ? b[1] : b[2]);
    if (p >= 0 && q >= 0) {
      const Vector3d n = edgeCross(A_.vertex(A_.edge(p).head) - A_.vertex(A_.edge(p).tail),
                                   X_.R * (B_.vertex(B_.edge(q).head) - B_.vertex(B_.edge(q).tail)));
      const double norm = n.norm();
      if (norm > 0) edgePair(p, q, n.dot(nearest.normal) < 0 ? Vector3d(n / -norm) : Vector3d(n / norm));
    }
    if (-best_.gap - nearest.lower <= kNearest * (A_.size() + B_.size() + X_.t.norm())) return true;
    best_.gap = -std::numeric_limits<double>::infinity();
    return false;
  }

  /// Of the faces at a vertex, that whose normal is nearest to n.
  static int alignedFace(const Polytope& P, int vertex, const Vector3d& n) {
    int best = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (int e : P.vertexEdges(vertex)) {
      const int left = P.edge(e).left;
      for (const int f : {left, P.edge(e).right}) {
        const double along = n.dot(P.face(f).normal);
        if (along > most) most = along, best = f;
      }
    }
    return best;
  }

  /// -1: they share no edge.
  static int edgeBetween(const Polytope& P, int v, int w) {
    const auto neighbours = P.neighbours(v);
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      if (neighbours[k] == w) return P.vertexEdges(v)[k];
    }
    return -1;
  }

  /// The vertex of B that is deepest below face f of A.
  int faceOfA(int f, int hint) {
    const Vector3d& n = A_.face(f).normal;
    hint = climb(B_, -(X_.R.transpose() * n), hint);
    const Vector3d deepest = inA(hint);
    const double gap = n.dot(deepest - A_.vertices().col(A_.faceVertices(f)[0]));
    if (gap > best_.gap) best_ = {gap, -n, {Kind::kFace, f}, {Kind::kVertex, hint}};
    return hint;
  }

  int faceOfB(int f, int hint) {
    const Vector3d n = X_.R * B_.face(f).normal;
    hint = climb(A_, -n, hint);
    const Vector3d deepest = A_.vertices().col(hint);
    const double gap = n.dot(deepest - inA(B_.faceVertices(f)[0]));
    if (gap > best_.gap) best_ = {gap, n, {Kind::kVertex, hint}, {Kind::kFace, f}};
    return hint;
  }

  /// n: across both edges, outward of A. Rounding may let a pair through that only nearly spans a face: the supports
  /// decide.
  void edgePair(int p, int q, const Vector3d& n) {
    const int a = climb(A_, n, A_.edge(p).tail), b = climb(B_, -(X_.R.transpose() * n), B_.edge(q).tail);
    const double gap = n.dot(inA(b) - A_.vertices().col(a));
    if (gap > best_.gap) best_ = {gap, -n, {Kind::kEdge, p}, {Kind::kEdge, q}};
  }

  void faces() {
    int hint = 0;
    for (int f = 0; f < A_.numFaces(); ++f) below_a_.push_back(hint = faceOfA(f, hint));
    hint = 0;
    for (int f = 0; f < B_.numFaces(); ++f) below_b_.push_back(hint = faceOfB(f, hint));
  }

  /// An edge's arc of normals on the sphere, outward, in the frame of A.
  struct Arc {
    int edge;
    Vector3d left, right, along;  // Unit normals of its faces; direction of the edge.
  };

  /// Whether no direction of an arc of P, whose edge has the vertex `own`, has a gap above the best so far as the other
  /// body has the point x: n.(x - own) bounds the gap. Where that is negative at both ends of the arc, it is not above
  /// the larger of them in between.
  bool isNoBetter(const Arc& arc, const Vector3d& own, const Vector3d& x, double slack) const {
    const double bound = std::max(arc.left.dot(x - own), arc.right.dot(x - own));
    return bound <= 0 && bound + slack < best_.gap;
  }

  /// The arcs on which the gap may exceed the best so far. The gap of the support planes is Lipschitz in the direction,
  /// with the largest distance of two points of the pair as its constant.
  std::vector<Arc> promising(const Polytope& P, bool is_a) const {
    const double constant = A_.size() + B_.size() + (X_.toA(B_.centre()) - A_.centre()).norm();
    const double slack = 1e-12 * constant;
    const std::vector<int>& below = is_a ? below_a_ : below_b_;
    const Polytope& other = is_a ? B_ : A_;
    std::vector<Arc> arcs;
    int ha = 0, hb = 0;
    for (int e = 0; e < P.numEdges(); ++e) {
      const auto& edge = P.edge(e);
      Arc arc{e, P.face(edge.left).normal, P.face(edge.right).normal, P.vertex(edge.head) - P.vertex(edge.tail)};
      if (!is_a) arc.left = X_.R * arc.left, arc.right = X_.R * arc.right, arc.along = X_.R * arc.along;
      const Vector3d own = corner(P, edge.tail);
      if (isNoBetter(arc, own, corner(other, below[edge.left]), slack) ||
          isNoBetter(arc, own, corner(other, below[edge.right]), slack))
        continue;
      const Vector3d sum = arc.left + arc.right;
      const double length = sum.norm();
      if (length > 1e-3) {  // Nearly opposite normals have no useful middle.
        const Vector3d middle = sum / length;
        const Vector3d n = is_a ? middle : -middle;  // Outward of A.
        ha = climb(A_, n, ha);
        hb = climb(B_, -(X_.R.transpose() * n), hb);
        const double gap = n.dot(b_.col(hb) - A_.vertices().col(ha));
        if (gap + constant * (middle - arc.left).norm() + slack < best_.gap) continue;
        if (isNoBetter(arc, own, corner(other, is_a ? hb : ha), slack)) continue;
      }
      arcs.push_back(arc);
    }
    return arcs;
  }

  void edges() {
    const std::vector<Arc> of_a = promising(A_, true), of_b = promising(B_, false);
    for (const Arc& p : of_a) {
      const Vector3d a0 = A_.vertices().col(A_.edge(p.edge).tail);
      for (const Arc& q : of_b) {
        // The arcs of A and of -B cross: each separates the ends of the other, on the same half of the sphere.
        // [Gottschalk 2000; Gregorius, GDC 2013]
        const double ql = q.left.dot(p.along), qr = q.right.dot(p.along);
        if (ql * qr > 0) continue;
        const double pl = p.left.dot(q.along), pr = p.right.dot(q.along);
        if (pl * pr > 0) continue;
        Vector3d n = edgeCross(p.along, q.along);
        const double norm = n.norm();
        if (!(norm > 0)) continue;  // Parallel: a face normal does as well.
        n /= norm;
        if (n.dot(p.left + p.right) < 0) n = -n;
        if (n.dot(q.left + q.right) > 0) continue;
        const Vector3d b0 = b_.col(B_.edge(q.edge).tail);
        if (n.dot(b0 - a0) > best_.gap) edgePair(p.edge, q.edge, n);
      }
    }
  }

  const Polytope& A_;
  const Polytope& B_;
  const RelativePose& X_;
  Matrix3Xd b_;                         // Vertices of B in the frame of A; empty until all are needed.
  std::vector<int> below_a_, below_b_;  // By face of A and B: the vertex of the other that is deepest below it.
  Best best_{-std::numeric_limits<double>::infinity(), {0, 0, 1}, {}, {}};
};

}  // namespace

Separation penetration(const Polytope& A, const Pose& X_WA, const Polytope& B, const Pose& X_WB) {
  const RelativePose X(X_WA, X_WB);
  Penetration pair(A, B, X);
  Separation found = pair.find();
  if (!std::isfinite(found.distance)) return {0, X_WA.p, X_WB.p, {0, 0, 1}, {}, {}};  // NaN -> touching.
  found.normal = (X.RA * found.normal).normalized();
  Vector3d a, b;
  if (pair.points(a, b)) {
    found.point_a = X_WA.p + X.RA * a, found.point_b = X_WA.p + X.RA * b;
    return found;
  }
  touchingPoints(A.vertices(), X_WA, B.vertices(), X_WB, found);
  return found;
}

void touchingPoints(const Matrix3Xd& A, const Pose& X_WA, const Matrix3Xd& B, const Pose& X_WB, Separation& found) {
  // About A's origin: a common distance from the world origin costs no digits.
  const Pose a{X_WA.q, Vector3d::Zero()}, moved{X_WB.q, (X_WB.p - X_WA.p) + found.distance * found.normal};
  const GjkResult touch = gjkWide(A, a, B, moved);
  found.point_a = X_WA.p + touch.point_a;
  found.point_b = X_WA.p + (touch.point_b - found.distance * found.normal);
}

}  // namespace rigor::geom
