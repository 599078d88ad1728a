// SPDX-License-Identifier: MIT
#include "verify/filter/claim_filter.h"

#include <algorithm>
#include <functional>

namespace rigor::verify::filter {

using kernel::Body;
using kernel::Claim;
using kernel::Piece;
using kernel::Vector3;

namespace {

constexpr std::size_t kManyParts = 16;  // The simulator's terrain has more; what is kept of others is the last view.
constexpr std::size_t kViews = 4096;    // 6 MB: of ten bodies for as long as claims last, dozens of steps.

void setVertex(const Vector3& vertex, const Vector3& centre, Ball3& out) {
  for (int k = 0; k < 3; ++k) {
    out[k] = vertex[k];
    if (centre[k] != 0) out[k] -= centre[k];
  }
}

/// No less than |axis| beyond.
Ball reachAlong(const Ball3& axis, const Ball& beyond) {
  Ball square;
  dot(axis, axis, square);
  square *= beyond;
  square *= beyond;
  return upperRoot(square);
}

const std::vector<Vector3>& pointsOf(const kernel::Part& part) { return part.core.empty() ? part.vertices : part.core; }

}  // namespace

Solid::Solid(const Body& owner) : body(&owner) {
  for (const kernel::Part& part : owner.parts) vertices.emplace_back(part, owner.centre);
}

bool ClaimFilter::setRestriction(const Piece& piece, double from, double to) {
  if (from == piece.t0 && to == piece.t1) return false;
  h_ = piece.t1, start_ = from, end_ = to;
  h_ -= piece.t0;
  start_ -= piece.t0;
  end_ -= piece.t0;
  return true;
}

// Control points of the same polynomial on [from, to], times h^n: blossoms at n - i starts and i ends.
void ClaimFilter::restrict(Ball* control, int n) {
  Ball values[4];
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) blossom_[j] = control[j];
    for (int level = 1; level <= n; ++level) {
      const Ball& x = level <= n - i ? start_ : end_;
      Ball rest = h_;
      rest -= x;
      for (int j = 0; j + level <= n; ++j) {
        blossom_[j] *= rest;
        addProduct(x, blossom_[j + 1], blossom_[j]);
      }
    }
    values[i] = blossom_[0];
  }
  std::copy_n(values, n + 1, control);
}

void ClaimFilter::setMotion(const Piece& piece, double from, double to, int slot) {
  Cached& cached = cached_[slot];
  if (cached.piece == &piece && (piece.q_degree == 0 || (cached.from == from && cached.to == to))) return;
  cached = {&piece, from, to};
  BallMotion& m = motion_[slot];
  const bool restricted = piece.q_degree > 0 && setRestriction(piece, from, to);
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i <= piece.q_degree; ++i) control_[i] = piece.q[i][k];
    if (restricted) restrict(control_, piece.q_degree);
    m.q[k].fromControlPoints(control_, piece.q_degree);
  }
  setRotation(m, scratch_);
}

void ClaimFilter::setPosition(const Piece& piece, int slot) {
  BallMotion& m = motion_[slot];
  const bool restricted = piece.p_degree > 0 && setRestriction(piece, from_, to_);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i <= piece.p_degree; ++i) control_[i] = piece.p[i][k];
    if (restricted) restrict(control_, piece.p_degree);
    m.p[k].fromControlPoints(control_, piece.p_degree);
  }
  m.denominator = restricted ? power(h_, piece.p_degree) : Ball(1);
}

// difference = (p_other - p_owner) times both denominators; length_ = their product.
void ClaimFilter::setDifference(int owner, int other, int degree) {
  BallMotion &O = motion_[owner], &T = motion_[other];
  multiply(O.denominator, T.denominator, length_);
  for (int k = 0; k < 3; ++k) {
    O.p[k].elevate(degree);
    T.p[k].elevate(degree);
    difference_[k].setZero(degree);
    addMultiple(O.denominator, T.p[k], difference_[k]);
    addMultiple(-T.denominator, O.p[k], difference_[k]);
  }
}

