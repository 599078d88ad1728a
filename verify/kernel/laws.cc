// SPDX-License-Identifier: MIT
#include "verify/kernel/laws.h"

#include <algorithm>
#include <cmath>

namespace rigor::verify::kernel {
namespace {

const char* const kLawNames[kLaws] = {"momentum", "angular_momentum", "kinematics", "cone", "support",
                                      "slip",     "closure",          "energy"};
/// Where a record declares none: contacts may have lifted inner control points by this [gap_nominal].
constexpr double kLargestLift = 100;
/// Joints of records that declare no bound [gap_nominal].
constexpr double kOpenJoint = 1;
const char* const kOfSum = " (of a sum over l / V)";
/// More of them are forgotten, and found again.
constexpr std::size_t kInstants = 1000;

Rational largest(const Rational3& v) { return std::max<Rational>({abs(v[0]), abs(v[1]), abs(v[2])}); }

// Sums of many fractions are taken on a grid, or their denominators grow without end. Any grid will do: 2^-64 of a
// scale that is given by its square, in doubles; 0 for none.
Rational gridOf(const Rational& square) {
  const double scale = std::sqrt(square.get_d());
  return scale > 0 && scale < HUGE_VAL ? std::ldexp(1.0, std::ilogb(scale) - 64) : 0.0;
}

// From above, by less than the grid.
Rational raised(const Rational& x, const Rational& grid) {
  return sgn(grid) == 0 ? x : Rational((x / grid).ceiling()) * grid;
}

// What is at most `off` less or more, and of the larger absolute value.
Rational3 outermost(const Rational3& sum, const Rational& off) {
  const auto sign = [&](int i) { return Number(sgn(sum.x[i]) < 0 ? -1 : 1); };
  return sum + Rational3(Number3(sign(0), sign(1), sign(2))) * off;
}

void addRaised(Rational3& sum, const Rational3& x, const Rational& grid) {
  if (sgn(grid) == 0) return void(sum += x);
  const Rational3 steps = x * (1 / grid);
  sum += Rational3(Number3(steps[0].ceiling(), steps[1].ceiling(), steps[2].ceiling())) * grid;
}

}  // namespace

const char* lawName(Law law) { return kLawNames[static_cast<std::size_t>(law)]; }

Laws::Laws(const BranchProof& proof) : proof_(proof), run_(proof.run()) {
  stretches_.resize(run_.model.bodies.size());
  for (std::size_t b = 0; b < stretches_.size(); ++b) scales_.push_back(findScales(static_cast<int>(b)));
  // V^2 = g l, g the largest component of gravity; without, V is the largest speed at the start, or g is 1 m/s^2.
  const Rational gravity = largest(Rational3(run_.model.gravity));
  Rational fastest_sq;
  for (std::size_t b = 0; b < scales_.size(); ++b) {
    const Rational3 v(run_.model.bodies[b].velocity), w(run_.model.bodies[b].angular_velocity);
    fastest_sq = std::max<Rational>({fastest_sq, dot(v, v), dot(w, w) * square(scales_[b].length)});
  }
  for (Scales& scales : scales_) {
    scales.speed_sq = gravity > 0 ? Rational(gravity * scales.length) : fastest_sq > 0 ? fastest_sq : scales.length;
    scales.momentum_sq = square(scales.mass) * scales.speed_sq;
    scales.spin_sq = scales.momentum_sq * square(scales.length);
    scales.grid = gridOf(scales.momentum_sq), scales.spin_grid = gridOf(scales.spin_sq);
  }
  derive();
}

void Laws::derive() {
  const std::vector<Piece>& pieces = proof_.rows().pieces;
  for (std::uint32_t i = 0; i < pieces.size(); ++i) {
    duties_.push_back({Duty::Kind::kKinematics, i});
    const int robot = run_.model.bodies[pieces[i].body].robot;
    for (std::uint32_t j = 0; robot >= 0 && j < run_.model.robots[robot].joints.size(); ++j)
      if (run_.model.robots[robot].joints[j].child == pieces[i].body) duties_.push_back({Duty::Kind::kClosure, i, j});
  }
  if (!run_.actions_known || proof_.instant()) return;
  for (int b = 0; b < static_cast<int>(stretches_.size()); ++b)
    if (!run_.model.bodies[b].fixed) deriveStretches(b);
  deriveActions();
  for (std::uint32_t b = 0; b < stretches_.size(); ++b)
    for (std::uint32_t i = 0; i < stretches_[b].size() && !isOpen(stretches_[b][i]); i += window(duties_.back()).size())
      duties_.push_back({Duty::Kind::kBalance, b, i});
  for (std::uint32_t i = 0; i < groups_.size(); i += groups(duties_.back()).size())
    duties_.push_back({Duty::Kind::kEnergy, i});
}

// A jump before every step, the first from what the branch starts with. Pieces of one step of a robot's link are one.
void Laws::deriveStretches(int body) {
  const std::span<const Piece> pieces = proof_.piecesOf(body);
  stretches_[body].reserve(2 * pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece* before = i > 0 ? &pieces[i - 1] : nullptr;
    if (before && run_.model.bodies[body].robot >= 0 && before->step == pieces[i].step) {
      stretches_[body].back().last = &pieces[i], stretches_[body].back().t1 = pieces[i].t1;
      continue;
    }
    for (const bool jump : {true, false}) {
      const Piece* const first = jump ? before : &pieces[i];
      const double t0 = pieces[i].t0, t1 = jump ? t0 : pieces[i].t1;
      stretches_[body].push_back({body, jump, first, &pieces[i], t0, t1, {}, root_.size()});
      root_.push_back(root_.size());
    }
  }
}

// An instant belongs to the step that ends there or holds it, that of t0 to the one that starts there; of a jump, to
// it.
bool Laws::Stretch::holds(double time, const Action& action) const {
  const bool jumps = action.t0 == action.t1, starts = !jumps && time == action.t0;
  return jump == jumps && (starts || jump ? t0 <= time : t0 < time) && (starts ? time < t1 : time <= t1);
}

// Of each source the impulses that its stretch holds.
std::vector<Laws::Felt> Laws::feltBy(const Stretch& s) const {
  std::vector<Felt> list;
  for (const Source& source : s.sources) {
    const Action& action = proof_.rows().actions[source.action];
    const auto add = [&](const Wrench* wrench, const Contact* contact, const auto& impulses) {
      for (const Impulse& impulse : impulses)
        if (s.holds(impulse.time, action)) list.push_back({&impulse, wrench, contact, source.positive == 1});
    };
    if (source.is_wrench) add(&action.wrenches[source.number], nullptr, action.wrenches[source.number].impulses);
    else add(nullptr, &action.contacts[source.number], action.contacts[source.number].impulses);
  }
  return list;
}

// Stretches that share an impulse form a group, whatever the clocks of their bodies: its root is the first of them.
void Laws::act(int on, int from, Source source, const Impulse& impulse) {
  const Action& action = proof_.rows().actions[source.action];
  const Wrench* const wrench = source.is_wrench ? &action.wrenches[source.number] : nullptr;
  const auto bad = [&](const char* reason) { malformed_.push_back({true, -1, on, -1, action.t0, reason}); };
  const double t = impulse.time;
  if (!std::isfinite(t) || !(action.t0 <= t && t <= action.t1)) return bad("an impulse acts outside of its step");
  if (!finite(impulse.P) || (wrench && !finite(static_cast<const Twisting&>(impulse).moment)))
    return bad("an impulse is not finite");
  if (t > proof_.horizon() || (t == proof_.horizon() && action.t0 == action.t1))
    return;  // A jump that ends the branch is its children's.
  const Stretch* shares = nullptr;
  for (const int body : {on, from}) {
    if (body < 0 || run_.model.bodies[body].fixed) continue;  // The world feels nothing.
    const auto end = stretches_[body].end();
    auto s = std::lower_bound(stretches_[body].begin(), end, t, [](const Stretch& x, double u) { return x.t1 < u; });
    while (s != end && s->t0 <= t && !s->holds(t, action)) ++s;
    if (s == end || s->t0 > t) return bad("an impulse acts where its body has no step, or no border of steps");
    if (wrench && wrench->source == Wrench::Source::kActuator) {  // Its effort is that of a step's time.
      if (action.t0 < s->t0 || action.t1 > s->t1) return bad("an actuator acts outside of its link's step");
      for (const Source& other : s->sources)
        if (const Action& a = proof_.rows().actions[other.action]; other.is_wrench)
          if (const Wrench& w = a.wrenches[other.number]; &w != wrench && w.joint == wrench->joint &&
              w.source == wrench->source && a.t0 < action.t1 && action.t0 < a.t1)
            return bad("an actuator acts twice at a time");
    }
    source.positive = body == on;
    if (s->sources.size() == s->sources.capacity()) s->sources.reserve(s->sources.size() * 5 / 4 + 3);  // Not twice.
    if (s->sources.empty() || s->sources.back() != source) s->sources.push_back(source);
    const std::size_t group = rootOf(s->group), other = shares ? rootOf(shares->group) : group;
    root_[std::max(group, other)] = std::min(group, other);
    shares = &*s;
  }
}

void Laws::deriveActions() {
  const std::vector<Body>& bodies = run_.model.bodies;
  const auto exists = [&](int body) { return body >= 0 && body < static_cast<int>(bodies.size()); };
  for (std::uint32_t i = 0; i < proof_.rows().actions.size(); ++i) {
    const Action& action = proof_.rows().actions[i];
    const auto bad = [&](const char* reason) { malformed_.push_back({true, -1, -1, -1, action.t0, reason}); };
    for (std::uint32_t c = 0; c < action.contacts.size(); ++c) {
      const Contact& contact = action.contacts[c];
      Claim claim{contact.facing ? *contact.facing : Facing()};  // The same faults.
      claim.t1 = claim.gap = claim.cross = 1;
      const bool sound = findFault(claim, bodies).empty();
      const Part* part = !sound            ? nullptr
                         : claim.kind == 0 ? &bodies[claim.body_b].parts[claim.part_b]
                                           : &bodies[claim.body_a].parts[claim.part_a];
      if (!sound || claim.a0 < 0 || claim.a0 >= static_cast<int>(part->vertices.size() + part->core.size())) {
        bad("an impulse acts at no feature of a pair that may collide");
        continue;
      }
      for (const Impulse& impulse : contact.impulses) act(claim.body_b, claim.body_a, {i, c, 0, 1}, impulse);
      duties_.push_back({Duty::Kind::kContact, i, c});
    }
    for (std::uint32_t w = 0; w < action.wrenches.size(); ++w) {
      const Wrench& wrench = action.wrenches[w];
      if (wrench.robot < 0 || wrench.robot >= static_cast<int>(run_.model.robots.size()) || wrench.joint < 0 ||
          wrench.joint >= static_cast<int>(run_.model.robots[wrench.robot].joints.size()) ||
          !exists(jointOf(wrench).child) || (jointOf(wrench).parent != -1 && !exists(jointOf(wrench).parent))) {
        bad("a wrench acts at no joint");
        continue;
      }
      for (const Twisting& impulse : wrench.impulses)
        act(jointOf(wrench).child, jointOf(wrench).parent, {i, w, 1, 1}, impulse);
      duties_.push_back({Duty::Kind::kWrench, i, w});
    }
  }
  for (const auto& of_body : stretches_)
    for (const Stretch& s : of_body) members_.push_back(&s);
  std::stable_sort(members_.begin(), members_.end(),
                   [&](const Stretch* a, const Stretch* b) { return rootOf(a->group) < rootOf(b->group); });
  for (auto first = members_.begin(), last = first; first != members_.end(); first = last) {
    const std::size_t root = rootOf((*first)->group);
    last = std::find_if(first, members_.end(), [&](const Stretch* s) { return rootOf(s->group) != root; });
    if (std::none_of(first, last, [&](const Stretch* s) { return isOpen(*s); })) groups_.emplace_back(first, last);
  }
}

std::size_t Laws::rootOf(std::size_t group) {
  while (root_[group] != group) group = root_[group] = root_[root_[group]];
  return group;
}

const Joint& Laws::jointOf(const Wrench& wrench) const { return run_.model.robots[wrench.robot].joints[wrench.joint]; }

bool Laws::works(const Wrench& wrench) const {
  using enum Wrench::Source;
  return wrench.source == kActuator || (wrench.source == kJoint && jointOf(wrench).spring);
}

double Laws::boundOf(Law law) const {
  const Bounds& b = run_.bounds;
  const double bounds[kLaws] = {b.momentum, b.angular_momentum, b.kinematics, b.cone, b.support,
                                b.slip,     b.closure,          b.energy};
  const double bound = bounds[static_cast<std::size_t>(law)];
  if (std::isnan(bound) && law == Law::kKinematics) return kLargestLift;
  if (std::isnan(bound) && law == Law::kClosure) return kOpenJoint;
  return bound;
}

std::optional<Finding> Laws::hold(Law law, const Rational& residual_sq, const Rational& scale_sq, double time, int a,
                                  int b, Residuals& worst) const {
  const auto number = static_cast<std::size_t>(law);
  const double bound = boundOf(law);
  if (!(bound >= 0 && bound <= kLargestBounds[number]))
    return Finding{false, -1, a, b, time,
                   std::string("the record declares no bound that means anything for the law: ") + kLawNames[number]};
  const double value = sgn(residual_sq) == 0 ? 0
                       : sgn(scale_sq) == 0  ? HUGE_VAL
                                             : std::sqrt(Rational(residual_sq / scale_sq).get_d());
  if (value > worst[number].value) worst[number] = {value, time};
  if (residual_sq <= square(Rational(bound)) * scale_sq) return {};
  std::string reason = std::string("the law does not hold within the record's bound: ") + kLawNames[number];
  reason.append(", ").append(std::to_string(value)).append(" > ").append(std::to_string(bound));
  return Finding{true, -1, a, b, time, reason};
}

// m and l, without V: l is the longest edge of the box of a body's vertices, or how far its mass reaches. A robot
// counts as one body, with the length of its longest link.
Laws::Scales Laws::findScales(int body) const {
  const std::vector<Body>& bodies = run_.model.bodies;
  Scales scales;
  for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
    if (bodies[b].fixed || (b != body && (bodies[b].robot < 0 || bodies[b].robot != bodies[body].robot))) continue;
    const auto& I = bodies[b].inertia;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (const Part& part : bodies[b].parts)
      for (const Vector3& v : part.vertices)
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], v[k]), high[k] = std::max(high[k], v[k]);
    Rational length;
    for (int k = 0; k < 3 && low[k] <= high[k]; ++k)
      length = std::max<Rational>(length, Rational(high[k]) - Rational(low[k]));
    if (length == 0 && bodies[b].mass > 0) length = std::sqrt(std::max(0.0, I[0] + I[1] + I[2]) / bodies[b].mass);
    scales.mass += bodies[b].mass, scales.length = std::max(scales.length, length);
  }
  return scales;
}

