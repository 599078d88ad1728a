// SPDX-License-Identifier: MIT
#include "verify/kernel/claims.h"

#include <algorithm>
#include <cmath>

#include "verify/kernel/rational.h"

namespace rigor::verify::kernel {
namespace {

const char* const kTooClose = " is closer than the claim says";

// What the solid is the hull of, about the body's centre, as exact vectors: vertices, or the core of a round one.
std::vector<Number3> armsOf(const Body& body, int number) {
  std::vector<Number3> arms;
  const Part& part = body.parts[number];
  for (const Vector3& v : part.core.empty() ? part.vertices : part.core) arms.push_back(Number3(v) - body.centre);
  return arms;
}

Number3 cornerOf(const Body& body, const Part& part, int number) {
  return Number3(part.corner(number)) - body.centre;
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
    return "vertex " + std::to_string(vertex) + " of body '" + body.name + "'" + kTooClose;
  }

  // f >= 0 of all vertices of a range: of their box, whose corners may differ from one coefficient to the next; or of
  // halves of them.
  Verdict proveVertices(const Polynomial& base, const Vector& weight, const Body& body, const std::vector<Vector3>& all,
                        std::size_t first, std::size_t last) const {
    Range box(all[first].data());
    for (std::size_t i = first; i < last; ++i) box.include(all[i].data());
    Polynomial f = base;
    for (int k = 0; k < 3; ++k)
      f.addLeastProduct(weight[k], Number(box.low[k]) - body.centre[k], Number(box.high[k]) - body.centre[k]);
    if (last - first == 1) return check(f, [&] { return vertexReason(first, body); });
    if (f.provesSign(false)) return {};
    const std::size_t middle = (first + last) / 2;
    const Verdict verdict = proveVertices(base, weight, body, all, first, middle);
    return verdict.answer == Answer::kYes ? proveVertices(base, weight, body, all, middle, last) : verdict;
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
    const Number3 axis = Number3(claim_.axis) * Number(owned_by_a ? 1 : -1);
    const Number length_sq = dot(axis, axis), D = mo.denominator * mt.denominator;
    // Of the cores: the gap, and what is round in all directions.
    Number extent, beyond = Number(claim_.gap) + O.parts[part_o].radius;
    if (!isCylinder(tested)) beyond.add(tested.radius);
    if (O.parts[part_o].half_space) {
      extent = Number(O.parts[part_o].offset) - dot(axis, Number3(O.centre));
    } else {
      const std::vector<Number3> arms = armsOf(O, part_o);
      for (const Number3& arm : arms)
        if (const Number along = dot(axis, arm); &arm == &arms[0] || sgn(along - extent) > 0) extent = along;
    }
    extent.add((beyond * beyond * length_sq).upperRoot());
    const Vector n = mo.turn(axis);
    const Polynomial base = (dot(n, mt.p * mo.denominator - mo.p * mt.denominator) - mo.norm * (extent * D)) * mt.norm;
    Vector weight = mt.turnBack(n) * D;
    for (Polynomial& w : weight.x) w.elevate(base.degree());
    const std::vector<Vector3>& points = tested.core.empty() ? tested.vertices : tested.core;
    const Verdict verdict = points.empty() ? Verdict() : proveVertices(base, weight, T, points, 0, points.size());
    if (verdict.answer != Answer::kYes || !isCylinder(tested)) return verdict;
    // A cylinder reaches r sqrt(|n|^2 - (n.a)^2 / |a|^2) from its core: with f >= 0, |a|^2 f^2 has to be as large as
    // r^2 (|n|^2 |a|^2 - (n.a)^2), times the factors of f.
    const Number3 a = tested.axis;
    const Number reach = D * tested.radius;
    const Polynomial along = dot(mt.turnBack(n), a), norms = mo.norm * mt.norm,
                     rim = (norms * norms * (length_sq * dot(a, a)) - along * along) * (reach * reach);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Polynomial f = base + dot(weight, Number3(points[i]) - T.centre);
      const Verdict at_rim = check(f * f * dot(a, a) - rim, [&] { return vertexReason(i, T); });
      if (at_rim.answer != Answer::kYes) return at_rim;
    }
    return {};
  }