bool ClaimFilter::proves(const Claim& claim, const Solid& A, const Piece& motion_a, const Solid& B,
                         const Piece& motion_b, double from, double to) {
  from_ = from;
  to_ = to;
  if (claim.kind != 2) return provesFace(claim, A, B, {&motion_a, &motion_b});
  setMotions({&motion_a, &motion_b});
  return provesEdges(claim, A, B);
}

void ClaimFilter::setMotions(Pieces pieces) {
  for (const int slot : {0, 1}) setMotion(*pieces[slot], from_, to_, slot);
  for (const int slot : {0, 1}) setPosition(*pieces[slot], slot);
}

// What of the proof of a face depends on the motions and the axis alone.
void ClaimFilter::setView(const Vector3& axis, int owner, Pieces pieces, FaceView& view) {
  setMotions(pieces);
  const int other = 1 - owner;
  const BallMotion &motion_o = motion_[owner], &motion_t = motion_[other];
  view.owner = pieces[owner], view.other = pieces[other], view.from = from_, view.to = to_, view.axis = axis;
  view.part = -1;
  rotate(motion_o.matrix, {axis[0], axis[1], axis[2]}, axis_);
  setDifference(owner, other, std::max(motion_o.p[0].degree, motion_t.p[0].degree));
  dotPolynomials(axis_, difference_, scratch_);
  multiply(scratch_, motion_t.norm, view.base);
  multiply(motion_o.norm, motion_t.norm, view.norms);
  view.norms.elevate(view.base.degree);
  view.length = length_;
  rotateBack(motion_t.matrix, axis_, view.weight);
  for (BallPolynomial& weight : view.weight) {
    weight.elevate(view.base.degree);
    weight.multiplyBy(length_);
  }
}

ClaimFilter::FaceView& ClaimFilter::viewOf(const Vector3& axis, int owner, Pieces pieces, bool of_many) {
  if (views_.size() < (of_many ? kViews : 1)) views_.resize(of_many ? kViews : 1);
  std::size_t hash = 0;
  const auto mix = [&](std::size_t of) { hash = (hash ^ of) * 0x9e3779b97f4a7c15u, hash ^= hash >> 32; };
  mix(std::hash<const void*>()(pieces[owner])), mix(std::hash<const void*>()(pieces[1 - owner]));
  for (const double x : {from_, to_, axis[0], axis[1], axis[2]}) mix(std::hash<double>()(x));
  FaceView& view = views_[of_many ? hash % kViews : 0];
  if (view.owner != pieces[owner] || view.other != pieces[1 - owner] || view.from != from_ || view.to != to_ ||
      view.axis != axis)
    setView(axis, owner, pieces, view);
  return view;
}

// base + y.weight >= 0, y vertex `vertex` of a part about its body's centre. The polynomial is left in test_.
bool ClaimFilter::provesVertex(const BallPolynomial& base, const BallPolynomial3& weight, const Solid& solid, int part,
                               int vertex) {
  setVertex(pointsOf(solid.body->parts[part])[vertex], solid.body->centre, point_);
  test_.setZero(base.degree);
  addTimes(1, base, test_);
  for (int k = 0; k < 3; ++k) addMultiple(point_[k], weight[k], test_);
  return test_.provedNonNegative();
}

