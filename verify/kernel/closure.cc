// SPDX-License-Identifier: MIT
#include "verify/kernel/closure.h"

#include <algorithm>
#include <cmath>

#include "verify/kernel/guess.h"
#include "verify/kernel/rational.h"

namespace rigor::verify::kernel {

bool staysJoined(const Joint& joint, const Vector3& parent_centre, const Piece& parent, const Vector3& child_centre,
                 const Piece& child, double length, const Number& bound, double& open) {
  using enum JointType;
  const double from = std::max(child.t0, parent.t0), to = std::min(child.t1, parent.t1);
  const Motion c = motionOver(child, from, to), p = motionOver(parent, from, to);
  const Rotation<Number> c_frame = rotationOf(joint.child_frame.data()),
                         p_frame = rotationOf(joint.parent_frame.data());
  const Number D = c.denominator * p.denominator;
  const Number3 axis = joint.axis, second = joint.axis2, c_arm = Number3(joint.child_point) - child_centre,
                p_arm = Number3(joint.parent_point) - parent_centre;
  const Vector along = p.turn(p_frame.turn(axis)), c_turned = c.turn(c_arm) * D, p_turned = p.turn(p_arm) * D,
               apart = c.p * p.denominator - p.p * c.denominator;
  std::vector<Number3> kept{axis};  // What does not turn: the axis, or all three.
  if (joint.type == kFixed || joint.type == kPrismatic) kept = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (joint.type == kSpherical || joint.type == kUniversal) kept.clear();
  // A quaternion's norm is nearly 2. With 2 for one that is 2 (1 + e) a turned vector is off by e times its length, and
  // e is at most the sum of these coefficients.
  Number off = 1;
  for (const Polynomial& norm : {c.norm - Number(2), p.norm - Number(2)}) {
    Number sum = 1;
    for (const Number& x : norm.coefficients()) sum.add(x, sgn(x));
    off = off * sum;
  }
  const Number slack = (off - Number(1)) * (dot(c_arm, c_arm).upperRoot() + dot(p_arm, p_arm).upperRoot() + length);
  for (const bool nearly : {true, false}) {  // The norms as they are only where that is not enough.
    const Polynomial c_norm = nearly ? Polynomial(2) : c.norm, p_norm = nearly ? Polynomial(2) : p.norm,
                     norms = c_norm * p_norm, scale = norms * D, all = norms * (c_frame.norm * p_frame.norm);
    open = nearly ? Rational(slack).get_d() : 0;
    // |f| <= most of throughout, in each coordinate. Coefficients have no larger ratio: for people.
    const auto isSmall = [&](const Vector& f, Polynomial of) {
      of.elevate(std::max({f[0].degree(), f[1].degree(), f[2].degree()}));
      const Polynomial most = of * (nearly ? bound - slack : bound);
      return std::all_of(f.x, f.x + 3, [&](const Polynomial& x) {
        open = std::max(open, guessRatio(x, of));
        double where;
        return isNonNegative(most - x, where) == Answer::kYes && isNonNegative(most + x, where) == Answer::kYes;
      });
    };
    const Vector f = apart * norms + c_turned * p_norm - p_turned * c_norm;
    bool joined =
        joint.type == kPrismatic  // Across the axis: times its length squared.
            ? isSmall(cross(cross(along, f), along), scale * dot(along, along))
            : joint.type == kPlanar  // Along the normal alone.
                  ? isSmall({dot(along, f), 0, 0}, scale * p.norm * (p_frame.norm * dot(axis, axis).upperRoot()))
                  : isSmall(f, scale);
    if (joined && joint.type == kUniversal) {  // Its axes keep their angle.
      const Polynomial turned = dot(c.turn(c_frame.turn(second)), along) - all * dot(axis, second);
      joined = isSmall({turned * Number(length), 0, 0}, all * (dot(axis, axis) * dot(second, second)).upperRoot());
    }
    if (joined && std::ranges::all_of(kept, [&](const Number3& unit) {
          const Vector turned = c.turn(c_frame.turn(unit)) * (p_norm * p_frame.norm) -
                                p.turn(p_frame.turn(unit)) * (c_norm * c_frame.norm);
          return isSmall(turned * Number(length), all * dot(unit, unit).upperRoot());
        }))
      return true;
  }
  return false;
}

}  // namespace rigor::verify::kernel
