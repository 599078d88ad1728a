// SPDX-License-Identifier: MIT
#include "verify/separation.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace rigor::verify {
namespace {

constexpr int kGuardBits = 60;  // Of gap |axis|, an irrational number.

int lowestBit(const Vector3& v) {
  return std::min({verify::lowestBit(v[0]), verify::lowestBit(v[1]), verify::lowestBit(v[2])});
}

// Of everything that is a length in the claim about these two: a common unit makes all of it integers.
int lengthExponent(const Piece& piece, const VertexSet& vertices) {
  int exponent = vertices.lowestBit();
  for (int i = 0; i <= piece.p_degree; ++i)
    for (const double x : piece.p[i]) exponent = std::min(exponent, verify::lowestBit(x));
  return exponent;
}

// Half of a lowest bit, rounded down: the length unit whose square holds an area.
int areaExponent(double area) {
  const int bit = verify::lowestBit(area);
  return bit == INT_MAX ? bit : (bit >= 0 ? bit / 2 : (bit - 1) / 2);
}

void dot(const mpz_class (&a)[3], const mpz_class (&b)[3], mpz_class& out) {
  mpz_mul(out.get_mpz_t(), a[0].get_mpz_t(), b[0].get_mpz_t());
  mpz_addmul(out.get_mpz_t(), a[1].get_mpz_t(), b[1].get_mpz_t());
  mpz_addmul(out.get_mpz_t(), a[2].get_mpz_t(), b[2].get_mpz_t());
}

void cross(const mpz_class (&a)[3], const mpz_class (&b)[3], mpz_class (&out)[3]) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    mpz_mul(out[i].get_mpz_t(), a[j].get_mpz_t(), b[k].get_mpz_t());
    mpz_submul(out[i].get_mpz_t(), a[k].get_mpz_t(), b[j].get_mpz_t());
  }
}

// Smallest integer whose square is at least `square` >= 0.
void ceilingRoot(const mpz_class& square, mpz_class& root, mpz_class& remainder) {
  mpz_sqrtrem(root.get_mpz_t(), remainder.get_mpz_t(), square.get_mpz_t());
  if (sgn(remainder) > 0) mpz_add_ui(root.get_mpz_t(), root.get_mpz_t(), 1);
}

// out = M vector.
void rotate(const Polynomial (&M)[3][3], const mpz_class (&vector)[3], Polynomial (&out)[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i].setZero(M[i][0].degree);
    for (int j = 0; j < 3; ++j) addMultiple(vector[j], M[i][j], out[i]);
  }
}

// out = M' v.
void rotateBack(const Polynomial (&M)[3][3], const Polynomial (&v)[3], Polynomial (&out)[3]) {
  for (int k = 0; k < 3; ++k) {
    out[k].setZero(M[0][0].degree + v[0].degree);
    for (int i = 0; i < 3; ++i) addProduct(M[i][k], v[i], 1, out[k]);
  }
}

// out = a x b.
void cross(const Polynomial (&a)[3], const mpz_class (&b)[3], Polynomial (&out)[3]) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i].setZero(a[0].degree);
    addMultiple(b[j], a[k], out[i]);
    out[i].negate();
    addMultiple(b[k], a[j], out[i]);
  }
}

void dot(const Polynomial (&a)[3], const Polynomial (&b)[3], Polynomial& out) {
  out.setZero(a[0].degree + b[0].degree);
  for (int i = 0; i < 3; ++i) addProduct(a[i], b[i], 1, out);
}