const Piece& Laws::pieceAt(int body, double time, bool starts) const {
  const std::span<const Piece> pieces = proof_.piecesOf(body);
  const auto found = std::lower_bound(pieces.begin(), pieces.end(), time,
                                      [&](const Piece& p, double t) { return p.t1 < t || (starts && p.t1 == t); });
  return run_.model.bodies[body].fixed ? pieces[0] : found == pieces.end() ? pieces.back() : *found;
}

const Instant& Laws::at(int body, double time, Instants& known, bool starts) const {
  const bool still = body < 0 || run_.model.bodies[body].fixed;
  const Piece* const piece = body < 0 ? nullptr : &pieceAt(body, time, starts);
  if (!still) time = std::min(time, piece->t1);
  const auto [found, is_new] = known.try_emplace({piece, still ? 0 : time});
  Instant& at = found->second;
  if (!is_new) return at;
  at = instantOf(piece ? *piece : fixedPose(Body()), still ? 0 : time);
  if (!still && (time <= piece->t0 || time >= piece->t1)) {
    const double* velocity = piece->velocity + (time <= piece->t0 ? 0 : 6);
    at.v = Rational3(velocity), at.w = Rational3(velocity + 3);
  }
  return at;
}

Rational3 Laws::pointOf(const Wrench& wrench, double time, Instants& known) const {
  const Joint& joint = jointOf(wrench);
  const Instant& link = at(joint.child, time, known);
  return link.p + link.turn(Rational3(joint.child_point) - Rational3(run_.model.bodies[joint.child].centre));
}

