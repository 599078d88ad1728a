// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "advance/bernstein.h"
#include "advance/piece_polynomials.h"
#include "advance/witness.h"

namespace rigor::advance {

/// The gap between two moving convex parts along an axis that is fixed in one of them, for every vertex of the other,
/// as a ratio of polynomials of s = (t - ta)/(tb - ta) on the common interval [ta, tb] of the two motions.
///
/// The part that carries the axis is the OWNER (A for kFixedInA, B for kFixedInB), the other one the TESTED part. With
/// m = M(q_o) axis, S = |q_o|^2 |q_t|^2, h = the owner's support along the axis about its centre (max axis.(x - c_o); a
/// half-space: offset - normal.c_o), for the tested vertex y:
///
///   gap_y(s) = N_y / D,   N_y = |q_t|^2 m.(p_t - p_o) + (M(q_t)^T m).(y - c_t) - h S,   D = |axis| S > 0
///
/// (kFixedInB: the same with the axis reversed and the roles exchanged.) The gap of the pair along the axis is the
/// minimum over y; it bounds the distance from below. Degree 15, or 9 if one of the two does not turn, or 3 if neither
/// does.
///
/// Of a round solid the tested vertices are the points of its core, and h grows by the radii of both: a cylinder counts
/// as round in all directions, but where the functions below say otherwise.
///
/// All arrays are in scaled Bernstein form. `numerator_error` and `scale_error` are proved bounds: the
/// coefficients are within C(degree, k) error of those of the exact motion (restriction to [ta, tb] included). About 50
/// ns (axis in a fixed body) to 200 ns.
struct FaceGap {
  /// @pre axis.kind is kFixedInA or kFixedInB; a half-space is the owner, and only its `normal` is used.
  FaceGap(const MovingPart& A, const MovingPart& B, const SeparatingAxis& axis);

  int firstVertex() const { return tested->round() ? tested->numVertices() : 0; }
  int numVertices() const { return tested->numCorners(); }  ///< One past the last.
  /// Those that are tested, from firstVertex() on.
  const Eigen::Matrix3Xd& points() const { return tested->round() ? tested->round()->core : tested->vertices(); }
  /// N_y - level D, of which firstRoot() is the time at which vertex `vertex` of the tested part comes within `level`
  /// [m] of the plane, in units of s. @param level  [m]
  BernsteinPolynomial condition(int vertex, double level) const;
  /// A cylinder that turns, over what does not: no less than condition() of the cylinder itself, and equal at s = at,
  /// times what is positive. With S the sine between axis and normal: S <= (S_at + S^2 / S_at) / 2.
  BernsteinPolynomial cylinderCondition(int vertex, double level, double at) const;
  bool hasCylinder() const { return turning_cylinder; }
  /// True only if condition() has no root: cheaper than to ask firstRoot().
  bool staysAbove(int vertex, double level) const { return staysAbove(tested->corner(vertex), level); }
  bool staysAbove(const Eigen::Vector3d& point, double level) const;  ///< Of any point of the tested body.

  /// N_y >= direction.(y - c_t) - spread + least_base on the whole interval, by the coefficients: the rows are a common
  /// direction and a spread around it. Most vertices of a round body need no more than this.
  struct Bound {
    Eigen::Vector3d direction;
    double spread, least_base, largest_scale;
    double height(const Eigen::Vector3d& y) const { return direction.dot(y); }
  };
  Bound bound() const;
  /// True only if staysAbove() is.
  bool staysAbove(const Bound& bound, int vertex, double level) const {
    return bound.height(tested->corner(vertex) - tested_centre) - bound.spread + bound.least_base >
           level * axis_norm * bound.largest_scale;
  }
  double gapAt(int vertex, double s) const;             ///< gap_y [m] at s in [0, 1], rounded; cylinders too.
  double startGap(int vertex) const { return startGap(tested->corner(vertex)); }  ///< gap_y [m] at s = 0, rounded.
  double startGap(const Eigen::Vector3d& point) const;  ///< Of any point of the tested body.
  double timeAt(double s) const { return s == 1 ? tb : ta + s * (tb - ta); }  ///< [s]