// |q|^2 and M(q) from the ten products of the components.
void setRotation(ExactMotion& m, Polynomial& work) {
  const int degree = 2 * m.q[0].degree;
  m.norm.setZero(degree);
  for (auto& row : m.matrix)
    for (Polynomial& entry : row) entry.setZero(degree);
  const auto add = [&](Polynomial& out, int factor) {
    for (int i = 0; i <= degree; ++i) {
      const auto step = factor > 0 ? mpz_addmul_ui : mpz_submul_ui;
      step(out.c[i].get_mpz_t(), work.c[i].get_mpz_t(), factor > 0 ? factor : -factor);
    }
  };
  for (int k = 0; k < 4; ++k) {
    multiply(m.q[k], m.q[k], work);
    add(m.norm, 1);
    for (int i = 0; i < 3; ++i) add(m.matrix[i][i], k == 0 || k == i + 1 ? 1 : -1);
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    multiply(m.q[i + 1], m.q[j + 1], work);
    add(m.matrix[i][j], 2);
    add(m.matrix[j][i], 2);
    multiply(m.q[0], m.q[k + 1], work);
    add(m.matrix[i][j], -2);
    add(m.matrix[j][i], 2);
  }
}

/// Bound on the rounding of a scalar product of four (seven operations of 2^-53 each), relative to the sum of its terms'
/// magnitudes; less underflow.
constexpr double kProductRounding = 16 * 0x1p-53, kProductUnderflow = 1e-300;

// Every control point of q lies on the first one's side of the origin, and with them q: decided in doubles, on the safe side.
bool turnsLittle(const Piece& piece) {
  for (int i = 0; i <= piece.q_degree; ++i) {
    double product = 0, magnitude = 0;
    for (int k = 0; k < 4; ++k) {
      const double term = piece.q[0][k] * piece.q[i][k];
      product += term;
      magnitude += std::abs(term);
    }
    if (!(product > kProductRounding * magnitude + kProductUnderflow)) return false;  // NaN, too.
  }
  return true;
}

std::string closer(int vertex, const Solid& solid) {
  return "vertex " + std::to_string(vertex) + " of body '" + solid.body->name + "' is closer than the witness says";
}

}  // namespace

Solid::Solid(const Body& owner) : body(&owner) {
  for (const Part& part : owner.parts) vertices.emplace_back(part, owner.centre);
}

bool WitnessProver::setRestriction(const Piece& piece, double from, double to) {
  if (from == piece.t0 && to == piece.t1) return false;
  const int exponent = std::min(
      {verify::lowestBit(piece.t0), verify::lowestBit(piece.t1), verify::lowestBit(from), verify::lowestBit(to)});
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
void WitnessProver::restrict(mpz_class* control, int n) {
  mpz_class values[4];
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) blossom_[j] = control[j];
    for (int level = 1; level <= n; ++level) {
      const mpz_class& x = level <= n - i ? start_ : end_;
      mpz_sub(sum_.get_mpz_t(), h_.get_mpz_t(), x.get_mpz_t());
      for (int j = 0; j + level <= n; ++j) {
        blossom_[j] *= sum_;
        mpz_addmul(blossom_[j].get_mpz_t(), x.get_mpz_t(), blossom_[j + 1].get_mpz_t());
      }
    }
    values[i] = blossom_[0];
  }
  for (int i = 0; i <= n; ++i) control[i] = values[i];
}

void WitnessProver::setMotion(const Piece& piece, double from, double to, int slot) {
  Cached& cached = cached_[slot];
  if (cached.piece == &piece && (piece.q_degree == 0 || (cached.from == from && cached.to == to))) return;
  cached = {&piece, from, to};
  ExactMotion& m = motion_[slot];
  int exponent = INT_MAX;
  for (int i = 0; i <= piece.q_degree; ++i)
    for (const double x : piece.q[i]) exponent = std::min(exponent, verify::lowestBit(x));
  const bool restricted = piece.q_degree > 0 && setRestriction(piece, from, to);
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i <= piece.q_degree; ++i) scaled(piece.q[i][k], exponent, control_[i]);
    if (restricted) restrict(control_, piece.q_degree);
    m.q[k].fromControlPoints(control_, piece.q_degree);
  }
  setRotation(m, scratch_);
}