Rational3 Laws::startVelocity(int body, Rational3& w) const {
  if (!proof_.origin()->of_model) {
    const auto& velocity = proof_.origin()->states[body].velocity;
    w = Rational3(velocity.data() + 3);
    return Rational3(velocity.data());
  }
  const Body& model = run_.model.bodies[body];
  w = Rational3(model.angular_velocity);
  return Rational3(model.velocity) + cross(w, instantOf(fixedPose(model), 0).turn(Rational3(model.centre)));
}

void Laws::velocities(const Stretch& s, bool end, Rational3& v, Rational3& w) const {
  if (s.jump && !end && !s.first) return void(v = startVelocity(s.body, w));
  const double* velocity = (end ? s.last : s.first)->velocity + (end == s.jump ? 0 : 6);
  v = Rational3(velocity), w = Rational3(velocity + 3);
}

Rational3 Laws::spinOf(int body, const Instant& at, const Rational3& w) const {
  const auto& I = run_.model.bodies[body].inertia;  // xx yy zz xy xz yz
  const Number3 rows[] = {Vector3{I[0], I[3], I[4]}, Vector3{I[3], I[1], I[5]}, Vector3{I[4], I[5], I[2]}};
  const Rational3 u = at.turnBack(w);
  return at.turn({{dot(rows[0], u.x), dot(rows[1], u.x), dot(rows[2], u.x)}, u.over});
}

