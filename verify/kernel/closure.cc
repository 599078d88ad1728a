// SPDX-License-Identifier: MIT
#include "verify/kernel/closure.h"

#include <algorithm>
#include <cmath>

#include "verify/kernel/rational.h"

namespace rigor::verify::kernel {

bool staysJoined(const Joint& joint, const Vector3& parent_centre, const Piece& parent, const Vector3& child_centre,
                 const Piece& child, double length, const Number& most, double& open) {
  using enum JointType;
  const double from = std::max(child.t0, parent.t0), to = std::min(child.t1, parent.t1);
  const Motion c = motionOver(child, from, to), p = motionOver(parent, from, to);
  const Rotation<Number> c_frame = rotationOf(joint.child_frame.data()),
                         p_frame = rotationOf(joint.parent_frame.data());
  const Number D = c.denominator * p.denominator;
  const Number3 axis = joint.axis;
  const Polynomial norms = c.norm * p.norm, scale = norms * D, all = norms * (c_frame.norm * p_frame.norm);
  const Vector along = p.turn(p_frame.turn(axis)),
               apart = (c.p * p.denominator - p.p * c.denominator) * norms +
                       c.turn(Number3(joint.child_point) - child_centre) * (p.norm * D) -
                       p.turn(Number3(joint.parent_point) - parent_centre) * (c.norm * D);
  open = 0;
  // |f| <= most of throughout, in each coordinate. Coefficients have no larger ratio: for people.
  const auto isSmall = [&](const Vector& f, Polynomial of) {
    return std::all_of(f.x, f.x + 3, [&](Polynomial x) {
      of.elevate(x.degree()), x.elevate(of.degree());
      for (int i = 0; i <= x.degree(); ++i)
        open = std::max(open, std::abs(Rational(x.coefficients()[i], of.coefficients()[i]).get_d()));
      double where;
      return isNonNegative(of * most - x, where) == Answer::kYes && isNonNegative(of * most + x, where) == Answer::kYes;
    });
  };
  bool joined =
      joint.type == kPrismatic  // Across the axis: times its length squared.
          ? isSmall(cross(cross(along, apart), along), scale * dot(along, along))
          : joint.type == kPlanar  // Along the normal alone.
                ? isSmall({dot(along, apart), 0, 0}, scale * p.norm * (p_frame.norm * dot(axis, axis).upperRoot()))
                : isSmall(apart, scale);
  if (joint.type == kUniversal) {  // Its axes keep their angle.
    const Number3 second = joint.axis2;
    const Polynomial off = dot(c.turn(c_frame.turn(second)), along) - all * dot(axis, second);
    joined = joined && isSmall({off * Number(length), 0, 0}, all * (dot(axis, axis) * dot(second, second)).upperRoot());
  }
  std::vector<Number3> kept{axis};  // What does not turn: the axis, or all three.
  if (joint.type == kFixed || joint.type == kPrismatic) kept = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (joint.type == kSpherical || joint.type == kUniversal) kept.clear();
  return joined && std::all_of(kept.begin(), kept.end(), [&](const Number3& unit) {
           const Vector turned = c.turn(c_frame.turn(unit)) * (p.norm * p_frame.norm) -
                                 p.turn(p_frame.turn(unit)) * (c.norm * c_frame.norm);
           return isSmall(turned * Number(length), all * dot(unit, unit).upperRoot());
         });
}

}  // namespace rigor::verify::kernel
