// SPDX-License-Identifier: MIT
#include <algorithm>

#include "verify/kernel/closure.h"
#include "verify/kernel/contact_point.h"
#include "verify/kernel/guess.h"
#include "verify/kernel/laws.h"

namespace rigor::verify::kernel {
namespace {

/// More of them are forgotten, and found again: a robot's links ask for each other's all over a window.
constexpr std::size_t kInstants = 20000;

Rational largest(const Rational3& v) { return std::max<Rational>({abs(v[0]), abs(v[1]), abs(v[2])}); }

std::array<Rational3, 3> rowsOf(const std::array<double, 6>& I) {  // xx yy zz xy xz yz
  return {Vector3{I[0], I[3], I[4]}, Vector3{I[3], I[1], I[5]}, Vector3{I[4], I[5], I[2]}};
}

Rational3 spinOf(const Body& body, const Instant& at) {
  const auto rows = rowsOf(body.inertia);
  const Rational3 u = at.turnBack(at.w);
  return at.turn({{dot(rows[0].x, u.x), dot(rows[1].x, u.x), dot(rows[2].x, u.x)}, u.over});
}

// Sine and cosine: (1 + ix (1 + ix/2 (1 + ix/3 (...)))), whose rest is below 2^-60.
std::array<Rational, 2> waveOf(double x) {
  std::array<Rational, 2> wave{0, 1};
  for (int k = 45 + static_cast<int>(8 * std::abs(x)); k > 0; --k)
    wave = {wave[1] * (Rational(x) / k), 1 - wave[0] * (Rational(x) / k)};
  return wave;
}

// The angular velocity of that spin about the body's centre; none where its inertia is singular.
std::optional<Rational3> turnOf(const Body& body, const Instant& at, const Rational3& spin) {
  const auto rows = rowsOf(body.inertia);
  const Rational3 K = at.turnBack(spin), first = cross(rows[1], rows[2]);
  const Rational det = dot(rows[0], first);
  if (sgn(det) <= 0) return {};
  return at.turn((first * K[0] + cross(rows[2], rows[0]) * K[1] + cross(rows[0], rows[1]) * K[2]) * (1 / det));
}

// Discharges one duty.
class LawProof {
 public:
  using Stretch = Laws::Stretch;
  using Felt = Laws::Felt;
  LawProof(const Laws& laws, Residuals& worst, Laws::Instants& known)
      : laws_(laws), run_(laws.proof().run()), bodies_(run_.model.bodies), worst_(worst), known_(known) {}

  std::vector<Finding> discharge(const Laws::Duty& duty) {
    if (known_.of_pieces.size() > kInstants) known_ = {};
    using enum Laws::Duty::Kind;
    const BranchRows& rows = laws_.proof().rows();
    switch (duty.kind) {
      case kKinematics: kinematics(rows.pieces[duty.number]); break;
      case kClosure: closure(rows.pieces[duty.number], duty.first); break;
      case kBalance: balance(laws_.window(duty)); break;
      case kContact: contact(rows.actions[duty.number], rows.actions[duty.number].contacts[duty.first]); break;
      case kEnergy: energy(laws_.groups(duty)); break;
    }
    return std::move(open_);
  }

  // What acted over a step, gravity included, each times how long before its end.
  struct Late {
    Rational3 P, K;
    Rational shift, touches;  // shift: what forces of joints that change over a step may move of P.
  };

  // m dv = m g h + sum P and dL = m int p dt x g + sum x x P + moments, about the body's first centre.
  Laws::Missing missing(const Stretch& s) {
    const Rational m = bodies_[s.body].mass;
    const Rational3 g(run_.model.gravity);
    const auto [before, after] = ends(s, s.body);
    const Rational h = Rational(s.t1) - s.t0;
    Rational3 integral;
    Late late{g * (m * h * h * 0.5), {}, 0, 0};
    for (int i = 0; !s.jump && i <= s.last->p_degree; ++i) integral += Rational3(s.last->p[i]) - before->p;
    integral = integral * (h / (s.last->p_degree + 1));
    Laws::Missing off(laws_.scalesOf(s.body));
    off.P = (after->v - before->v) * m - g * (m * h);
    off.K.add(cross(after->p - before->p, after->v) * m - cross(integral, g) * m);
    off.K.add(spinOf(bodies_[s.body], *after)), off.K.add(spinOf(bodies_[s.body], *before) * -1);
    for (const Felt& felt : s.felt) {
      const Rational sign = felt.positive ? -1 : 1, left = sign * (Rational(felt.impulse->time) - s.t1);
      const Rational3 P(felt.impulse->P), moment = felt.wrench ? Rational3(felt.moment()) : Rational3();
      const ContactPoint point = pointOf(felt);
      if (felt.contact)
        off.pull.add(outside(*felt.contact, P, point) * kPullShare + amiss(s, felt, P)), late.touches = 1;
      else if (felt.wrench->source == Wrench::Source::kLimit) late.touches = 1;
      else late.shift += length(P) * h * (kSwing / 12);
      off.P += P * sign, off.K.add(moment * sign), off.K.add(cross(point.x - before->p, P * sign));
      late.P += P * left, late.K += (cross(point.x - at(s.body, felt.impulse->time).p, P) + moment) * left;
    }
    if (!s.jump) off.lag.add(lagOf(s, *before, *after, late));
    return off;
  }

