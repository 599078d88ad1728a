// SPDX-License-Identifier: MIT
#include "verify/filter/closure_filter.h"

#include <algorithm>
#include <cmath>

#include "verify/filter/ball_algebra.h"

namespace rigor::verify::filter {

using kernel::Joint;
using kernel::JointType;
using kernel::Piece;
using kernel::Quaternion;
using kernel::Vector3;

namespace {

// out = M(q) v = (w^2 - u.u) v + 2 (u.v) u + 2 w u x v, and |q|^2.
void turnByFrame(const Quaternion& q, const Vector3& v, Ball3& out, Ball& norm) {
  const Ball3 u = {q[1], q[2], q[3]}, x = {v[0], v[1], v[2]};
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
bool ClosureFilter::isWithin(BallPolynomial& f, const BallPolynomial& scale, double most, double& largest) {
  for (const int side : {1, -1}) {
    test_ = f;
    if (side > 0) test_.negate();
    addMultiple(Ball(most), scale, test_);
    if (!test_.provedNonNegative()) return false;
  }
  for (int i = 0; i <= f.degree; ++i) {
    const double up = Ball(std::abs(f.value[i]), f.radius[i]).upper(),
                 down = -Ball(-scale.value[i], scale.radius[i]).upper();
    if (!(down > 0)) return false;
    largest = std::max(largest, up / down * (1 + 0x1p-50));
  }
  return true;
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
  turnByFrame(links.joint->child_frame, unit, axis_c, norm_c);
  turnByFrame(links.joint->parent_frame, unit, axis_p, norm_p);
  const Ball3 u = {unit[0], unit[1], unit[2]};
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
  if ((type != JointType::kRevolute && type != JointType::kFixed) || !covers(parent, child)) return false;
  setWhole(child, child_, work_);
  setWhole(parent, parent_, work_);
  multiply(child_.norm, parent_.norm, norms_);
  apart = 0;
  if (!pointsMeet(links, most, apart)) return false;
  if (type == JointType::kRevolute) return axesMeet(links, links.joint->axis, most, apart);
  for (int i = 0; i < 3; ++i)
    if (!axesMeet(links, Vector3{double(i == 0), double(i == 1), double(i == 2)}, most, apart)) return false;
  return true;
}

}  // namespace rigor::verify::filter
