// SPDX-License-Identifier: MIT
#pragma once
#include <array>

namespace rigor::advance {

/// A polynomial on [0, 1] in Bernstein form: f(u) = sum_k c[k] C(n,k) u^k (1-u)^(n-k), n = degree.
///
/// The coefficients bound the polynomial: min c <= f(u) <= max c on [0, 1]; c[0] = f(0), c[n] = f(1). Fixed capacity,
/// no allocation. All operations round; errors are a few n u max|c|, u = 2^-53.
struct BernsteinPolynomial {
  static constexpr int kMaxDegree = 15;
  int degree = 0;
  std::array<double, kMaxDegree + 1> c{};  ///< Entries past the degree are unused.

  double operator()(double u) const;              ///< Value; u in [0, 1]. O(n).
  double at(double u, double& derivative) const;  ///< Value and derivative with respect to u. O(n).
  double minCoefficient() const;                  ///< <= min f. NaN if any coefficient is NaN.
  double maxAbsCoefficient() const;
  BernsteinPolynomial elevated(int new_degree) const;  ///< The same function. @pre degree <= new_degree <= kMaxDegree.
  /// The function v -> f(u0 + v (u1 - u0)). @pre 0 <= u0 <= u1 <= 1, u1 > 0. O(n^2).
  BernsteinPolynomial restricted(double u0, double u1) const;
  /// Halves at u = 1/2: v -> f(v/2) and v -> f((1+v)/2). One averaging (a rounding) a level.
  void halves(BernsteinPolynomial& left, BernsteinPolynomial& right) const;
};

/// Sum, difference and product; degrees are made equal as needed. @pre the degree of the product <= kMaxDegree.
BernsteinPolynomial operator+(const BernsteinPolynomial& f, const BernsteinPolynomial& g);
BernsteinPolynomial operator*(const BernsteinPolynomial& f, const BernsteinPolynomial& g);
BernsteinPolynomial operator*(double factor, BernsteinPolynomial f);

/// What firstRoot found.
struct FirstRoot {
  enum class Status : unsigned char {
    kNone,         ///< f >= -noise on all of [0, 1]; `root` is 1.
    kCrosses,      ///< f goes from >= 0 to < 0 at `root`; f >= -noise on [0, root].
    kStartsBelow,  ///< f(0) < -noise, or a coefficient is NaN; `root` is 0.
  };
  Status status = Status::kStartsBelow;
  double root = 0;      ///< Safe side of the bracket: the rounded f(root) >= 0 unless the root is noise.
  double beyond = 0;    ///< Other side: f(beyond) < 0, beyond - root a few ulps (noise / |f'| where f is flat).
  int evaluations = 0;  ///< Values of f computed by Newton's method.
  int splits = 0;       ///< Bernstein subdivisions.
};

/// First change of sign of f from >= 0 to < 0 on [0, 1].
///
/// Guarantee: with kNone or kCrosses f(u) >= -noise for all u before `root`, up to rounding of n u max|c|: no crossing
/// that goes deeper than `noise` is missed, however short. Values in [-noise, 0) count as zero: a polynomial that is
/// zero up to noise, a double root that touches from above and a root at 0 from which f rises give kNone; a root at 0
/// from which f falls gives kCrosses with root 0. NaN gives kStartsBelow, the safe branch.
///
/// Method: Bernstein subdivision until one change of sign is left, then bracketed Newton from the control polygon's
/// crossing; about 4 evaluations, none when no coefficient is negative (O(n)). No allocation.
/// @param noise  Absolute; negative: kRootNoise max|c|, the rounding of a few operations on the coefficients.
[[nodiscard]] FirstRoot firstRoot(const BernsteinPolynomial& f, double noise = -1);

inline constexpr double kRootNoise = 64 * 0x1p-53;  ///< Relative to max|c|.

}  // namespace rigor::advance
