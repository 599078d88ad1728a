// SPDX-License-Identifier: MIT
#include <gmpxx.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "advance/certificate.h"

namespace rigor::advance {
namespace {

/// An exact number m 2^e. Sums align the exponents; there is no rounding and no division.
struct Dyadic {
  mpz_class m;
  long e = 0;

  Dyadic() = default;
  Dyadic(double x) {  // NOLINT: every finite double is one.
    int exponent;
    const double fraction = std::frexp(x, &exponent);
    m = std::ldexp(fraction, 53);
    e = exponent - 53;
    if (m == 0) e = 0;
  }
};

Dyadic operator*(const Dyadic& a, const Dyadic& b) {
  Dyadic r;
  r.m = a.m * b.m;
  r.e = r.m == 0 ? 0 : a.e + b.e;
  return r;
}

Dyadic operator+(const Dyadic& a, const Dyadic& b) {
  if (a.m == 0) return b;
  if (b.m == 0) return a;
  if (a.e < b.e) return b + a;
  Dyadic r;
  r.e = b.e;
  r.m = (a.m << static_cast<unsigned long>(a.e - b.e)) + b.m;
  return r;
}

Dyadic operator-(const Dyadic& a) {
  Dyadic r = a;
  r.m = -r.m;
  return r;
}
Dyadic operator-(const Dyadic& a, const Dyadic& b) { return a + (-b); }
int sign(const Dyadic& a) { return sgn(a.m); }

using Vector = std::array<Dyadic, 3>;
Vector exact(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }
Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Dyadic dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Scaled Bernstein coefficients (scaled_bernstein.h), exact.
using Polynomial = std::vector<Dyadic>;

Polynomial constant(const Dyadic& a) { return {a}; }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial c(a.size() + b.size() - 1);
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j) c[i + j] = c[i + j] + a[i] * b[j];
  return c;
}

Polynomial elevated(Polynomial a, size_t size) {
  while (a.size() < size) {
    a.emplace_back();
    for (size_t k = a.size() - 1; k >= 1; --k) a[k] = a[k] + a[k - 1];
  }
  return a;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  if (a.size() < b.size()) return b + a;
  Polynomial sum = elevated(b, a.size());
  for (size_t k = 0; k < a.size(); ++k) sum[k] = sum[k] + a[k];
  return sum;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + constant(-1.0) * b; }

/// f >= 0 (strict: > 0) on [0, 1], f in UNSCALED Bernstein form times a positive number.
bool bernsteinNotNegative(const Polynomial& f, bool strict, int depth) {
  bool all = true;
  for (const Dyadic& c : f) all = all && (strict ? sign(c) > 0 : sign(c) >= 0);
  if (all) return true;
  const auto bad = [&](const Dyadic& c) { return strict ? sign(c) <= 0 : sign(c) < 0; };
  if (depth == 0 || bad(f.front()) || bad(f.back())) return false;
  Polynomial left = f, right = f;
  const Dyadic half = 0.5;
  const size_t n = f.size() - 1;
  for (size_t level = 1; level <= n; ++level) {
    for (size_t k = n; k >= level; --k) left[k] = half * (left[k - 1] + left[k]);
    for (size_t k = 0; k <= n - level; ++k) right[k] = half * (right[k] + right[k + 1]);
  }
  return bernsteinNotNegative(left, strict, depth - 1) && bernsteinNotNegative(right, strict, depth - 1);
}

bool notNegative(Polynomial f, bool strict, int depth) {
  // Divide by C(n, k) without fractions: multiply by n! / C(n, k) = k! (n-k)!.
  const unsigned long n = f.size() - 1;
  for (unsigned long k = 0; k <= n; ++k) f[k].m *= mpz_class::factorial(k) * mpz_class::factorial(n - k);
  return bernsteinNotNegative(f, strict, depth);
}

/// Motion over [ta, tb]: q times h^q_degree (a positive factor that M(q)/(q.q) does not see), p times `factor`.
struct ExactMotion {
  Polynomial M[3][3], Q, p[3];
  Dyadic factor = 1.0;