 private:
  static Rational length(const Rational3& x) { return rootAbove(dot(x, x)); }

  // How far a step's motion is off what velocities between those of its ends say, or off what acted, times how long
  // before its end, whichever is less; where no contact acts off the latter, of a robot by the body's share in mass.
  // Beyond kShown of the motion, and off the velocities beyond kSwing of it: a tile that rolls is slower between its
  // edges. Turns count by l.
  Rational lagOf(const Stretch& s, const Instant& a, const Instant& b, const Late& late) {
    const Laws::Scales& scales = laws_.scalesOf(s.body);
    const Body& body = bodies_[s.body];
    const Instant& middle = at(s.body, (s.t0 + s.t1) / 2);
    const Rational h = Rational(s.t1) - s.t0, half = h * 0.5;
    const auto least = [](const Rational3& x) { return rootBelow(dot(x, x)); };
    const auto beyond = [&](const Rational& off, const Rational& off_acts, const Rational3& end) {
      const Rational most = least(end) * h;
      return std::max<Rational>({0, std::min(off, off_acts) - most * kShown, off - most * kSwing});
    };
    const Rational3 way = b.p - a.p, P = (way - a.v * h) * body.mass - late.P, S = spinOf(body, a),
                    K = (spinOf(body, middle) * 4 + spinOf(body, b) - S * 5) * (h / 6) - late.K;
    const auto turn = turnOf(body, middle, K);
    const Rational goes = length(way - (a.v + b.v) * half) - least(b.v - a.v) * half,
                   turns = length(middle.w - (a.w + b.w) * 0.5) * half * 4 / 3 - least(b.w - a.w) * h;
    Rational off = beyond(goes, body.mass > 0 ? length(P) / body.mass : goes, b.v);
    if (late.touches == 0 && scales.mass > 0)
      off = std::max(off, (length(P) - late.shift) / scales.mass - least(b.v) * h * kShown);
    return off + beyond(turns, turn ? length(*turn) : turns, b.w) * scales.length;
  }

  // `place` may say more of the reason.
  void bad(Finding place, const std::string& reason) { place.reason.insert(0, reason), open_.push_back(place); }
  bool holds(Law law, const Rational& residual_sq, const Rational& scale_sq) const {
    return residual_sq <= square(Rational(run_.bounds[law])) * scale_sq;
  }
  // residual / scale is within the law's bound, or that is open.
  void hold(Law law, const Rational& residual_sq, const Rational& scale_sq, const Finding& place) {
    const double residual = std::sqrt((residual_sq / (sgn(scale_sq) == 0 ? Rational(0x1p-1000) : scale_sq)).get_d());
    worst_[law].include(residual, place.time);
    if (!holds(law, residual_sq, scale_sq))
      bad(place, std::string("the law does not hold within the record's bound: ") + kLawNames[law] + ", " +
                     std::to_string(residual) + " > " + std::to_string(run_.bounds[law]));
  }
  // By how much momentum may be off, squared.
  Rational noise(const Rational& scale_sq) const { return square(Rational(run_.bounds[Law::kMomentum])) * scale_sq; }

  // At the ends of pieces the velocities are those of the record.
  const Instant& at(int body, double time, bool starts = false) {
    const bool still = body < 0 || bodies_[body].fixed;
    const Piece* const piece = body < 0 ? nullptr : &laws_.pieceAt(body, time, starts);
    time = still ? 0 : std::min(time, piece->t1);
    const auto [found, is_new] = known_.of_pieces.try_emplace({piece, time});
    Instant& at = found->second;
    if (!is_new) return at;
    at = instantOf(piece ? *piece : fixedPose(Body()), time);
    if (!still && (time <= piece->t0 || time >= piece->t1)) {
      const double* velocity = piece->velocity + (time <= piece->t0 ? 0 : 6);
      at.v = Rational3(velocity), at.w = Rational3(velocity + 3);
    }
    return at;
  }

  // A body before and after a stretch, its own or of one that moves with it.
  std::array<const Instant*, 2> ends(const Stretch& s, int body) {
    const Instant& after = at(body, s.t1, s.jump);
    if (!s.jump || s.first || body < 0 || bodies_[body].fixed) return {&at(body, s.t0, !s.jump), &after};
    const Body& model = bodies_[body];
    Instant& start = starts_[body] = after;
    if (laws_.proof().origin()->of_model) {
      start.w = Rational3(model.angular_velocity);
      start.v = Rational3(model.velocity) + cross(start.w, after.turn(Rational3(model.centre)));
    } else {
      const double* velocity = laws_.proof().origin()->states[body].velocity.data();
      start.v = Rational3(velocity), start.w = Rational3(velocity + 3);
    }
    return {&start, &after};
  }

