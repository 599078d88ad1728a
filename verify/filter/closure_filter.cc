// SPDX-License-Identifier: MIT
#include "verify/filter/closure_filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

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

/// Share of what is allowed below which a simpler bound will do.
constexpr double kSimple = 1e-3;

void setDifference(const Vector3& a, const Vector3& b, Ball3& out) {
  for (int k = 0; k < 3; ++k) {
    out[k] = a[k];
    out[k] -= b[k];
  }
}

void setZero(int degree, RoundedPolynomial (&out)[3]) {
  for (RoundedPolynomial& entry : out) entry.setZero(degree);
}

template <int n>
Ball squareOf(const Ball (&x)[n]) {
  Ball sum;
  for (const Ball& entry : x) addProduct(entry, entry, sum);
  return sum;
}

Ball squareOf(const Quaternion& q) {
  const Ball components[4] = {q[0], q[1], q[2], q[3]};
  return squareOf(components);
}

bool covers(const Piece& parent, const Piece& child) {
  if (parent.p_degree == 0 && parent.q_degree == 0) return parent.t0 <= child.t0 && child.t1 <= parent.t1;
  return parent.t0 == child.t0 && parent.t1 == child.t1;
}

}  // namespace

bool ClosureFilter::Link::isOf(const Piece& other) const {
  const auto same = [](const double* a, const double* b, int count) {
    return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(double)) == 0;
  };
  return known && piece.body == other.body && piece.p_degree == other.p_degree && piece.q_degree == other.q_degree &&
         same(piece.p[0], other.p[0], 3 * (other.p_degree + 1)) &&
         same(piece.q[0], other.q[0], 4 * (other.q_degree + 1));
}

// p, |q|^2 and w^2 - u.u.
void ClosureFilter::Link::set(const Piece& of) {
  if (isOf(of)) return;
  piece = of, known = true;
  for (int k = 0; k < 3; ++k) p[k].fromControlPoints(of.p[0] + k, 3, of.p_degree);
  for (int k = 0; k < 4; ++k) q[k].fromControlPoints(of.q[0] + k, 4, of.q_degree);
  norm.setZero(2 * of.q_degree), square.setZero(2 * of.q_degree);
  for (int k = 0; k < 4; ++k) {
    addProduct(q[k], q[k], 1, norm);
    addProduct(q[k], q[k], k == 0 ? 1 : -1, square);
  }
}

// q F as a quaternion.
void ClosureFilter::frame(const Link& link, const Quaternion& F, RoundedPolynomial (&framed)[4]) {
  const RoundedPolynomial(&q)[4] = link.q;
  const bool is_none = F[1] == 0 && F[2] == 0 && F[3] == 0;
  for (int i = 0; i < 4; ++i) framed[i].setZero(q[0].degree), addMultiple(F[0], q[i], framed[i]);
  if (is_none) return;
  for (int k = 1; k < 4; ++k) addMultiple(-F[k], q[k], framed[0]);
  for (int i = 1; i < 4; ++i) {
    const int j = i % 3 + 1, k = j % 3 + 1;
    addMultiple(F[i], q[0], framed[i]);
    addMultiple(F[k], q[j], framed[i]), addMultiple(-F[j], q[k], framed[i]);
  }
}

// out = M(q) x
void ClosureFilter::turn(const Link& link, const Ball3& x, RoundedPolynomial (&out)[3]) {
  along_.setZero(link.q[0].degree);
  for (int k = 0; k < 3; ++k) addMultiple(x[k], link.q[k + 1], along_);
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    across_.setZero(link.q[0].degree);
    addMultiple(x[j], link.q[i + 1], across_), addMultiple(-x[i], link.q[j + 1], across_);
    out[k].setZero(link.norm.degree);
    addMultiple(x[k], link.square, out[k]);
    addProduct(along_, link.q[k + 1], 2, out[k]), addProduct(link.q[0], across_, 2, out[k]);
  }
}

// |f| <= most scale; `largest` is raised to |f| / scale. Both have one degree.
bool ClosureFilter::isWithin(const RoundedPolynomial& f, double most, double& largest) const {
  const double ratio = largestRatio(f, scale_);
  if (!(ratio <= most)) return false;
  largest = std::max(largest, ratio);
  return true;
}