  int degree = 0;
  bool valid = false;  ///< False: data too large, or q.q > 0 not proved; bounds do not hold.
  const geom::Polytope* tested = nullptr;
  Eigen::Vector3d tested_centre;
  double ta = 0, tb = 0;
  double base[16] = {}, row[3][16] = {};  ///< N_y = base + row.(y - c_t)
  double scale[16] = {};        ///< S
  double axis_norm = 0;         ///< |axis|, rounded up.
  double numerator_error = 0;   ///< Of N_y, for every vertex.
  double scale_error = 0;       ///< Of S.
  double row_error = 0;         ///< Of `row`.
  bool turning_cylinder = false;
  double cylinder_radius = 0;          ///< Of a tested cylinder [m].
  BernsteinPolynomial norms, along;   ///< Of one that turns: S, and axis.m S / |m| times |axis|, both of degree 6.

 private:
  double sineAt(double s) const;
};

/// The gap along the common normal n = (R_A a) x (R_B b) of an edge of A and an edge of B, SeparatingAxis::kEdges.
///
///   n.(y_b0 - x_a0) = N / S,   N = (alpha x beta).(p_B - p_A) + alpha.M_B (b x y) - beta.M_A (x x a),
///   alpha = M_A a,  beta = M_B b
///
/// with x, y about the centres and S = |q_A|^2 |q_B|^2: degree 15. The gap is N / (S |n|), and |n| is not a polynomial.
/// How far other vertices lie behind the edges, of degree 12: -n.(x - x_a0) S = beta.M_A (a x d), d = x - x_a0, and
/// n.(y - y_b0) S = alpha.M_B (b x e), e = y - y_b0. The claim is about n.(y - x) S, the sum of N and both; they are
/// not negative where the edges support n. a.b turned: (a.F_A)/S. Of a round solid the edge is its core, and the gap is
/// less by its radius.
struct EdgeGap {
  EdgeGap(const MovingPart& A, const MovingPart& B, const SeparatingAxis& axis);

  /// N - level |n|~ S with |n|~ the parabola through |n| at s = 0, 1/2, 1: its first root is the time at which the gap
  /// is level |n|~ / |n|, that is `level` up to the relative error of interpolating |n| (third order in the interval).
  /// Meaningful while the edges support n. Of round solids, whose radius it multiplies as well, |n|~ is no less than
  /// |n|, and equal at s = at: the tangent in a.b of sqrt(|a|^2 |b|^2 - (a.b)^2). @param level  [m]
  BernsteinPolynomial condition(double level, double at = 0) const;
  double gapAt(double s) const;    ///< [m]; n.(y - x)/|n|. NaN where the edges are parallel.
  double sinusAt(double s) const;  ///< |n| / (|a| |b|).
  double cosineAt(double s) const;  ///< a.b turned / (|a| |b|).
  double timeAt(double s) const { return s == 1 ? tb : ta + s * (tb - ta); }

  static constexpr int kDegree = 15, kSideDegree = 12;
  bool valid = false;
  const geom::Polytope *A = nullptr, *B = nullptr;
  double ta = 0, tb = 0;
  Eigen::Vector3d a, b;   ///< Edge vectors, rounded.
  double radius = 0;      ///< Of both [m].
  double numerator[16];   ///< N
  double scale[16];       ///< S, degree 15
  double side_scale[13];  ///< S, degree 12
  double side_a[3][13];   ///< F_A = M_A^T beta: x lies (a x d).F_A / S behind the edge of A.
  double side_b[3][13];   ///< F_B = M_B^T alpha: y lies (b x e).F_B / S behind that of B.
  double cosine[13];      ///< a.F_A: a.b turned, times S.
  double numerator_error = 0, scale_error = 0, side_error = 0, cosine_error = 0;
  ///< side_error is for |d| = 1 (1-norm): multiply by |d|_1 or |e|_1. Both it and numerator_error hold for sums of N
  ///< and two sides.
};

}  // namespace rigor::advance
