// SPDX-License-Identifier: MIT
#include "verify/kernel/laws.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace rigor::verify::kernel {
namespace {

// The longest edge of the box of a body's vertices, or how far its mass reaches.
Rational sizeOf(const Body& body) {
  std::optional<Range> box;
  for (const Part& part : body.parts)
    for (const Vector3& v : part.vertices) box ? box->include(v.data()) : void(box.emplace(v.data()));
  Rational length;
  for (int k = 0; box && k < 3; ++k) length = std::max<Rational>(length, Rational(box->high[k]) - box->low[k]);
  const double trace = std::max(0.0, body.inertia[0] + body.inertia[1] + body.inertia[2]);
  return length == 0 && body.mass > 0 ? Rational(std::sqrt(trace / body.mass)) : length;
}

// A robot counts as one body, with the mass of all its links and the length of the longest. V^2 = g l, g the largest
// component of gravity; without, V is the largest speed at the start, or g is 1 m/s^2. What steps of a robot miss is
// left to its root, or to the heaviest link of each tree: where there is one, the others balance by themselves.
std::vector<Laws::Scales> scalesOf(const Model& model) {
  const std::vector<Body>& bodies = model.bodies;
  std::vector<Laws::Scales> scales(bodies.size()), robots(model.robots.size());
  const auto owner = [&](int b) -> Laws::Scales& { return bodies[b].robot < 0 ? scales[b] : robots[bodies[b].robot]; };
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (Laws::Scales& own = owner(b); !bodies[b].fixed) {
      own.mass += bodies[b].mass, own.length = std::max<Rational>(own.length, sizeOf(bodies[b]));
      if (own.heaviest < 0 || bodies[own.heaviest].mass < bodies[b].mass) own.heaviest = static_cast<int>(b);
    }
  Rational gravity, fastest_sq, longest;
  for (const double g : model.gravity) gravity = std::max<Rational>(gravity, std::abs(g));
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    longest = std::max(longest, (scales[b] = owner(b)).length);
    const auto hangs = [&](const Joint& j) { return !j.loop && j.type != JointType::kOther && j.child == int(b); };
    if (const int r = bodies[b].robot; r >= 0 && std::ranges::any_of(model.robots[r].joints, hangs) &&
        std::size_t(scales[b].heaviest) != b && std::ranges::count(model.robots[r].joints, -1, &Joint::parent) < 2)
      scales[b].share_sq = square(bodies[b].mass / scales[b].mass + Rational(kLinksShare));
    const Rational3 v(bodies[b].velocity), w(bodies[b].angular_velocity);
    fastest_sq = std::max<Rational>({fastest_sq, dot(v, v), dot(w, w) * square(scales[b].length)});
  }
  for (Laws::Scales& s : scales) {
    s.shown_sq = square(Rational(kShownInWindow)) * s.length * (gravity > 0 ? longest : s.length);
    s.speed_sq = gravity > 0 ? Rational(gravity * s.length) : fastest_sq > 0 ? fastest_sq : s.length;
    s.momentum_sq = square(s.mass) * s.speed_sq, s.spin_sq = s.momentum_sq * square(s.length);
    s.window = guessWindow(s.speed_sq.get_d(), s.length.get_d());
  }
  return scales;
}

}  // namespace

void Sum::add(const Rational3& x) {
  for (int k = 0; k < 3; ++k) sum_[k].add(ceiling(x[k], place_));
  error_.add(std::ldexp(1.0, 64 * place_));
}

Rational Sum::square() const {
  Rational sum;
  for (int k = 0; k < 3; ++k) sum += kernel::square(abs(Rational(sum_[k])) + error_);
  return sum;
}