// A bound of |(R_c F_c - R_p F_p) u| / |u|, F the joint's frames, of one axis u or of all. The turn between the two is
// that of the quaternion s = (q_p F_p)* q_c F_c = (w, v): it takes u away by 2 |v x u| / |s| exactly, and |s| is the
// product of the four lengths.
double ClosureFilter::turnedApart(const Joint& joint, bool about_axis) {
  const RoundedPolynomial(&a)[4] = child_framed_, (&b)[4] = parent_framed_;
  const int degree = a[0].degree + b[0].degree;
  setZero(degree, turned_);
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3 + 1, j = (k + 2) % 3 + 1;
    addProduct(b[0], a[k + 1], 1, turned_[k]), addProduct(a[0], b[k + 1], -1, turned_[k]);
    addProduct(b[i], a[j], -1, turned_[k]), addProduct(b[j], a[i], 1, turned_[k]);
  }
  multiply(child_->norm, parent_->norm, norms_);
  scale_.setZero(0);
  scale_.c[0] = scale_.size = 1;
  scale_.elevate(degree);
  Ball square, lengths = lowerValue(norms_);
  lengths *= squareOf(joint.child_frame), lengths *= squareOf(joint.parent_frame);
  for (int k = 0; k < 3; ++k) {
    const RoundedPolynomial* part = &turned_[k];
    if (about_axis) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      f_.setZero(degree);
      addMultiple(joint.axis[j], turned_[i], f_), addMultiple(-joint.axis[i], turned_[j], f_);
      part = &f_;
    }
    const Ball most = largestRatio(*part, scale_);
    addProduct(most, most, square);
  }
  if (about_axis) {
    const Ball3 axis = {joint.axis[0], joint.axis[1], joint.axis[2]};
    lengths *= squareOf(axis);
  }
  const double root = lowerRootOf(lengths);
  return root > 0 ? 2 * upperRoot(square).value / root * (1 + 0x1p-50) : INFINITY;
}

// The same of all axes where the two quaternions are nearly one: with d = q_c F_c - q_p F_p it is v of (q_p F_p)* d, so
// at most 2 |d| / |q_c F_c|.
double ClosureFilter::turnedAtMost(const Joint& joint) {
  const int degree = child_framed_[0].degree;
  if (degree != parent_framed_[0].degree) return INFINITY;
  scale_.setZero(0);
  scale_.c[0] = scale_.size = 1;
  scale_.elevate(degree);
  Ball square, length_sq = lowerValue(child_->norm);
  length_sq *= squareOf(joint.child_frame);
  for (int k = 0; k < 4; ++k) {
    f_ = child_framed_[k];
    addMultiple(-1, parent_framed_[k], f_);
    const Ball most = largestRatio(f_, scale_);
    addProduct(most, most, square);
  }
  const double root = lowerRootOf(length_sq);
  return root > 0 ? 2 * upperRoot(square).value / root * (1 + 0x1p-50) : INFINITY;
}

bool ClosureFilter::staysFixed(const JointOfLinks& links, const Piece& child, const Piece& parent, double most,
                               double& apart) {
  fixed_.resize(std::max(fixed_.size(), static_cast<std::size_t>(child.body) + 1));
  std::optional<FixedJoint>& fixed = fixed_[child.body];
  if (!fixed || !fixed->isOf(*links.joint, links.child_centre, links.parent_centre))
    fixed.emplace(*links.joint, links.child_centre, links.parent_centre);
  return fixed->staysClosed(child, parent, links.length, most, apart);
}

// What does not turn is open by less: with R_c F_c = R_p F_p + E the joint is open by
// p_c - p_p - R_p (a_p - F_p F_c' a_c) + E F_c' a_c; one that slides, by what of this lies across its axis.
bool ClosureFilter::staysUnturned(const JointOfLinks& links, double most, double& apart) {
  const Joint& joint = *links.joint;
  double turned = turnedAtMost(joint);
  if (!(turned * links.length <= most * kSimple)) turned = turnedApart(joint, false);
  const double off = turned * links.length * (1 + 0x1p-50);
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
  const int degree = std::max(child_->p[0].degree, parent_->p[0].degree);
  turn(*parent_, offset, turned_);
  for (int k = 0; k < 3; ++k) {
    setApart(k, degree);
    multiply(apart_, parent_->norm, moved_[k]);
    turned_[k].elevate(moved_[k].degree);
    addMultiple(-1, turned_[k], moved_[k]);
  }
  scale_ = parent_->norm;
  double open = 0;
  if (!(joint.type == JointType::kPrismatic ? slides(joint, left, open) : meets(left, open))) return false;
  apart = std::max(off, (open + swung) * (1 + 0x1p-50));
  return true;
}