  const ContactPoint& pointOf(const Facing& c, double time) {
    const auto [found, is_new] = known_.of_contacts.try_emplace({&c, time});
    if (is_new)
      found->second = contactPoint(c, bodies_[c.body_a], at(c.body_a, time), bodies_[c.body_b], at(c.body_b, time));
    return found->second;
  }
  // Where an impulse acts: of a contact there is also a normal.
  ContactPoint pointOf(const Felt& felt) {
    if (felt.contact) return pointOf(*felt.contact, felt.impulse->time);
    const Joint& joint = laws_.jointOf(*felt.wrench);
    return {pointOf(joint, at(joint.child, felt.impulse->time)), {}, {}};
  }
  Rational3 pointOf(const Joint& joint, const Instant& child) const {
    return child.p + child.turn(Rational3(joint.child_point) - bodies_[joint.child].centre);
  }
  // Of B relative to A where they touch. Of two velocities, `starts` takes those of the step that starts there.
  Rational3 slipOf(const Facing& c, const Rational3& x, double time, bool starts) {
    return at(c.body_b, time, starts).velocityOf(x) - at(c.body_a, time, starts).velocityOf(x);
  }

  // |p' - v| h / 3 at both ends, and the same of w: its angle is that of the quaternions, to rounding. Where 2 a.b is
  // no less than |a|^2 and |b|^2 of their control points, they turn in between as the rates at both ends say.
  void kinematics(const Piece& piece) {
    const auto by = [](auto a, auto b) { return dot(Number3(a + 1), Number3(b + 1)) + Number(*a) * *b; };
    for (const double(*q)[4] = piece.q; run_.actions_known && q < piece.q + piece.q_degree; ++q)
      if (Rational(by(q[0], q[1])) * 2 < std::max<Rational>(by(q[0], q[0]), by(q[1], q[1])))
        return bad({true, piece.id, piece.body, -1, piece.t0, ""}, "it turns farther within its step than is known");
    const Rational h = Rational(piece.t1) - piece.t0, slack = Rational(kTimeRounding) * piece.t1 + kRateRounding * h;
    double far = 0, large = 0;  // Comparisons of doubles are exact.
    for (const double x : std::span(piece.p[0], 3 * (piece.p_degree + 1))) far = std::max(far, std::abs(x));
    for (const double x : std::span(piece.q[0], 4 * (piece.q_degree + 1))) large = std::max(large, std::abs(x));
    for (const bool end : {false, true}) {
      const Finding here{true, piece.id, piece.body, -1, end ? piece.t1 : piece.t0, ""};
      const Instant at = instantOf(piece, here.time);
      const Rational3 v(piece.velocity + (end ? 6 : 0)), w(piece.velocity + (end ? 9 : 3));
      const Rational rounding = Rational(far) * kControlRounding + slack * largest(v),
                     lift = std::max<Rational>(0, largest(at.v - v) * h / 3 - rounding);
      hold(Law::kKinematics, square(lift), square(Rational(run_.gap_nominal)), here);
      // The norm is that of the end's control point, times two.
      if (largest(at.w - w) * h > slack * largest(w) + Rational(kControlRounding) * 8 * square(large) / at.R.norm)
        bad(here, "the angular velocity is not that of its control points");
    }
  }

  void closure(const Piece& child, std::size_t number) {
    const Joint& joint = *laws_.jointsOf(child.body)[number];
    if (joint.child != child.body) return;  // It stands still.
    const Finding here{true, child.id, joint.parent, joint.child, child.t0, " (joint '" + joint.name + "')"};
    if (joint.type == JointType::kOther)  // One that floats: there is nothing to close.
      return joint.parent == -1 ? void() : bad(here, "it is of a kind that is not looked at");
    const Piece still = fixedPose(Body());
    const PieceRange parents =
        joint.parent < 0 ? PieceRange{&still, &still + 1} : laws_.proof().piecesIn(joint.parent, child.t0, child.t1);
    const Number most = Number(run_.bounds[Law::kClosure]) * run_.gap_nominal;
    for (const Piece* parent = parents.first; parent != parents.last; ++parent) {
      double open;
      if (!staysJoined(joint, joint.parent < 0 ? Vector3{} : bodies_[joint.parent].centre, *parent,
                       bodies_[joint.child].centre, child, laws_.lengthOf(joint.child), most, open))
        return bad(here, "it is open by more than the bound");
      worst_[Law::kClosure].include(open / run_.gap_nominal, std::max(child.t0, parent->t0));
    }
  }

  void balance(std::span<const Stretch> window) {
    const Laws::Scales& scales = laws_.scalesOf(window[0].body);
    Laws::Missing all(scales);
    for (const Stretch& s : window) {
      if (s.isNone()) continue;
      const Laws::Missing off = missing(s);
      all.P += off.P, all.K.add(off.K), all.pull.add(off.pull), all.lag.add(off.lag);
      const Finding here{true, s.last->id, s.body, -1, s.t1, s.jump ? " (a jump)" : ""},
          of_sum{true, s.last->id, s.body, -1, s.t1, " (of a sum over a window)"};
      hold(Law::kMomentum, dot(off.P, off.P), scales.momentum_sq, here);
      hold(Law::kAngularMomentum, off.K.square(), scales.spin_sq, here);
      hold(Law::kCone, square(all.pull.sum()[0]), scales.momentum_sq, of_sum);
      hold(Law::kMomentum, dot(all.P, all.P) * kSumShareSq, scales.momentum_sq * scales.share_sq, of_sum);
      hold(Law::kAngularMomentum, all.K.square() * kSumShareSq, scales.spin_sq, of_sum);
      if (square(all.lag.sum()[0]) > scales.shown_sq) bad(of_sum, "it moves as its velocities do not say");
      for (const Joint* joint : laws_.jointsOf(s.body)) alongAxis(s, *joint, all);
    }
  }