Rational Laws::energyOf(int body, const Instant& at, const Rational3& v, const Rational3& w) const {
  const Rational m = run_.model.bodies[body].mass;
  return (m * dot(v, v) + dot(w, spinOf(body, at, w))) / 2 - m * dot(Rational3(run_.model.gravity), at.p);
}

std::vector<Finding> Laws::discharge(const Duty& duty, Residuals& worst, Instants& known) const {
  Findings open;
  if (known.size() > kInstants) known.clear();
  const std::vector<Action>& actions = proof_.rows().actions;
  switch (duty.kind) {
    case Duty::Kind::kKinematics: kinematics(proof_.rows().pieces[duty.number], open, worst); return open;
    case Duty::Kind::kClosure: closure(proof_.rows().pieces[duty.number], duty.part, open, worst); return open;
    case Duty::Kind::kBalance: balance(window(duty), open, worst, known); return open;
    case Duty::Kind::kContact: contact(actions[duty.number], duty.part, open, worst, known); return open;
    case Duty::Kind::kWrench: wrench(actions[duty.number], duty.part, open, worst, known); return open;
    case Duty::Kind::kEnergy: energy(groups(duty), open, worst, known); return open;
  }
  return {{false, -1, -1, -1, 0, "a duty that nobody discharges"}};
}

