// SPDX-License-Identifier: MIT
#include "verify/filter/law_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "verify/kernel/claims.h"
#include "verify/kernel/guess.h"
#include "verify/kernel/motion.h"

namespace rigor::verify::filter {

using kernel::Law;
using kernel::Residuals;
using kernel::Vector3;
using Duty = kernel::Laws::Duty;

namespace {

constexpr double kUp = 1 + 0x1p-48, kDown = 1 - 0x1p-48;  // A few roundings of what is above zero.

constexpr double kMostTurns = 10;          // Of a joint with a spring.
constexpr double kLeastRounding = 1e-300;  // Of what underflows.

// NaN stays.
double positivePart(double x) { return x <= 0 ? 0 : x; }

double numberOf(const kernel::Rational& x) { return x.get_d() * kDown; }

bool isFrame(const kernel::Body& body) { return body.mass == 0 && body.inertia == decltype(body.inertia){}; }

bool isNothing(const kernel::Laws::Felt& felt) {
  return felt.wrench && felt.impulse->P == Vector3{} && felt.moment() == Vector3{};
}

/// Near it, and what it is off by at most.
BallVector nearest(const kernel::Rational3& exact, double off = 0) {
  BallVector x;
  for (int k = 0; k < 3; ++k) x.x[k] = exact[k].get_d();
  x.radius = (x.reach() * kernel::Rational::kRounding + off) * kUp + kLeastRounding;
  return x;
}

/// Of a number that is right to a rounding more.
Ball clamped(const Ball& s) { return {std::clamp(s.value, 0.0, 1.0), (s.radius + kToNearest) * kUp}; }

/// Where on an edge from 0 to a, as a share of it, a point is nearest.
Ball shareOf(const BallVector& a, const BallVector& x) {
  Ball share = dot(x, a);
  return clamped(share *= inverse(dot(a, a)));
}

}  // namespace

LawFilter::LawFilter(const kernel::BranchProof& proof, const kernel::Laws& laws)
    : proof_(proof), laws_(laws), run_(proof.run()), crowd_(kernel::isCrowd(run_)),
      still_(crowd_ ? kernel::kStillOfMany : kernel::kStill), memory_(run_.model.bodies.size()) {
  for (std::size_t b = 0; b < run_.model.bodies.size(); ++b) {
    const auto& scales = laws.scalesOf(static_cast<int>(b));
    sizes_.push_back({numberOf(scales.mass), std::sqrt(numberOf(scales.speed_sq)) * kDown, numberOf(scales.length),
                      std::sqrt(numberOf(scales.shown_sq)) * kDown, std::sqrt(numberOf(scales.share_sq)) * kDown,
                      isFrame(run_.model.bodies[b])});
    carriers_.push_back(carrierOf(static_cast<int>(b)));
  }
  static_cast<BallPose&>(world_) = ballPoseOf(fixedPose(kernel::Body()), 0);
}

bool LawFilter::proves(const Duty& duty, Residuals& worst) const {
  const std::vector<kernel::Action>& actions = proof_.rows().actions;
  switch (duty.kind) {
    case Duty::Kind::kBalance:
    case Duty::Kind::kEnergy: {
      Window window = windowOf(duty);
      return advance(window, HUGE_VAL, worst);
    }
    case Duty::Kind::kContact:
      return contactHolds(actions[duty.number].contacts[duty.first], actions[duty.number], worst);
    default: return false;
  }
}

void LawFilter::prove(std::span<const Duty> duties, Residuals& worst, std::vector<char>& proved) const {
  std::vector<Window> windows;
  for (const Duty& duty : duties) windows.push_back(windowOf(duty));
  for (double until = 0; until < HUGE_VAL;) {
    until = HUGE_VAL;
    for (const Window& window : windows) until = std::min(until, window.nextEnd());
    for (Window& window : windows) advance(window, until, worst);
  }
  proved.clear();
  for (const Window& window : windows) proved.push_back(window.held);
}

LawFilter::Window LawFilter::windowOf(const Duty& duty) const {
  Window window;
  if (duty.kind == Duty::Kind::kBalance) window.stretches = laws_.window(duty);
  else window.groups = laws_.groups(duty);
  return window;
}

double LawFilter::Window::nextEnd() const {
  if (!held || next == stretches.size() + groups.size()) return HUGE_VAL;
  return groups.empty() ? stretches[next].t1 : groups[next][0]->t1;
}

/// What ends by `until`. Once it is not proved it stays so.
bool LawFilter::advance(Window& window, double until, Residuals& worst) const {
  const std::size_t count = window.stretches.size() + window.groups.size();
  for (; window.held && window.next < count && !(window.nextEnd() > until); ++window.next)
    window.held = window.groups.empty() ? balances(window, window.stretches[window.next], worst)
                                        : energyHolds(window, window.groups[window.next], worst);
  return window.held;
}

/// residual <= bound scale, both positive, residual from above and scale from below.
bool LawFilter::hold(Law law, double residual, double scale, double time, Residuals& worst) const {
  const double value = residual == 0 ? 0 : residual / scale * kUp, bound = run_.bounds[law];
  if (!(value <= bound * kDown)) return false;
  worst[law].include(value, time);
  return true;
}

/// kernel::Laws::pieceAt(), which searches, where it is not the last one or the next.
const kernel::Piece& LawFilter::pieceAt(int body, double time, bool starts) const {
  const kernel::Piece*& last = memory_[body].last;
  const std::span<const kernel::Piece> pieces = proof_.piecesOf(body);
  const auto holds = [&](const kernel::Piece& piece) {
    return starts ? piece.t0 <= time && time < piece.t1 : piece.t0 < time && time <= piece.t1;
  };
  if (last && holds(*last)) return *last;
  if (last && last != &pieces.back() && holds(last[1])) return *++last;
  return *(last = &laws_.pieceAt(body, time, starts));
}

LawFilter::Remembered& LawFilter::remember(int body, double time, bool starts) const {
  Memory& memory = memory_[body];
  const bool fixed = run_.model.bodies[body].fixed;
  const kernel::Piece& piece = fixed ? proof_.piecesOf(body)[0] : pieceAt(body, time, starts);
  time = fixed ? 0 : std::min(time, piece.t1);
  const std::size_t within = 2 + (std::bit_cast<std::uint64_t>(time) * 0x9e3779b97f4a7c15 >> 63);
  Remembered& known = memory.slots[fixed || time <= piece.t0 ? 0 : time == piece.t1 ? 1 : within];
  if (known.piece == &piece && known.time == time) return known;
  const Remembered& end = memory.slots[1];
  // Bit for bit the same pose.
  const bool goes_on = &known == &memory.slots[0] && !fixed && end.piece && end.piece + 1 == &piece &&
                       end.time == piece.t0 && time == piece.t0 &&
                       std::memcmp(end.piece->p[end.piece->p_degree], piece.p[0], sizeof piece.p[0]) == 0 &&
                       std::memcmp(end.piece->q[end.piece->q_degree], piece.q[0], sizeof piece.q[0]) == 0;
  static_cast<BallPose&>(known.at) = goes_on ? static_cast<const BallPose&>(end.at) : ballPoseOf(piece, time);
  known.piece = &piece, known.time = time, known.moves = fixed;
  return known;
}

const BallPose& LawFilter::poseAt(int body, double time, bool starts) const { return remember(body, time, starts).at; }

const BallInstant& LawFilter::at(int body, double time, bool starts) const {
  Remembered& known = remember(body, time, starts);
  if (known.moves) return known.at;
  const kernel::Piece& piece = *known.piece;
  const bool begins = time <= piece.t0;
  if (const double* velocity = piece.velocity + (begins ? 0 : 6); begins || time >= piece.t1)
    known.at.v = velocity, known.at.w = velocity + 3;
  else known.at = ballInstantOf(piece, time);
  known.moves = true;
  return known.at;
}

/// That of a piece's own velocity.
const BallVector& LawFilter::spinAtEnd(const kernel::Piece& piece, bool end) const {
  Memory& memory = memory_[piece.body];
  if (memory.spins_of[end] == &piece) return memory.spins[end];
  const kernel::Piece* const before = memory.spins_of[1];
  const bool goes_on = !end && before && before + 1 == &piece && before->t1 == piece.t0 &&
                       std::memcmp(before->velocity + 9, piece.velocity + 3, 3 * sizeof(double)) == 0 &&
                       std::memcmp(before->q[before->q_degree], piece.q[0], sizeof piece.q[0]) == 0;
  memory.spins[end] = goes_on ? memory.spins[1]
                              : spinOf(piece.body, poseAt(piece.body, end ? piece.t1 : piece.t0, !end),
                                       BallVector(piece.velocity + (end ? 9 : 3)));
  memory.spins_of[end] = &piece;
  return memory.spins[end];
}

BallVector LawFilter::worldPoint(const BallPose& at, int body, const Vector3& vertex) const {
  return at.p + at.turn(BallVector(vertex) - BallVector(run_.model.bodies[body].centre));
}

/// Some point of the part near x: that of a half-space below it, else of a face.
bool LawFilter::nearestOfPart(int body, int part, const BallPose& at, const BallVector& x, const BallVector& n,
                              BallVector& y) const {
  const kernel::Body& owner = run_.model.bodies[body];
  const kernel::Part& shape = owner.parts[part];
  if (shape.half_space) {
    const BallVector normal = at.turn(BallVector(shape.normal)), origin = at.p - at.turn(BallVector(owner.centre));
    Ball height = dot(normal, x - origin);
    height -= shape.offset;
    height *= inverse(dot(normal, normal));
    y = x - normal * height;
    return true;
  }
  if (shape.core.size() == 1) return touchingPoint(at, body, part, static_cast<int>(shape.vertices.size()), n, y);
  if (!shape.core.empty()) {  // Any point of the core will do.
    const BallVector a = worldPoint(at, body, shape.core[0]), d = worldPoint(at, body, shape.core[1]) - a;
    const double share = dot(x - a, d).value / dot(d, d).value;
    if (!std::isfinite(share)) return false;
    y = a + d * Ball(std::clamp(share, 0.0, 1.0));
    return addReach(at, shape, n, y);
  }
  Vector3 up, arm, local;
  for (int k = 0; k < 3; ++k) up[k] = dot(BallVector(at.R[k]), n).value, arm[k] = x.x[k] - at.p.x[k];
  for (int k = 0; k < 3; ++k)
    local[k] = owner.centre[k] + at.R[k][0] * arm[0] + at.R[k][1] * arm[1] + at.R[k][2] * arm[2];
  const kernel::FacePoint guess = kernel::guessNearest(local, up, shape.vertices);
  if (!(guess.s >= 0 && guess.t >= 0 && guess.s <= 1 && guess.s + guess.t <= (guess.t > 0 ? kDown : 1))) return false;
  const BallVector a(shape.vertices[guess.a]), b(shape.vertices[guess.b]), c(shape.vertices[guess.c]);
  const BallVector inside = a + (b - a) * Ball(guess.s) + (c - a) * Ball(guess.t);
  y = at.p + at.turn(inside - BallVector(owner.centre));
  return true;
}

/// From the core of a round part to its surface along n.
bool LawFilter::addReach(const BallPose& at, const kernel::Part& shape, const BallVector& n, BallVector& x) {
  BallVector across = n;
  if (isCylinder(shape)) {
    const BallVector axis = at.turn(BallVector(shape.axis));
    Ball share = dot(n, axis);
    share *= inverse(dot(axis, axis));
    across = n - axis * share;
  }
  const Ball square = dot(across, across);
  const double low = lowerRootOf(square) * kDown, high = upperRootOf(square) * kUp;
  if (!(low > 0 && std::isfinite(high))) return false;
  Ball scale = inverse(Ball(0.5 * (low + high), (high - low) * kUp));
  scale *= shape.radius;
  x = x + across * scale;
  return true;
}

BallVector LawFilter::cornerOf(const BallPose& at, int body, int part, int corner) const {
  return worldPoint(at, body, run_.model.bodies[body].parts[part].corner(corner));
}

/// Where vertex `corner` of a part touches what lies along n: the kernel's, right to more digits than a double.
bool LawFilter::touchingPoint(const BallPose& at, int body, int part, int corner, const BallVector& n,
                              BallVector& x) const {
  const kernel::Part& shape = run_.model.bodies[body].parts[part];
  x = cornerOf(at, body, part, corner);
  return corner < static_cast<int>(shape.vertices.size()) || addReach(at, shape, n, x);
}

bool LawFilter::pointOf(const kernel::Facing& c, const BallPose& at_a, const BallPose& at_b, Point& point,
                        bool with_gap) const {
  BallVector other;
  if (c.kind == 2) {
    const BallVector a0 = cornerOf(at_a, c.body_a, c.part_a, c.a0), a = cornerOf(at_a, c.body_a, c.part_a, c.a1) - a0,
                     b0 = cornerOf(at_b, c.body_b, c.part_b, c.b0), b = cornerOf(at_b, c.body_b, c.part_b, c.b1) - b0,
                     d = b0 - a0;
    point.n = cross(a, b);
    const Ball aa = dot(a, a), ab = dot(a, b), bb = dot(b, b), da = dot(d, a), db = dot(d, b);
    Ball det, s, t;
    multiply(aa, bb, det), subtractProduct(ab, ab, det);
    multiply(da, bb, s), subtractProduct(db, ab, s);
    multiply(da, ab, t), subtractProduct(db, aa, t);
    const Ball per_det = inverse(det);
    s *= per_det, t *= per_det;
    // Inside of both edges for certain it is where the lines are nearest; else from edge to edge, as the kernel goes.
    if (!(s.provedNonNegative() && t.provedNonNegative() && isAtLeast(1, s) && isAtLeast(1, t))) {
      t = shareOf(b, a0 + a * clamped(s) - b0);
      s = shareOf(a, b0 + b * t - a0);
      if (!std::isfinite(s.value + t.value + s.radius + t.radius)) return false;
    }
    point.x = a0 + a * s, other = b0 + b * t;
    const kernel::Part &shape_a = run_.model.bodies[c.body_a].parts[c.part_a],
                       &shape_b = run_.model.bodies[c.body_b].parts[c.part_b];
    if (!shape_a.core.empty() && !addReach(at_a, shape_a, point.n, point.x)) return false;
    if (!shape_b.core.empty() && !addReach(at_b, shape_b, point.n * Ball(-1), other)) return false;
  } else if (c.kind == 0) {
    point.n = at_a.turn(BallVector(c.axis));
    if (!touchingPoint(at_b, c.body_b, c.part_b, c.a0, point.n * Ball(-1), point.x)) return false;
    if (with_gap && !nearestOfPart(c.body_a, c.part_a, at_a, point.x, point.n, other)) return false;
  } else {
    point.n = at_b.turn(BallVector(c.axis));
    if (!touchingPoint(at_a, c.body_a, c.part_a, c.a0, point.n, point.x)) return false;
    if (with_gap && !nearestOfPart(c.body_b, c.part_b, at_b, point.x, point.n * Ball(-1), other)) return false;
  }
  point.gap = point.x - other;
  return true;
}

/// The part's largest n.y, from above.
double LawFilter::extentOf(const BallPose& at, int body, int part, const BallVector& n) const {
  const kernel::Body& owner = run_.model.bodies[body];
  const kernel::Part& shape = owner.parts[part];
  const BallVector up = at.turnBack(n);
  double most = -HUGE_VAL, reach = 0;
  for (const Vector3& v : shape.core.empty() ? shape.vertices : shape.core) {
    most = std::max(most, up.x[0] * v[0] + up.x[1] * v[1] + up.x[2] * v[2]);
    reach = std::max(reach, BallVector(v).reach());
  }
  Ball sum = dot(n, at.p);
  sum -= dot(up, BallVector(owner.centre));
  sum += Ball(most, (up.radius + 4 * kToNearest * up.reach()) * reach + kBallUnderflow);
  sum += Ball(shape.radius * upperRootOf(dot(n, n)) * kUp);
  return sum.upper();
}

/// As the kernel's, where the parts may overlap along n by more than a normal may.
bool LawFilter::leans(const kernel::Facing& c, const BallPose& a, const BallPose& b, const BallVector& n) const {
  if (run_.model.bodies[c.body_a].parts[c.part_a].half_space) return false;
  Ball overlap = extentOf(a, c.body_a, c.part_a, n);
  overlap += extentOf(b, c.body_b, c.part_b, n * Ball(-1));
  const double most = std::max(sizes_[laws_.lighterOf(c)].length * kernel::kLean,
                               kernel::kTurned * run_.bounds[Law::kSupport] * run_.gap_nominal);
  return !(overlap.upper() <= most * lowerRootOf(dot(n, n)) * kDown);
}

bool LawFilter::contactHolds(const kernel::Contact& contact, const kernel::Action& action, Residuals& worst) const {
  return std::all_of(contact.impulses.begin(), contact.impulses.end(), [&](const kernel::Impulse& impulse) {
    return impulseHolds(*contact.facing, action, impulse, worst);
  });
}

/// As kernel::Laws::contact(), where each question is answered for certain.
bool LawFilter::impulseHolds(const kernel::Facing& contact, const kernel::Action& action,
                             const kernel::Impulse& impulse, Residuals& worst) const {
  const bool jump = action.t0 == action.t1, starts = impulse.time == action.t0;
  const int lighter = laws_.lighterOf(contact);
  const Size& size = sizes_[lighter];
  const kernel::Piece& piece = pieceAt(lighter, impulse.time, starts);
  const std::pair<double, bool> instants[] = {{impulse.time, starts}, {piece.t0, true}, {piece.t1, false}};
  const double far = run_.bounds[Law::kSupport] * run_.gap_nominal * kDown,
               farthest = std::min(size.length * kernel::kFar + kernel::kTurned * far, size.length * kernel::kFarthest),
               fast = run_.bounds[Law::kSlip] * size.speed * kDown;
  const BallVector P(impulse.P);
  double nearest = HUGE_VAL, least = HUGE_VAL;
  for (int i = 0; i < (jump ? 1 : 3) && !(nearest <= far && least <= fast); ++i) {
    const auto [time, first] = instants[i];
    const BallInstant a = at(contact.body_a, time, first), b = at(contact.body_b, time, first);
    Point point;
    if (!pointOf(contact, a, b, point) || !std::isfinite(inverse(dot(point.n, point.n)).radius)) return false;
    const double gap = upperRootOf(dot(point.gap, point.gap));
    if (i == 0 && !(gap <= farthest * kDown)) return false;
    if (i == 0 && !hold(Law::kCone, outside(contact, a, b, P, point), size.mass * size.speed * kDown, time, worst))
      return false;
    const BallVector u = b.velocityOf(point.x) - a.velocityOf(point.x);
    const double off =
        jump ? positivePart((-dot(u, point.n)).upper()) * kUp / (lowerRootOf(dot(point.n, point.n)) * kDown) * kUp
             : slipOff(contact, P, point.n, u);
    nearest = std::min(nearest, gap), least = std::min(least, off);
  }
  return hold(Law::kSupport, nearest, run_.gap_nominal, impulse.time, worst) &&
         hold(Law::kSlip, least, size.speed, impulse.time, worst) &&
         (jump || hold(Law::kSlip, (crowd_ ? 1 : kernel::kRebound) * risingAt(contact, P, piece.t1),
                       size.speed, impulse.time, worst));
}

/// How fast what P pushes rises where a step ends, from above; nothing where it pulls for certain.
double LawFilter::risingAt(const kernel::Facing& contact, const BallVector& P, double end) const {
  const BallInstant a = at(contact.body_a, end, false), b = at(contact.body_b, end, false);
  Point point;
  if (!pointOf(contact, a, b, point, false)) return HUGE_VAL;
  if (dot(P, point.n).upper() <= 0) return 0;
  const Ball rises = dot(b.velocityOf(point.x) - a.velocityOf(point.x), point.n);
  return positivePart(rises.upper()) * kUp / (lowerRootOf(dot(point.n, point.n)) * kDown) * kUp;
}

/// |P_t| - mu P_n is no less than how far P is outside of its cone; |P| is not either, of what may pull.
double LawFilter::outside(const kernel::Facing& contact, const BallPose& a, const BallPose& b, const BallVector& P,
                          const Point& point) const {
  if (leans(contact, a, b, point.n)) return upperRootOf(dot(P, P));
  const BallVector& n = point.n;
  const kernel::Body &A = run_.model.bodies[contact.body_a], &B = run_.model.bodies[contact.body_b];
  const Ball normal = dot(P, n);
  if (A.no_slip || B.no_slip) {
    const double pulled = positivePart((-normal).upper());
    return pulled == 0 ? 0 : pulled / (lowerRootOf(dot(n, n)) * kDown) * kUp;
  }
  if (!normal.provedNonNegative()) return upperRootOf(dot(P, P));
  Ball share = normal, most_sq = A.friction;
  share *= inverse(dot(n, n));
  const BallVector tangent = P - n * share;
  share *= normal;
  most_sq *= B.friction;
  most_sq *= share;
  if (isAtLeast(most_sq, dot(tangent, tangent))) return 0;
  return positivePart(upperRootOf(dot(tangent, tangent)) - lowerRootOf(most_sq) * kDown) * kUp;
}

double LawFilter::slipOff(const kernel::Facing& contact, const BallVector& P, const BallVector& n, BallVector u) const {
  const kernel::Body &A = run_.model.bodies[contact.body_a], &B = run_.model.bodies[contact.body_b];
  const bool no_slip = A.no_slip || B.no_slip;
  if (!no_slip && (A.friction == 0 || B.friction == 0)) return 0;
  const Size& size = sizes_[laws_.lighterOf(contact)];
  const Ball per_nn = inverse(dot(n, n));
  Ball rising = dot(u, n);
  rising *= per_nn;
  u -= n * rising;
  const Ball uu = dot(u, u);
  Ball share = dot(P, n), most_sq = no_slip ? kernel::kNoSlipSq : A.friction;
  if (!no_slip) most_sq *= B.friction;
  BallVector tangent = P;
  {
    Ball along = share;
    along *= per_nn;
    tangent -= n * along;
    along *= share;
    most_sq *= along;
  }
  const double e = run_.bounds[Law::kMomentum] * size.mass * size.speed * kDown;
  const Ball along = dot(tangent, u), tangent_sq = dot(tangent, tangent);
  if (no_slip) {
    if (isAtLeast(tangent_sq, most_sq)) most_sq = tangent_sq;
    else if (!isAtLeast(most_sq, tangent_sq)) return upperRootOf(uu);
  }
  // -mu P_n u / |u|, to e.
  Ball most_per_speed = rootOf(most_sq);
  most_per_speed *= inverse(rootOf(uu));
  const BallVector apart = tangent + u * most_per_speed;
  Ball both = most_sq;
  both += tangent_sq;
  if (upperRootOf(both) <= e) return 0;
  if (upperRootOf(dot(apart, apart)) <= e) return 0;
  // Where it has the size of its cone, to e, only what is across it counts.
  double off = upperRootOf(uu);
  if ((-along).provedNonNegative() && upperRootOf(most_sq) <= lowerRootOf(tangent_sq) + e) {
    Ball part = along;
    part *= inverse(tangent_sq);
    const BallVector across = u - tangent * part;
    if (const double least = upperRootOf(dot(across, across)); least < off) off = least;
  }
  return off;
}

void LawFilter::velocities(const Stretch& s, bool end, BallVector& v, BallVector& w) const {
  if (s.jump && !end && !s.first) {
    if (!proof_.origin()->of_model) {
      const auto& velocity = proof_.origin()->states[s.body].velocity;
      v = velocity.data(), w = velocity.data() + 3;
      return;
    }
    const kernel::Body& model = run_.model.bodies[s.body];
    w = model.angular_velocity;
    v = BallVector(model.velocity) + cross(w, ballPoseOf(fixedPose(model), 0).turn(BallVector(model.centre)));
    return;
  }
  const double* velocity = (end ? s.last : s.first)->velocity + (end == s.jump ? 0 : 6);
  v = velocity, w = velocity + 3;
}

BallVector LawFilter::spinOf(int body, const BallPose& at, const BallVector& w) const {
  const auto& I = run_.model.bodies[body].inertia;  // xx yy zz xy xz yz
  return at.turn(product({{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}, at.turnBack(w)));
}

/// False where a contact's point is not known for certain.
bool LawFilter::missing(const Stretch& s, Missing& off) const {
  auto& [P, K, pull, lag] = off;
  if (sizes_[s.body].frame && std::ranges::all_of(s.felt, isNothing)) {
    lag = lagOf(s, {{}, {}, true});
    return true;
  }
  Ball m = run_.model.bodies[s.body].mass, h = s.t1;
  h -= s.t0;
  const BallVector g(run_.model.gravity);
  BallVector v0, w0, v1, w1, integral;
  Late late;
  velocities(s, false, v0, w0), velocities(s, true, v1, w1);
  const BallPose at0 = poseAt(s.body, s.t0, true), at1 = s.jump ? at0 : poseAt(s.body, s.t1, false);
  for (int i = 0; !s.jump && i <= s.last->p_degree; ++i) integral += BallVector(s.last->p[i]) - at0.p;
  Ball share = h;
  share *= inverse(Ball(s.last->p_degree + 1));
  integral = integral * share;
  Ball mh = m;
  mh *= h;
  P = (v1 - v0) * m - g * mh;
  const BallVector spin = s.jump ? spinOf(s.body, at0, w0) : spinAtEnd(*s.last, false);
  K = (s.jump ? spinOf(s.body, at0, w1) : spinAtEnd(*s.last, true)) - spin;
  if (!s.jump) K += cross(at1.p - at0.p, v1) * m - cross(integral, g) * m;
  for (const kernel::Laws::Felt& felt : s.felt) {
    const double time = felt.impulse->time;
    Point point;
    const Ball sign = felt.positive ? -1 : 1;
    const BallVector acted = BallVector(felt.impulse->P) * sign;
    if (felt.wrench) {
      point.x = pointOf(*felt.wrench, time);
      late.touches = late.touches || felt.wrench->source == kernel::Wrench::Source::kLimit;
    } else {
      const kernel::Facing& c = *felt.contact;
      const BallPose &a = poseAt(c.body_a, time, false), &b = poseAt(c.body_b, time, false);
      if (!pointOf(c, a, b, point, false)) return false;
      pull = (pull + outside(c, a, b, felt.impulse->P, point) * kernel::kPullShare) * kUp;
      pull = (pull + amiss(s, felt, point)) * kUp;
      late.touches = true;
    }
    P += acted;
    K += cross(point.x - at0.p, acted);
    if (felt.wrench) K += BallVector(felt.moment()) * sign;
    if (s.jump) continue;
    Ball left = time;
    left -= s.t1;
    BallVector moment = cross(point.x - poseAt(s.body, time, false).p, acted);
    if (felt.wrench) moment += BallVector(felt.moment()) * sign;
    late.P += acted * left, late.K += moment * left;
  }
  mh *= h, mh *= 0.5;
  late.P += g * mh;
  lag = lagOf(s, late);
  return true;
}

/// No less than kernel::LawProof::amiss(). Fewer of its instants say more.
double LawFilter::amiss(const Stretch& s, const kernel::Laws::Felt& felt, const Point& at_impulse) const {
  constexpr double kLittle = 1e-3;  // Of |P|: another instant is not looked at.
  const kernel::Facing& c = *felt.contact;
  const kernel::Body &A = run_.model.bodies[c.body_a], &B = run_.model.bodies[c.body_b];
  const bool no_slip = A.no_slip || B.no_slip;
  if ((!no_slip && (A.friction == 0 || B.friction == 0)) || !(run_.model.bodies[s.body].mass > 0)) return 0;
  const double time = felt.impulse->time, still = still_ * sizes_[s.body].speed * kDown;
  const BallVector P(felt.impulse->P);
  const double size = upperRootOf(dot(P, P));
  double least = 2 * size, turned = 0;
  for (const kernel::Laws::Felt& other : s.felt)
    if (const BallVector push(other.impulse->P); s.jump && other.contact)
      turned += lowerRootOf(dot(push, push)) * (kernel::kTurnsSlip / run_.model.bodies[s.body].mass) * kDown;
  for (int i = 0; i < 3; ++i) {
    const double t = i == 0 ? time : i == 1 ? s.t0 : s.t1;
    const bool starts = t == s.t0 && (!s.jump || i < 2);
    const BallInstant a = at(c.body_a, t, starts), &b = at(c.body_b, t, starts);
    Point point = at_impulse;
    if (t != time && !pointOf(c, a, b, point, false)) return least;
    const Ball per_nn = inverse(dot(point.n, point.n)), pressed = dot(P, point.n);
    if (pressed.upper() <= 0) return 0;
    Ball part = dot(b.velocityOf(point.x) - a.velocityOf(point.x), point.n), share = pressed;
    part *= per_nn, share *= per_nn;
    const BallVector u = b.velocityOf(point.x) - a.velocityOf(point.x) - point.n * part;
    if (upperRootOf(dot(u, u)) <= still) return 0;
    const BallVector tangent = P - point.n * share;
    Ball most_sq = no_slip ? 1 : A.friction;
    if (!no_slip) most_sq *= B.friction;
    most_sq *= share, most_sq *= pressed;
    if (const Ball rubs = dot(tangent, tangent); no_slip && !isAtLeast(most_sq, rubs)) {
      if (!isAtLeast(rubs, most_sq)) return 2 * size;
      most_sq = rubs;
    }
    Ball per_speed = rootOf(most_sq);
    per_speed *= inverse(rootOf(dot(u, u)));
    const BallVector off = tangent + u * per_speed;
    const double rubs = positivePart(-(-per_speed).upper()) * kDown;
    least = std::min(least, upperRootOf(dot(off, off)) * kUp - turned * kDown * rubs * kDown);
    if (least <= kLittle * size) break;
  }
  return positivePart(least);
}

/// The angular velocity of a spin; of a singular inertia nothing is known.
BallVector LawFilter::turnOf(int body, const BallPose& at, const BallVector& spin) const {
  const auto& I = run_.model.bodies[body].inertia;  // xx yy zz xy xz yz
  const BallVector x(Vector3{I[0], I[3], I[4]}), y(Vector3{I[3], I[1], I[5]}), z(Vector3{I[4], I[5], I[2]}),
      K = at.turnBack(spin), yz = cross(y, z);
  return at.turn((yz * K[0] + cross(z, x) * K[1] + cross(x, y) * K[2]) * inverse(dot(x, yz)));
}

/// No less than kernel::LawProof::lagOf().
double LawFilter::lagOf(const Stretch& s, const Late& late) const {
  constexpr double kLittle = 1e-9;  // Of l: what acted is not looked at.
  if (s.jump) return 0;
  const Size& size = sizes_[s.body];
  const kernel::Body& body = run_.model.bodies[s.body];
  BallVector v0, w0, v1, w1;
  velocities(s, false, v0, w0), velocities(s, true, v1, w1);
  Ball h = s.t1;
  h -= s.t0;
  const double most = h.upper(), least = -(-h).upper() * kDown;
  const Ball half(h.value / 2, h.radius / 2);
  const auto longest = [](const BallVector& x) { return upperRootOf(dot(x, x)); };
  const auto shortest = [](const BallVector& x) { return lowerRootOf(dot(x, x)); };
  const BallInstant middle = at(s.body, (s.t0 + s.t1) / 2, false);
  const BallVector way = poseAt(s.body, s.t1, false).p - poseAt(s.body, s.t0, true).p;
  // Where the spin of the mean is not known for certain, the velocities are.
  const double goes = longest(way - (v0 + v1) * half) * kUp - shortest(v1 - v0) * least / 2,
               turns = longest(middle.w - (w0 + w1) * Ball(0.5)) * most * (2 / 3.0) * kUp - shortest(w1 - w0) * least;
  const auto beyond = [&](double off, double off_acts, const BallVector& end) {
    const double moved = shortest(end) * least * kDown * kDown, both = off_acts < off ? off_acts : off;
    return positivePart(both * kUp - moved * kernel::kShown) + positivePart(off * kUp - moved * kernel::kSwing);
  };
  double off = 0;
  if (const bool touches = late.touches || !(size.mass > 0); !touches || !(goes <= kLittle * size.length)) {
    const double flight = longest((way - v0 * h) * Ball(body.mass) - late.P) * kUp;
    off = beyond(goes, body.mass > 0 ? flight / body.mass * kUp : goes, v1);
    if (!touches) off += positivePart(flight / size.mass * kUp * kUp - shortest(v1) * least * kernel::kShown * kDown);
  } else {
    off = positivePart(goes);
  }
  if (turns <= kLittle) return (off + positivePart(turns) * size.length * (1 + 0x1p-40)) * kUp + kLeastRounding;
  Ball sixth = h;
  sixth *= inverse(Ball(6));
  const BallVector K = (spinOf(s.body, middle, middle.w) * Ball(4) + spinAtEnd(*s.last, true) -
                        spinAtEnd(*s.last, false) * Ball(5)) * sixth - late.K;
  const double turned = beyond(turns, longest(turnOf(s.body, middle, K)), w1);
  return (off + turned * size.length * (1 + 0x1p-40)) * kUp + kLeastRounding;
}

void LawFilter::Missing::add(const Missing& other) {
  P += other.P, K += other.K, pull = (pull + other.pull) * kUp, lag = (lag + other.lag) * kUp;
}

LawFilter::Missing LawFilter::missingOf(const Stretch& s, bool exact) const {
  Missing off;
  if (!exact && missing(s, off)) return off;
  kernel::Laws::Instants known;
  const kernel::Laws::Missing all = laws_.missing(s, known);
  return {nearest(all.P), nearest(all.K.sum(), all.K.error().get_d()), all.pull.sum()[0].get_d() * kUp,
          all.lag.sum()[0].get_d() * kUp};
}

/// Momentum and spin, of which this share counts; the momentum by as much of the robot's mass.
bool LawFilter::isWithin(int body, const Missing& off, double share, double of_mass, double time,
                         Residuals& worst) const {
  const Size& size = sizes_[body];
  const double unit = size.mass * size.speed * kDown;
  return hold(Law::kMomentum, share * upperRootOf(dot(off.P, off.P)), unit * of_mass * kDown, time, worst) &&
         hold(Law::kAngularMomentum, share * upperRootOf(dot(off.K, off.K)), unit * size.length * kDown, time, worst);
}

bool LawFilter::mayBeMissing(int body, const Missing& sum, double time, Residuals& worst) const {
  const Size& size = sizes_[body];
  return hold(Law::kCone, sum.pull, size.mass * size.speed * kDown, time, worst) &&
         isWithin(body, sum, kernel::kSumShare * kUp, size.share, time, worst) && sum.lag <= size.shown;
}

/// A stretch, and the sums of its window up to its end.
bool LawFilter::balances(Window& window, const Stretch& s, Residuals& worst) const {
  if (s.isNone()) return true;
  const Missing off = missingOf(s, false);
  window.off.add(off);
  return isWithin(s.body, off, 1, 1, s.t1, worst) && mayBeMissing(s.body, window.off, s.t1, worst) &&
         (run_.model.bodies[s.body].robot < 0 || wrenchesHold(s, window.acts, worst));
}

BallVector LawFilter::pointOf(const kernel::Wrench& wrench, double time) const {
  const kernel::Joint& joint = laws_.jointOf(wrench);
  return worldPoint(poseAt(joint.child, time, false), joint.child, joint.child_point);
}

LawFilter::Carrier LawFilter::carrierOf(int body) const {
  Carrier carrier;
  for (const kernel::Robot& robot : run_.model.robots)
    for (const kernel::Joint& joint : robot.joints) {
      if (joint.loop || body != (run_.model.bodies[joint.child].fixed ? joint.parent : joint.child)) continue;
      carrier.shared |= carrier.joint != nullptr;
      carrier.joint = &joint;
    }
  if (!carrier.joint) return carrier;
  const kernel::Joint& joint = *carrier.joint;
  kernel::Body frame;
  frame.orientation = joint.parent_frame;
  const BallVector axis(joint.axis);
  carrier.axis = ballPoseOf(fixedPose(frame), 0).turn(axis * inverse(rootOf(dot(axis, axis))));
  const kernel::Vector3& a = joint.axis;
  const bool first = !(std::abs(a[0]) > std::abs(a[1]));
  const BallVector e(first ? kernel::Vector3{0, a[2], -a[1]} : kernel::Vector3{-a[2], 0, a[0]});
  carrier.from = ballPoseOf(fixedPose(frame), 0).turn(e);
  frame.orientation = joint.child_frame;
  carrier.to = ballPoseOf(fixedPose(frame), 0).turn(e);
  return carrier;
}

/// How fast the coordinate of a revolute or prismatic joint grows.
Ball LawFilter::rateOf(const Carrier& carrier, const BallInstant& parent, const BallInstant& child) const {
  const kernel::Joint& joint = *carrier.joint;
  const BallVector axis = parent.turn(carrier.axis);
  if (joint.type == kernel::JointType::kRevolute) return dot(child.w - parent.w, axis);
  const BallVector x = worldPoint(child, joint.child, joint.child_point);
  return dot(child.velocityOf(x) - parent.velocityOf(x), axis);
}

Ball LawFilter::rateOf(const Carrier& carrier, double time, bool starts) const {
  const int parent = carrier.joint->parent;
  return rateOf(carrier, parent < 0 ? world_ : at(parent, time, starts), at(carrier.joint->child, time, starts));
}

/// A body before or after a stretch of it, or of one that moves with it.
BallInstant LawFilter::endOf(Stretch s, int body, bool end) const {
  if (body < 0) return world_;
  if (end || !s.jump || s.first) return at(body, end ? s.t1 : s.t0, end == s.jump);
  BallInstant start = at(body, s.t0, true);  // Before what acts at the start of the branch.
  s.body = body;
  if (!run_.model.bodies[body].fixed) velocities(s, false, start.v, start.w);
  return start;
}

/// What springs and rotors of the joints of a stretch's body gain; false where that is not known.
bool LawFilter::addKept(const Stretch& s, Ball& gain) const {
  for (const kernel::Joint* joint : laws_.jointsOf(s.body)) {
    if ((joint->stiffness == 0 && !(joint->armature > 0)) || kernel::Laws::isWound(*joint)) continue;
    const Carrier& carrier = carriers_[s.body];
    if (carrier.shared || carrier.joint != joint) return false;
    for (const bool end : {false, true}) {
      const BallInstant child = endOf(s, joint->child, end), parent = endOf(s, joint->parent, end);
      const BallVector x = worldPoint(child, joint->child, joint->child_point), w = child.w - parent.w,
                       v = child.velocityOf(x) - parent.velocityOf(x);
      Ball kept = dot(v, v), q;
      kept += dot(w, w), kept *= joint->armature;
      if (joint->stiffness != 0) {
        const double near = (joint->lower + joint->upper) / 2;
        if (!coordinateOf(carrier, end ? s.t1 : s.t0, end == s.jump, near, q)) return false;
        q -= joint->rest, q *= Ball(q);
        addProduct(q, Ball(joint->stiffness), kept);
      }
      kept *= end ? 0.5 : -0.5, gain += kept;
    }
  }
  return true;
}

/// Of angles that differ by turns the one next to `near`. The arc tangent of what is known to r is known to 2 r, of a
/// vector that is nearly a unit one.
bool LawFilter::coordinateOf(const Carrier& carrier, double time, bool starts, double near, Ball& q) const {
  const kernel::Joint& joint = *carrier.joint;
  const BallPose &parent = joint.parent < 0 ? world_ : poseAt(joint.parent, time, starts),
                 &child = poseAt(joint.child, time, starts);
  if (joint.type == kernel::JointType::kPrismatic) {
    const BallVector start =
        joint.parent < 0 ? BallVector(joint.parent_point) : worldPoint(parent, joint.parent, joint.parent_point);
    q = dot(worldPoint(child, joint.child, joint.child_point) - start, parent.turn(carrier.axis));
    return true;
  }
  const BallVector from = parent.turn(carrier.from), to = child.turn(carrier.to);
  Ball c = dot(from, to), s = dot(cross(from, to), parent.turn(carrier.axis));
  const Ball one = inverse(dot(from, from));
  c *= one, s *= one;
  const double size = c.value * c.value + s.value * s.value, radius = 2 * (c.radius + s.radius) * kUp + 0x1p-48;
  const double angle = std::atan2(s.value, c.value), turns = std::round((near - angle) / (2 * M_PI));
  if (!(size > 0.9 && size < 1.1 && radius < 0.01 && std::abs(turns) < kMostTurns)) return false;
  q = {angle + turns * (2 * M_PI), radius + (1 + std::abs(turns)) * 0x1p-45};
  return true;
}

/// Between its limits at the end of a stretch, to within what these are known to.
bool LawFilter::staysWithin(const Stretch& s, const Carrier& carrier) const {
  const kernel::Joint& joint = *carrier.joint;
  if (!(joint.upper - joint.lower < kernel::kLessThanATurn)) return true;
  Ball q;
  if (!coordinateOf(carrier, s.t1, s.jump, joint.lower + (joint.upper - joint.lower) / 2, q)) return false;
  return q.upper() <= joint.upper && (-q).upper() <= -joint.lower;
}

/// Whether a limit that pushes like this is reached at the end of a stretch.
bool LawFilter::reachesLimit(const Stretch& s, const Carrier& carrier, const Ball& push) const {
  constexpr double kLess = 1 - 0x1p-45;  // l is known from below.
  const kernel::Joint& joint = *carrier.joint;
  const bool up = (-push).upper() < 0;
  if (!up && !(push.upper() < 0)) return false;
  const double end = up ? joint.lower : joint.upper,
               l = joint.type == kernel::JointType::kRevolute ? sizes_[joint.child].length : 1,
               far = run_.gap_nominal * kernel::kLimitGaps / l * kLess - std::abs(end) * 0x1p-50;
  Ball q;
  if (!std::isfinite(end) || !coordinateOf(carrier, s.t1, s.jump, end, q)) return false;
  return q.upper() <= end + far && (-q).upper() <= far - end;
}

/// What a spring takes over a step, by Simpson's rule. Which turn of a joint without limits is meant is the same guess
/// as the kernel's: any will do.
bool LawFilter::addSpring(const Stretch& s, const Carrier& carrier, double near, Ball& acts) const {
  Ball sum, h = s.t1;
  for (const double t : {s.t0, (s.t0 + s.t1) / 2, s.t1}) {
    Ball q;
    if (!coordinateOf(carrier, t, t == s.t0, near, q)) return false;
    q -= carrier.joint->rest;
    if (t != s.t0 && t != s.t1) q *= 4;
    sum += q;
  }
  h -= s.t0, sum *= h, sum *= inverse(Ball(6));
  addProduct(sum, Ball(carrier.joint->stiffness), acts);
  return true;
}

/// What a joint does along its axis beyond its damper, rotor and friction. False where that is not certain.
bool LawFilter::unexplained(const Stretch& s, const Carrier& carrier, Ball& acts) const {
  const kernel::Joint& joint = *carrier.joint;
  const Ball start = rateOf(carrier, endOf(s, joint.parent, false), endOf(s, joint.child, false)),
             end = rateOf(carrier, s.t1, s.jump);
  Ball h = s.t1, faster = end;
  h -= s.t0, faster -= start;
  const double near = kernel::guessNear(joint, acts.value, h.value, start.value, end.value);
  addProduct(faster, Ball(joint.armature), acts);
  if (!s.jump && joint.damping != 0) {
    Ball moved = rateOf(carrier, (s.t0 + s.t1) / 2, false);
    moved *= 4, moved += start, moved += end, moved *= h, moved *= inverse(Ball(6));
    addProduct(moved, Ball(joint.damping), acts);
  }
  if (!s.jump && joint.stiffness != 0 && !addSpring(s, carrier, near, acts)) return false;
  if (joint.friction == 0) return true;
  const Size& size = sizes_[joint.child];
  const double speed = joint.type == kernel::JointType::kRevolute ? size.speed / size.length : size.speed;
  if (!s.jump) return takeFriction(start, end, h *= joint.friction, speed, acts);
  return true;
}

/// What friction of at most `brake` leaves, where it is certain whether the joint slides.
bool LawFilter::takeFriction(const Ball& start, const Ball& end, const Ball& brake, double speed, Ball& acts) const {
  constexpr double kCertain = 1.001;  // Speeds are known better.
  const double slow = run_.bounds[Law::kSlip] * speed, least = slow / kCertain;
  const double forwards = std::min(-(-start).upper(), -(-end).upper()),
               backwards = std::min(-start.upper(), -end.upper());
  if (forwards > slow * kCertain) return acts += brake, true;
  if (backwards > slow * kCertain) return acts -= brake, true;
  if (!(std::min(start.upper(), end.upper()) <= least && std::min((-start).upper(), (-end).upper()) <= least))
    return false;
  const double rest = std::max(0.0, std::abs(acts.value) - brake.value);
  acts = {std::copysign(rest, acts.value), (acts.radius + brake.radius + std::abs(acts.value) * 0x1p-50) * kUp};
  return std::isfinite(acts.value);
}

/// What the ball joint that carries this body does beyond its damper.
bool LawFilter::ballHolds(const Stretch& s, const kernel::Joint& joint, BallVector& all, Residuals& worst) const {
  if (joint.coupled || joint.friction != 0 || joint.armature != 0 || std::isfinite(joint.effort) ||
      std::isfinite(joint.lower) || std::isfinite(joint.upper))
    return false;
  BallVector acts;
  for (const kernel::Laws::Felt& felt : s.felt) {
    if (!felt.wrench) continue;
    const kernel::Joint& of = laws_.jointOf(*felt.wrench);
    if (&of == &joint && felt.wrench->source != kernel::Wrench::Source::kJoint) return false;
    if (&of == &joint) acts += BallVector(felt.moment());
    else if (!loopHolds(s, felt)) return false;
  }
  if (!s.jump && joint.damping != 0) {
    const auto turning = [&](double t) {
      const BallVector own = at(joint.child, t, t == s.t0).w;
      return joint.parent < 0 ? own : own - at(joint.parent, t, t == s.t0).w;
    };
    Ball share = s.t1;
    share -= s.t0, share *= inverse(Ball(6)), share *= joint.damping;
    acts += (turning(s.t0) + turning((s.t0 + s.t1) / 2) * Ball(4) + turning(s.t1)) * share;
  }
  all += acts;
  const Size& size = sizes_[joint.child];
  const double unit = size.mass * size.speed * kDown * size.length * kDown;
  return hold(Law::kJoints, upperRootOf(dot(acts, acts)), unit, s.t1, worst) &&
         hold(Law::kJoints, upperRootOf(dot(all, all)) * kernel::kSumShare * kUp, unit, s.t1, worst);
}

/// What another joint than the one that carries this body does: nothing along axes, for certain, if it closes a loop.
bool LawFilter::loopHolds(const Stretch& s, const kernel::Laws::Felt& felt) const {
  const kernel::Joint& loop = laws_.jointOf(*felt.wrench);
  if (!loop.loop || (loop.child != s.body && !run_.model.bodies[loop.child].fixed)) return true;
  if (felt.wrench->source != kernel::Wrench::Source::kJoint || loop.type == kernel::JointType::kRevolute) return false;
  return loop.type == kernel::JointType::kFixed || BallVector(felt.moment()).reach() == 0;
}

/// What wrenches of the joint that carries this body do along its axis; `all`: what joints do there that is not
/// explained, over a window.
bool LawFilter::wrenchesHold(const Stretch& s, Acts& all, Residuals& worst) const {
  const Carrier& carrier = carriers_[s.body];
  if (carrier.shared) return false;
  const auto isHeld = [&](const kernel::Laws::Felt& felt) { return !felt.wrench || loopHolds(s, felt); };
  if (!carrier.joint) return std::ranges::all_of(s.felt, isHeld);
  const kernel::Joint& joint = *carrier.joint;
  if (joint.type == kernel::JointType::kSpherical) return ballHolds(s, joint, all.turning, worst);
  const bool linear = joint.type == kernel::JointType::kPrismatic,
             simple = linear || joint.type == kernel::JointType::kRevolute;
  const Size& size = sizes_[joint.child];
  const double unit = size.mass * size.speed * kDown * (linear ? 1 : size.length * kDown),
               noise = run_.bounds[Law::kMomentum] * unit * kDown;
  double efforts = 0, pushes = 0;
  Ball acts;
  for (const kernel::Laws::Felt& felt : s.felt) {
    if (!felt.wrench) continue;
    const kernel::Joint& of = laws_.jointOf(*felt.wrench);
    if (&of != &joint) {
      if (!loopHolds(s, felt)) return false;
      continue;
    }
    const bool own = felt.wrench->source == kernel::Wrench::Source::kJoint;
    if (own && !simple && joint.type != kernel::JointType::kFixed) return false;
    if (own && (joint.coupled || !simple)) continue;
    const double time = felt.impulse->time;
    const BallVector axis = (joint.parent < 0 ? world_ : poseAt(joint.parent, time, false)).turn(carrier.axis);
    const BallVector along(linear ? felt.impulse->P : felt.moment()), across(linear ? felt.moment() : felt.impulse->P);
    const Ball part = dot(along, axis);
    const double most = std::max(part.upper(), (-part).upper()) * kUp;
    if (own) {
      acts += part, pushes = (pushes + most) * kUp;
      continue;
    }
    const BallVector rest = along - axis * part;
    const bool none = across.reach() == 0;
    if (!(upperRootOf(dot(rest, rest)) <= noise) || !(none || (linear && upperRootOf(dot(across, across)) <= noise)))
      return false;
    if (felt.wrench->source == kernel::Wrench::Source::kActuator) efforts = (efforts + most) * kUp;
    else if (along.reach() != 0 && !reachesLimit(s, carrier, part)) {  // Maybe the joint's own.
      if (!(most <= noise)) return false;
      acts += Ball(0, most), pushes = (pushes + most) * kUp;
    }
  }
  // The sum is no less than the root of squares.
  const double most_effort = joint.effort * (s.t1 - s.t0) * (1 + kernel::kEffortRounding / 2);
  if (std::isfinite(joint.effort) && !(efforts <= most_effort)) return false;
  if (simple && !staysWithin(s, carrier)) return false;
  if (joint.coupled || !simple) return true;
  const bool passive = joint.damping == 0 && joint.friction == 0 && joint.armature == 0 && joint.stiffness == 0;
  if (passive) acts = pushes;
  else if (!unexplained(s, carrier, acts)) return false;
  const Ball& sum = all.along += acts;
  return hold(Law::kJoints, std::max(acts.upper(), (-acts).upper()), unit, s.t1, worst) &&
         hold(Law::kJoints, std::max(sum.upper(), (-sum).upper()) * kernel::kSumShare * kUp, unit, s.t1, worst);
}

bool LawFilter::energyHolds(Window& window, const Group& group, Residuals& worst) const {
  double scale = 0;
  const double gain = positivePart(gainOf(group, scale));
  window.gain = (window.gain + gain) * kUp;
  const double time = group.back()->t1;
  return hold(Law::kEnergy, gain, scale, time, worst) &&
         hold(Law::kEnergy, window.gain * kernel::kSumShare * kUp, scale, time, worst) && fallsBack(group, worst);
}

/// No less than what a group gains; its scale from below.
double LawFilter::gainOf(const Group& group, double& scale) const {
  Ball gain;
  for (const Stretch* s : group) {
    const Size& size = sizes_[s->body];
    scale = std::max(scale, size.mass * size.speed * size.speed * kDown);
    if (!addKept(*s, gain)) return HUGE_VAL;
    if (size.frame && std::ranges::all_of(s->felt, isNothing)) continue;
    BallVector v[2], w[2];
    velocities(*s, false, v[0], w[0]), velocities(*s, true, v[1], w[1]);
    const BallPose at0 = poseAt(s->body, s->t0, true), at1 = s->jump ? at0 : poseAt(s->body, s->t1, false);
    Ball twice;
    const Ball m = run_.model.bodies[s->body].mass;
    addProduct(m, dot(v[1], v[1]), twice), subtractProduct(m, dot(v[0], v[0]), twice);
    twice -= dot(w[0], s->jump ? spinOf(s->body, at0, w[0]) : spinAtEnd(*s->last, false));
    twice += dot(w[1], s->jump ? spinOf(s->body, at0, w[1]) : spinAtEnd(*s->last, true));
    twice *= 0.5;
    gain += twice;
    subtractProduct(m, dot(BallVector(run_.model.gravity), at1.p - at0.p), gain);
    for (const kernel::Laws::Felt& felt : s->felt) {
      if (!felt.wrench || !laws_.works(*felt.wrench)) continue;
      const kernel::Impulse& impulse = *felt.impulse;
      const BallInstant here = at(s->body, impulse.time, false);
      Ball work = dot(BallVector(impulse.P), here.velocityOf(pointOf(*felt.wrench, impulse.time)));
      work += dot(BallVector(felt.moment()), here.w);
      felt.positive ? gain -= work : gain += work;
    }
  }
  return gain.upper();
}

/// As kernel::Laws::rebound(): something that is pushed for certain does not rise, or something else acts, or rebounds.
bool LawFilter::fallsBack(const Group& group, Residuals& worst) const {
  bool pushed = false;
  for (const Stretch* s : group)
    for (const kernel::Laws::Felt& felt : s->felt) {
      if (!s->jump) return true;
      if (felt.wrench && felt.wrench->source == kernel::Wrench::Source::kJoint) continue;
      if (felt.wrench) return true;
      const kernel::Facing& c = *felt.contact;
      if (run_.model.bodies[c.body_a].restitution != 0 || run_.model.bodies[c.body_b].restitution != 0)
        return returnsNoMore(group, worst);
      const BallInstant a = at(c.body_a, s->t0, true), b = at(c.body_b, s->t0, true);
      Point point;
      const bool known = pointOf(c, a, b, point, false);
      const Ball along = known ? dot(BallVector(felt.impulse->P), point.n) : Ball();
      if (known && along.upper() <= 0) continue;
      pushed = true;
      if (!known || !((-along).upper() < 0)) continue;
      const double rising = positivePart(dot(b.velocityOf(point.x) - a.velocityOf(point.x), point.n).upper()) * kUp /
                            (lowerRootOf(dot(point.n, point.n)) * kDown) * kUp;
      if (hold(Law::kSlip, rising, sizes_[s->body].speed, s->t0, worst)) return true;
    }
  return !pushed;
}

/// Of one that may be the only contact that is pushed: what kernel::Laws::rebound() asks of it.
bool LawFilter::risesByRestitution(const Group& group, const Stretch& s, const kernel::Facing& c, const Point& point,
                                   Residuals& worst) const {
  const kernel::Body &A = run_.model.bodies[c.body_a], &B = run_.model.bodies[c.body_b];
  if (A.no_slip || B.no_slip) return true;
  const BallInstant a = at(c.body_a, s.t0, true), b = at(c.body_b, s.t0, true);
  Ball share, pulls;
  BallVector pushed;
  for (const kernel::Laws::Felt& felt : s.felt) {
    if (felt.contact != &c) continue;
    const Ball along = dot(BallVector(felt.impulse->P), point.n);
    if (!((-along).upper() < 0) && !(along.upper() <= 0)) return false;
    (along.upper() <= 0 ? pulls : share) += along;
  }
  for (const Stretch* of : group) {
    if (of->body != c.body_a && of->body != c.body_b) continue;
    const BallInstant& here = of->body == c.body_a ? a : b;
    const BallVector arm = point.x - here.p;
    pushed += point.n * inverse(Ball(run_.model.bodies[of->body].mass)) +
              cross(turnOf(of->body, here, cross(arm, point.n)), arm);
  }
  const double e = std::max(A.restitution, B.restitution);
  const Ball mean = dot(pushed, point.n), nn = dot(point.n, point.n), per_nn = inverse(nn);
  Ball along = mean, slopes = A.friction, part = 1;
  along *= per_nn;
  const BallVector across = pushed - point.n * along;
  slopes *= B.friction, slopes *= dot(across, across), slopes *= nn;
  const double least = lowerRootOf(slopes), most = upperRootOf(slopes);
  slopes = {(least + most) / 2, (most - least + most * 0x1p-48) * kUp};
  part += Ball(e), part = inverse(part), part *= e, share *= per_nn, share *= part;
  const Ball rises = dot(b.velocityOf(point.x) - a.velocityOf(point.x), point.n);
  Ball low = mean, high = mean;
  low -= slopes, low *= share, low -= rises;
  high += slopes, pulls *= high, pulls *= per_nn, low += pulls;
  high *= share, high -= rises;
  const double less = crowd_ ? 0 : positivePart(low.upper()),
               off = kernel::kRebound * (less + positivePart((-high).upper())) * kUp;
  return hold(Law::kSlip, off / (lowerRootOf(nn) * kDown) * kUp, sizes_[s.body].speed, s.t0, worst);
}

/// As kernel::Laws::rebound(): two act, or the one that does, if it pushes, rises as its restitution says.
bool LawFilter::returnsNoMore(const Group& group, Residuals& worst) const {
  const kernel::Facing* only = nullptr;
  const Stretch* pushed = nullptr;
  for (const Stretch* s : group)
    for (const kernel::Laws::Felt& felt : s->felt) {
      if (!s->jump || !felt.contact || run_.model.bodies[s->body].robot >= 0) return true;
      if (felt.impulse->P == Vector3{}) continue;
      if (only && only != felt.contact) return true;
      only = felt.contact, pushed = s;
    }
  if (!only) return true;
  Point point;
  return pointOf(*only, at(only->body_a, pushed->t0, true), at(only->body_b, pushed->t0, true), point, false) &&
         risesByRestitution(group, *pushed, *only, point, worst);
}

}  // namespace rigor::verify::filter
