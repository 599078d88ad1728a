// SPDX-License-Identifier: MIT
#pragma once

/// The elementary functions that simulations use, with the same bits on every processor and with every C library:
/// additions, products, quotients and roots of IEEE 754 alone, never fused. (A C library picks variants by what the
/// processor has, and their last bits differ.) Nothing else in geom, impact, advance, dynamics, sim and scenes calls
/// <cmath>'s transcendental functions: tests/check_elementary.py holds them to that. std::sqrt and what is exact (abs,
/// floor, round, ldexp, ...) may be used everywhere.
///
/// Guarantee: what each returns differs from the true value by less than kLargestError units in its last place (the
/// rounding of the result is half of one), for all finite arguments; subnormal results by less than one. NaN gives NaN,
/// and so does what lies outside a domain; limits and signs at infinities and zeros are those of C, Annex F. No
/// allocation, no state, no errno. 11 (exp) to 130 ns (acos) each.
namespace rigor::elementary {

constexpr double kLargestError =
    0.55;  ///< [ulp] By the reasoning in the .cc files; the largest of 1e6 arguments each is 0.53.

struct SineCosine {
  double sine = 0, cosine = 1;
};

double sin(double x);               ///< x in radians, of any size.
double cos(double x);
SineCosine sineCosine(double x);    ///< Both, with the bits of sin() and cos(), for little more than one.
double tan(double x);
double asin(double x);              ///< [-pi/2, pi/2]
double acos(double x);              ///< [0, pi]
double atan2(double y, double x);   ///< [-pi, pi]

double exp(double x);
double exp2(double x);
double log(double x);
double log1p(double x);             ///< log(1 + x) without the rounding of 1 + x.
double acosh(double x);             ///< x >= 1

double hypot(double x, double y);   ///< sqrt(x^2 + y^2), without overflow on the way.
/// x^n by products, n of any sign: the relative error is at most (|n| + 1) 2^-53, not kLargestError; exact where all
/// products are.
double power(double x, int n);
/// x^(1/4) by two roots: within 1.3 ulp.
double fourthRoot(double x);

}  // namespace rigor::elementary