void WitnessProver::setPosition(const Piece& piece, int slot) {
  ExactMotion& m = motion_[slot];
  const bool restricted = piece.p_degree > 0 && setRestriction(piece, from_, to_);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i <= piece.p_degree; ++i) scaled(piece.p[i][k], length_exponent_, control_[i]);
    if (restricted) restrict(control_, piece.p_degree);
    m.p[k].fromControlPoints(control_, piece.p_degree);
  }
  m.denominator = 1;
  if (restricted) mpz_pow_ui(m.denominator.get_mpz_t(), h_.get_mpz_t(), piece.p_degree);
}

// difference = (p_other - p_owner) times both denominators; length_ = their product.
void WitnessProver::setDifference(int owner, int other, int degree) {
  ExactMotion &O = motion_[owner], &T = motion_[other];
  length_ = O.denominator * T.denominator;
  for (int k = 0; k < 3; ++k) {
    O.p[k].elevate(degree);
    T.p[k].elevate(degree);
    difference_[k].setZero(degree);
    addMultiple(O.denominator, T.p[k], difference_[k]);
    mpz_neg(product_.get_mpz_t(), T.denominator.get_mpz_t());
    addMultiple(product_, O.p[k], difference_[k]);
  }
}

void WitnessProver::setVertex(const Vector3& vertex, const Vector3& centre, Integer3& out) {
  for (int k = 0; k < 3; ++k) {
    scaled(vertex[k], length_exponent_, out[k]);
    if (centre[k] == 0) continue;
    scaled(centre[k], length_exponent_, product_);
    out[k] -= product_;
  }
}

Verdict WitnessProver::check(const Polynomial& f, const std::string& reason) {
  double where = 0;
  const Proof proof = sign_.proveNonNegative(f, where);
  if (proof == Proof::kProved) return {};
  return {proof, from_ + where * (to_ - from_), reason};
}

Verdict WitnessProver::proveOrientation(const Piece& piece) {
  if (turnsLittle(piece)) return {};
  setMotion(piece, piece.t0, piece.t1, 0);
  double where = 0;
  const Proof proof = sign_.provePositive(motion_[0].norm, where);
  if (proof == Proof::kProved) return {};
  return {proof, piece.q_degree == 0 ? piece.t0 : piece.t0 + where * (piece.t1 - piece.t0),
          "the orientation quaternion vanishes"};
}

Verdict WitnessProver::prove(const Witness& w, const Solid& A, const Piece& motion_a, const Solid& B,
                             const Piece& motion_b, double from, double to) {
  const Part& part_a = A.body->parts[w.part_a];
  from_ = from;
  to_ = to;
  length_exponent_ = std::min({lengthExponent(motion_a, A.vertices[w.part_a]),
                               lengthExponent(motion_b, B.vertices[w.part_b]), verify::lowestBit(w.gap)});
  if (w.kind == 2)
    length_exponent_ = std::min({length_exponent_, areaExponent(w.cross), areaExponent(w.cosine)});
  else  // gap |axis| is rounded up to this unit: by far less than any claim leaves.
    length_exponent_ = std::min(length_exponent_, std::ilogb(w.gap) - kGuardBits);
  if (part_a.half_space && part_a.offset != 0)
    length_exponent_ = std::min(length_exponent_, verify::lowestBit(part_a.offset) - lowestBit(w.axis));
  setMotion(motion_a, from, to, 0);
  setMotion(motion_b, from, to, 1);
  setPosition(motion_a, 0);
  setPosition(motion_b, 1);
  return w.kind == 2 ? proveEdges(w, A, B) : proveFace(w, A, B);
}

// base + y.weight >= 0, y vertex `vertex` of a part (about its body's centre, in the length unit). The polynomial is left in test_.
bool WitnessProver::proveVertex(const Polynomial& base, const Polynomial (&weight)[3], const Solid& solid, int part, int vertex) {
  setVertex(solid.body->parts[part].vertices[vertex], solid.body->centre, point_);
  test_.degree = base.degree;
  for (int c = 0; c <= base.degree; ++c) mpz_set(test_.c[c].get_mpz_t(), base.c[c].get_mpz_t());
  for (int k = 0; k < 3; ++k) addMultiple(point_[k], weight[k], test_);
  double where = 0;
  return sign_.proveNonNegative(test_, where) == Proof::kProved;
}