  explicit ExactMotion(const PiecePolynomials& motion) {
    const MotionPiece& piece = *motion.piece;
    const bool whole = motion.ta == piece.t0 && motion.tb == piece.t1;
    const auto component = [&](int n, const auto& value) {
      Polynomial control;
      if (whole || n == 0) {
        for (int i = 0; i <= n; ++i) control.push_back(value(i));
      } else {
        const Dyadic a0 = Dyadic(piece.t1) - motion.ta, a1 = Dyadic(motion.ta) - piece.t0;
        const Dyadic b0 = Dyadic(piece.t1) - motion.tb, b1 = Dyadic(motion.tb) - piece.t0;
        for (int j = 0; j <= n; ++j) {
          Polynomial w;
          for (int i = 0; i <= n; ++i) w.push_back(value(i));
          for (int level = 1; level <= n; ++level)
            for (int i = 0; i <= n - level; ++i)
              w[i] = (level <= j ? b0 : a0) * w[i] + (level <= j ? b1 : a1) * w[i + 1];
          control.push_back(w[0]);
        }
      }
      for (int i = 0; i <= n; ++i)
        control[i].m *= mpz_class(n == 3 && (i == 1 || i == 2) ? 3 : n == 2 && i == 1 ? 2 : 1);
      return control;
    };
    Polynomial q[4];
    for (int c = 0; c < 4; ++c) q[c] = component(piece.q_degree, [&](int i) { return Dyadic(piece.q[i][c]); });
    for (int k = 0; k < 3; ++k) p[k] = component(piece.p_degree, [&](int i) { return Dyadic(piece.p[i][k]); });
    if (!whole)
      for (int i = 0; i < piece.p_degree; ++i) factor = factor * (Dyadic(piece.t1) - piece.t0);

    const Polynomial &w = q[0], &x = q[1], &y = q[2], &z = q[3];
    const Polynomial two = constant(2.0);
    Q = w * w + x * x + y * y + z * z;
    M[0][0] = w * w + x * x - y * y - z * z;
    M[1][1] = w * w - x * x + y * y - z * z;
    M[2][2] = w * w - x * x - y * y + z * z;
    M[0][1] = two * (x * y - w * z);
    M[1][0] = two * (x * y + w * z);
    M[0][2] = two * (x * z + w * y);
    M[2][0] = two * (x * z - w * y);
    M[1][2] = two * (y * z - w * x);
    M[2][1] = two * (y * z + w * x);
  }
};

using PolynomialVector = std::array<Polynomial, 3>;

PolynomialVector turn(const ExactMotion& motion, const Vector& v) {  // M v
  PolynomialVector r;
  for (int i = 0; i < 3; ++i)
    r[i] = motion.M[i][0] * constant(v[0]) + motion.M[i][1] * constant(v[1]) + motion.M[i][2] * constant(v[2]);
  return r;
}

PolynomialVector turnBack(const ExactMotion& motion, const PolynomialVector& v) {  // M^T v
  PolynomialVector r;
  for (int j = 0; j < 3; ++j) r[j] = motion.M[0][j] * v[0] + motion.M[1][j] * v[1] + motion.M[2][j] * v[2];
  return r;
}

Polynomial dot(const PolynomialVector& f, const Vector& v) {
  return f[0] * constant(v[0]) + f[1] * constant(v[1]) + f[2] * constant(v[2]);
}

Polynomial dot(const PolynomialVector& f, const PolynomialVector& g) { return f[0] * g[0] + f[1] * g[1] + f[2] * g[2]; }

/// (p_to - p_from) times both factors.
PolynomialVector difference(const ExactMotion& to, const ExactMotion& from) {
  PolynomialVector d;
  for (int k = 0; k < 3; ++k) d[k] = constant(from.factor) * to.p[k] - constant(to.factor) * from.p[k];
  return d;
}