// As ClaimOver::proveFace() of the kernel.
bool ClaimFilter::provesFace(const Claim& claim, const Solid& A, const Solid& B, Pieces pieces) {
  const int owner = claim.kind == 0 ? 0 : 1;
  const Solid &O = owner == 0 ? A : B, &T = owner == 0 ? B : A;
  const int number_o = owner == 0 ? claim.part_a : claim.part_b, number_t = owner == 0 ? claim.part_b : claim.part_a;
  const kernel::Part &part_o = O.body->parts[number_o], &part_t = T.body->parts[number_t];
  const double sign = owner == 0 ? 1 : -1;
  const Vector3 axis{sign * claim.axis[0], sign * claim.axis[1], sign * claim.axis[2]};
  const Ball3 ball_axis{axis[0], axis[1], axis[2]};
  Ball support, along;
  if (part_o.half_space) {
    setVertex(O.body->centre, {}, point_);
    dot(ball_axis, point_, along);
    support = part_o.offset;
    support -= along;
  } else {
    O.vertices[number_o].findFarthest(axis, open_);
    for (const int i : open_) {
      setVertex(pointsOf(part_o)[i], O.body->centre, point_);
      dot(ball_axis, point_, along);
      if (i == open_.front()) support = along;
      raiseTo(along, support);
    }
  }
  Ball limit, beyond = claim.gap;  // What the cores are apart by, times |axis|, rounded up.
  beyond += part_o.radius;
  beyond += part_t.radius;  // Of a cylinder no less than it reaches.
  limit = reachAlong(ball_axis, beyond);
  limit += support;

  const auto isMany = [](const Solid& solid) { return solid.body->parts.size() > kManyParts; };
  FaceView& view = viewOf(axis, owner, pieces, isMany(O) || isMany(T));
  if (view.part == number_t && limit.upper() <= view.proved) return true;
  const double height = limit.value;
  limit *= view.length;
  base_ = view.base;
  addMultiple(-limit, view.norms, base_);
  T.vertices[number_t].findUndecided(base_, view.weight, open_);
  if (std::all_of(open_.begin(), open_.end(),
                  [&](int i) { return provesVertex(base_, view.weight, T, number_t, i); })) {
    view.part = number_t, view.proved = height;
    return true;
  }
  if (!kernel::isCylinder(part_t)) return false;
  Ball more = reachAlong(ball_axis, beyond);
  beyond = claim.gap;
  more -= reachAlong(ball_axis, beyond += part_o.radius);
  addMultiple(more *= view.length, view.norms, base_);
  return provesCylinder(T, number_t, view.weight);
}

// Of a cylinder, whose core has the heights base + y.weight above what is claimed: it reaches r |n x a| / |a| from
// there, n the axis as T sees it, which is the weight. Both sides squared, times |a|^2.
bool ClaimFilter::provesCylinder(const Solid& T, int number, const BallPolynomial3& weight) {
  const kernel::Part& part = T.body->parts[number];
  if (2 * base_.degree > kMaxDegree) return false;
  Ball3 a{part.axis[0], part.axis[1], part.axis[2]};
  cross(weight, a, cross_);
  dotPolynomials(cross_, cross_, rim_);
  Ball square = part.radius, length_sq;
  rim_.multiplyBy(square *= part.radius);
  dot(a, a, length_sq);
  for (int i = 0; i < static_cast<int>(part.core.size()); ++i) {
    if (!provesVertex(base_, weight, T, number, i)) return false;
    multiply(test_, test_, scratch_);
    scratch_.multiplyBy(length_sq);
    addTimes(-1, rim_, scratch_);
    if (!scratch_.provedNonNegative()) return false;
  }
  return true;
}

// How far a vertex y lies behind its edge along n is edge + y.side, side = weight x edge vector: zero at both ends of
// the edge. The vertices for which it is not proved that they do; a core is its edge alone.
void ClaimFilter::findBeforeEdge(int i, const Solid& solid, int part, int end, int other_end) {
  before_[i].clear();
  if (!solid.body->parts[part].core.empty()) return;
  cross(weight_[i], i == 0 ? a_ : b_, side_[i]);
  setVertex(solid.body->parts[part].vertices[end], solid.body->centre, point_);
  edge_[i].setZero(side_[i][0].degree);
  for (int k = 0; k < 3; ++k) addMultiple(point_[k], side_[i][k], edge_[i]);
  edge_[i].negate();
  solid.vertices[part].findUndecided(edge_[i], side_[i], open_);
  for (const int v : open_)
    if (v != end && v != other_end && !provesVertex(edge_[i], side_[i], solid, part, v)) before_[i].push_back(v);
}

// L^2 + s^2, if it is at least |a|^2 |b|^2: |n| is at most (L^2 + s^2 - s |a.b turned|) / L.
bool ClaimFilter::boundsLength(const Claim& claim, Ball& both) {
  Ball aa, bb;
  both = claim.cross;
  both *= claim.cross;
  addProduct(claim.cosine, claim.cosine, both);
  dot(a_, a_, aa);
  dot(b_, b_, bb);
  aa *= bb;
  return isAtLeast(both, aa);
}

