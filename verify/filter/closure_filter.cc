// SPDX-License-Identifier: MIT
#include "verify/filter/closure_filter.h"

#include <algorithm>
#include <cmath>

#include "verify/filter/ball_algebra.h"
#include "verify/filter/ball_vector.h"

namespace rigor::verify::filter {

using kernel::Joint;
using kernel::JointType;
using kernel::Piece;
using kernel::Quaternion;
using kernel::Vector3;

namespace {

// out = M(q) v = (w^2 - u.u) v + 2 (u.v) u + 2 w u x v, and |q|^2.
void turnByFrame(const Quaternion& q, const Ball3& x, Ball3& out, Ball& norm) {
  const Ball3 u = {q[1], q[2], q[3]};
  Ball uu, ux, square = q[0];
  dot(u, u, uu);
  dot(u, x, ux);
  square *= q[0];
  norm = square;
  norm += uu;
  square -= uu;
  ux *= 2;
  Ball3 across;
  cross(u, x, across);
  for (int k = 0; k < 3; ++k) {
    across[k] *= 2;
    multiply(square, x[k], out[k]);
    addProduct(ux, u[k], out[k]);
    addProduct(across[k], Ball(q[0]), out[k]);
  }
}

void setDifference(const Vector3& a, const Vector3& b, Ball3& out) {
  for (int k = 0; k < 3; ++k) {
    out[k] = a[k];
    out[k] -= b[k];
  }
}

// out = a b, of quaternions.
void multiplyQuaternions(const double* a, const double* b, Ball (&out)[4]) {
  out[0] = 0;
  for (int k = 0; k < 4; ++k) addProduct(Ball(k == 0 ? a[k] : -a[k]), Ball(b[k]), out[0]);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    multiply(Ball(a[0]), Ball(b[i + 1]), out[i + 1]);
    addProduct(Ball(a[i + 1]), Ball(b[0]), out[i + 1]);
    addProduct(Ball(a[j + 1]), Ball(b[k + 1]), out[i + 1]);
    subtractProduct(Ball(a[k + 1]), Ball(b[j + 1]), out[i + 1]);
  }
}

template <int n>
Ball squareOf(const Ball (&x)[n]) {
  Ball sum;
  for (const Ball& entry : x) addProduct(entry, entry, sum);
  return sum;
}

// No larger than the root.
Ball lowerRoot(const Ball& square) {
  const double least = square.value - square.radius * (1 + 2 * kRadiusRounding);
  return least > 0 ? Ball(std::sqrt(least * (1 - 0x1p-50)) * (1 - 0x1p-50)) : Ball(0);
}

bool covers(const Piece& parent, const Piece& child) {
  if (parent.p_degree == 0 && parent.q_degree == 0) return parent.t0 <= child.t0 && child.t1 <= parent.t1;
  return parent.t0 == child.t0 && parent.t1 == child.t1;
}

}  // namespace

// |f| <= most scale; `largest` is raised to |f| / scale. Both have one degree.
bool ClosureFilter::isWithin(const BallPolynomial& f, const BallPolynomial& scale, double most, double& largest) {
  double most_found = 0;
  for (int i = 0; i <= f.degree; ++i) {
    const double up = Ball(std::abs(f.value[i]), f.radius[i]).upper(),
                 down = -Ball(-scale.value[i], scale.radius[i]).upper();
    if (!(down > 0)) return false;
    const double ratio = up / down * (1 + 0x1p-50);
    if (!(ratio <= most)) return false;
    most_found = std::max(most_found, ratio);
  }
  largest = std::max(largest, most_found);
  return true;
}

