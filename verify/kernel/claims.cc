// SPDX-License-Identifier: MIT
#include "verify/kernel/claims.h"

#include <algorithm>
#include <cmath>

#include "verify/kernel/rational.h"

namespace rigor::verify::kernel {
namespace {

const char* const kTooClose = " is closer than the claim says";

// What the solid is the hull of, about the body's centre, as exact vectors: vertices, or the core of a round one.
std::vector<Vector> armsOf(const Body& body, int number) {
  std::vector<Vector> arms;
  const Part& part = body.parts[number];
  const Vector centre = vectorOf(body.centre);
  for (const Vector3& v : part.core.empty() ? part.vertices : part.core) arms.push_back(vectorOf(v) - centre);
  return arms;
}

class ClaimOver {
 public:
  ClaimOver(const Claim& claim, const std::vector<Body>& bodies, const Piece& a, const Piece& b, double from, double to)
      : claim_(claim), A_(bodies[claim.body_a]), B_(bodies[claim.body_b]), from_(from), to_(to),
        motion_{motionOver(a, from, to), motionOver(b, from, to)} {}

  Verdict prove() const { return claim_.kind == 2 ? proveEdges() : proveFace(); }

 private:
  template <typename Reason>
  Verdict check(const Polynomial& f, const Reason& reason) const {
    double where = 0;
    const Answer answer = isNonNegative(f, where);
    if (answer == Answer::kYes) return {};
    return {answer, from_ + where * (to_ - from_), reason()};
  }
  static std::string vertexReason(std::size_t vertex, const Body& body) {
    return std::string("vertex ").append(std::to_string(vertex)).append(" of body '").append(body.name).append("'") + kTooClose;
  }

  // The axis is fixed in its owner O, whose extent along it is then a constant; T is the other body. Times |q_O|^2
  // |q_T|^2 and both denominators D:
  //   n.(p_T - p_O) |q_T|^2 + n.M(q_T) y - (extent + gap |axis|) |q_O|^2 |q_T|^2 >= 0,  n = M(q_O) axis, every y of T
  Verdict proveFace() const {
    const bool owned_by_a = claim_.kind == 0;
    const Body &O = owned_by_a ? A_ : B_, &T = owned_by_a ? B_ : A_;
    const int part_o = owned_by_a ? claim_.part_a : claim_.part_b, part_t = owned_by_a ? claim_.part_b : claim_.part_a;
    const Motion &mo = motion_[owned_by_a ? 0 : 1], &mt = motion_[owned_by_a ? 1 : 0];
    const Part& tested = T.parts[part_t];
    const Vector axis = vectorOf(claim_.axis) * Polynomial(owned_by_a ? 1 : -1);
    const Polynomial length_sq = dot(axis, axis);
    // Of the cores: the gap, and what is round in all directions.
    Polynomial extent, beyond = Polynomial(claim_.gap) + O.parts[part_o].radius;
    if (!isCylinder(tested)) beyond = beyond + tested.radius;
    if (O.parts[part_o].half_space) {
      extent = Polynomial(O.parts[part_o].offset) - dot(axis, vectorOf(O.centre));
    } else {
      const std::vector<Vector> arms = armsOf(O, part_o);
      for (const Vector& arm : arms)
        if (const Polynomial along = dot(axis, arm); &arm == &arms[0] || (along - extent).sign() > 0) extent = along;
    }
    extent.add((beyond * beyond * length_sq).upperRoot());
    const Vector n = rotate(mo, axis);
    const Polynomial D = mo.denominator * mt.denominator;
    const Polynomial base = dot(n, mt.p * mo.denominator - mo.p * mt.denominator) * mt.norm - extent * D * mo.norm * mt.norm;
    Vector weight = rotateBack(mt, n) * D;
    for (Polynomial& w : weight.x) w.elevate(base.degree());
    const std::vector<Vector> arms = armsOf(T, part_t);
    // A cylinder reaches r sqrt(|n|^2 - (n.a)^2 / |a|^2) from its core: with f >= 0, |a|^2 f^2 has to be as large as
    // r^2 (|n|^2 |a|^2 - (n.a)^2), times the factors of f.
    const Vector a = vectorOf(tested.axis);
    Polynomial f, rim;
    if (isCylinder(tested)) {
      const Polynomial along = dot(rotateBack(mt, n), a), norms = mo.norm * mt.norm;
      rim = (length_sq * dot(a, a) * norms * norms - along * along) * D * D * tested.radius * tested.radius;
    }
    for (std::size_t i = 0; i < arms.size(); ++i) {
      f = base;
      for (int k = 0; k < 3; ++k) f.addProduct(weight[k], arms[i][k]);
      if (Verdict verdict = check(f, [&] { return vertexReason(i, T); }); verdict.answer != Answer::kYes) return verdict;
      if (!isCylinder(tested)) continue;
      const Verdict verdict = check(f * f * dot(a, a) - rim, [&] { return vertexReason(i, T); });
      if (verdict.answer != Answer::kYes) return verdict;
    }
    return {};
  }

