// SPDX-License-Identifier: MIT
// The claim of a witness whose axis is the common normal of two edges.
#include <algorithm>
#include <vector>

#include "verify/claim_prover.h"

namespace rigor::verify {

// How far a vertex y lies behind its edge along n is edge + y.side, side = weight x edge vector: zero at both ends of
// the edge. The vertices for which it is not proved that they do.
template <typename Arithmetic>
void ClaimProver<Arithmetic>::findBeforeEdge(int i, const Solid& solid, int part, std::int64_t end,
                                             std::int64_t other_end) {
  cross(weight_[i], i == 0 ? a_ : b_, side_[i]);
  setVertex(solid.body->parts[part].vertices[end], solid.body->centre, point_);
  edge_[i].setZero(side_[i][0].degree);
  for (int k = 0; k < 3; ++k) addMultiple(point_[k], side_[i][k], edge_[i]);
  edge_[i].negate();
  verify::findUndecided(solid.vertices[part], edge_[i], side_[i], length_exponent_, open_);
  before_[i].clear();
  for (const int v : open_)
    if (v != end && v != other_end && !proveVertex(edge_[i], side_[i], solid, part, v)) before_[i].push_back(v);
}

// n = (R_A a) x (R_B b). With e a vector of A and f one of B: n.R_A e = (e x a).G and n.R_B f = (b x f).H, where
// G = R_A' R_B b and H = R_B' R_A a; all times |q_A|^2 |q_B|^2.
template <typename Arithmetic>
Verdict ClaimProver<Arithmetic>::proveEdges(const Witness& w, const Solid& A, const Solid& B) {
  const std::vector<Vector3>&vertices_a = A.body->parts[w.part_a].vertices,
        &vertices_b = B.body->parts[w.part_b].vertices;
  const Motion<Arithmetic>&motion_a = motion_[0], &motion_b = motion_[1];
  setVertex(vertices_a[w.a0], vertices_a[w.a1], a_);
  setVertex(vertices_b[w.b0], vertices_b[w.b1], b_);
  for (int k = 0; k < 3; ++k) {
    negate(a_[k]);
    negate(b_[k]);
  }
  rotate(motion_a.matrix, a_, axis_);
  rotate(motion_b.matrix, b_, other_axis_);
  rotateBack(motion_a.matrix, other_axis_, weight_[0]);
  rotateBack(motion_b.matrix, axis_, weight_[1]);

  // -n.R_A e = e.(G x a) and n.R_B f = f.(H x b).
  findBeforeEdge(0, A, w.part_a, w.a0, w.a1);
  findBeforeEdge(1, B, w.part_b, w.b0, w.b1);

  // |n| <= L: s^2 + L^2 >= |a|^2 |b|^2 and |a.b turned| >= s throughout.
  multiply(motion_a.norm, motion_b.norm, norms_);
  scaled(w.cross, 2 * length_exponent_, limit_);
  scaled(w.cosine, 2 * length_exponent_, sum_);
  dot(a_, a_, product_);
  dot(b_, b_, support_);
  product_ *= support_;
  multiply(limit_, limit_, support_);
  addProduct(sum_, sum_, support_);
  if (!isAtLeast(support_, product_))
    return {Proof::kRefuted, from_, "edge witness: its bounds do not bound the normal's length"};
  if (w.cosine > 0) {
    dotPolynomials(axis_, other_axis_, test_);
    if (seemsNegative(test_)) test_.negate();
    negate(sum_);
    addMultiple(sum_, norms_, test_);
    Verdict verdict = check(test_, "edge witness: the edges' cosine bound does not hold");
    if (verdict.proof != Proof::kProved) return verdict;
  }

  // n.(p_B - p_A) + n.R_B y_b0 - n.R_A x_a0 - gap L >= 0, times |q_A|^2 |q_B|^2.
  const int position_degree = std::max(motion_a.p[0].degree, motion_b.p[0].degree);
  setDifference(0, 1, position_degree);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    multiply(axis_[j], other_axis_[k], cross_[i]);
    addProduct(axis_[k], other_axis_[j], -1, cross_[i]);
  }
  dotPolynomials(cross_, difference_, base_);
  scaled(w.gap, length_exponent_, sum_);
  limit_ *= sum_;
  limit_ *= length_;
  negate(limit_);
  test_.setZero(norms_.degree);
  addMultiple(limit_, norms_, test_);
  const auto addArm = [&](const Number3& left, const Number3& right, const Polynomial(&weight)[3]) {
    cross(left, right, vertex_cross_);
    for (int k = 0; k < 3; ++k) {
      vertex_cross_[k] *= length_;
      addMultiple(vertex_cross_[k], weight[k], test_);
    }
  };
  setVertex(vertices_b[w.b0], B.body->centre, point_);
  addArm(b_, point_, weight_[1]);
  setVertex(vertices_a[w.a0], A.body->centre, point_);
  addArm(a_, point_, weight_[0]);  // -(x x a) = a x x
  test_.elevate(base_.degree);
  addTimes(1, test_, base_);
  Verdict verdict = check(base_, "the edges are closer than the witness says");
  // The claim adds how far x and y lie behind their edges, which lowers it where a vertex lies before its edge:
  // vertices of B with the edge of A, then those of A with the lowest of B's.
  lowest_.setZero(base_.degree);
  for (int i = 1; i >= 0; --i) {
    const Solid& solid = i == 0 ? A : B;
    for (const int v : before_[i]) {
      if (verdict.proof != Proof::kProved) return verdict;
      proveVertex(edge_[i], side_[i], solid, i == 0 ? w.part_a : w.part_b, v);
      test_.elevate(base_.degree);
      test_.multiplyBy(length_);
      if (i == 1) lowerTo(test_, lowest_);
      addTimes(1, base_, test_);
      verdict = checkVertex(test_, v, solid);
    }
    if (i == 1) addTimes(1, lowest_, base_);
  }
  return verdict;
}

template void ClaimProver<ExactArithmetic>::findBeforeEdge(int, const Solid&, int, std::int64_t, std::int64_t);
template void ClaimProver<BallArithmetic>::findBeforeEdge(int, const Solid&, int, std::int64_t, std::int64_t);
template Verdict ClaimProver<ExactArithmetic>::proveEdges(const Witness&, const Solid&, const Solid&);
template Verdict ClaimProver<BallArithmetic>::proveEdges(const Witness&, const Solid&, const Solid&);

}  // namespace rigor::verify
