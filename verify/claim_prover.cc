// SPDX-License-Identifier: MIT
#include "verify/claim_prover.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>

namespace rigor::verify {
namespace {

constexpr int kGuardBits = 60;  // Of gap |axis|, an irrational number.

int lowestBit(const double* values, int count) {
  int exponent = INT_MAX;
  for (int i = 0; i < count; ++i) exponent = std::min(exponent, verify::lowestBit(values[i]));
  return exponent;
}

// Of everything that is a length in the claim about these two: a common unit makes all of it integers.
int lengthExponent(const Piece& piece, const VertexSet& vertices) {
  return std::min(vertices.lowestBit(), lowestBit(piece.p[0], 3 * (piece.p_degree + 1)));
}

// Half of a lowest bit, rounded down: the length unit whose square holds an area.
int areaExponent(double area) {
  const int bit = verify::lowestBit(area);
  return bit == INT_MAX ? bit : (bit >= 0 ? bit / 2 : (bit - 1) / 2);
}

// |q|^2 and M(q) from the ten products of the components.
template <typename Arithmetic>
void setRotation(Motion<Arithmetic>& m, typename Arithmetic::Polynomial& work) {
  using Poly = typename Arithmetic::Polynomial;
  const int degree = 2 * m.q[0].degree;
  m.norm.setZero(degree);
  for (auto& row : m.matrix)
    for (Poly& entry : row) entry.setZero(degree);
  for (int k = 0; k < 4; ++k) {
    multiply(m.q[k], m.q[k], work);
    addTimes(1, work, m.norm);
    for (int i = 0; i < 3; ++i) addTimes(k == 0 || k == i + 1 ? 1 : -1, work, m.matrix[i][i]);
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    multiply(m.q[i + 1], m.q[j + 1], work);
    addTimes(2, work, m.matrix[i][j]);
    addTimes(2, work, m.matrix[j][i]);
    multiply(m.q[0], m.q[k + 1], work);
    addTimes(-2, work, m.matrix[i][j]);
    addTimes(2, work, m.matrix[j][i]);
  }
}

}  // namespace

Solid::Solid(const Body& owner) : body(&owner) {
  for (const Part& part : owner.parts) vertices.emplace_back(part, owner.centre);
}

template <typename Arithmetic>
bool ClaimProver<Arithmetic>::setRestriction(const Piece& piece, double from, double to) {
  if (from == piece.t0 && to == piece.t1) return false;
  const double times[] = {piece.t0, piece.t1, from, to};
  const int exponent = Arithmetic::kUnits ? lowestBit(times, 4) : 0;
  scaled(piece.t0, exponent, product_);
  scaled(piece.t1, exponent, h_);
  scaled(from, exponent, start_);
  scaled(to, exponent, end_);
  h_ -= product_;
  start_ -= product_;
  end_ -= product_;
  return true;
}

// Control points of the same polynomial on [from, to], times h^n: blossoms at n - i starts and i ends.
template <typename Arithmetic>
void ClaimProver<Arithmetic>::restrict(Number* control, int n) {
  Number values[4];
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) blossom_[j] = control[j];
    for (int level = 1; level <= n; ++level) {
      const Number& x = level <= n - i ? start_ : end_;
      sum_ = h_;
      sum_ -= x;
      for (int j = 0; j + level <= n; ++j) {
        blossom_[j] *= sum_;
        addProduct(x, blossom_[j + 1], blossom_[j]);
      }
    }
    values[i] = blossom_[0];
  }
  for (int i = 0; i <= n; ++i) control[i] = values[i];
}

template <typename Arithmetic>
void ClaimProver<Arithmetic>::setMotion(const Piece& piece, double from, double to, int slot) {
  Cached& cached = cached_[slot];
  if (cached.piece == &piece && (piece.q_degree == 0 || (cached.from == from && cached.to == to))) return;
  cached = {&piece, from, to};
  Motion<Arithmetic>& m = motion_[slot];
  const int exponent = Arithmetic::kUnits ? lowestBit(piece.q[0], 4 * (piece.q_degree + 1)) : 0;
  const bool restricted = piece.q_degree > 0 && setRestriction(piece, from, to);
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i <= piece.q_degree; ++i) scaled(piece.q[i][k], exponent, control_[i]);
    if (restricted) restrict(control_, piece.q_degree);
    m.q[k].fromControlPoints(control_, piece.q_degree);
  }
  setRotation(m, scratch_);
}

