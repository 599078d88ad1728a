// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <vector>

#include "verify/kernel/polynomial.h"
#include "verify/kernel/run.h"

namespace rigor::verify::kernel {

/// The largest residual of each law that was proved, rounded to a double for people; decisions are exact.
struct Worst {
  double value = 0, time = 0;
  void include(double other, double at) {
    if (other > value) *this = {other, at};
  }
};
using Residuals = PerLaw<Worst>;

/// A point a + s (b - a) + t (c - a) of a solid's vertices: inside of it where s, t >= 0 and s + t <= 1.
struct FacePoint {
  std::size_t a = 0, b = 0, c = 0;
  double s = 0, t = 0;
};

/// Where x is nearest, or nearly so, to the face of a solid that is farthest along `up`. In doubles, and no part of a
/// proof: what is proved holds of any point of the solid, and whether this one is inside is looked at exactly.
/// @returns three numbers of vertices. @pre There are vertices.
FacePoint guessNearest(const Vector3& x, const Vector3& up, const std::vector<Vector3>& vertices);

/// About where a joint's coordinate lies: within its limits if these leave no doubt about its turns, else where its
/// spring does what damper, rotor and friction leave of its impulse over a step of h. @param u0, u1  Its rate at the
/// ends.
double guessNear(const Joint& joint, double impulse, double h, double u0, double u1);
/// An angle of about that sine and cosine, of those the one next to `near`, with few digits.
double guessAngle(double sine, double cosine, double near);

/// A grid 2^(64 place) for sums of about some size, at most 2^-64 of it: any will do.
int guessPlace(double size_sq);
/// The largest ratio of their coefficients: for people. @pre f has no higher degree.
double guessRatio(Polynomial f, const Polynomial& of);
/// About l / V: windows of any length will do.
double guessWindow(double speed_sq, double length);

}  // namespace rigor::verify::kernel