// The first vertex for which that is not proved; -1 if there is none.
int WitnessProver::findNegative(const Polynomial& base, const Polynomial (&weight)[3], const Solid& solid, int part) {
  solid.vertices[part].findUndecided(base, weight, length_exponent_, open_);
  for (const int i : open_)
    if (!proveVertex(base, weight, solid, part, i)) return i;
  return -1;
}

// The axis is fixed in its owner O, whose extent along it is then a constant; T is the other body. Times |q_O|^2
// |q_T|^2:
//   n.(p_T - p_O) |q_T|^2 + n.M(q_T) y - (extent + gap |axis|) |q_O|^2 |q_T|^2 >= 0,  n = M(q_O) axis, every vertex y
//   of T
Verdict WitnessProver::proveFace(const Witness& w, const Solid& A, const Solid& B) {
  const int owner = w.kind == 0 ? 0 : 1, other = 1 - owner;
  const Solid &O = owner == 0 ? A : B, &T = owner == 0 ? B : A;
  const int number_o = owner == 0 ? w.part_a : w.part_b, number_t = owner == 0 ? w.part_b : w.part_a;
  const Part& part_o = O.body->parts[number_o];
  const ExactMotion &motion_o = motion_[owner], &motion_t = motion_[other];
  const int axis_exponent = lowestBit(w.axis);
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
      if (i == open_.front() || product_ > support_) support_ = product_;
    }
  }
  // gap |axis|, rounded up in units of 2^(length + axis exponent).
  scaled(w.gap, length_exponent_, sum_);
  dot(integer_axis_, integer_axis_, product_);
  product_ *= sum_;
  product_ *= sum_;
  ceilingRoot(product_, limit_, sum_);
  limit_ += support_;

  rotate(motion_o.matrix, integer_axis_, axis_);
  const int position_degree = std::max(motion_o.p[0].degree, motion_t.p[0].degree);
  setDifference(owner, other, position_degree);
  dot(axis_, difference_, scratch_);
  multiply(scratch_, motion_t.norm, base_);
  multiply(motion_o.norm, motion_t.norm, norms_);
  norms_.elevate(base_.degree);
  limit_ *= length_;
  mpz_neg(limit_.get_mpz_t(), limit_.get_mpz_t());
  addMultiple(limit_, norms_, base_);
  rotateBack(motion_t.matrix, axis_, weight_[0]);
  for (Polynomial& weight : weight_[0]) {
    weight.elevate(base_.degree);
    weight.multiplyBy(length_);
  }
  const int i = findNegative(base_, weight_[0], T, number_t);
  if (i < 0) return {};
  return check(test_, closer(i, T));
}