// n.(p_B - p_A) + n.R_B y_b0 - n.R_A x_a0 - (gap and radii) |n|, times L |q_A|^2 |q_B|^2, in base_; length_ gets L.
void ClaimFilter::setEdgeBase(const Claim& claim, const Ball& both, const Solid& A, const Solid& B) {
  const kernel::Part &part_a = A.body->parts[claim.part_a], &part_b = B.body->parts[claim.part_b];
  setDifference(0, 1, std::max(motion_[0].p[0].degree, motion_[1].p[0].degree));
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    multiply(axis_[j], other_axis_[k], cross_[i]);
    addProduct(axis_[k], other_axis_[j], -1, cross_[i]);
  }
  dotPolynomials(cross_, difference_, base_);
  base_.multiplyBy(claim.cross);
  Ball beyond = claim.gap;
  beyond += part_a.radius;
  beyond += part_b.radius;
  beyond *= length_;
  length_ *= claim.cross;
  test_.setZero(norms_.degree);
  if (claim.cosine > 0) {
    dotPolynomials(axis_, other_axis_, test_);
    if (test_.value[0] < 0) test_.negate();
    Ball share = beyond;
    share *= claim.cosine;
    test_.multiplyBy(share);
    test_.elevate(norms_.degree);
  }
  beyond *= both;
  addMultiple(-beyond, norms_, test_);
  const auto addArm = [&](const Ball3& left, const Ball3& right, const BallPolynomial3& weight) {
    Ball3 arm;
    cross(left, right, arm);
    for (int k = 0; k < 3; ++k) addMultiple(arm[k] *= length_, weight[k], test_);
  };
  setVertex(part_b.corner(claim.b0), B.body->centre, point_);
  addArm(b_, point_, weight_[1]);
  setVertex(part_a.corner(claim.a0), A.body->centre, point_);
  addArm(a_, point_, weight_[0]);  // -(x x a) = a x x
  test_.elevate(base_.degree);
  addTimes(1, test_, base_);
}

// As ClaimOver::proveEdges() of the kernel.
bool ClaimFilter::provesEdges(const Claim& claim, const Solid& A, const Solid& B) {
  const kernel::Part &part_a = A.body->parts[claim.part_a], &part_b = B.body->parts[claim.part_b];
  setVertex(part_a.corner(claim.a1), part_a.corner(claim.a0), a_);
  setVertex(part_b.corner(claim.b1), part_b.corner(claim.b0), b_);
  rotate(motion_[0].matrix, a_, axis_);
  rotate(motion_[1].matrix, b_, other_axis_);
  rotateBack(motion_[0].matrix, other_axis_, weight_[0]);
  rotateBack(motion_[1].matrix, axis_, weight_[1]);
  // -n.R_A e = e.(G x a) and n.R_B f = f.(H x b).
  findBeforeEdge(0, A, claim.part_a, claim.a0, claim.a1);
  findBeforeEdge(1, B, claim.part_b, claim.b0, claim.b1);
  multiply(motion_[0].norm, motion_[1].norm, norms_);
  Ball both;
  if (!boundsLength(claim, both)) return false;
  setEdgeBase(claim, both, A, B);
  if (!base_.provedNonNegative()) return false;
  lowest_.setZero(base_.degree);
  for (int i = 1; i >= 0; --i) {
    for (const int v : before_[i]) {
      provesVertex(edge_[i], side_[i], i == 0 ? A : B, i == 0 ? claim.part_a : claim.part_b, v);
      test_.elevate(base_.degree);
      test_.multiplyBy(length_);
      if (i == 1) lowerTo(test_, lowest_);
      addTimes(1, base_, test_);
      if (!test_.provedNonNegative()) return false;
    }
    if (i == 1) addTimes(1, lowest_, base_);
  }
  return true;
}

}  // namespace rigor::verify::filter