/// The smallest double >= |v|, or one a few ulps above; |v| itself where that is a double. Infinite if it is too large.
double normUp(const Eigen::Vector3d& v) {
  const Dyadic square = dot(exact(v), exact(v));
  double norm = v.stableNorm() * (1 - 0x1p-50);
  while (norm < std::numeric_limits<double>::infinity() && sign(Dyadic(norm) * norm - square) < 0)
    norm = std::nextafter(norm, std::numeric_limits<double>::infinity());
  return norm;
}

bool proveFaceExactly(const MovingPart& A, const MovingPart& B, const Witness& witness, int depth) {
  const bool reversed = witness.axis.kind == AxisKind::kFixedInB;
  const MovingPart &owner = reversed ? B : A, &other = reversed ? A : B;
  const auto* tested = std::get_if<geom::Polytope>(other.shape);
  if (tested == nullptr) return false;
  Eigen::Vector3d axis = witness.axis.axis;
  if (reversed) axis = -axis;
  Dyadic support;
  const Vector centre = exact(owner.centre), tested_centre = exact(other.centre);
  if (const auto* half_space = std::get_if<geom::HalfSpace>(owner.shape)) {
    if (reversed) return false;
    axis = half_space->normal;
    support = Dyadic(half_space->offset) - dot(exact(axis), centre);
  } else {
    const auto& polytope = std::get<geom::Polytope>(*owner.shape);
    const int first = polytope.round() ? polytope.numVertices() : 0;
    for (int i = first; i < polytope.numCorners(); ++i) {
      const Dyadic h = dot(exact(axis), exact(polytope.corner(i)) - centre);
      if (i == first || sign(h - support) > 0) support = h;
    }
  }
  const double norm = normUp(axis);
  if (!(norm > 0) || !std::isfinite(norm)) return false;
  const geom::Round* round = tested->round();
  const bool cylinder = round && round->isCylinder();
  if (const auto* part = std::get_if<geom::Polytope>(owner.shape); part && part->round())
    support = support + Dyadic(part->round()->radius) * norm;
  if (round && !cylinder) support = support + Dyadic(round->radius) * norm;

  const ExactMotion o(*owner.motion), t(*other.motion);
  if (!notNegative(o.Q, true, depth) || !notNegative(t.Q, true, depth)) return false;
  const PolynomialVector m = turn(o, exact(axis)), row = turnBack(t, m);
  const Dyadic factor = o.factor * t.factor;
  const Polynomial scale = o.Q * t.Q * constant(factor);
  const Polynomial base = t.Q * dot(m, difference(t, o)) - constant(support + Dyadic(witness.gap) * norm) * scale;
  // Of a cylinder, the height f of a point of the core is to be above r sqrt(|n|^2 - (n.a)^2 / |a|^2): f >= 0 and
  // |a|^2 f^2 >= r^2 (|n|^2 |a|^2 - (n.a)^2), all times the factors of f.
  Polynomial rim, length_sq;
  if (cylinder) {
    const Vector a = exact(round->axis);
    const Polynomial along = dot(row, a), whole = o.Q * t.Q;
    const Dyadic square = dot(exact(axis), exact(axis)) * dot(a, a), weight = Dyadic(round->radius) * factor;
    rim = constant(weight * weight) * (constant(square) * whole * whole - along * along);
    length_sq = constant(dot(a, a));
  }
  for (int j = round ? tested->numVertices() : 0; j < tested->numCorners(); ++j) {
    const Vector y = exact(tested->corner(j)) - tested_centre;
    const Polynomial f = base + constant(factor) * dot(row, y);
    if (!notNegative(f, false, depth)) return false;
    if (cylinder && !notNegative(length_sq * f * f - rim, false, depth)) return false;
  }
  return true;
}