template <typename Arithmetic>
void ClaimProver<Arithmetic>::setPosition(const Piece& piece, int slot) {
  Motion<Arithmetic>& m = motion_[slot];
  const bool restricted = piece.p_degree > 0 && setRestriction(piece, from_, to_);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i <= piece.p_degree; ++i) scaled(piece.p[i][k], length_exponent_, control_[i]);
    if (restricted) restrict(control_, piece.p_degree);
    m.p[k].fromControlPoints(control_, piece.p_degree);
  }
  m.denominator = 1;
  if (restricted) power(h_, piece.p_degree, m.denominator);
}

// difference = (p_other - p_owner) times both denominators; length_ = their product.
template <typename Arithmetic>
void ClaimProver<Arithmetic>::setDifference(int owner, int other, int degree) {
  Motion<Arithmetic>&O = motion_[owner], &T = motion_[other];
  multiply(O.denominator, T.denominator, length_);
  for (int k = 0; k < 3; ++k) {
    O.p[k].elevate(degree);
    T.p[k].elevate(degree);
    difference_[k].setZero(degree);
    addMultiple(O.denominator, T.p[k], difference_[k]);
    product_ = T.denominator;
    negate(product_);
    addMultiple(product_, O.p[k], difference_[k]);
  }
}

template <typename Arithmetic>
void ClaimProver<Arithmetic>::setVertex(const Vector3& vertex, const Vector3& centre, Number3& out) {
  for (int k = 0; k < 3; ++k) {
    scaled(vertex[k], length_exponent_, out[k]);
    if (centre[k] == 0) continue;
    scaled(centre[k], length_exponent_, product_);
    out[k] -= product_;
  }
}

template <typename Arithmetic>
Verdict ClaimProver<Arithmetic>::check(const Polynomial& f, const char* reason) {
  double where = 0;
  const Proof proof = sign_.proveNonNegative(f, where);
  if (proof == Proof::kProved) return {};
  return {proof, from_ + where * (to_ - from_), reason};
}

template <typename Arithmetic>
Verdict ClaimProver<Arithmetic>::checkVertex(const Polynomial& f, int vertex, const Solid& solid) {
  Verdict verdict = check(f, " is closer than the witness says");
  if (verdict.proof != Proof::kProved)
    verdict.reason.insert(0, fmt::format("vertex {} of body '{}'", vertex, solid.body->name));
  return verdict;
}

template <typename Arithmetic>
Verdict ClaimProver<Arithmetic>::proveOrientation(const Piece& piece) requires(Arithmetic::kUnits) {
  setMotion(piece, piece.t0, piece.t1, 0);
  double where = 0;
  const Proof proof = sign_.provePositive(motion_[0].norm, where);
  if (proof == Proof::kProved) return {};
  return {proof, piece.q_degree == 0 ? piece.t0 : piece.t0 + where * (piece.t1 - piece.t0),
          "the orientation quaternion vanishes"};
}

template <typename Arithmetic>
void ClaimProver<Arithmetic>::setLengthUnit(const Witness& w, const Solid& A, const Piece& motion_a, const Solid& B,
                                            const Piece& motion_b) {
  const Part& part_a = A.body->parts[w.part_a];
  length_exponent_ = std::min({lengthExponent(motion_a, A.vertices[w.part_a]),
                               lengthExponent(motion_b, B.vertices[w.part_b]), verify::lowestBit(w.gap)});
  if (w.kind == 2)
    length_exponent_ = std::min({length_exponent_, areaExponent(w.cross), areaExponent(w.cosine)});
  else  // gap |axis| is rounded up to this unit: by far less than any claim leaves.
    length_exponent_ = std::min(length_exponent_, std::ilogb(w.gap) - kGuardBits);
  if (part_a.half_space && part_a.offset != 0)
    length_exponent_ = std::min(length_exponent_, verify::lowestBit(part_a.offset) - lowestBit(w.axis.data(), 3));
}

template <typename Arithmetic>
Verdict ClaimProver<Arithmetic>::prove(const Witness& w, const Solid& A, const Piece& motion_a, const Solid& B,
                                       const Piece& motion_b, double from, double to) {
  from_ = from;
  to_ = to;
  if (Arithmetic::kUnits) setLengthUnit(w, A, motion_a, B, motion_b);
  setMotion(motion_a, from, to, 0);
  setMotion(motion_b, from, to, 1);
  setPosition(motion_a, 0);
  setPosition(motion_b, 1);
  return w.kind == 2 ? proveEdges(w, A, B) : proveFace(w, A, B);
}

