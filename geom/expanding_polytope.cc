// SPDX-License-Identifier: MIT
#include "geom/expanding_polytope.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "geom/vclip.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;

// Of the scale of the pair. A point of the difference is right to this;
constexpr double kPoint = 4e-16;
// a support that is higher above a face by no more belongs to it.
constexpr double kSameHeight = 1e-15;
// What meets up to rounding is apart by no more.
constexpr double kMeet = 4e-15;
// Sine of two sides of a triangle below which it has no normal.
constexpr double kFlat = 1e-7;
constexpr int kMaxPoints = 48;
constexpr int kMaxFaces = 256;  // Dead ones included.

class ExpandingPolytope {
 public:
  ExpandingPolytope(const Polytope& A, const Polytope& B, const RelativePose& X)
      : A_(A), B_(B), X_(X), scale_(A.size() + B.size() + (X.toA(B.centre()) - A.centre()).norm()) {}

  bool run(NearestFace& found) {
    if (!start()) return false;
    for (;;) {
      const int nearest = nearestOfAll();
      if (nearest < 0) return false;
      const Face face = faces_[nearest];
      const int w = addSupport(face.normal, points_[face.v[0]]);
      if (w < 0) return false;
      if (face.normal.dot(points_[w].x - points_[face.v[0]].x) <= kSameHeight * scale_) return report(face, found);
      if (!expand(nearest, w)) return false;
    }
  }

 private:
  struct Point {
    Vector3d x;  // Of A - B.
    int a, b;
  };
  struct Face {
    int v[3];         // Counter-clockwise from outside. Side k goes from v[k] to v[k + 1].
    int next[3];      // The face at side k,
    int side[3];      // and which of its sides that is.
    Vector3d normal;  // Unit, outward.
    double lower;     // normal.x of its plane, less what rounding may have added [m].
    bool alive;
  };
  struct Border {
    int face, side;
  };

  int addSupport(const Vector3d& direction, const Point& near) {
    if (num_points_ == kMaxPoints) return -1;
    Point& p = points_[num_points_];
    p.a = climb(A_, direction, near.a);
    p.b = climb(B_, -(X_.R.transpose() * direction), near.b);
    p.x = A_.vertices().col(p.a) - X_.toA(B_.vertices().col(p.b));
    return num_points_++;
  }

  /// A tetrahedron that is as wide as four supports make it.
  bool start() {
    const Vector3d middle = A_.centre() - X_.toA(B_.centre());
    const Vector3d towards = middle.norm() > kFlat * scale_ ? Vector3d(-middle) : Vector3d(1, 0, 0);
    const Point origin{{0, 0, 0}, 0, 0};
    addSupport(towards, origin);
    addSupport(-towards, origin);
    const Vector3d line = points_[1].x - points_[0].x;
    Eigen::Index least;
    line.cwiseAbs().minCoeff(&least);
    if (!addFarther(line.cross(Vector3d::Unit(least)))) return false;
    const Vector3d across = line.cross(points_[2].x - points_[0].x);
    if (!addFarther(across)) return false;
    const bool above = across.dot(points_[3].x - points_[0].x) > 0;
    const int i = above ? 1 : 0, j = above ? 0 : 1;
    // Base (i, j, 2) seen from below, then three sides.
    if (!addFace(i, j, 2) || !addFace(j, i, 3) || !addFace(2, j, 3) || !addFace(i, 2, 3)) return false;
    join(0, 0, 1, 0), join(0, 1, 2, 0), join(0, 2, 3, 0);
    join(1, 1, 3, 2), join(1, 2, 2, 1), join(2, 2, 3, 1);
    return true;
  }

  /// The support along `direction` or against it that is farther from the first point.
  bool addFarther(const Vector3d& direction) {
    const int one = addSupport(direction, points_[0]), other = addSupport(-direction, points_[1]);
    if (other < 0) return false;
    const Vector3d &p = points_[0].x, &x = points_[one].x, &y = points_[other].x;
    if (std::abs(direction.dot(y - p)) > std::abs(direction.dot(x - p))) points_[one] = points_[other];
    --num_points_;
    return true;
  }