// |p' - v| h / 3 at both ends, and the same of w: its angle is that of the quaternions, to rounding.
void Laws::kinematics(const Piece& piece, Findings& open, Residuals& worst) const {
  const Rational h = Rational(piece.t1) - Rational(piece.t0),
                 slack = Rational(kTimeRounding) * Rational(piece.t1) + Rational(kRateRounding) * h;
  double far = 0, large = 0;  // Comparisons of doubles are exact.
  for (const double x : std::span(piece.p[0], 3 * (piece.p_degree + 1))) far = std::max(far, std::abs(x));
  for (const double x : std::span(piece.q[0], 4 * (piece.q_degree + 1))) large = std::max(large, std::abs(x));
  for (const bool end : {false, true}) {
    const double time = end ? piece.t1 : piece.t0;
    const Instant at = instantOf(piece, time);
    const Rational3 v(piece.velocity + (end ? 6 : 0)), w(piece.velocity + (end ? 9 : 3));
    const Rational rounding = Rational(far) * kControlRounding + slack * largest(v);
    const Rational lift = std::max<Rational>(0, largest(at.v - v) * h / 3 - rounding);
    if (auto finding =
            hold(Law::kKinematics, square(lift), square(Rational(run_.gap_nominal)), time, piece.body, -1, worst))
      open.push_back(*finding), open.back().piece = piece.id;
    // The norm is that of the end's control point, times two.
    if (largest(at.w - w) * h > slack * largest(w) + Rational(kControlRounding) * 8 * square(large) / at.R.norm)
      open.push_back({true, piece.id, piece.body, -1, time, "the angular velocity is not that of its control points"});
  }
}

