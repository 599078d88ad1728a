// SPDX-License-Identifier: MIT
#pragma once
#include "verify/filter/ball.h"

namespace rigor::verify::filter {

/// A polynomial over [0, 1] in the form of kernel::Polynomial, its coefficients in doubles with one bound for all:
///
///   |c_i| <= size C(n, i),   |c_i - true c_i| <= radius C(n, i) (1 + kRadiusRounding)
///
/// Products and elevations keep that form, since sums of C(a, i) C(b, j) over i + j = k are C(a + b, k). A bound is a
/// few operations a polynomial where BallPolynomial's are a few a term, and looser where coefficients differ in size.
/// Overflow makes it infinite or NaN, and then nothing is proved.
struct RoundedPolynomial {
  int degree = 0;
  double size = 0, radius = 0;
  double c[kMaxDegree + 1];

  void setZero(int new_degree);
  /// From Bezier points that are numbers, `stride` apart. @pre n <= 3.
  void fromControlPoints(const double* control, int stride, int n);
  void elevate(int new_degree);
};
/// out = a b.
void multiply(const RoundedPolynomial& a, const RoundedPolynomial& b, RoundedPolynomial& out);
/// out += factor a b. @pre Degrees add up; factor is a power of two, or minus one.
void addProduct(const RoundedPolynomial& a, const RoundedPolynomial& b, double factor, RoundedPolynomial& out);
/// out += factor a. @pre One degree.
void addMultiple(const Ball& factor, const RoundedPolynomial& a, RoundedPolynomial& out);
/// No less than |a / scale| on [0, 1], for certain: infinity or NaN where nothing is known. @pre One degree.
double largestRatio(const RoundedPolynomial& a, const RoundedPolynomial& scale);
/// No more than a on [0, 1], for certain, or NaN.
double lowerValue(const RoundedPolynomial& a);

}  // namespace rigor::verify::filter