  // |n| <= L = cross: s^2 + L^2 >= |a|^2 |b|^2 and |a.b turned| >= s = cosine throughout. u = M_A a, v = M_B b.
  Verdict proveLength(const Vector& a, const Vector& b, const Vector& u, const Vector& v) const {
    const Polynomial s = claim_.cosine, L = claim_.cross;
    if ((s * s + L * L - dot(a, a) * dot(b, b)).sign() < 0)
      return {Answer::kNo, from_, "the claim's bounds do not bound the length of its edges' normal"};
    if (claim_.cosine == 0) return {};
    Polynomial cosine = dot(u, v);
    if (cosine.sign() < 0) cosine = Polynomial() - cosine;
    return check(cosine - s * motion_[0].norm * motion_[1].norm, [] { return "the claim's bound of its edges' cosine does not hold"; });
  }

  // n = (R_A a) x (R_B b). With e a vector of A and f one of B: n.R_A e = e.(G x a)... in full, times |q_A|^2 |q_B|^2:
  // n.R_A e = (e x a).G and n.R_B f = (b x f).H, where G = M_A' M_B b and H = M_B' M_A a.
  Verdict proveEdges() const {
    const std::vector<Vector> X = armsOf(A_, claim_.part_a), Y = armsOf(B_, claim_.part_b);
    const Motion &ma = motion_[0], &mb = motion_[1];
    const Vector a = X[claim_.a1] - X[claim_.a0], b = Y[claim_.b1] - Y[claim_.b0];
    const Vector u = rotate(ma, a), v = rotate(mb, b);
    if (Verdict verdict = proveLength(a, b, u, v); verdict.answer != Answer::kYes) return verdict;
    const Vector G = rotateBack(ma, v), H = rotateBack(mb, u);
    const Polynomial D = ma.denominator * mb.denominator;
    // n.(p_B - p_A) + n.R_B y - n.R_A x - gap L >= 0, first at the edges, x = X[a0] and y = Y[b0].
    Polynomial base = dot(cross(u, v), mb.p * ma.denominator - ma.p * mb.denominator);
    base.add((dot(cross(b, Y[claim_.b0]), H) - dot(cross(X[claim_.a0], a), G) -
              Polynomial(claim_.gap) * claim_.cross * ma.norm * mb.norm) * D);
    if (Verdict verdict = check(base, [] { return "the edges are closer than the claim says"; }); verdict.answer != Answer::kYes)
      return verdict;
    // Vertices that lie before their edge lower it: those of B with the edge of A, then those of A with each of them.
    std::vector<Polynomial> before_b(1);
    for (const bool of_b : {true, false}) {
      const std::vector<Vector>& arms = of_b ? Y : X;
      for (std::size_t i = 0; i < arms.size(); ++i) {
        const Polynomial behind =
            of_b ? dot(cross(b, Y[i] - Y[claim_.b0]), H) : dot(cross(a, X[i] - X[claim_.a0]), G);
        double where;
        if (isNonNegative(behind, where) == Answer::kYes) continue;
        for (std::size_t k = 0; k < (of_b ? 1 : before_b.size()); ++k)
          if (Verdict verdict = check(base + before_b[k] + behind * D, [&] { return vertexReason(i, of_b ? B_ : A_); });
              verdict.answer != Answer::kYes)
            return verdict;
        if (of_b) before_b.push_back(behind * D);
      }
    }
    return {};
  }