// m dv = m g h + sum P and dL = m int p dt x g + sum x x P + moments, about the body's first centre.
int Laws::missing(const Stretch& s, Rational3& P, Rational3& K, Rational& pull, Instants& known) const {
  const Rational& grid = scalesOf(s.body).spin_grid;
  const Rational m = run_.model.bodies[s.body].mass, h = Rational(s.t1) - Rational(s.t0);
  const Rational3 g(run_.model.gravity);
  Rational3 v0, w0, v1, w1, integral;
  velocities(s, false, v0, w0);
  velocities(s, true, v1, w1);
  const Instant &at0 = at(s.body, s.t0, known, true), &at1 = s.jump ? at0 : at(s.body, s.t1, known);
  for (const Piece* piece = s.first; !s.jump && piece <= s.last; ++piece) {
    Rational3 mean;
    for (int i = 0; i <= piece->p_degree; ++i) mean += Rational3(piece->p[i]) - at0.p;
    integral += mean * ((Rational(piece->t1) - Rational(piece->t0)) / (piece->p_degree + 1));
  }
  P = (v1 - v0) * m - g * (m * h);
  K = cross(at1.p - at0.p, v1) * m - cross(integral, g) * m;
  addRaised(K, spinOf(s.body, at1, w1), grid);
  addRaised(K, spinOf(s.body, at0, w0) * -1, grid);
  const std::vector<Felt> list = feltBy(s);
  for (const Felt& felt : list) {
    const Rational sign = felt.positive ? -1 : 1;
    const Rational3 acted = Rational3(felt.impulse->P) * sign;
    const double t = felt.impulse->time;
    const Point point =
        felt.contact ? pointOf(*felt.contact->facing, t, known, false) : Point{pointOf(*felt.wrench, t, known), {}, {}};
    if (felt.contact) pull += rootAbove(outside(*felt.contact->facing, Rational3(felt.impulse->P), point.n));
    if (felt.wrench) K += Rational3(felt.moment()) * sign;
    P += acted;
    addRaised(K, cross(point.x - at0.p, acted), grid);
  }
  return 2 + static_cast<int>(list.size());
}

// Any partition into windows will do: one by doubles.
double Laws::windowOf(const Stretch& s) const {
  const Scales& scales = scalesOf(s.body);
  return std::floor((s.t0 - proof_.branch().start()) * std::sqrt(Rational(scales.speed_sq).get_d()) /
                    scales.length.get_d());
}

std::span<const Laws::Stretch> Laws::window(const Duty& duty) const {
  const std::vector<Stretch>& all = stretches_[duty.number];
  std::size_t last = duty.part + 1;
  while (last < all.size() && !isOpen(all[last]) && windowOf(all[last]) == windowOf(all[duty.part])) ++last;
  return {&all[duty.part], last - duty.part};
}