Laws::Laws(const BranchProof& proof)
    : proof_(proof), run_(proof.run()), scales_(kernel::scalesOf(run_.model)), joints_(scales_.size()),
      stretches_(scales_.size()) {
  for (const Robot& robot : run_.model.robots)
    for (const Joint& joint : robot.joints)
      if (const int body = run_.model.bodies[joint.child].fixed ? joint.parent : joint.child; body >= 0)
        joints_[body].push_back(&joint);
  const std::vector<Piece>& pieces = proof_.rows().pieces;
  for (std::uint32_t i = 0; i < pieces.size(); ++i) {
    duties_.push_back({Duty::Kind::kKinematics, i, 0, 0, pieces[i].t0});
    for (std::uint32_t j = 0; j < joints_[pieces[i].body].size(); ++j)
      duties_.push_back({Duty::Kind::kClosure, i, j, 0, pieces[i].t0});
  }
  if (!run_.actions_known || proof_.instant()) return;
  for (std::uint32_t b = 0; b < stretches_.size(); ++b)
    if (!run_.model.bodies[b].fixed) deriveStretches(static_cast<int>(b));
  deriveActions();
  deriveGroups();
  const auto window = [&](Duty::Kind kind, std::uint32_t number, const auto& list, const auto& stretchOf) {
    const auto windowOf = [&](const Stretch& s) {
      const double length = (kind == Duty::Kind::kEnergy ? 1 : kWindow) * scales_[s.body].window;
      return std::pair(s.body, std::floor((s.t0 - proof_.branch().start()) / length));
    };
    for (std::uint32_t first = 0, last = 0; first < list.size(); first = last) {
      const Stretch& s = stretchOf(list[first]);
      while (++last < list.size() && windowOf(stretchOf(list[last])) == windowOf(s)) continue;
      duties_.push_back({kind, number, first, last, s.t0});
    }
  };
  for (std::uint32_t b = 0; b < stretches_.size(); ++b) window(Duty::Kind::kBalance, b, stretches_[b], std::identity());
  window(Duty::Kind::kEnergy, 0, groups_, [](Group group) -> const Stretch& { return *group[0]; });
  std::ranges::stable_sort(duties_, {}, &Duty::time);
}

int Laws::lighterOf(const Facing& c) const {
  const Body &A = run_.model.bodies[c.body_a], &B = run_.model.bodies[c.body_b];
  return A.fixed || (!B.fixed && scalesOf(c.body_b).mass < scalesOf(c.body_a).mass) ? c.body_b : c.body_a;
}