  const Claim& claim_;
  const Body &A_, &B_;
  const double from_, to_;
  const Motion motion_[2];
};

}  // namespace

// A vertex is inside: |v - (c + s d)| <= radius for a point of the core; across the axis, if there is one.
bool roundIsSound(const Part& part) {
  const Rational3 c(part.core.front()), d = Rational3(part.core.back()) - c;
  const Rational3 along = isCylinder(part) ? Rational3(part.axis) : d;
  const Rational length = dot(along, d);
  if (part.core.size() > 2 || !(part.radius > 0) || (isCylinder(part) && length == 0)) return false;
  return std::all_of(part.vertices.begin(), part.vertices.end(), [&](const Vector3& vertex) {
    const Rational3 u = Rational3(vertex) - c;
    Rational s = length == 0 ? Rational(0) : Rational(dot(along, u) / length);
    if (!isCylinder(part)) s = std::clamp(s, Rational(0), Rational(1));
    return s >= 0 && s <= 1 && dot(u - d * s, u - d * s) <= square(Rational(part.radius));
  });
}

std::string findFault(const Claim& c, const std::vector<Body>& bodies) {
  const auto part = [&](int body, int number) -> const Part* {
    if (body < 0 || body >= static_cast<int>(bodies.size())) return nullptr;
    const std::vector<Part>& parts = bodies[body].parts;
    return number >= 0 && number < static_cast<int>(parts.size()) ? &parts[number] : nullptr;
  };
  const auto edge = [](int i, int j, const Part& p) {
    const int n = static_cast<int>(p.vertices.size());
    return i >= 0 && j >= 0 && i < n && j < n && i != j;
  };
  const Part *a = part(c.body_a, c.part_a), *b = part(c.body_b, c.part_b);
  if (!a || !b || c.body_a == c.body_b) return "it names no pair of parts";
  if (bodies[c.body_a].fixed && bodies[c.body_b].fixed) return "its bodies are both fixed";
  if (b->half_space || (!a->half_space && c.body_a > c.body_b)) return "its bodies are in the wrong order";
  if (!(c.t0 < c.t1) || !std::isfinite(c.t0) || !std::isfinite(c.t1)) return "its interval is empty";
  if (!(c.gap > 0) || !std::isfinite(c.gap)) return "its gap is not positive";
  if (c.kind == 2) {
    if (!a->core.empty() || !b->core.empty()) return "its edges are of a round solid";
    if (a->half_space || !edge(c.a0, c.a1, *a) || !edge(c.b0, c.b1, *b)) return "its edges do not exist";
    if (!(c.cross > 0 && c.cosine >= 0) || !std::isfinite(c.cross) || !std::isfinite(c.cosine))
      return "its bounds are not positive";
    return {};
  }
  if (c.kind != 0 && c.kind != 1) return "its kind does not exist";
  if (!finite(c.axis) || c.axis == Vector3{}) return "its axis is no direction";
  if (a->half_space && (c.kind != 0 || c.axis != a->normal)) return "its axis is not the half-space's normal";
  return {};
}

Verdict proveClaim(const Claim& claim, const std::vector<Body>& bodies, const Piece& a, const Piece& b, double from,
                   double to) {
  return ClaimOver(claim, bodies, a, b, from, to).prove();
}

}  // namespace rigor::verify::kernel
