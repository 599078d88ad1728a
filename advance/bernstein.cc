// SPDX-License-Identifier: MIT
#include "advance/bernstein.h"

#include <algorithm>
#include <cmath>

#include "advance/scaled_bernstein.h"
#include "elementary/require.h"

namespace rigor::advance {
namespace {

constexpr int kMaxNewton = 80;  // Bisection alone needs 53.

const double* binomials(int n) { return scaled::kBinomial.c[n]; }

/// sum_k a_k C(n,k) x^k y^(n-k) with x + y = 1, by Horner's rule in the smaller of x/y and y/x.
double horner(const double* a, int n, double u) {
  const double* binomial = binomials(n);
  const bool left = u <= 0.5;
  const double y = left ? 1 - u : u, ratio = (left ? u : 1 - u) / y;
  double sum = 0, power = 1;
  for (int k = n; k >= 0; --k) {
    sum = sum * ratio + binomial[k] * a[left ? k : n - k];
    if (k < n) power *= y;
  }
  return sum * power;
}

/// The first root of f in [lo, hi], where f(lo) >= 0 > f(hi) up to rounding.
void polish(const BernsteinPolynomial& f, double lo, double hi, double x, FirstRoot& result) {
  const double resolution = 0x1p-52;
  for (int i = 0; i < kMaxNewton && hi - lo > resolution * hi; ++i) {
    double slope;
    const double value = f.at(x, slope);
    ++result.evaluations;
    (value >= 0 ? lo : hi) = x;
    double next = x - value / slope;
    if (std::abs(next - x) <= 2 * resolution * x) {
      // Converged: close the bracket around x instead of creeping towards it from one side.
      for (double reach = 2 * resolution * x; hi - lo > resolution * hi; reach *= 8) {
        const bool was_above = value >= 0;
        const double other = was_above ? std::min(hi, x + reach) : std::max(lo, x - reach);
        if (other == hi || other == lo) break;
        const bool above = f(other) >= 0;
        ++result.evaluations;
        (above ? lo : hi) = other;
        if (above != was_above) break;
      }
      break;
    }
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    x = next;
  }
  result.root = lo;
  result.beyond = hi;
}

/// Looks for the first crossing in the part g of f on [start, start + width]. True: found and written to `result`.
bool search(const BernsteinPolynomial& f, const BernsteinPolynomial& g, double start, double width, double noise,
            FirstRoot& result) {
  const int n = g.degree;
  if (g.minCoefficient() >= -noise) return false;
  int changes = 0, last_above = -1;
  bool flat = true;  // No coefficient above zero before the first change.
  for (int k = 0; k <= n; ++k) {
    if (k > 0) changes += (g.c[k - 1] >= 0) != (g.c[k] >= 0);
    if (g.c[k] >= 0 && changes == 0) {
      last_above = k;
      flat = flat && g.c[k] == 0;
    }
  }
  result.status = FirstRoot::Status::kCrosses;
  const bool isolated = changes == 1 && last_above >= 0;
  // f falls at once from zero, or from a value below it by less than the noise.
  const bool falls_here = (changes == 0 && last_above < 0) || (isolated && flat) || !(g.c[0] >= -noise);
  if (falls_here) {
    result.root = result.beyond = start;
    return true;
  }
  if (isolated || width <= 0x1p-50) {
    const double above = isolated ? g.c[last_above] : 0.5, below = isolated ? g.c[last_above + 1] : -0.5;
    const double x = isolated ? (last_above + above / (above - below)) / n : 0.5;
    polish(f, start, start + width, start + width * std::clamp(x, 0.0, 1.0), result);
    return true;
  }
  BernsteinPolynomial left, right;
  g.halves(left, right);
  ++result.splits;
  return search(f, left, start, width / 2, noise, result) ||
         search(f, right, start + width / 2, width / 2, noise, result);
}

}  // namespace

double BernsteinPolynomial::operator()(double u) const { return horner(c.data(), degree, u); }

double BernsteinPolynomial::at(double u, double& derivative) const {
  const int n = degree;
  if (n == 0) {
    derivative = 0;
    return c[0];
  }
  // f = (1-u) f_left + u f_right, f' = n (f_right - f_left), with the two halves of the last de Casteljau level.
  const double left = horner(c.data(), n - 1, u), right = horner(c.data() + 1, n - 1, u);
  derivative = n * (right - left);
  return (1 - u) * left + u * right;
}

double BernsteinPolynomial::minCoefficient() const {
  double m = c[0];
  for (int k = 1; k <= degree; ++k)
    if (!(c[k] >= m) && m == m) m = c[k];  // NaN wins, and stays
  return m;
}

double BernsteinPolynomial::maxAbsCoefficient() const {
  double m = std::abs(c[0]);
  for (int k = 1; k <= degree; ++k)
    if (!(std::abs(c[k]) <= m) && m == m) m = std::abs(c[k]);
  return m;
}

BernsteinPolynomial BernsteinPolynomial::elevated(int new_degree) const {
  RIGOR_REQUIRE(degree <= new_degree && new_degree <= kMaxDegree);
  BernsteinPolynomial f = *this;
  for (int n = degree + 1; n <= new_degree; ++n) {
    f.c[n] = f.c[n - 1];
    for (int k = n - 1; k >= 1; --k) f.c[k] = (k * f.c[k - 1] + (n - k) * f.c[k]) / n;
    f.degree = n;
  }
  return f;
}

BernsteinPolynomial BernsteinPolynomial::restricted(double u0, double u1) const {
  RIGOR_REQUIRE(!(u0 < 0) && !(u0 > u1) && !(u1 > 1) && !(u1 <= 0));
  BernsteinPolynomial f = *this;
  const int n = degree;
  if (u1 != 1)
    for (int level = 1; level <= n; ++level)
      for (int k = n; k >= level; --k) f.c[k] = (1 - u1) * f.c[k - 1] + u1 * f.c[k];
  if (u0 != 0) {
    const double v = u0 / u1;
    for (int level = 1; level <= n; ++level)
      for (int k = 0; k <= n - level; ++k) f.c[k] = (1 - v) * f.c[k] + v * f.c[k + 1];
  }
  return f;
}

void BernsteinPolynomial::halves(BernsteinPolynomial& left, BernsteinPolynomial& right) const {
  const int n = degree;
  std::array<double, kMaxDegree + 1> w = c;
  left.degree = right.degree = n;
  for (int level = 0; level <= n; ++level) {
    left.c[level] = w[0];
    right.c[n - level] = w[n - level];
    for (int k = 0; k < n - level; ++k) w[k] = 0.5 * (w[k] + w[k + 1]);
  }
}

BernsteinPolynomial operator+(const BernsteinPolynomial& f, const BernsteinPolynomial& g) {
  if (f.degree < g.degree) return g + f;
  BernsteinPolynomial sum = f;
  const BernsteinPolynomial h = g.elevated(f.degree);
  for (int k = 0; k <= f.degree; ++k) sum.c[k] += h.c[k];
  return sum;
}

BernsteinPolynomial operator*(const BernsteinPolynomial& f, const BernsteinPolynomial& g) {
  BernsteinPolynomial product;
  const int n = f.degree, m = g.degree;
  RIGOR_REQUIRE(n + m <= BernsteinPolynomial::kMaxDegree);
  product.degree = n + m;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= m; ++j) product.c[i + j] += binomials(n)[i] * f.c[i] * (binomials(m)[j] * g.c[j]);
  for (int k = 0; k <= n + m; ++k) product.c[k] /= binomials(n + m)[k];
  return product;
}

BernsteinPolynomial operator*(double factor, BernsteinPolynomial f) {
  for (int k = 0; k <= f.degree; ++k) f.c[k] *= factor;
  return f;
}

FirstRoot firstRoot(const BernsteinPolynomial& f, double noise) {
  FirstRoot result;
  if (f.minCoefficient() >= 0) {  // false for NaN
    result.status = FirstRoot::Status::kNone;
    result.root = result.beyond = 1;
    return result;
  }
  const double magnitude = f.maxAbsCoefficient();
  if (!(noise >= 0)) noise = kRootNoise * magnitude;
  if (!(f.c[0] >= -noise) || !(magnitude <= 1e300)) return result;
  if (!search(f, f, 0, 1, noise, result)) {
    result.status = FirstRoot::Status::kNone;
    result.root = result.beyond = 1;
  }
  return result;
}

}  // namespace rigor::advance