// A jump before every piece, the first from what the branch starts with. What a run that is still written has beyond
// its last checkpoint is not whole yet.
void Laws::deriveStretches(int body) {
  const std::span<const Piece> pieces = proof_.piecesOf(body);
  stretches_[body].reserve(2 * pieces.size());
  for (const Piece& piece : pieces) {
    if (piece.t0 >= proof_.horizon()) return;
    const Piece* const before = &piece == &pieces[0] ? nullptr : &piece - 1;
    for (const bool jump : {true, false}) {
      stretches_[body].push_back(
          {body, jump, jump ? before : &piece, &piece, piece.t0, jump ? piece.t0 : piece.t1, {}, root_.size()});
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

// Stretches that share an impulse form a group, whatever the clocks of their bodies: its root is the first of them. So
// do those that the gears of an action act on: these hand work on where no link stands between.
void Laws::act(const Action& action, Felt felt, int on, int from) {
  const auto bad = [&](const char* reason) { malformed_.push_back({true, -1, on, -1, action.t0, reason}); };
  const double t = felt.impulse->time;
  if (!(action.t0 <= t && t <= action.t1) || !finite(felt.impulse->P) || (felt.wrench && !finite(felt.moment())))
    return bad("an impulse acts outside of its step, or is not finite");
  const Stretch* alone = nullptr;
  const Stretch*& shares = felt.wrench && jointOf(*felt.wrench).coupled ? geared_ : alone;
  for (const int body : {on, from}) {
    if (body < 0 || run_.model.bodies[body].fixed) continue;  // The world feels nothing.
    const auto end = stretches_[body].end();
    auto s = std::lower_bound(stretches_[body].begin(), end, t, [](const Stretch& x, double u) { return x.t1 < u; });
    while (s != end && s->t0 <= t && !s->holds(t, action)) ++s;
    if (s == end || s->t0 > t) return bad("an impulse acts where its body has no step, or no border of steps");
    if (felt.wrench && felt.wrench->source == Wrench::Source::kActuator && (action.t0 < s->t0 || action.t1 > s->t1))
      return bad("an actuator acts outside of its link's step");
    felt.positive = body == on;
    if (s->felt.size() == s->felt.capacity()) s->felt.reserve(s->felt.size() * 5 / 4 + 2);  // Crowds have millions.
    s->felt.push_back(felt);
    const std::size_t group = rootOf(s->group), other = shares ? rootOf(shares->group) : group;
    root_[std::max(group, other)] = std::min(group, other);
    shares = &*s;
  }
}

void Laws::deriveActions() {
  const auto& [gravity, bodies, robots, ignored] = run_.model;  // Numbers of robots below 0 are large ones.
  for (std::uint32_t i = 0; i < proof_.rows().actions.size(); ++i) {
    const Action& action = proof_.rows().actions[i];
    if (!run_.done && action.t0 >= proof_.horizon()) continue;
    geared_ = nullptr;
    const auto bad = [&](const char* reason) { malformed_.push_back({true, -1, -1, -1, action.t0, reason}); };
    for (std::uint32_t c = 0; c < action.contacts.size(); ++c) {
      const Facing* const facing = action.contacts[c].facing.get();
      Claim claim{facing ? *facing : Facing()};  // The same faults.
      claim.t1 = claim.gap = claim.cross = 1;
      const auto corners = [](const Part& part) { return part.vertices.size() + part.core.size(); };
      if (!findFault(claim, bodies).empty() || std::ranges::count(ignored, std::array{claim.body_a, claim.body_b}) ||
          std::size_t(claim.a0) >= corners(claim.kind == 0 ? bodies[claim.body_b].parts[claim.part_b]
                                                           : bodies[claim.body_a].parts[claim.part_a])) {
        bad("an impulse acts at no feature of a pair that may collide");
        continue;
      }
      for (const Impulse& impulse : action.contacts[c].impulses)
        act(action, {&impulse, facing, nullptr, true}, claim.body_b, claim.body_a);
      duties_.push_back({Duty::Kind::kContact, i, c, 0, action.t0});
    }
    for (const Wrench& w : action.wrenches) {
      using enum JointType;
      if (std::size_t(w.robot) >= robots.size() || std::size_t(w.joint) >= robots[w.robot].joints.size() ||
          jointOf(w).type == kOther || (w.source == Wrench::Source::kActuator && !robots[w.robot].driven) ||
          (w.source == Wrench::Source::kLimit && jointOf(w).type != kRevolute && jointOf(w).type != kPrismatic)) {
        bad("a wrench acts at no joint or at no limit, or an actuator that nothing drives");
        continue;
      }
      for (const Twisting& impulse : w.impulses)
        act(action, {&impulse, nullptr, &w, true}, jointOf(w).child, jointOf(w).parent);
    }
  }
}

void Laws::deriveGroups() {
  std::vector<std::size_t> place(root_.size() + 1);  // Of a group's next member; then, where the next group starts.
  for (std::size_t i = 0; i < root_.size(); ++i) ++place[rootOf(i) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  members_.resize(root_.size());
  for (const auto& of_body : stretches_)
    for (const Stretch& s : of_body) members_[place[rootOf(s.group)]++] = &s;
  for (std::size_t i = 0, first = 0; i < root_.size(); first = place[i++])
    if (place[i] > first) groups_.emplace_back(&members_[first], place[i] - first);
}

std::size_t Laws::rootOf(std::size_t group) {
  while (root_[group] != group) group = root_[group] = root_[root_[group]];
  return group;
}

const Piece& Laws::pieceAt(int body, double time, bool starts) const {
  const std::span<const Piece> pieces = proof_.piecesOf(body);
  const auto found = std::lower_bound(pieces.begin(), pieces.end(), time,
                                      [&](const Piece& p, double t) { return p.t1 < t || (starts && p.t1 == t); });
  return found == pieces.end() ? pieces.back() : *found;
}

}  // namespace rigor::verify::kernel