  // A vector of a joint's frame, which stands in a link.
  static Rational3 turned(const Instant& link, const Quaternion& q, const Vector3& x) {
    const Rotation<Number> frame = rotationOf(q.data());
    return link.turn({frame.turn(Number3(x)), frame.norm});
  }
  // A joint's axis, a unit vector, and how fast its coordinate grows.
  static Rational3 axisOf(const Joint& joint, const Instant& parent) {
    const Rational3 axis(joint.axis);  // Its length is a short number, and the same wherever it is turned.
    return turned(parent, joint.parent_frame, joint.axis) * (1 / rootAbove(dot(axis, axis)));
  }
  Rational rateOf(const Joint& joint, const Instant& parent, const Instant& child) const {
    const Rational3 x = pointOf(joint, child), v = child.velocityOf(x) - parent.velocityOf(x);
    return dot(joint.type == JointType::kRevolute ? child.w - parent.w : v, axisOf(joint, parent));
  }

  // Both links at the instants of Simpson's rule, each with its share of a step.
  void overStep(const Stretch& s, const Joint& joint, const auto& use) {
    for (const double t : {s.t0, (s.t0 + s.t1) / 2, s.t1})
      if (const bool starts = t == s.t0; !s.jump)
        use(at(joint.parent, t, starts), at(joint.child, t, starts), t,
            (Rational(s.t1) - s.t0) * (starts || t == s.t1 ? 1 : 4) / 6);
  }
  // Of angles that differ by turns the one next to `near`, to 2^-54.
  Rational coordinateOf(const Joint& joint, const Instant& parent, const Instant& child, double near) {
    const Rational3 axis = axisOf(joint, parent);
    const Vector3 centre = joint.parent < 0 ? Vector3{} : bodies_[joint.parent].centre;
    if (joint.type == JointType::kPrismatic)
      return dot(pointOf(joint, child) - parent.p - parent.turn(Rational3(joint.parent_point) - centre), axis);
    const auto [x, y, z] = joint.axis;
    const Vector3 e = std::abs(x) > std::abs(y) ? Vector3{-z, 0, x} : Vector3{0, z, -y};  // Across it.
    const Rational3 from = turned(parent, joint.parent_frame, e), to = turned(child, joint.child_frame, e);
    const Rational one = 1 / dot(from, from), c = dot(from, to) * one, s = dot(cross(from, to), axis) * one;
    const double angle = guessAngle(s.get_d(), c.get_d(), near);
    const auto [sine, cosine] = waveOf(angle);
    const Rational rest = s * cosine - c * sine;  // That of the sine of a small angle.
    if (abs(rest) > Rational(0x1p-18) || s * sine + c * cosine <= 0)
      bad({true, -1, joint.parent, joint.child, 0, " (joint '" + joint.name + "')"}, "its angle is not known");
    return rest + angle;
  }
  // What turns its coordinate into a length.
  Rational leverOf(const Joint& joint) const {
    return joint.type == JointType::kRevolute ? laws_.scalesOf(joint.child).length : Rational(1);
  }
  // Its coordinate lies between these, to within what limits are known to.
  bool isBetween(const Joint& joint, double low, double high, double t, bool starts) {
    const Rational q = coordinateOf(joint, at(joint.parent, t, starts), at(joint.child, t, starts), (low + high) / 2),
                   far = run_.gap_nominal * Rational(kLimitGaps) / leverOf(joint);
    return low - far <= q && q <= high + far;
  }

  // What a joint does along its axis over a step beyond damper and spring (by Simpson's rule), rotor and friction: at
  // most what the model says, all of it against the motion where it slides at both ends; at a jump, over the time of an
  // event, none with the motion. The motion that is shown may be off by the bound of kinematics, and the damper by as
  // much times its constant. Where there is none of these, no push counts against another.
  Rational unexplained(const Stretch& s, const Joint& joint, const Rational& acts, const Rational& pushes,
                       Rational& braked) {
    if (joint.damping == 0 && joint.friction == 0 && joint.armature == 0 && joint.stiffness == 0) return pushes;
    const auto child = ends(s, joint.child), parent = ends(s, joint.parent);
    const Rational h = Rational(s.t1) - s.t0, u0 = rateOf(joint, *parent[0], *child[0]),
                   u1 = rateOf(joint, *parent[1], *child[1]), l = leverOf(joint),
                   most = (s.jump ? Rational(kBrief * laws_.scalesOf(joint.child).window) : h) * joint.friction,
                   least = s.jump ? Rational(0) : most,
                   slow = rootAbove(laws_.scalesOf(joint.child).speed_sq) * run_.bounds[Law::kSlip] / l,
                   shift = (h * std::abs(joint.stiffness) + joint.damping) * run_.bounds[Law::kKinematics] *
                           run_.gap_nominal / l;
    // How often a joint without limits turned, nobody knows: as often as its push says.
    const double near = guessNear(joint, acts.get_d(), h.get_d(), u0.get_d(), u1.get_d());
    Rational rest = acts + (u1 - u0) * joint.armature;
    overStep(s, joint, [&](const Instant& from, const Instant& to, double, const Rational& share) {
      rest += rateOf(joint, from, to) * (share * joint.damping);
      if (joint.stiffness != 0) rest += (coordinateOf(joint, from, to, near) - joint.rest) * (share * joint.stiffness);
    });
    const bool falls = std::max(u0, u1)<-slow, grows = std::min(u0, u1)> slow;
    const Rational kept = std::clamp(rest, (falls ? least : -most) - shift, (grows ? -least : most) + shift);
    if (s.jump) braked += std::max<Rational>(0, abs(kept) - shift);
    return rest - kept;
  }

