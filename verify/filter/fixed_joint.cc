// SPDX-License-Identifier: MIT
#include "verify/filter/fixed_joint.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "verify/filter/ball_algebra.h"
#include "verify/filter/ball_vector.h"
#include "verify/kernel/motion.h"

namespace rigor::verify::filter {
namespace {

using kernel::Piece;
using Four = double[4];

/// Of a sum of fewer than 60 products, each of which is rounded fewer than 10 times, beside the sizes of what goes in.
constexpr double kJointRounding = 0x1p-44, kJointUnderflow = 0x1p-960;
constexpr double kUpwards = 1 + 0x1p-44;
/// Share of what is allowed below which bounds of all directions at once will do.
constexpr double kShareOfTurn = 1e-3;
/// Of a quaternion over a piece, beside its length: of more the bound is a tenth too large, and people read it.
constexpr double kLittle = 0.02;
constexpr double kOfCubic[4] = {1, 3, 3, 1}, kPerTerm[7] = {1, 1 / 6.0, 1 / 15.0, 1 / 20.0, 1 / 15.0, 1 / 6.0, 1};
/// Quaternions of other sizes, and places farther away [m], are left to others: nothing here overflows.
constexpr double kShortest = 0.5, kLongest = 2, kFarthest = 1e6;

bool isUsual(const Piece& piece) {
  const auto within = [](std::span<const double> values, double most) {
    return std::ranges::all_of(values, [&](double x) { return std::abs(x) <= most; });
  };
  return piece.p_degree == 3 && piece.q_degree == 3 && within({piece.p[0], 12}, kFarthest) &&
         within({piece.q[0], 16}, kLongest);
}

double fourLength(const Four& q) { return std::sqrt(q[0] * q[0] + q[1] * q[1] + (q[2] * q[2] + q[3] * q[3])); }

Ball lengthSquareOf(const kernel::Quaternion& q) {
  Ball sum;
  for (const double x : q) addProduct(Ball(x), Ball(x), sum);
  return sum;
}

/// b as what is multiplied by 1, i, j and k from the left.
void leftProducts(const double* b, double (&rows)[4][4]) {
  const double of[4][4] = {
      {b[0], b[1], b[2], b[3]}, {-b[1], b[0], -b[3], b[2]}, {-b[2], b[3], b[0], -b[1]}, {-b[3], -b[2], b[1], b[0]}};
  std::copy_n(of[0], 16, rows[0]);
}

void multiply(const Four& a, const double (&rows)[4][4], Four& out) {
  for (int k = 0; k < 4; ++k) out[k] = a[0] * rows[0][k] + a[1] * rows[1][k] + (a[2] * rows[2][k] + a[3] * rows[3][k]);
}

/// No less than |x_i| of the control points, how far one of them is from the first, and no more than |x| of the curve.
/// What is rounded is for the caller.
struct Lengths {
  double most = 0, far = 0, least = 0;
  explicit Lengths(const double (&x)[4][4]) {
    for (int i = 0; i < 4; ++i) {
      Four off;
      for (int k = 0; k < 4; ++k) off[k] = x[i][k] - x[0][k];
      most = std::max(most, fourLength(x[i])), far = std::max(far, fourLength(off));
    }
    least = fourLength(x[0]) - far;
  }
};

}  // namespace

// The offset is a_p - F_p F_c' a_c, a the joint's points and F its frames.
FixedJoint::FixedJoint(const kernel::Joint& joint, const kernel::Vector3& child_centre,
                       const kernel::Vector3& parent_centre)
    : places_{joint.child_point, child_centre, joint.parent_point, parent_centre},
      child_frame_(joint.child_frame),
      parent_frame_(joint.parent_frame) {
  kernel::Body frame;
  const auto frameOf = [&](const kernel::Quaternion& q) {
    frame.orientation = q;
    return ballPoseOf(fixedPose(frame), 0);
  };
  const BallVector arm = BallVector(joint.child_point) - BallVector(child_centre),
                   offset = BallVector(joint.parent_point) - BallVector(parent_centre) -
                            frameOf(joint.parent_frame).turn(frameOf(joint.child_frame).turnBack(arm));
  const Ball lengths[] = {lengthSquareOf(child_frame_), lengthSquareOf(parent_frame_)};
  frames_ = std::max(upperRootOf(lengths[0]), upperRootOf(lengths[1]));
  std::copy_n(offset.x, 3, offset_);
  offset_off_ = 2 * offset.radius * kUpwards;
  offset_reach_ = upperRootOf(dot(offset, offset)), arm_ = upperRootOf(dot(arm, arm));
}

bool FixedJoint::isOf(const kernel::Joint& joint, const kernel::Vector3& child_centre,
                      const kernel::Vector3& parent_centre) const {
  return places_ == Places{joint.child_point, child_centre, joint.parent_point, parent_centre} &&
         child_frame_ == joint.child_frame && parent_frame_ == joint.parent_frame;
}

// With d = q_c F_c - q_p F_p it is at most 2 |d| / |q_c F_c| (ClosureFilter).
double FixedJoint::turnedAtMost(const Piece& child, const Piece& parent) const {
  double of_child[4][4], of_parent[4][4], most = 0;
  for (int i = 0; i < 4; ++i) {
    double rows[4][4];
    leftProducts(child_frame_.data(), rows), multiply(child.q[i], rows, of_child[i]);
    leftProducts(parent_frame_.data(), rows), multiply(parent.q[i], rows, of_parent[i]);
  }
  for (int i = 0; i < 4; ++i) {
    Four off;
    for (int k = 0; k < 4; ++k) off[k] = of_child[i][k] - of_parent[i][k];
    most = std::max(most, fourLength(off));
  }
  const Lengths c(of_child), p(of_parent);
  const double rounding = kJointRounding * (c.most + p.most + kLongest * frames_), least = c.least - rounding;
  return least > 0 ? 2 * (most + rounding) / least * kUpwards : INFINITY;
}

// p_c - p_p - R_p o, in each coordinate: with D = p_c - p_p it is E q_p* / |q_p|^2, E = D q_p - q_p o of degree 6, as
// q o q* = |q|^2 R o. For q_p* that of the first control point will do, and E times how far the others are from it.
double FixedJoint::openAtMost(const Piece& child, const Piece& parent) const {
  double apart[4][3], sum[7][4] = {}, farthest_sq = 0;
  for (int i = 0; i < 4; ++i) {
    double square = 0;
    for (int k = 0; k < 3; ++k) apart[i][k] = child.p[i][k] - parent.p[i][k], square += apart[i][k] * apart[i][k];
    farthest_sq = std::max(farthest_sq, square);
  }
  const Four offset = {0, offset_[0], offset_[1], offset_[2]};
  double by_offset[4][4];
  leftProducts(offset, by_offset);
  for (int b = 0; b < 4; ++b) {
    double rows[4][4];
    Four turned;
    leftProducts(parent.q[b], rows), multiply(parent.q[b], by_offset, turned);
    for (int a = 0; a < 4; ++a) {
      const double share = kOfCubic[a] * kOfCubic[b];
      for (int k = 0; k < 4; ++k)
        sum[a + b][k] +=
            share * (apart[a][0] * rows[1][k] + apart[a][1] * rows[2][k] + (apart[a][2] * rows[3][k] - turned[k]));
    }
  }
  const double(&start)[4] = parent.q[0];
  const Four back = {start[0], -start[1], -start[2], -start[3]};
  double rows[4][4], most = 0, across = 0;
  leftProducts(back, rows);
  for (int j = 0; j < 7; ++j) {
    Four turned;
    multiply(sum[j], rows, turned);
    most = std::max(most, fourLength(sum[j]) * kPerTerm[j]);
    for (int k = 1; k < 4; ++k) across = std::max(across, std::abs(turned[k]) * kPerTerm[j]);
  }
  const Lengths q(parent.q);
  const double far = std::sqrt(farthest_sq) * kUpwards + offset_reach_,
               rounding = (kJointRounding * (far + most) + offset_off_) * q.most * kUpwards + kJointUnderflow,
               least = q.least - kJointRounding;
  const bool turns_little = least > 0 && q.far <= kLittle * least;
  return turns_little ? (across + most * q.far + 4 * rounding * (1 + q.most)) / (least * least) * kUpwards : INFINITY;
}

bool FixedJoint::staysClosed(const Piece& child, const Piece& parent, double length, double most, double& apart) const {
  if (child.t0 != parent.t0 || child.t1 != parent.t1 || !isUsual(child) || !isUsual(parent) ||
      !(frames_ > kShortest && frames_ < kLongest))
    return false;
  const double turned = turnedAtMost(child, parent), off = turned * length * kUpwards;
  if (!(off <= most * kShareOfTurn)) return false;
  // What the child's turn adds where it is fixed.
  const double open = (openAtMost(child, parent) + turned * arm_ * kUpwards) * kUpwards;
  if (!(open <= most)) return false;
  apart = std::max(off, open);
  return true;
}

}  // namespace rigor::verify::filter
