// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace rigor::advance {

/// A family of separating axes of two convex sets A and B along their motion, from A to B.
///
///   kFixedInA  n(t) = R_A(t) axis        axis a vector of A's body frame (any length but zero)
///   kFixedInB  n(t) = R_B(t) axis        axis a vector of B's body frame
///   kEdges     n(t) = (R_A a) x (R_B b)  a = v[a1] - v[a0] of A, b = v[b1] - v[b0] of B (swapping b0, b1 turns n);
///                                        v the vertices, or the two points of a round solid's core
///
/// The claim of a witness with `gap` g over [t0, t1]: for every vertex x of A and y of B and every t,
/// n(t).(y - x) >= g |n(t)|; hence the distance is at least g. For a half-space A, the set is
/// { x : normal.x <= offset } in A's frame, the axis must be exactly `normal`, and the claim is that
/// normal.y - offset >= g |normal|, y in A's frame.
///
/// Contacts of round solids have a fourth kind, of which there are no claims and no rows in records: it is one of the
/// first two at an instant (frozenAt()); of two lines the third.
///
///   kNearest   n(t) along y - x, the nearest points of a0 a1 of A and b0 b1 of B: points (a1 = a0), or the lines
///              through both
enum class AxisKind : unsigned char { kFixedInA = 0, kFixedInB = 1, kEdges = 2, kNearest = 3 };

struct SeparatingAxis {
  AxisKind kind = AxisKind::kFixedInA;
  Eigen::Vector3d axis{0, 0, 1};       ///< kFixedInA, kFixedInB.
  int a0 = 0, a1 = 0, b0 = 0, b1 = 0;  ///< kEdges, kNearest: vertex numbers.

  bool isOfTwoLines() const { return a0 != a1 && b0 != b1; }  ///< Of kNearest.
  /// Of kEdges and kNearest: the same edges and corners.
  bool sameVertices(const SeparatingAxis& other) const {
    return kind == other.kind && a0 == other.a0 && a1 == other.a1 && b0 == other.b0 && b1 == other.b1;
  }
};

/// A proved claim. `cross` L and `cosine` s >= 0 are used by kEdges alone. With L^2 + s^2 >= |a|^2 |b|^2, and c =
/// (a.b turned) with the sign that makes it positive at t0, |n(t)| <= l(t) = (L^2 + s^2 - s c) / L, so that the
/// polynomial n.(y - x) >= g l implies the claim. Of round solids x and y are of the cores, and g is that much more.
struct Witness {
  double t0 = 0, t1 = 0;  ///< [s]
  SeparatingAxis axis;
  double gap = 0;     ///< g [m] > 0
  double cross = 0;   ///< L [m^2]
  double cosine = 0;  ///< s [m^2]
};

}  // namespace rigor::advance