  // What joints that move along several axes do along them over a step, beyond their damper; what their actuators do
  // across them. Forces count times l.
  void alongAxes(const Stretch& s, const Joint& joint, const Rational& unit, Sum& all, const Finding& here) {
    if (joint.type == JointType::kFixed || joint.coupled || joint.friction != 0 || joint.armature != 0) return;
    if (std::isfinite(joint.lower) || std::isfinite(joint.upper)) return;  // What they do is part of its wrench.
    Rational3 acts;
    const auto along = [&](const Rational3& P, const Rational3& K, double t) {
      const Rational3 n = axisOf(joint, at(joint.parent, t)),
                      m = turned(at(joint.child, t), joint.child_frame, joint.axis2);
      Rational3 free = joint.type == JointType::kSpherical ? K : n * dot(K, n);
      if (joint.type == JointType::kPlanar) free += (P - n * dot(P, n)) * laws_.scalesOf(joint.child).length;
      if (joint.type == JointType::kUniversal) free += m * (dot(K, m) / dot(m, m));
      return free;
    };
    for (const Felt& felt : s.felt) {
      if (!felt.wrench || &laws_.jointOf(*felt.wrench) != &joint) continue;
      const Rational3 P(felt.impulse->P), K(felt.moment()), free = along(P, K, felt.impulse->time);
      if (felt.wrench->source == Wrench::Source::kJoint) acts += free;
      else if (dot(P, P) * square(laws_.scalesOf(joint.child).length) + dot(K, K) - dot(free, free) > noise(unit))
        bad(here, "its actuator acts across its axes");
    }
    overStep(s, joint, [&](const Instant& from, const Instant& to, double t, const Rational& share) {
      const Rational3 x = pointOf(joint, to);
      acts += along(to.velocityOf(x) - from.velocityOf(x), to.w - from.w, t) * (share * joint.damping);
    });
    all.add(acts);
    hold(Law::kJoints, std::max<Rational>(dot(acts, acts), all.square() * kSumShareSq), unit, here);
  }

  // An actuator's effort stays within its limit; it and what limits the range act along the axis alone. The joint does
  // nothing else along it, unless it is coupled. @param all  What it does so, over a window, in which friction acts at
  // jumps for no longer than the window.
  void alongAxis(const Stretch& s, const Joint& joint, Laws::Missing& all) {
    const bool linear = joint.type == JointType::kPrismatic, turns = joint.type == JointType::kRevolute;
    const Laws::Scales& scales = laws_.scalesOf(joint.child);
    const Rational &unit = linear ? scales.momentum_sq : scales.spin_sq, noise_sq = noise(unit);
    Rational none, effort, own, pushes;
    Finding here{true, -1, joint.parent, joint.child, s.t1, " (joint '" + joint.name + "')"};
    for (const Felt& felt : s.felt) {
      if (!felt.wrench || &laws_.jointOf(*felt.wrench) != &joint) continue;
      here.time = felt.impulse->time;
      const Rational3 axis = axisOf(joint, at(joint.parent, here.time)), P(felt.impulse->P), moment(felt.moment());
      const Rational3 &along = linear ? P : moment, &across = linear ? moment : P;
      const Rational part = dot(along, axis);
      if (felt.wrench->source == Wrench::Source::kJoint) own += part, pushes += abs(part);
      else if (const Rational3 rest = along - axis * part;
               (linear || turns) && (dot(rest, rest) > noise_sq || dot(across, across) > (linear ? noise_sq : none)))
        bad(here, "its actuator or limit acts across its axis");
      else if (felt.wrench->source == Wrench::Source::kActuator) effort += abs(part);
      else if (const double end = part > 0 ? joint.lower : joint.upper;
               part != 0 && (std::isinf(end) || !isBetween(joint, end, end, s.t1, s.jump))) {
        own += part, pushes += abs(part);
        if (square(part) > noise_sq) bad(here, "a limit pushes that it does not reach");
      }
    }
    const Rational most = (Rational(s.t1) - s.t0) * (1 + Rational(kEffortRounding));
    if (std::isfinite(joint.effort) && effort > joint.effort * most) bad(here, "more effort than its actuator has");
    if (!linear && !turns) return alongAxes(s, joint, unit, all.along, here);
    if (joint.upper - joint.lower < kLessThanATurn && !isBetween(joint, joint.lower, joint.upper, s.t1, s.jump))
      bad(here, "it is beyond its limits");
    if (joint.coupled) return;
    const Rational rest = unexplained(s, joint, own, pushes, all.braked);
    all.along.add(rest);
    hold(Law::kJoints, std::max<Rational>(square(rest), all.along.square() * kSumShareSq), unit, here);
    if (all.braked > Rational(joint.friction) * (kWindow * scales.window)) bad(here, "its friction has impulses");
  }