// p_c - p_p, one coordinate.
void ClosureFilter::setApart(int k, int degree) {
  apart_ = child_->p[k];
  along_ = parent_->p[k];
  apart_.elevate(degree), along_.elevate(degree);
  addMultiple(-1, along_, apart_);
}

// |moved| <= most |q_p|^2, component by component.
bool ClosureFilter::meets(double most, double& open) {
  scale_.elevate(moved_[0].degree);
  return std::all_of(std::begin(moved_), std::end(moved_),
                     [&](const RoundedPolynomial& f) { return isWithin(f, most, open); });
}

// |moved x R_p axis| <= most |q_p|^2 |axis|, the axis in the parent's body frame.
bool ClosureFilter::slides(const Joint& joint, double most, double& open) {
  const Ball3 own = {joint.axis[0], joint.axis[1], joint.axis[2]};
  Ball3 axis;
  Ball norm;
  turnByFrame(joint.parent_frame, own, axis, norm);
  turn(*parent_, axis, turned_);
  f_.setZero(2 * parent_->norm.degree);
  addProduct(parent_->norm, parent_->norm, 1, f_);
  scale_.setZero(f_.degree);
  addMultiple(lowerRootOf(squareOf(axis)), f_, scale_);
  scale_.elevate(moved_[0].degree + turned_[0].degree);
  double largest = 0;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    multiply(moved_[i], turned_[j], f_);
    addProduct(moved_[j], turned_[i], -1, f_);
    if (!isWithin(f_, most, largest)) return false;
  }
  open = largest * std::sqrt(3.0) * (1 + 0x1p-50);
  return open <= most;
}

// (p_c - p_p) |q_c|^2 |q_p|^2 + M_c a_c |q_p|^2 - M_p a_p |q_c|^2
bool ClosureFilter::pointsMeet(const JointOfLinks& links, double most, double& apart) {
  const int degree = std::max(child_->p[0].degree, parent_->p[0].degree);
  Ball3 arm_c, arm_p;
  setDifference(links.joint->child_point, links.child_centre, arm_c);
  setDifference(links.joint->parent_point, links.parent_centre, arm_p);
  scale_ = norms_;
  scale_.elevate(degree + norms_.degree);
  turn(*child_, arm_c, turned_), turn(*parent_, arm_p, moved_);
  for (int k = 0; k < 3; ++k) {
    multiply(turned_[k], parent_->norm, f_);
    addProduct(moved_[k], child_->norm, -1, f_);
    f_.elevate(scale_.degree);
    setApart(k, degree);
    addProduct(apart_, norms_, 1, f_);
    if (!isWithin(f_, most, apart)) return false;
  }
  return true;
}

bool ClosureFilter::proves(const JointOfLinks& links, const Piece& child, const Piece& parent, double most,
                           double& apart) {
  const Joint& joint = *links.joint;
  const bool turns = joint.type == JointType::kRevolute || joint.type == JointType::kSpherical;
  if (!(turns || joint.type == JointType::kFixed || joint.type == JointType::kPrismatic) || !covers(parent, child) ||
      child.body == parent.body)
    return false;
  if (joint.type == JointType::kFixed && staysFixed(links, child, parent, most, apart)) return true;
  links_.resize(std::max<std::size_t>(links_.size(), 2 + std::max(child.body, parent.body)));
  Link &of_child = links_[child.body + 1], &of_parent = links_[parent.body + 1];
  of_child.set(child), of_parent.set(parent);
  child_ = &of_child, parent_ = &of_parent;
  if (joint.type != JointType::kSpherical)
    frame(*child_, joint.child_frame, child_framed_), frame(*parent_, joint.parent_frame, parent_framed_);
  if (!turns) return staysUnturned(links, most, apart);
  apart = 0;
  if (joint.type == JointType::kRevolute) apart = turnedApart(joint, true) * links.length * (1 + 0x1p-50);
  else multiply(child_->norm, parent_->norm, norms_);
  return apart <= most && pointsMeet(links, most, apart);
}

}  // namespace rigor::verify::filter