// A bound of |R_c F_c - R_p F_p|, F the joint's frames. With A = q_c F_c and B = q_p F_p as quaternions, the half angle
// between the rotations is the angle between the lines of A and B, whose sine is at most |A - s B| / |A| for every s;
// control points bound |A - s B| from above.
double ClosureFilter::turnedApart(const Joint& joint, const Piece& child, const Piece& parent) {
  const int degree = std::max(child.q_degree, parent.q_degree);
  const auto pointOf = [&](const Piece& piece, int i) { return piece.q[piece.q_degree == 0 ? 0 : i]; };
  for (const Piece* piece : {&child, &parent})
    if (piece->q_degree != 0 && piece->q_degree != degree) return INFINITY;
  double farthest = 0, moved = 0, s = 0;
  for (int i = 0; i <= degree; ++i) {
    Ball A[4], B[4], step[4];
    multiplyQuaternions(pointOf(child, i), joint.child_frame.data(), A);
    multiplyQuaternions(pointOf(parent, i), joint.parent_frame.data(), B);
    if (i == 0) {
      double along = 0, square = 0;
      for (int k = 0; k < 4; ++k) along += A[k].value * B[k].value, square += B[k].value * B[k].value;
      s = along / square;
    }
    for (int k = 0; k < 4; ++k) {
      subtractProduct(Ball(s), B[k], A[k]);
      step[k] = pointOf(child, i)[k];
      step[k] -= child.q[0][k];
    }
    const double off = upperRoot(squareOf(A)).upper(), stepped = upperRoot(squareOf(step)).upper();
    if (!(off < INFINITY && stepped < INFINITY)) return INFINITY;  // Nor NaN.
    farthest = std::max(farthest, off), moved = std::max(moved, stepped);
  }
  const auto lengthOf = [](const double* q) {
    const Ball components[4] = {q[0], q[1], q[2], q[3]};
    return lowerRoot(squareOf(components));
  };
  Ball least = lengthOf(child.q[0]);
  least -= Ball(moved);
  least *= lengthOf(joint.child_frame.data());
  const double down = -(-least).upper();
  return down > 0 ? 2 * farthest / down * (1 + 0x1p-50) : INFINITY;
}

// The same of a joint that does not turn, by less: with R_c F_c = R_p F_p + E the joint is open by
// p_c - p_p - R_p (a_p - F_p F_c' a_c) + E F_c' a_c; one that slides, by what of this lies across its axis.
bool ClosureFilter::staysUnturned(const JointOfLinks& links, const Piece& child, const Piece& parent, double most,
                                  double& apart) {
  const Joint& joint = *links.joint;
  const double turned = turnedApart(joint, child, parent), off = turned * links.length * (1 + 0x1p-50);
  if (!(off <= most)) return false;
  Ball3 arm, offset, back, on_parent;
  setDifference(joint.child_point, links.child_centre, arm);
  setDifference(joint.parent_point, links.parent_centre, offset);
  const double swung = turned * upperRoot(squareOf(arm)).upper() * (1 + 0x1p-50), left = (most - swung) * (1 - 0x1p-50);
  if (!(left > 0)) return false;
  const Quaternion& F = joint.child_frame;
  Ball norm_c, norm_p;
  turnByFrame({F[0], -F[1], -F[2], -F[3]}, arm, back, norm_c);
  turnByFrame(joint.parent_frame, back, on_parent, norm_p);
  norm_c *= norm_p;
  const Ball scale = inverse(norm_c);
  for (int k = 0; k < 3; ++k) subtractProduct(on_parent[k], scale, offset[k]);
  setWhole(parent, parent_, work_);
  setPosition(child, child_);
  const int degree = std::max(child.p_degree, parent.p_degree);
  for (int k = 0; k < 3; ++k) {
    child_.p[k].elevate(degree);
    parent_.p[k].elevate(degree);
    addMultiple(Ball(-1), parent_.p[k], child_.p[k]);
  }
  scale_ = parent_.norm;
  scale_.elevate(degree + parent_.norm.degree);
  double open = 0;
  if (!(joint.type == JointType::kPrismatic ? slides(joint, offset, left, open) : meets(offset, left, open)))
    return false;
  apart = std::max(off, (open + swung) * (1 + 0x1p-50));
  return true;
}

// |p_c - p_p - R_p offset| <= most, component by component.
bool ClosureFilter::meets(const Ball3& offset, double most, double& open) {
  rotate(parent_.matrix, offset, turned_);
  for (int k = 0; k < 3; ++k) {
    multiply(child_.p[k], parent_.norm, f_);
    turned_[k].elevate(f_.degree);
    addMultiple(Ball(-1), turned_[k], f_);
    if (!isWithin(f_, scale_, most, open)) return false;
  }
  return true;
}

// |(R_p' (p_c - p_p) - offset) x axis| <= most |axis|, the axis in the parent's body frame.
bool ClosureFilter::slides(const Joint& joint, const Ball3& offset, double most, double& open) {
  const Ball3 own = {joint.axis[0], joint.axis[1], joint.axis[2]};
  Ball3 axis;
  Ball norm;
  turnByFrame(joint.parent_frame, own, axis, norm);
  rotateBack(parent_.matrix, child_.p, turned_);
  for (int k = 0; k < 3; ++k) addMultiple(-offset[k], scale_, turned_[k]);
  BallPolynomial across[3];
  cross(turned_, axis, across);
  scale_.multiplyBy(lowerRoot(squareOf(axis)));
  double largest = 0;
  for (const BallPolynomial& f : across)
    if (!isWithin(f, scale_, most, largest)) return false;
  open = largest * std::sqrt(3.0) * (1 + 0x1p-50);
  return open <= most;
}