  // How an impulse lies at its friction cone: what of it is normal, and squared what is tangential and at most may be.
  // Without slip that is as much as it is, but no less than slip asks for. And what is held where it pulls, squared.
  struct Split {
    Rational normal, tangent_sq, most_sq, held_sq;
  };
  Split split(const Facing& c, const Rational3& P, const Rational3& n) const {
    const Body &A = bodies_[c.body_a], &B = bodies_[c.body_b];
    const Rational along = dot(P, n), nn = dot(n, n), normal_sq = sgn(nn) == 0 ? Rational(0) : square(along) / nn,
                   tangent_sq = dot(P, P) - normal_sq, normal = sgn(nn) == 0 ? Rational(-1) : along;
    if (!A.no_slip && !B.no_slip) return {normal, tangent_sq, Rational(A.friction) * B.friction * normal_sq, 0};
    return {normal, tangent_sq, std::max<Rational>(tangent_sq, normal_sq * kNoSlipSq), tangent_sq};
  }

  // As both turn before a contact acts, it is off by that.
  Rational leaned() const { return run_.gap_nominal * Rational(kTurned * run_.bounds[Law::kSupport]); }

  // How far P lies outside of its friction cone, from above: |P_t| - mu P_n; of what pulls |P|, to the cone's apex, and
  // |P_n| where nothing slips, to the cone's edge: all of one side.
  Rational outside(const Facing& c, const Rational3& P, const ContactPoint& at) const {
    const Split of = split(c, P, at.n);
    const Rational lean = std::max<Rational>(laws_.scalesOf(laws_.lighterOf(c)).length * kLean, leaned());
    if (at.overlap > 0 && square(at.overlap) > square(lean) * dot(at.n, at.n)) return length(P);
    if (sgn(of.normal) < 0) return rootAbove(dot(P, P) - of.held_sq);
    return of.tangent_sq <= of.most_sq ? Rational(0) : rootAbove(of.tangent_sq) - rootBelow(of.most_sq);
  }

  // What friction is off -mu P_n u / |u|, where it slides, at the impulse's instant or an end of the step; at a jump
  // before or after it, beyond what that may turn the slip. Without slip what it is less than P_n, or aside.
  Rational amiss(const Stretch& s, const Felt& felt, const Rational3& P) {
    const Facing& c = *felt.contact;
    const Body &A = bodies_[c.body_a], &B = bodies_[c.body_b];
    const double time = felt.impulse->time;
    const bool no_slip = A.no_slip || B.no_slip;
    if ((!no_slip && (A.friction == 0 || B.friction == 0)) || !(bodies_[s.body].mass > 0)) return 0;
    Rational least = length(P) * 2, turned;
    for (const Felt& other : s.felt)
      if (s.jump && other.contact) turned += length(Rational3(other.impulse->P)) * (kTurnsSlip / bodies_[s.body].mass);
    for (const auto& [t, starts] : {std::pair{time, time == s.t0}, {s.t0, true}, {s.t1, false}}) {
      const auto& [x, other, n, overlap] = pointOf(c, t);
      const Split of = split(c, P, n);
      if (sgn(of.normal) <= 0) return 0;
      const Rational3 v = slipOf(c, x, t, starts), u = v - n * (dot(v, n) / dot(n, n));
      const Rational nn = dot(n, n), uu = dot(u, u), pressed_sq = square(of.normal) / nn;
      if (uu <= square(Rational(crowd_ ? kStillOfMany : kStill)) * laws_.scalesOf(s.body).speed_sq) return 0;
      const Rational rubs = rootAbove((no_slip ? std::max(of.tangent_sq, pressed_sq) : of.most_sq) / uu);
      least = std::min(least, length(P - n * (of.normal / nn) + u * rubs) - turned * rubs);
    }
    return std::max<Rational>(0, least);
  }

  // What the slip u would have to be off by for friction to be Coulomb's, squared. It is where it is -mu P_n u / |u|,
  // but for less than e; else what is across friction counts, or all of u where there is less friction.
  Rational slipOff(const Facing& c, const Rational3& P, const Rational3& n, Rational3 u, const Rational& e_sq) const {
    const Split of = split(c, P, n);
    u = u - n * (dot(u, n) / dot(n, n));
    const Rational uu = dot(u, u), against = -dot(P, u), rest = of.most_sq - of.tangent_sq - e_sq,
                   both = of.tangent_sq + of.most_sq - e_sq;
    if (both <= 0 || (against > 0 && square(both) * uu <= 4 * of.most_sq * square(against))) return 0;
    const bool full = rest <= 0 || square(rest) <= 4 * of.tangent_sq * e_sq;  // mu P_n <= |P_t| + e
    return full && against > 0 ? uu - square(against) / of.tangent_sq : uu;
  }