// n = (R_A a) x (R_B b). With e a vector of A and f one of B: n.R_A e = (e x a).G and n.R_B f = (b x f).H, where
// G = R_A' R_B b and H = R_B' R_A a; all times |q_A|^2 |q_B|^2.
Verdict WitnessProver::proveEdges(const Witness& w, const Solid& A, const Solid& B) {
  const std::vector<Vector3>&vertices_a = A.body->parts[w.part_a].vertices,
             &vertices_b = B.body->parts[w.part_b].vertices;
  const ExactMotion &motion_a = motion_[0], &motion_b = motion_[1];
  setVertex(vertices_a[w.a0], vertices_a[w.a1], a_);
  setVertex(vertices_b[w.b0], vertices_b[w.b1], b_);
  for (int k = 0; k < 3; ++k) {
    mpz_neg(a_[k].get_mpz_t(), a_[k].get_mpz_t());
    mpz_neg(b_[k].get_mpz_t(), b_[k].get_mpz_t());
  }
  rotate(motion_a.matrix, a_, axis_);
  rotate(motion_b.matrix, b_, other_axis_);
  rotateBack(motion_a.matrix, other_axis_, weight_[0]);
  rotateBack(motion_b.matrix, axis_, weight_[1]);

  // How far a vertex lies behind its edge along n, linear in the vertex and zero at the edge's end: -n.R_A e = e.(G x a) and
  // n.R_B f = f.(H x b).
  const Solid* const solids[2] = {&A, &B};
  const int part[2] = {w.part_a, w.part_b};
  for (int i = 0; i < 2; ++i) {
    cross(weight_[i], i == 0 ? a_ : b_, side_[i]);
    setVertex(i == 0 ? vertices_a[w.a0] : vertices_b[w.b0], solids[i]->body->centre, point_);
    edge_[i].setZero(side_[i][0].degree);
    for (int k = 0; k < 3; ++k) addMultiple(point_[k], side_[i][k], edge_[i]);
    edge_[i].negate();
    solids[i]->vertices[part[i]].findUndecided(edge_[i], side_[i], length_exponent_, open_);
    before_[i].clear();
    for (const int v : open_)
      if (!proveVertex(edge_[i], side_[i], *solids[i], part[i], v)) before_[i].push_back(v);
  }

  // |n| <= L: s^2 + L^2 >= |a|^2 |b|^2 and |a.b turned| >= s throughout.
  multiply(motion_a.norm, motion_b.norm, norms_);
  scaled(w.cross, 2 * length_exponent_, limit_);
  scaled(w.cosine, 2 * length_exponent_, sum_);
  dot(a_, a_, product_);
  dot(b_, b_, support_);
  product_ *= support_;
  if (limit_ * limit_ + sum_ * sum_ < product_)
    return {Proof::kRefuted, from_, "edge witness: its bounds do not bound the normal's length"};
  if (sgn(sum_) > 0) {
    dot(axis_, other_axis_, test_);
    if (sgn(test_.c[0]) < 0) test_.negate();
    sum_ = -sum_;
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
  dot(cross_, difference_, base_);
  scaled(w.gap, length_exponent_, sum_);
  limit_ *= sum_;
  limit_ *= -length_;
  test_.setZero(norms_.degree);
  addMultiple(limit_, norms_, test_);
  setVertex(vertices_b[w.b0], B.body->centre, point_);
  cross(b_, point_, vertex_cross_);
  for (int k = 0; k < 3; ++k) addMultiple(mpz_class(vertex_cross_[k] * length_), weight_[1][k], test_);
  setVertex(vertices_a[w.a0], A.body->centre, point_);
  cross(point_, a_, vertex_cross_);
  for (int k = 0; k < 3; ++k) addMultiple(mpz_class(-vertex_cross_[k] * length_), weight_[0][k], test_);
  test_.elevate(base_.degree);
  addMultiple(mpz_class(1), test_, base_);
  Verdict verdict = check(base_, "the edges are closer than the witness says");
  // The claim adds how far x and y lie behind their edges, which lowers it where a vertex lies before its edge: vertices of B
  // with the edge of A, then those of A with the lowest of B's.
  lowest_.setZero(base_.degree);
  for (int i = 1; i >= 0; --i) {
    for (const int v : before_[i]) {
      if (verdict.proof != Proof::kProved) return verdict;
      proveVertex(edge_[i], side_[i], *solids[i], part[i], v);
      test_.elevate(base_.degree);
      test_.multiplyBy(length_);
      for (int c = 0; i == 1 && c <= base_.degree; ++c)
        if (test_.c[c] < lowest_.c[c]) lowest_.c[c] = test_.c[c];
      addMultiple(mpz_class(1), base_, test_);
      verdict = check(test_, closer(v, *solids[i]));
    }
    if (i == 1) addMultiple(mpz_class(1), lowest_, base_);
  }
  return verdict;
}

}  // namespace rigor::verify