  bool addFace(int p, int q, int r) {
    if (num_faces_ == kMaxFaces) return false;
    Face& face = faces_[num_faces_];
    face.v[0] = p, face.v[1] = q, face.v[2] = r;
    const Vector3d &x = points_[p].x, u = points_[q].x - x, v = points_[r].x - x;
    face.normal = u.cross(v);
    const double area = face.normal.norm(), uu = u.squaredNorm(), vv = v.squaredNorm();
    if (!(area > kFlat * std::sqrt(uu * vv))) return false;
    face.normal /= area;
    const double height = face.normal.dot(x);
    // Points that are off by kPoint tilt the plane about the triangle; it matters as far as the origin's foot is away.
    const double reach = (x - height * face.normal).norm(), longest = std::sqrt(std::max(uu, vv));
    face.lower = height - kPoint * scale_ * (1 + 2 * reach * longest / area);
    face.alive = true;
    ++num_faces_;
    return true;
  }

  void join(int f, int side, int g, int other) {
    faces_[f].next[side] = g, faces_[f].side[side] = other;
    faces_[g].next[other] = f, faces_[g].side[other] = side;
  }

  int nearestOfAll() const {
    int nearest = -1;
    double lower = INFINITY;
    for (int f = 0; f < num_faces_; ++f) {
      if (faces_[f].alive && faces_[f].lower < lower) lower = faces_[f].lower, nearest = f;
    }
    return nearest;
  }

  /// Takes away what the point w sees, `first` being one of these, and closes the hole with triangles to w.
  bool expand(int first, int w) {
    num_borders_ = 0;
    faces_[first].alive = false;
    for (int k = 0; k < 3; ++k) {
      if (!look(faces_[first].next[k], faces_[first].side[k], points_[w].x)) return false;
    }
    const int begin = num_faces_;
    for (int i = 0; i < num_borders_; ++i) {
      const auto [f, k] = borders_[i];
      if (!addFace(faces_[f].v[(k + 1) % 3], faces_[f].v[k], w)) return false;
      join(begin + i, 0, f, k);
    }
    for (int i = 0; i < num_borders_; ++i) {
      const int f = begin + i, g = begin + (i + 1) % num_borders_;
      if (faces_[f].v[1] != faces_[g].v[0]) return false;  // Rounding has torn the border.
      join(f, 1, g, 2);
    }
    return num_borders_ >= 3;
  }

  /// From a face that has just been seen through `side` of the face f.
  bool look(int f, int side, const Vector3d& x) {
    Face& face = faces_[f];
    if (!face.alive) return true;
    if (face.normal.dot(x - points_[face.v[0]].x) <= 0) {
      if (num_borders_ == kMaxPoints) return false;
      borders_[num_borders_++] = {f, side};
      return true;
    }
    face.alive = false;
    const int k = (side + 1) % 3, m = (side + 2) % 3;
    return look(face.next[k], face.side[k], x) && look(face.next[m], face.side[m], x);
  }

  bool report(const Face& face, NearestFace& found) const {
    found.normal = face.normal;
    // If the origin is outside, then by rounding alone.
    found.lower = std::max(face.lower, -kMeet * scale_);
    for (int k = 0; k < 3; ++k) {
      found.vertex_a[k] = points_[face.v[k]].a;
      found.vertex_b[k] = points_[face.v[k]].b;
    }
    return std::isfinite(found.lower);
  }

  const Polytope& A_;
  const Polytope& B_;
  const RelativePose& X_;
  const double scale_;
  Point points_[kMaxPoints];
  Face faces_[kMaxFaces];
  Border borders_[kMaxPoints];
  int num_points_ = 0, num_faces_ = 0, num_borders_ = 0;
};

}  // namespace

bool nearestFace(const Polytope& A, const Polytope& B, const RelativePose& X_AB, NearestFace& found) {
  return ExpandingPolytope(A, B, X_AB).run(found);
}

}  // namespace rigor::geom