  // Support, cone and slip of every impulse of a contact; point, normal and slip from the published motion. A contact
  // that acts over a step touches, and slips as its friction says, at the impulse's instant or where the piece starts
  // or ends: methods know it there.
  void contact(const Action& action, const Contact& contact) {
    const Facing& c = *contact.facing;
    const Body &A = bodies_[c.body_a], &B = bodies_[c.body_b];
    const int lighter = laws_.lighterOf(c);
    const Laws::Scales& scales = laws_.scalesOf(lighter);
    const Rational gap_sq = square(Rational(run_.gap_nominal)), e_sq = noise(scales.momentum_sq),
                   far = std::min<Rational>(scales.length * kFar + leaned(), scales.length * kFarthest);
    const bool jump = action.t0 == action.t1,
               rubs = !jump && (A.no_slip || B.no_slip || (A.friction > 0 && B.friction > 0));
    for (const Impulse& impulse : contact.impulses) {
      if (impulse.P == Vector3{}) continue;
      const Finding here{true, -1, c.body_a, c.body_b, impulse.time, ""};
      const bool begins = here.time == action.t0;
      const Piece& piece = laws_.pieceAt(lighter, here.time, begins);
      const std::pair<double, bool> instants[] = {{here.time, begins}, {piece.t0, true}, {piece.t1, false}};
      std::optional<Rational> nearest, least;
      for (const auto& [time, starts] : std::span(instants, jump ? 1 : 3)) {
        const auto& [x, other, n, overlap] = pointOf(c, time);
        const Rational gap = dot(x - other, x - other);
        if (!nearest && gap > square(far)) bad(here, "an impulse acts beyond any support");
        if (sgn(dot(n, n)) == 0) return bad(here, "an impulse acts between parallel edges");
        const Rational3 P(impulse.P), u = slipOf(c, x, time, starts);
        if (!nearest) hold(Law::kCone, square(outside(c, P, pointOf(c, time))), scales.momentum_sq, here);
        Rational off = jump ? square(std::max<Rational>(0, -dot(u, n))) / dot(n, n) : Rational(0);
        if (rubs) off = slipOff(c, P, n, u, e_sq);
        nearest = std::min<Rational>(nearest.value_or(gap), gap), least = std::min<Rational>(least.value_or(off), off);
        if (holds(Law::kSupport, *nearest, gap_sq) && holds(Law::kSlip, *least, scales.speed_sq)) break;
      }
      if (nearest) hold(Law::kSupport, *nearest, gap_sq, here), hold(Law::kSlip, *least, scales.speed_sq, here);
      const ContactPoint& last = pointOf(c, piece.t1);  // What a step pushes does not leave as from a hit.
      const Rational rises = dot(slipOf(c, last.x, piece.t1, false), last.n) * (crowd_ ? 1 : kRebound);
      if (!jump && rises > 0 && dot(Rational3(impulse.P), last.n) > 0)
        hold(Law::kSlip, square(rises) / dot(last.n, last.n), scales.speed_sq, here);
    }
  }

  // What a joint's spring and rotor keep, times two; joints are closed, so a rotor turns or shifts as its links do.
  Rational keptBy(const Joint& joint, const Instant& parent, const Instant& child) {
    const Rational3 x = pointOf(joint, child), v = child.velocityOf(x) - parent.velocityOf(x), w = child.w - parent.w;
    Rational off;
    if (joint.stiffness != 0) off = coordinateOf(joint, parent, child, (joint.lower + joint.upper) / 2) - joint.rest;
    return (dot(v, v) + dot(w, w)) * joint.armature + square(off) * joint.stiffness;
  }

  // What bodies that act on each other gain with their springs and rotors, beyond what actuators do. And of all gains.
  void energy(std::span<const Laws::Group> groups) {
    const Rational3 g(run_.model.gravity);
    const auto energyOf = [&](const Body& body, const Instant& at) {
      return (dot(at.v, at.v) * body.mass + dot(at.w, spinOf(body, at))) * 0.5 - dot(g, at.p) * body.mass;
    };
    Rational all;
    for (const Laws::Group& group : groups) {
      Rational scale;
      for (const Stretch* s : group)
        scale = std::max<Rational>(scale, laws_.scalesOf(s->body).mass * laws_.scalesOf(s->body).speed_sq);
      Sum gain(square(scale));
      for (const Stretch* s : group) {
        for (const Joint* joint : laws_.jointsOf(s->body))
          if ((joint->stiffness != 0 || joint->armature > 0) && !Laws::isWound(*joint)) {
            const auto child = ends(*s, joint->child), parent = ends(*s, joint->parent);
            gain.add((keptBy(*joint, *parent[1], *child[1]) - keptBy(*joint, *parent[0], *child[0])) * 0.5);
          }
        if (s->isNone()) continue;
        const auto [before, after] = ends(*s, s->body);
        gain.add(energyOf(bodies_[s->body], *after) - energyOf(bodies_[s->body], *before));
        for (const Felt& felt : s->felt) {
          if (!felt.wrench || !laws_.works(*felt.wrench)) continue;
          const Instant& here = at(s->body, felt.impulse->time);
          const Rational work =
              dot(Rational3(felt.impulse->P), here.velocityOf(pointOf(felt).x)) + dot(Rational3(felt.moment()), here.w);
          gain.add(felt.positive ? -work : work);
        }
      }
      const Rational gained = std::max<Rational>(0, gain.sum()[0]);
      all += gained;
      const Finding here{true, -1, group.back()->body, -1, group.back()->t1, ""};
      hold(Law::kEnergy, square(std::max(gained, all * kSumShare)), square(scale), here);
      hold(Law::kSlip, rebound(group), 1, here);
    }
  }