// (p_c - p_p) |q_c|^2 |q_p|^2 + M_c a_c |q_p|^2 - M_p a_p |q_c|^2
bool ClosureFilter::pointsMeet(const JointOfLinks& links, double most, double& apart) {
  const int degree = std::max(child_.p[0].degree, parent_.p[0].degree), whole = degree + norms_.degree;
  Ball3 arm_c, arm_p;
  setDifference(links.joint->child_point, links.child_centre, arm_c);
  setDifference(links.joint->parent_point, links.parent_centre, arm_p);
  scale_ = norms_;
  scale_.elevate(whole);
  BallPolynomial (&turned)[3] = turned_;
  const auto add = [&](const BallMotion& m, const Ball3& arm, const BallPolynomial& other, int k, int sign) {
    rotate(m.matrix, arm, turned);
    work_.setZero(turned[k].degree + other.degree);
    addProduct(turned[k], other, sign, work_);
    work_.elevate(whole);
    addMultiple(Ball(1), work_, f_);
  };
  for (int k = 0; k < 3; ++k) {
    BallPolynomial &pc = child_.p[k], &pp = parent_.p[k];
    pc.elevate(degree);
    pp.elevate(degree);
    test_ = pc;
    addMultiple(Ball(-1), pp, test_);
    multiply(test_, norms_, f_);
    add(child_, arm_c, parent_.norm, k, 1);
    add(parent_, arm_p, child_.norm, k, -1);
    if (!isWithin(f_, scale_, most, apart)) return false;
  }
  return true;
}

// (R_c F_c - R_p F_p) unit l / |unit|, F the joint's frames: times all |q|^2.
bool ClosureFilter::axesMeet(const JointOfLinks& links, const Vector3& unit, double most, double& apart) {
  Ball3 axis_c, axis_p;
  Ball norm_c, norm_p, square;
  const Ball3 u = {unit[0], unit[1], unit[2]};
  turnByFrame(links.joint->child_frame, u, axis_c, norm_c);
  turnByFrame(links.joint->parent_frame, u, axis_p, norm_p);
  dot(u, u, square);
  scale_ = norms_;
  Ball factor = norm_c;
  factor *= norm_p;
  factor *= lowerRoot(square);
  scale_.multiplyBy(factor);
  BallPolynomial turned_p[3];
  rotate(child_.matrix, axis_c, turned_);
  rotate(parent_.matrix, axis_p, turned_p);
  for (int k = 0; k < 3; ++k) {
    multiply(turned_[k], parent_.norm, f_);
    f_.multiplyBy(norm_p);
    multiply(turned_p[k], child_.norm, work_);
    work_.multiplyBy(norm_c);
    addMultiple(Ball(-1), work_, f_);
    f_.multiplyBy(Ball(links.length));
    if (!isWithin(f_, scale_, most, apart)) return false;
  }
  return true;
}

bool ClosureFilter::proves(const JointOfLinks& links, const Piece& child, const Piece& parent, double most,
                           double& apart) {
  const JointType type = links.joint->type;
  const bool turns = type == JointType::kRevolute || type == JointType::kSpherical;
  if (!(turns || type == JointType::kFixed || type == JointType::kPrismatic) || !covers(parent, child)) return false;
  if (!turns && staysUnturned(links, child, parent, most, apart)) return true;
  if (type == JointType::kPrismatic) return false;
  setWhole(child, child_, work_);
  setWhole(parent, parent_, work_);
  multiply(child_.norm, parent_.norm, norms_);
  apart = 0;
  if (!pointsMeet(links, most, apart)) return false;
  if (type == JointType::kSpherical) return true;
  if (type == JointType::kRevolute) return axesMeet(links, links.joint->axis, most, apart);
  for (int i = 0; i < 3; ++i)
    if (!axesMeet(links, Vector3{double(i == 0), double(i == 1), double(i == 2)}, most, apart)) return false;
  return true;
}

}  // namespace rigor::verify::filter