// base + y.weight >= 0, y vertex `vertex` of a part (about its body's centre, in the length unit). The polynomial is
// left in test_.
template <typename Arithmetic>
bool ClaimProver<Arithmetic>::proveVertex(const Polynomial& base, const Polynomial (&weight)[3], const Solid& solid,
                                          int part, int vertex) {
  setVertex(solid.body->parts[part].vertices[vertex], solid.body->centre, point_);
  test_.setZero(base.degree);
  addTimes(1, base, test_);
  for (int k = 0; k < 3; ++k) addMultiple(point_[k], weight[k], test_);
  double where = 0;
  return sign_.proveNonNegative(test_, where) == Proof::kProved;
}

// The first vertex for which that is not proved; -1 if there is none.
template <typename Arithmetic>
int ClaimProver<Arithmetic>::findNegative(const Polynomial& base, const Polynomial (&weight)[3], const Solid& solid,
                                          int part) {
  verify::findUndecided(solid.vertices[part], base, weight, length_exponent_, open_);
  for (const int i : open_)
    if (!proveVertex(base, weight, solid, part, i)) return i;
  return -1;
}

// The axis is fixed in its owner O, whose extent along it is then a constant; T is the other body. Times |q_O|^2
// |q_T|^2:
//   n.(p_T - p_O) |q_T|^2 + n.M(q_T) y - (extent + gap |axis|) |q_O|^2 |q_T|^2 >= 0,  n = M(q_O) axis, every vertex y
//   of T
template <typename Arithmetic>
Verdict ClaimProver<Arithmetic>::proveFace(const Witness& w, const Solid& A, const Solid& B) {
  const int owner = w.kind == 0 ? 0 : 1, other = 1 - owner;
  const Solid &O = owner == 0 ? A : B, &T = owner == 0 ? B : A;
  const int number_o = owner == 0 ? w.part_a : w.part_b, number_t = owner == 0 ? w.part_b : w.part_a;
  const Part& part_o = O.body->parts[number_o];
  const Motion<Arithmetic>&motion_o = motion_[owner], &motion_t = motion_[other];
  const int axis_exponent = Arithmetic::kUnits ? lowestBit(w.axis.data(), 3) : 0;
  const double sign = owner == 0 ? 1 : -1;
  const Vector3 axis{sign * w.axis[0], sign * w.axis[1], sign * w.axis[2]};
  for (int k = 0; k < 3; ++k) scaled(axis[k], axis_exponent, integer_axis_[k]);
  if (part_o.half_space) {
    setVertex(O.body->centre, {}, point_);
    dot(integer_axis_, point_, product_);
    scaled(part_o.offset, length_exponent_ + axis_exponent, support_);
    support_ -= product_;
  } else {
    O.vertices[number_o].findFarthest(axis, open_);
    for (const int i : open_) {
      setVertex(part_o.vertices[i], O.body->centre, point_);
      dot(integer_axis_, point_, product_);
      if (i == open_.front()) support_ = product_;
      raiseTo(product_, support_);
    }
  }
  // gap |axis|, rounded up (integers: in units of 2^(length + axis exponent)).
  scaled(w.gap, length_exponent_, sum_);
  dot(integer_axis_, integer_axis_, product_);
  product_ *= sum_;
  product_ *= sum_;
  ceilingRoot(product_, limit_, sum_);
  limit_ += support_;

  rotate(motion_o.matrix, integer_axis_, axis_);
  const int position_degree = std::max(motion_o.p[0].degree, motion_t.p[0].degree);
  setDifference(owner, other, position_degree);
  dotPolynomials(axis_, difference_, scratch_);
  multiply(scratch_, motion_t.norm, base_);
  multiply(motion_o.norm, motion_t.norm, norms_);
  norms_.elevate(base_.degree);
  limit_ *= length_;
  negate(limit_);
  addMultiple(limit_, norms_, base_);
  rotateBack(motion_t.matrix, axis_, weight_[0]);
  for (Polynomial& weight : weight_[0]) {
    weight.elevate(base_.degree);
    weight.multiplyBy(length_);
  }
  const int i = findNegative(base_, weight_[0], T, number_t);
  if (i < 0) return {};
  return checkVertex(test_, i, T);
}

template class ClaimProver<ExactArithmetic>;
template class ClaimProver<BallArithmetic>;

}  // namespace rigor::verify