  // n = (R_A a) x (R_B b). With e a vector of A and f one of B: n.R_A e = e.(G x a)... in full, times |q_A|^2 |q_B|^2:
  // n.R_A e = (e x a).G and n.R_B f = (b x f).H, where G = M_A' M_B b and H = M_B' M_A a.
  // |n|^2 + c^2 = |a|^2 |b|^2, c = +-a.b turned. So |n| L + c s <= |a| |b| sqrt(L^2 + s^2) <= L^2 + s^2 with L = cross,
  // s = cosine, L^2 + s^2 >= |a|^2 |b|^2: |n| is at most (L^2 + s^2 - c s) / L.
  Verdict proveEdges() const {
    const std::vector<Number3> X = armsOf(A_, claim_.part_a), Y = armsOf(B_, claim_.part_b);
    const Motion &ma = motion_[0], &mb = motion_[1];
    const Part &part_a = A_.parts[claim_.part_a], &part_b = B_.parts[claim_.part_b];
    const Number3 x = cornerOf(A_, part_a, claim_.a0), a = cornerOf(A_, part_a, claim_.a1) - x,
                  y = cornerOf(B_, part_b, claim_.b0), b = cornerOf(B_, part_b, claim_.b1) - y;
    const Vector u = ma.turn(a), v = mb.turn(b), G = ma.turnBack(v), H = mb.turnBack(u);
    const Number L = claim_.cross, s = claim_.cosine, both = L * L + s * s, D = ma.denominator * mb.denominator;
    if (sgn(both - dot(a, a) * dot(b, b)) < 0)
      return {Answer::kNo, from_, "the claim's bounds do not bound the length of its edges' normal"};
    Polynomial cosine = dot(u, v);
    if (cosine.sign() < 0) cosine = Polynomial() - cosine;
    // n.(p_B - p_A) + n.R_B y - n.R_A x - beyond (L^2 + s^2 - s c) / L >= 0, times L, first at the edges.
    const Number beyond = Number(claim_.gap) + part_a.radius + part_b.radius;
    Polynomial base = dot(cross(u, v), mb.p * ma.denominator - ma.p * mb.denominator) * L;
    base.add(((dot(H, cross(b, y)) - dot(G, cross(x, a))) * L - (ma.norm * mb.norm * both - cosine * s) * beyond) * D);
    const Verdict at_edges = check(base, [] { return "the edges are closer than the claim says"; });
    if (at_edges.answer != Answer::kYes) return at_edges;
    // Vertices that lie before their edge lower it: those of B with the edge of A, then those of A with each of them.
    std::vector<Polynomial> before_b(1);
    for (const bool of_b : {true, false}) {
      const std::vector<Number3>& arms = of_b ? Y : X;
      for (std::size_t i = 0; i < arms.size(); ++i) {
        const Polynomial behind = (of_b ? dot(H, cross(b, Y[i] - y)) : dot(G, cross(a, X[i] - x))) * (D * L);
        double where;
        if (isNonNegative(behind, where) == Answer::kYes) continue;
        for (std::size_t k = 0; k < (of_b ? 1 : before_b.size()); ++k)
          if (Verdict verdict = check(base + before_b[k] + behind, [&] { return vertexReason(i, of_b ? B_ : A_); });
              verdict.answer != Answer::kYes)
            return verdict;
        if (of_b) before_b.push_back(behind);
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
    const int n = static_cast<int>(p.vertices.size()), core = static_cast<int>(p.core.size());
    return std::min(i, j) >= (core > 0 ? n : 0) && std::max(i, j) < n + core && i != j;
  };
  const Part *a = part(c.body_a, c.part_a), *b = part(c.body_b, c.part_b);
  if (!a || !b || c.body_a == c.body_b) return "it names no pair of parts";
  if (bodies[c.body_a].fixed && bodies[c.body_b].fixed) return "its bodies are both fixed";
  if (b->half_space || (!a->half_space && c.body_a > c.body_b)) return "its bodies are in the wrong order";
  if (!(c.t0 < c.t1) || !std::isfinite(c.t0) || !std::isfinite(c.t1)) return "its interval is empty";
  if (!(c.gap > 0) || !std::isfinite(c.gap)) return "its gap is not positive";
  if (c.kind == 2) {
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