  // Of a jump in which contacts alone act, squared, / V^2. Where nothing rebounds, what is pushed last does not rise:
  // not all that is pushed does. Where something may, of a contact that alone acts, among free bodies: by how much
  // it rises faster or slower than its restitution e says. Its normal velocity grows with its normal impulse by slopes
  // between low and high, whatever friction does. By the rules of Newton, Poisson and Stronge it rises at least by
  // low times e / (1 + e) of that impulse, less what a pull takes of that, and at most by high times as much.
  Rational rebound(const Laws::Group& group) {
    const double time = group[0]->t0;
    std::optional<Rational> least;
    const Facing* only = nullptr;
    bool rebounds = false, free = true;
    for (const Stretch* s : group)
      for (const Felt& felt : s->felt) {
        if (!s->jump || (felt.wrench && felt.wrench->source != Wrench::Source::kJoint)) return 0;
        if (felt.wrench) continue;
        const Facing& c = *felt.contact;
        const ContactPoint point = pointOf(felt);
        const Rational nn = dot(point.n, point.n), along = dot(Rational3(felt.impulse->P), point.n);
        rebounds |= bodies_[c.body_a].restitution != 0 || bodies_[c.body_b].restitution != 0;
        free &= bodies_[s->body].robot < 0 && (!only || only == &c || felt.impulse->P == Vector3{});
        if (felt.impulse->P != Vector3{}) only = &c;
        if (along <= 0) continue;
        const Rational rises = std::max<Rational>(0, dot(slipOf(c, point.x, time, true), point.n)),
                       off = square(rises) / nn / laws_.scalesOf(s->body).speed_sq;
        least = least ? std::min<Rational>(*least, off) : off;
      }
    if (!rebounds || !least || !free) return rebounds || !least ? Rational(0) : *least;
    const Body &A = bodies_[only->body_a], &B = bodies_[only->body_b];
    const auto& [x, other, n, overlap] = pointOf(*only, time);
    Rational pushes, pulls, speed_sq;
    Rational3 pushed;
    for (const Stretch* s : group) {
      if (s->body != only->body_a && s->body != only->body_b) continue;
      const Instant& end = at(s->body, time, true);
      pushes = pulls = 0;  // The same of both bodies.
      for (const Felt& felt : s->felt)
        if (const Rational along = dot(Rational3(felt.impulse->P), n); felt.contact == only)
          (sgn(along) > 0 ? pushes : pulls) += along;
      const std::optional<Rational3> turn = turnOf(bodies_[s->body], end, cross(x - end.p, n));
      if (!turn || bodies_[s->body].mass <= 0) return 0;
      pushed += n * (1 / Rational(bodies_[s->body].mass)) + cross(*turn, x - end.p);
      speed_sq = std::max(speed_sq, laws_.scalesOf(s->body).speed_sq);
    }
    const Rational nn = dot(n, n), mean = dot(pushed, n), e = std::max(A.restitution, B.restitution),
                   rises = dot(slipOf(*only, x, time, true), n);
    const Rational3 across = pushed - n * (mean / nn);
    const Rational rubs = rootAbove(Rational(A.friction) * B.friction * dot(across, across) * nn);
    const Rational share = pushes * e / (nn * (1 + e)), least_rise = share * (mean - rubs) + pulls * (mean + rubs) / nn,
                   off = std::max<Rational>(rises - share * (mean + rubs), crowd_ ? 0 : least_rise - rises);
    return sgn(off) < 0 || A.no_slip || B.no_slip ? Rational(0) : square(off * kRebound) / nn / speed_sq;
  }

  const Laws& laws_;
  const Run& run_;
  const bool crowd_ = isCrowd(run_);
  const std::vector<Body>& bodies_;
  Residuals& worst_;
  Laws::Instants& known_;
  std::map<int, Instant> starts_;
  std::vector<Finding> open_;
};

}  // namespace

std::vector<Finding> Laws::discharge(const Duty& duty, Residuals& worst, Instants& known) const {
  return LawProof(*this, worst, known).discharge(duty);
}

Laws::Missing Laws::missing(const Stretch& s, Instants& known) const {
  Residuals none;
  return LawProof(*this, none, known).missing(s);
}

}  // namespace rigor::verify::kernel
