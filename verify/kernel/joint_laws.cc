// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "verify/kernel/laws.h"

namespace rigor::verify::kernel {
namespace {

// |f| / scale on [0, 1], scale > 0: no more than the largest of the coefficients' ratios. For people.
double largestRatio(const Polynomial& f, const Polynomial& scale) {
  double largest = 0;
  for (int i = 0; i <= f.degree(); ++i)
    largest = std::max(largest, std::abs(Rational(f.coefficients()[i], scale.coefficients()[i]).get_d()));
  return largest;
}

}  // namespace

double Laws::lengthOf(int body) const { return std::nextafter(scalesOf(body).length.get_d(), HUGE_VAL); }

// (p_c + R_c a_c) - (p_p + R_p a_p) over the whole piece, in all coordinates or across the axis; axes the same way.
void Laws::closure(const Piece& child, std::size_t number, Findings& open, Residuals& worst) const {
  const Joint& joint = run_.model.robots[run_.model.bodies[child.body].robot].joints[number];
  const auto bad = [&](const std::string& reason) {
    open.push_back({true, child.id, joint.parent, joint.child, child.t0, "joint '" + joint.name + "' " + reason});
  };
  const std::vector<Body>& bodies = run_.model.bodies;
  if (joint.type == JointType::kOther && joint.parent == -1) return;  // It floats: there is nothing to close.
  if (joint.type == JointType::kOther) return bad("is of a kind that is not looked at");
  const Piece world = fixedPose(Body());
  const PieceRange parents =
      joint.parent < 0 ? PieceRange{&world, &world + 1} : proof_.piecesIn(joint.parent, child.t0, child.t1);
  const Vector3 parent_centre = joint.parent < 0 ? Vector3{} : bodies[joint.parent].centre;
  const Number size = lengthOf(joint.child);
  const Rotation<Number> c_frame = rotationOf(joint.child_frame.data()),
                         p_frame = rotationOf(joint.parent_frame.data());
  const Number3 axis = joint.axis, p_axis = p_frame.turn(axis);
  for (const Piece* parent = parents.first; parent != parents.last; ++parent) {
    const double from = std::max(child.t0, parent->t0), to = std::min(child.t1, parent->t1);
    if (!(from < to)) continue;
    const Motion c = motionOver(child, from, to), p = motionOver(*parent, from, to);
    const Number D = c.denominator * p.denominator;
    const Polynomial norms = c.norm * p.norm;
    Vector apart = (c.p * p.denominator - p.p * c.denominator) * norms +
                   c.turn(Number3(joint.child_point) - bodies[joint.child].centre) * (p.norm * D) -
                   p.turn(Number3(joint.parent_point) - parent_centre) * (c.norm * D);
    Polynomial scale = norms * D;
    if (joint.type == JointType::kPrismatic) {  // Across the axis: times its length squared.
      const Vector turned = p.turn(p_axis);
      apart = cross(cross(turned, apart), turned);
      scale = scale * dot(turned, turned);
    }
    // |f| factor <= bound gap_nominal of, throughout, of each f.
    const auto note = [&](std::initializer_list<Polynomial> fs, const Number& factor, Polynomial of) {
      for (const Polynomial& f : fs) of.elevate(f.degree());
      const Polynomial most = of * (Number(boundOf(Law::kClosure)) * run_.gap_nominal);
      for (const Polynomial& f : fs) {
        Polynomial sized = f * factor;
        sized.elevate(of.degree());
        double where;
        if (isNonNegative(most - sized, where) != Answer::kYes || isNonNegative(most + sized, where) != Answer::kYes)
          return bad("is open by more than the bound");
        Worst& closest = worst[static_cast<std::size_t>(Law::kClosure)];
        if (const double value = largestRatio(sized, of) / run_.gap_nominal; value > closest.value)
          closest = {value, from};
      }
    };
    const Polynomial all = norms * (c_frame.norm * p_frame.norm);
    if (joint.type == JointType::kPlanar)  // Along the normal alone.
      note({dot(p.turn(p_axis), apart)}, 1, scale * p.norm * (p_frame.norm * dot(axis, axis).upperRoot()));
    else
      note({apart[0], apart[1], apart[2]}, 1, scale);
    if (joint.type == JointType::kUniversal) {  // Its axes keep their angle.
      const Number3 second = joint.axis2;
      const Polynomial cosine = dot(c.turn(c_frame.turn(second)), p.turn(p_axis));
      note({cosine - all * dot(axis, second)}, size, all * (dot(axis, axis) * dot(second, second)).upperRoot());
    }
    // What does not turn: the axis, or all three; the difference of unit vectors times l is a length.
    const bool about_axis = joint.type == JointType::kRevolute || joint.type == JointType::kPlanar;
    const bool free = joint.type == JointType::kSpherical || joint.type == JointType::kUniversal;
    for (int i = 0; i < (free ? 0 : about_axis ? 1 : 3); ++i) {
      const Number3 unit = about_axis ? axis : Number3(i == 0, i == 1, i == 2);
      const Vector difference = c.turn(c_frame.turn(unit)) * (p.norm * p_frame.norm) -
                                p.turn(p_frame.turn(unit)) * (c.norm * c_frame.norm);
      const Number length = about_axis ? dot(axis, axis).upperRoot() : Number(1);
      note({difference[0], difference[1], difference[2]}, size, all * length);
    }
  }
}

// An actuator's effort stays within its limit; it and what limits the range act along the axis alone; a joint does
// nothing along it, unless it has a spring, a damper, friction, a rotor, or follows another.
void Laws::wrench(const Action& action, std::size_t number, Findings& open, Residuals& worst, Instants& known) const {
  const Wrench& wrench = action.wrenches[number];
  const Joint& joint = jointOf(wrench);
  const bool linear = joint.type == JointType::kPrismatic, own = wrench.source == Wrench::Source::kJoint;
  if (own && (joint.passive || !(linear || joint.type == JointType::kRevolute))) return;
  const auto bad = [&](double time, const char* reason) {
    open.push_back({true, -1, joint.parent, joint.child, time, "joint '" + joint.name + "': " + reason});
  };
  const Scales& scales = scalesOf(joint.child);
  const Rational unit = square(scales.mass) * scales.speed_sq * (linear ? Rational(1) : square(scales.length));
  const Rational noise_sq =
      std::isnan(run_.bounds.momentum) ? Rational(0) : Rational(square(run_.bounds.momentum) * unit);
  Body frame;
  frame.orientation = joint.parent_frame;
  const Instant in_parent = instantOf(fixedPose(frame), 0);
  Rational total, aa;  // Turned axes have one length.
  for (const Twisting& impulse : wrench.impulses) {
    const Rational3 axis = at(joint.parent, impulse.time, known).turn(in_parent.turn(Rational3(joint.axis)));
    const Rational3 along(linear ? impulse.P : impulse.moment), across(linear ? impulse.moment : impulse.P);
    const Rational part = dot(along, axis);
    aa = dot(axis, axis);
    if (own) {
      const Law law = linear ? Law::kMomentum : Law::kAngularMomentum;
      const auto finding = hold(law, part * part / aa, unit, impulse.time, joint.parent, joint.child, worst);
      if (finding) bad(impulse.time, finding->reason.c_str());
      continue;
    }
    const Rational3 rest = along - axis * (part / aa);
    if (dot(rest, rest) > noise_sq || dot(across, across) > (linear ? noise_sq : Rational(0)))
      bad(impulse.time, "its actuator or limit acts across its axis");
    if (wrench.source == Wrench::Source::kLimit && std::isinf(part > 0 ? joint.lower : joint.upper) &&
        part * part > noise_sq * aa)
      bad(impulse.time, "a limit pushes that it does not have");
    total += abs(part);
  }
  if (wrench.source != Wrench::Source::kActuator || !std::isfinite(joint.effort)) return;
  const Rational h = Rational(action.t1) - Rational(action.t0);
  if (square(total) > square(Rational(joint.effort) * h * (1 + Rational(0x1p-20))) * aa)
    bad(action.t0, "more effort than its actuator has");
}

}  // namespace rigor::verify::kernel