bool proveEdgesExactly(const MovingPart& A, const MovingPart& B, const Witness& witness, int depth) {
  const auto *shape_a = std::get_if<geom::Polytope>(A.shape), *shape_b = std::get_if<geom::Polytope>(B.shape);
  if (shape_a == nullptr || shape_b == nullptr) return false;
  if (shape_a->round() || shape_b->round()) return false;
  const SeparatingAxis& axis = witness.axis;
  const Vector xa = exact(shape_a->vertex(axis.a0)), yb = exact(shape_b->vertex(axis.b0));
  const Vector a = exact(shape_a->vertex(axis.a1)) - xa, b = exact(shape_b->vertex(axis.b1)) - yb;
  const Dyadic L = witness.cross, s = witness.cosine;
  if (!(witness.cross > 0) || !(witness.cosine >= 0) || sign(L * L + s * s - dot(a, a) * dot(b, b)) < 0) return false;

  const ExactMotion ma(*A.motion), mb(*B.motion);
  if (!notNegative(ma.Q, true, depth) || !notNegative(mb.Q, true, depth)) return false;
  const PolynomialVector alpha = turn(ma, a), beta = turn(mb, b);
  const PolynomialVector fa = turnBack(ma, beta), fb = turnBack(mb, alpha);
  const Polynomial scale = ma.Q * mb.Q, turned = dot(fa, a);
  if (sign(s) > 0 && !notNegative(turned - constant(s) * scale, false, depth) &&
      !notNegative(constant(-1.0) * turned - constant(s) * scale, false, depth))
    return false;
  PolynomialVector n;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    n[i] = alpha[j] * beta[k] - alpha[k] * beta[j];
  }
  const Dyadic factor = ma.factor * mb.factor;
  const Polynomial rest = dot(fb, cross(b, yb - exact(B.centre))) - dot(fa, cross(xa - exact(A.centre), a));
  const Polynomial numerator =
      dot(n, difference(mb, ma)) + constant(factor) * (rest - constant(Dyadic(witness.gap) * L) * scale);
  // n.(y - x) is the numerator plus how far x and y lie behind their edges, which counts where that is negative:
  // vertices of B with the edge of A, then those of A with the lowest of B's.
  const auto collect = [&](const geom::Polytope& P, const PolynomialVector& f, const Vector& edge, const Vector& from) {
    std::vector<Polynomial> before;
    for (int j = 0; j < P.numVertices(); ++j) {
      const Polynomial behind = dot(f, cross(edge, exact(P.vertex(j)) - from));
      if (!notNegative(behind, false, depth)) before.push_back(elevated(constant(factor) * behind, numerator.size()));
    }
    return before;
  };
  if (!notNegative(numerator, false, depth)) return false;
  Polynomial lowest(numerator.size());
  for (const Polynomial& behind : collect(*shape_b, fb, b, yb)) {
    if (!notNegative(numerator + behind, false, depth)) return false;
    for (size_t k = 0; k < lowest.size(); ++k)
      if (sign(behind[k] - lowest[k]) < 0) lowest[k] = behind[k];
  }
  for (const Polynomial& behind : collect(*shape_a, fa, a, xa))
    if (!notNegative(numerator + lowest + behind, false, depth)) return false;
  return true;
}

bool finite(const MotionPiece& piece) {
  bool all = true;
  for (int i = 0; i <= piece.p_degree; ++i) all = all && piece.p[i].allFinite();
  for (int i = 0; i <= piece.q_degree; ++i) all = all && piece.q[i].allFinite();
  return all;
}

}  // namespace

bool proveExactly(const MovingPart& A, const MovingPart& B, const Witness& witness, int max_depth) {
  if (!finite(*A.motion->piece) || !finite(*B.motion->piece) || !std::isfinite(witness.gap) ||
      !std::isfinite(witness.cross) || !std::isfinite(witness.cosine) || !witness.axis.axis.allFinite() ||
      !A.centre.allFinite() || !B.centre.allFinite())
    return false;
  return witness.axis.kind == AxisKind::kEdges ? proveEdgesExactly(A, B, witness, max_depth)
                                               : proveFaceExactly(A, B, witness, max_depth);
}

}  // namespace rigor::advance