std::span<const Laws::Group> Laws::groups(const Duty& duty) const {
  const Stretch& first = *groups_[duty.number][0];
  std::size_t last = duty.number + 1;
  while (last < groups_.size() && groups_[last][0]->body == first.body &&
         windowOf(*groups_[last][0]) == windowOf(first))
    ++last;
  return {&groups_[duty.number], last - duty.number};
}

void Laws::balance(std::span<const Stretch> window, Findings& open, Residuals& worst, Instants& known) const {
  const Scales& scales = scalesOf(window[0].body);
  const Rational &scale = scales.momentum_sq, &spin_scale = scales.spin_sq;
  Rational added, all_pull;
  Rational3 P, K, all_P, all_K;
  for (const Stretch& s : window) {
    const auto note = [&](Law law, const Rational3& residual, const Rational& unit, const char* where) {
      if (auto finding = hold(law, dot(residual, residual), unit, s.t1, s.body, -1, worst))
        finding->piece = s.last->id, finding->reason += where, open.push_back(*std::move(finding));
    };
    Rational pull;
    const int rounded = missing(s, P, K, pull, known);
    note(Law::kMomentum, P, scale, s.jump ? " (a jump)" : "");
    note(Law::kAngularMomentum, outermost(K, rounded * scales.spin_grid), spin_scale, s.jump ? " (a jump)" : "");
    addRaised(all_P, P, scales.grid), addRaised(all_K, K, scales.spin_grid);
    added += 1 + rounded, all_pull += raised(pull, scales.grid);
    note(Law::kCone, Rational3(Vector3{1, 0, 0}) * all_pull, scale, kOfSum);
    note(Law::kMomentum, outermost(all_P, added * scales.grid) * kSumShare, scale, kOfSum);
    note(Law::kAngularMomentum, outermost(all_K, added * scales.spin_grid) * kSumShare, spin_scale, kOfSum);
  }
}

// What bodies that act on each other gain, beyond what actuators and springs do at their instants. And of all gains.
void Laws::energy(std::span<const Group> groups, Findings& open, Residuals& worst, Instants& known) const {
  Rational all;
  for (const Group& group : groups) {
    Rational gain, scale;
    for (const Stretch* s : group)
      scale = std::max<Rational>(scale, scalesOf(s->body).mass * scalesOf(s->body).speed_sq);
    const Rational grid = gridOf(square(scale));
    for (const Stretch* s : group) {
      Rational3 v0, w0, v1, w1;
      velocities(*s, false, v0, w0);
      velocities(*s, true, v1, w1);
      const Instant &at0 = at(s->body, s->t0, known, true), &at1 = s->jump ? at0 : at(s->body, s->t1, known);
      gain += raised(energyOf(s->body, at1, v1, w1) - energyOf(s->body, at0, v0, w0), grid);
      for (const Felt& felt : feltBy(*s)) {
        if (!felt.wrench || !works(*felt.wrench)) continue;
        const Instant& here = at(s->body, felt.impulse->time, known);
        const Rational3 x = pointOf(*felt.wrench, felt.impulse->time, known);
        const Rational work =
            dot(Rational3(felt.impulse->P), here.velocityOf(x)) + dot(Rational3(felt.moment()), here.w);
        gain += raised(felt.positive ? -work : work, grid);
      }
    }
    gain = std::max<Rational>(0, gain), all += gain;
    const auto note = [&](Law law, const Rational& residual_sq, const Rational& unit) {
      if (auto finding = hold(law, residual_sq, unit, group.back()->t1, group.back()->body, -1, worst))
        open.push_back(*std::move(finding));
    };
    note(Law::kEnergy, square(gain), square(scale));
    note(Law::kEnergy, square(all * kSumShare), square(scale));
    note(Law::kSlip, rebound(group, known), 1);
  }
}

}  // namespace rigor::verify::kernel
