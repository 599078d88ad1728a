// SPDX-License-Identifier: MIT
#include "sim/step/tick.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "advance/far_parts.h"
#include "advance/feature_point.h"
#include "advance/feature_region.h"
#include "advance/solid_features.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr int kLinearisations = 10;     // Of the contacts at the end of a tick,
constexpr double kSolvedShare = 0.1;    // each solved to this share of delta in a tick; in a short one to as little as
constexpr double kSolvedLeast = 0.02;   // this share, so that what is left of its velocities stays below
constexpr double kSolvedError = 0.03;   // this share of the velocity tolerance.
constexpr double kFinerShare = 0.1;     // Of these, where what they leave keeps gaps too small.
constexpr double kNoPush = 2e-4;        // Of delta in a tick, times the mass of the lighter body: what an interior
                                        // point leaves on contacts that are open.
constexpr int kMoreForSlip = 4;         // Of them, up to which those that stick and slide are linearised again:
constexpr double kStuckShare = 0.01;    // faster than this share of V, where friction presses
constexpr double kInsideCone = 0.999;   // less than this share of what slides.
constexpr double kEndShare = 0.75;      // Gaps at the end, of delta, that need no further correction.
constexpr double kNewShare = 0.9;  // Features that come closer than this share of delta become contacts of the tick.
constexpr double kNearGaps = 4;         // Deltas within which a pair that could not be certified gets further contacts.
constexpr double kSamePlane = 1e-9;     // Normals that differ by less belong to one plane.
constexpr double kShallow = 1e-5;       // Sine of edges that cross on faces: less, or less than twice what their bodies
constexpr double kShallowTurns = 2;     // turn against each other in the tick, and their normal may turn about.
constexpr double kSameSide = 0;         // Cosine between two normals of a pair from which on they are of one side.
constexpr char kSeen = 1, kKept = 2;    // Of a contact: found where it was looked for last; never dropped.
constexpr double kLiftEnergyShare = 0.01;  // Of the kinetic energy: the most that lifting contacts to delta may take.
constexpr int kLongestPause = 63;         // Ticks without lifting: both sides of what is wedged cannot be lifted.
constexpr double kEarlyShare = 1 - kTickEndWeight;  // Nearer than this, times v h: had to rebound to end at delta.
constexpr double kEarlyGaps = 20;        // Deltas that lifting takes care of.
constexpr double kLimitGaps = 100;       // Deltas from which on the ends of joints' ranges are hit.
constexpr double kSupportShare = 0.05;   // Of L: farther from what it acts on nothing does, early or beside it.
constexpr double kHitShare =
    1;  // Of delta in a tick: to which hits are solved. They move bodies by exactly what they are.
constexpr int kHitRounds = 4;           // Until what a hit pushes runs into nothing else.
constexpr double kReboundTolerance = 0.1;   // Of the speed that is no approach: to which rebounds are solved.
constexpr double kRestShare = 1e-2;     // Of the acceleration of rest: to which its contact problem is solved,
constexpr double kSpreadShare = 0.1;    // and to which other forces may solve it that push more evenly.

constexpr double kFarther = 1.01;       // Than what is looked for, by their balls: parts without features.

constexpr size_t kFewFeatures = 3;      // A patch of no more keeps them all.

/// Of the angle between the edges of a feature.
double sineOfEdges(const advance::ContactFeature& f, const geom::Shape& A, const geom::Pose& X_A, const geom::Shape& B,
                   const geom::Pose& X_B) {
  const auto &PA = std::get<geom::Polytope>(A), &PB = std::get<geom::Polytope>(B);
  const Vector3d a = X_A.rotation() * (PA.corner(f.a1) - PA.corner(f.a0)),
                 b = X_B.rotation() * (PB.corner(f.b1) - PB.corner(f.b0));
  return a.cross(b).norm() / (a.norm() * b.norm());
}

}  // namespace

void Tick::findAhead(double h, const std::vector<Contact>& previous) {
  previous_ = previous;
  x_.contacts.clear(), found_.clear(), dropped_.clear(), hits_.clear(), hitting_.clear();
  findLimits(h);
  x_.pairs.reachAhead(h);
  findPairsOfPrevious();
  for (int p = 0; p < x_.pairs.size(); ++p) {
    x_.pairs[p].first_contact = -1;
    addFeatures(p, x_.t0, x_.scales.band + h * closingSpeed(x_.pairs[p]), Of::kNow, shallowSine(x_.pairs[p], h));
  }
}

void Tick::findPairsOfPrevious() {
  pair_of_previous_.clear();
  for (const Contact& c : previous_)
    pair_of_previous_.push_back(c.isLimit() ? -1
                                            : x_.pairs.find(x_.bodies[c.pair.body_a].first_part + c.pair.part_a,
                                                            x_.bodies[c.pair.body_b].first_part + c.pair.part_b));
  of_previous_.sort(pair_of_previous_);
}

/// Limits of joints that are near, or may be within a tick of length h, become contacts, and what brakes joints.
void Tick::findLimits(double h) {
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    const SystemRobot& robot = x_.start.robots[r];
    for (size_t k = 0; k < robot.limits.size(); ++k) {
      const RobotLimit& limit = robot.limits[k];
      const double speed = limit.length * std::abs(robot.state.v[limit.limit.dof]) + h * x_.scales.acceleration;
      if (limit.gap(robot.state) <= x_.scales.band + h * speed)
        addOfJoint(x_.finder.makeLimit(static_cast<int>(r), static_cast<int>(k)));
    }
    for (size_t k = 0; k < robot.brakes.size(); ++k)
      addOfJoint(x_.finder.makeBrake(static_cast<int>(r), static_cast<int>(k)));
  }
}

/// @returns whether it was none of the contacts yet.
bool Tick::addOfJoint(Contact c) {
  const auto same = [&](const Contact& other) { return other.isSameAs(c); };
  if (std::any_of(x_.contacts.begin(), x_.contacts.end(), same)) return false;
  c.mode = friction::ContactMode::kFree;
  const auto known = std::find_if(previous_.begin(), previous_.end(), same);
  if (known != previous_.end()) c.force = known->force;
  x_.contacts.add(c);
  found_.push_back(kSeen | kKept);
  return true;
}

/// Adds limits that the tick at hand would bring too close. @returns whether there are any.
bool Tick::renewEndLimits() {
  bool added = false;
  for (size_t r = 0; r < x_.trial.ends.robots.size(); ++r) {
    const SystemRobot& robot = x_.trial.ends.robots[r];
    for (size_t k = 0; k < robot.limits.size(); ++k)
      if (!(robot.limits[k].gap(robot.state) >= kEndShare * x_.scales.gap))
        added = addOfJoint(x_.finder.makeLimit(static_cast<int>(r), static_cast<int>(k))) || added;
  }
  return added;
}

bool Tick::addNear(int pair, double t) { return addFeatures(pair, t, kNearGaps * x_.scales.gap, Of::kNow, 0); }

/// Sine below which edges of a pair that cross are no contacts of a tick of length h, beside others.
double Tick::shallowSine(const NearPair& pair, double h) const {
  const auto spin = [&](int slot) -> Vector3d { return slot >= 0 ? x_.start[slot].state.w : Vector3d::Zero(); };
  return std::max(kShallow, kShallowTurns * h * (spin(pair.slot_a) - spin(pair.slot_b)).norm());
}

/// Bound of the speed at which the points of a pair may come together, what gravity adds in a tick left out [m/s].
double Tick::closingSpeed(const NearPair& pair) const {
  auto velocity = [&](int part, int slot) -> Vector6d {
    const BodyRuntime& body = x_.bodies[x_.parts[part].body];
    if (slot >= 0) return x_.start[slot].state.velocity();
    if (body.fixed) return Vector6d::Zero();
    Vector3d v, w;
    body.piece.velocityAt(std::min(x_.t0, body.piece.t1), v, w);
    return dynamics::stacked(v, w);
  };
  const Vector6d a = velocity(pair.part_a, pair.slot_a), b = velocity(pair.part_b, pair.slot_b);
  const double spin_a = a.tail<3>().norm(), spin_b = b.tail<3>().norm();
  double bound = (a - b).head<3>().norm();
  if (spin_a > 0) bound += spin_a * x_.bodies[x_.parts[pair.part_a].body].radius;
  if (spin_b > 0) bound += spin_b * x_.bodies[x_.parts[pair.part_b].body].radius;
  return bound;
}

/// The same vertex may meet another face: that is another plane. A plane that no face carries is the same wherever it
/// is now.
bool Tick::isKnown(const Contact& c, int pair, const advance::ContactFeature& feature, bool frozen) const {
  if (c.pair_index != pair || !c.feature.sameVertices(feature)) return false;
  if (feature.hasOwnNormal()) return true;
  return frozen ? c.feature.face < 0 : (c.feature.axis - feature.axis).norm() <= kSamePlane;
}

/// Adds the pair's features at time t (t0 or the end of the tick at hand) that are closer than `reach` and not known
/// yet. A plane that no face carries is put where it is at the end, unless that is only foreseen. @returns whether the
/// tick has to be solved again.
bool Tick::addFeatures(int index, double t, double reach, Of when, double shallow) {
  const bool at_end = when != Of::kNow;
  NearPair& pair = x_.pairs[index];
  const geom::Shape &A = *x_.parts[pair.part_a].shape, &B = *x_.parts[pair.part_b].shape;
  const geom::Pose X_A = x_.originPose(pair.part_a, pair.slot_a, t), X_B = x_.originPose(pair.part_b, pair.slot_b, t);
  if (advance::ballsApart(A, X_A, B, X_B) > kFarther * std::max(reach, x_.scales.band)) return false;
  features_.clear();
  const PartRuntime &part_a = x_.parts[pair.part_a], &part_b = x_.parts[pair.part_b];
  manifold_.find({A, X_A, skinOf(x_.bodies[part_a.body], part_a)}, {B, X_B, skinOf(x_.bodies[part_b.body], part_b)},
                 at_end ? std::max(reach, x_.scales.band) : reach, pair.cache, features_, x_.scales.band);
  if (features_.size() > kFewFeatures)
    std::erase_if(features_, [&](const advance::ContactFeature& f) {
      return f.kind == advance::AxisKind::kEdges && !(sineOfEdges(f, A, X_A, B, X_B) > shallow);
    });
  bool changed = false;
  for (auto& feature : features_) {
    const bool frozen =
        !feature.hasOwnNormal() && feature.face < 0 && !std::holds_alternative<geom::HalfSpace>(A);
    if (frozen && at_end) turnToKnown(index, A, X_A, B, X_B, feature);
    const double gap = at_end ? advance::contactGap(feature, A, X_A, B, X_B) : 0;
    const auto first = pair.first_contact >= 0 ? x_.contacts.begin() + pair.first_contact : x_.contacts.end();
    const auto found =
        std::find_if(first, x_.contacts.end(), [&](const Contact& c) { return isKnown(c, index, feature, frozen); });
    const bool too_close = !at_end || gap < kEndShare * x_.scales.gap;
    if (found == x_.contacts.end()) {
      if (at_end && !(gap < reach)) continue;
      addContact(index, feature, frozen, at_end);
      changed = changed || too_close;
      continue;
    }
    found_[found - x_.contacts.begin()] |= kSeen;
    if (!(frozen && when == Of::kEnd && (found->feature.axis - feature.axis).norm() > kSamePlane)) continue;
    const Vector3d force = found->force;
    *found = x_.finder.make(index, feature);
    found->mode = friction::ContactMode::kFree;
    found->force = force;
    changed = changed || too_close;
  }
  return changed;
}

bool Tick::addContact(int index, const advance::ContactFeature& feature, bool frozen, bool at_end) {
  NearPair& pair = x_.pairs[index];
  Contact c = x_.finder.make(index, feature);
  c.mode = friction::ContactMode::kFree;
  // What comes up at the end may be none that the tick is solved with again: then it does nothing.
  if (!at_end)
    for (const int k : of_previous_.of(index))
      if (previous_[k].pair == c.pair && previous_[k].feature.sameVertices(feature)) {
        c.force = previous_[k].force;
        break;
      }
  if (pair.first_contact < 0) pair.first_contact = static_cast<int>(x_.contacts.size());
  // What is there at the start, or comes back, stays.
  const bool kept = !at_end || std::any_of(dropped_.begin(), dropped_.end(),
                                           [&](const Contact& d) { return isKnown(d, index, feature, frozen); });
  x_.contacts.add(c, x_.fixedPlacement(c.pair.body_a, c.slot_a), x_.fixedPlacement(c.pair.body_b, c.slot_b));
  found_.push_back(kept ? kSeen | kKept : kSeen);
  return true;
}

/// The direction between vertices that are nearly one point is arbitrary: their plane takes the normal of the pair's
/// strongest contact instead.
void Tick::turnToKnown(int index, const geom::Shape& A, const geom::Pose& X_A, const geom::Shape& B,
                       const geom::Pose& X_B, advance::ContactFeature& feature) const {
  const NearPair& pair = x_.pairs[index];
  if (pair.first_contact < 0) return;
  int best = -1;
  for (size_t c = pair.first_contact; c < x_.contacts.size(); ++c) {
    const Contact& k = x_.contacts[c];
    if (k.pair_index != index || (!k.feature.hasOwnNormal() && k.feature.face < 0)) continue;
    if (best < 0 || k.force[0] > x_.contacts[best].force[0]) best = static_cast<int>(c);
  }
  if (best < 0) return;
  Vector3d from, to;
  const double gap = advance::contactGap(feature, A, X_A, B, X_B, &from);
  advance::contactGap(x_.contacts[best].feature, A, X_A, B, X_B, &to);
  if (!(to.dot(from) > kSameSide)) return;
  const bool in_a = feature.kind == advance::AxisKind::kFixedInA;
  const geom::Pose &X = in_a ? X_A : X_B, &Y = in_a ? X_B : X_A;
  const geom::Shape& tested = in_a ? B : A;
  const int corner = in_a ? feature.b0 : feature.a0;
  const Vector3d vertex = Y.rotation() * std::get<geom::Polytope>(tested).corner(corner) + Y.p +
                          advance::reachOfCorner(tested, corner, Y.rotation(), in_a ? Vector3d(-from) : from);
  // As far from the vertex as the plane was: one through the nearest point would be nearer, and push it off at once.
  feature.axis = (X.rotation().transpose() * to).normalized();
  feature.offset = feature.axis.dot(X.rotation().transpose() * (vertex - X.p)) + (in_a ? -gap : gap);
}

/// Until when the motion of both parts of a pair is known, in a tick of length h [s].
double Tick::endOf(const NearPair& pair, double h) const {
  double t = x_.t0 + h;
  for (auto [part, slot] : {std::pair{pair.part_a, pair.slot_a}, std::pair{pair.part_b, pair.slot_b}})
    if (slot < 0) t = std::min(t, x_.bodies[x_.parts[part].body].clock);
  return std::min(t, x_.pieces[0].t1);
}

/// Adds features that the tick at hand would bring too close although they are none of its contacts, and drops those of
/// former ends that are none any more. @returns whether that changes the tick.
bool Tick::renewEndFeatures(double h) {
  x_.trial.h = h;
  bool changed = renewEndLimits();
  proposal_.publisher.hermitePieces(x_.trial);
  for (char& flags : found_) flags |= kSeen;
  at_end_.sortByPair(x_.contacts);
  for (int p = 0; p < x_.pairs.size(); ++p) {
    const NearPair& pair = x_.pairs[p];
    const double t = endOf(pair, h);
    if (!(t > x_.t0)) continue;
    // What is near by its plane at the end, but not found there, is over other faces now: it gives way where the pair
    // comes too close.
    const auto each = [&](auto&& work) {
      for (const int c : at_end_.of(p)) work(static_cast<size_t>(c));
    };
    each([&](size_t c) {
      if (x_.contacts.kinematics(c).gap <= x_.scales.band) found_[c] &= kKept;
    });
    if (addFeatures(p, t, kNewShare * x_.scales.gap, Of::kEnd, shallowSine(pair, h))) changed = true;
    else each([&](size_t c) { found_[c] |= kSeen; });
  }
  dropUnsupported(x_.t0 + h);
  return dropFeatures() || changed;
}

/// What touches or closes by its plane or its lines, but is beside the other body at the end, and does not act at the
/// start or is beside it there too, is no contact. Where the pair comes too close without it, it comes back and stays.
void Tick::dropUnsupported(double t) {
  for (size_t c = 0; c < found_.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    if (contact.isLimit() || !(contact.force[0] > 0) || isSupported(c, x_.contacts.kinematics(c).point, t)) continue;
    if (contact.start_gap <= x_.scales.band && isSupported(c, start_points_[c], x_.t0)) continue;
    const auto cameBack = [&](const Contact& d) {
      return d.pair_index == contact.pair_index && d.feature.sameVertices(contact.feature);
    };
    if (std::none_of(dropped_.begin(), dropped_.end(), cameBack)) found_[c] = 0;
  }
}

/// Whether the edge or face on which contact c acts is near its point at t, as the proof asks. Beyond an acute corner a
/// point is near all planes of a part and far from it.
bool Tick::isSupported(size_t c, const Vector3d& point, double t) const {
  const Contact& contact = x_.contacts[c];
  if (contact.isLimit()) return true;
  const NearPair& pair = x_.pairs[contact.pair_index];
  const advance::ContactFeature& feature = contact.feature;
  const bool crosses = feature.hasOwnNormal() && axisOf(feature).isOfTwoLines(),
             of_a = feature.kind == advance::AxisKind::kFixedInA ||
                    (feature.kind == advance::AxisKind::kNearest && advance::actsOnB(axisOf(feature)));
  const int index = of_a ? pair.part_a : pair.part_b;
  const auto* part = std::get_if<geom::Polytope>(x_.parts[index].shape);
  if (!part || (part->round() && !crosses)) return true;
  const double reach = kSupportShare * x_.scales.length;
  const double at = t == x_.t0 ? t : std::min(t, x_.pieces[0].t1);  // At the start there is no motion yet.
  const geom::Pose X = x_.originPose(index, of_a ? pair.slot_a : pair.slot_b, at);
  const Vector3d x = X.rotation().transpose() * (point - X.p);
  if (crosses) {
    const double radius = part->round() ? part->round()->radius : 0;
    return advance::distanceFromEdge(part->corner(feature.b0), part->corner(feature.b1), x) <= reach + radius;
  }
  if (feature.face >= 0) return advance::distanceFromFace(*part, feature.face, x) <= reach;
  for (int f = 0; f < part->numFaces(); ++f)  // Planes that no face carries lean over edges and corners.
    if (advance::distanceFromFace(*part, f, x) <= reach) return true;
  return false;
}

/// Drops contacts that were not seen at the end of the tick. @returns whether one of them carried force.
bool Tick::dropFeatures() {
  if (std::find(found_.begin(), found_.end(), 0) == found_.end()) return false;
  bool changed = false;
  for (size_t c = 0; c < found_.size(); ++c) {
    if (found_[c] != 0) continue;
    changed = changed || x_.contacts[c].force[0] > 0;
    dropped_.push_back(x_.contacts[c]);
  }
  size_t kept = 0;
  for (size_t c = 0; c < hits_.size(); ++c)
    if (found_[c] != 0) hits_[kept] = hits_[c], hitting_[kept++] = hitting_[c];
  hits_.resize(kept), hitting_.resize(kept);
  x_.contacts.keepOnly([&](size_t c) { return found_[c] != 0; });
  found_.erase(std::remove(found_.begin(), found_.end(), 0), found_.end());
  for (int p = 0; p < x_.pairs.size(); ++p) x_.pairs[p].first_contact = -1;
  for (size_t c = x_.contacts.size(); c-- > 0;)
    if (!x_.contacts[c].isLimit()) x_.pairs[x_.contacts[c].pair_index].first_contact = static_cast<int>(c);
  return changed;
}

/// Of contact c, where it was placed last [m/s].
double Tick::normalSpeed(size_t c, const TickVelocities& velocities) const {
  const Contact& contact = x_.contacts[c];
  if (contact.isLimit())
    return x_.contacts.system().limitSpeed(static_cast<int>(c), velocities.robots[contact.robot]);
  const auto& at = x_.contacts.kinematics(c);
  double speed = 0;
  if (contact.slot_a >= 0) speed += at.Ja.row(0).dot(velocities.bodies[contact.slot_a]);
  if (contact.slot_b >= 0) speed += at.Jb.row(0).dot(velocities.bodies[contact.slot_b]);
  return speed;
}

/// Whether what is a gap apart and comes closer at that speed would have to rebound to end the tick at delta.
bool Tick::comesEarly(double gap, double speed, double h) const {
  return gap + kEarlyShare * h * speed < -kEarlyGaps * x_.scales.gap;
}

/// Whether the motion, if it starts as it does now, comes too close by a contact that it could stop at, or hits it.
bool Tick::runsInto(size_t c, double h) const {
  const double gap = x_.contacts.kinematics(c).gap;
  if (gap < x_.scales.floor) return false;  // Of the end: not over each other yet.
  if (rebound_[c] > 0 && touches(gap)) return true;
  if (x_.contacts[c].isLimit() && (x_.contacts[c].isBrake() || gap > kLimitGaps * x_.scales.gap)) return false;
  return comesEarly(gap, normalSpeed(c, u_), h);
}

/// Whether contact c may act where the parts lie at the start: near what it acts on, along a normal past which they do
/// not reach much farther.
bool Tick::actsAtStart(size_t c) const {
  if (!isSupported(c, start_points_[c], x_.t0)) return false;
  if (x_.contacts[c].isLimit()) return true;
  const NearPair& pair = x_.pairs[x_.contacts[c].pair_index];
  const auto* A = std::get_if<geom::Polytope>(x_.parts[pair.part_a].shape);
  const auto* B = std::get_if<geom::Polytope>(x_.parts[pair.part_b].shape);
  if (!A || !B) return true;
  const Vector3d n = x_.contacts.kinematics(c).frame.row(0);
  const geom::Pose X_A = x_.originPose(pair.part_a, pair.slot_a, x_.t0),
                   X_B = x_.originPose(pair.part_b, pair.slot_b, x_.t0);
  return advance::overlapAlong(*A, *B, advance::relativePose(X_A, X_B), X_A.rotation().transpose() * n) <=
         kSupportShare * x_.scales.length;
}

/// Keeps what only the end of the tick at hand brought up, but hits at its start. @returns whether there is any.
/// @pre The contacts are at their starts.
bool Tick::hitsFirst(double h) {
  bool any = false;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    if ((found_[c] & kKept) || x_.contacts[c].isLimit()) continue;
    const double gap = x_.contacts.kinematics(c).gap;
    if (gap < x_.scales.floor || gap > kSupportShare * x_.scales.length) continue;
    if (!comesEarly(gap, normalSpeed(c, starts_), h) || !actsAtStart(c)) continue;
    found_[c] |= kKept;
    any = true;
  }
  return any;
}

bool Tick::foresees(double h) {
  startVelocities(h);
  falls_.assign(x_.start.size(), 0);
  moveEnds(h);
  x_.contacts.place(x_.trial.ends);  // Links follow their joints.
  x_.trial.h = h;
  proposal_.publisher.hermitePieces(x_.trial);
  for (int p = 0; p < x_.pairs.size(); ++p)
    if (const double t = endOf(x_.pairs[p], h); t > x_.t0)
      addFeatures(p, t, kNewShare * x_.scales.gap, Of::kForeseenEnd, shallowSine(x_.pairs[p], h));
  placeStarts();
  return hitsFirst(h);
}

/// Speeds at which contacts leave that hit with the velocities of the start.
void Tick::findRebounds() {
  rebound_.assign(x_.contacts.size(), 0);
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    if (!(x_.contacts[c].restitution > 0)) continue;
    const double speed = -normalSpeed(c, base_);
    if (speed > x_.scales.capture_speed) rebound_[c] = x_.contacts[c].restitution * speed;
  }
  shares_.begin(rebound_);
}

void Tick::kineticEnergies(std::span<const Vector6d> velocities, std::vector<double>& energies) const {
  energies.resize(velocities.size());
  for (size_t i = 0; i < velocities.size(); ++i) {
    dynamics::RigidBodyState state = x_.start[i].state;
    state.setVelocity(velocities[i]);
    energies[i] = dynamics::kineticEnergy(*x_.start[i].model, state);
  }
}

/// Hits move bodies by exactly what they are. What an elastic one gains has to be rounding, where a plastic one loses
/// more than the residual could give.
double Tick::hitTolerance(double h) const {
  const double closing = kHitShare * x_.scales.gap / h;
  return shares_.any() ? std::min(closing, kReboundTolerance * x_.scales.approach) : closing;
}

/// Impulses of the hitting contacts as they are known now.
bool Tick::solveHits(double tolerance) {
  problem_.clearContacts();
  for (size_t c = 0; c < x_.contacts.size(); ++c)
    if (hitting_[c])
      problem_.add(x_.contacts[c], static_cast<int>(c), x_.contacts.system(), -shares_.of(c) * rebound_[c], hits_[c]);
  if (!problem_.solve(tolerance, u_)) return false;
  moveLinks(u_);
  int k = 0;
  for (size_t c = 0; c < x_.contacts.size(); ++c)
    if (hitting_[c]) hits_[c] = problem_.impulse(k++);
  return true;
}

/// What hits, with what is left of the rebounds, from the hits at hand on. @returns false if it could not be solved.
bool Tick::findHits(double h) {
  const size_t m = x_.contacts.size();
  u_ = base_;
  bool more = !hits_.empty();
  hits_.resize(m, Vector3d::Zero()), hitting_.resize(m, 0);
  for (int round = 0; round < kHitRounds; ++round, more = false) {
    for (size_t c = 0; c < m; ++c) {
      // What is beside the other body now may stop at it at the end of the tick.
      if (hitting_[c] || !runsInto(c, h) || !actsAtStart(c)) continue;
      if (x_.contacts.kinematics(c).gap > kSupportShare * x_.scales.length) return false;  // A shorter tick is due.
      hitting_[c] = 1, more = true;
    }
    if (!more && round == 0) hits_.clear(), hitting_.clear();
    if (!more) break;
    if (round == 0) {
      problem_.setBodies(x_.start, base_, x_.contacts.system());
      for (size_t c = 0; c < m; ++c)
        if (!x_.contacts[c].isBrake() && touches(x_.contacts.kinematics(c).gap) && actsAtStart(c)) hitting_[c] = 1;
    }
    if (!solveHits(hitTolerance(h))) return false;
  }
  return true;
}

/// Whether bodies that push each other gain energy that they need not: @post their contacts rebound less.
bool Tick::lessensGains() {
  if (!shares_.any()) return false;
  pushed_.clear();
  for (size_t c = 0; c < x_.contacts.size(); ++c)
    pushed_.push_back({x_.contacts[c].slot_a, x_.contacts[c].slot_b, !hits_.empty() && !hits_[c].isZero(0)});
  kineticEnergies(base_.bodies, before_), kineticEnergies(u_.bodies, after_);
  return shares_.lessen(pushed_, before_, after_);
}

Tick::Closed Tick::hit(double h) {
  base_.bodies.clear(), base_.robots.clear();
  for (const SystemBody& body : x_.start) base_.bodies.push_back(body.state.velocity());
  for (const SystemRobot& robot : x_.start.robots) base_.robots.push_back(robot.state.v);
  placeStarts();
  findRebounds();
  // What was hit in the try before, or pushed by that, is hit with the rest; rebounds depend on what begins them.
  if (shares_.any()) hits_.clear(), hitting_.clear();
  for (bool less = true; less;) {
    const bool found = findHits(h);
    less = found ? lessensGains() : shares_.lessenAll();
    if (less) hits_.clear(), hitting_.clear();
    if (!found && !less) return Closed::kNo;
  }
  for (size_t c = 0; c < hits_.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    const auto& at = x_.contacts.kinematics(c);
    for (const auto& [slot, response] : {std::pair{contact.slot_a, &at.WJa}, std::pair{contact.slot_b, &at.WJb}})
      if (slot >= 0 && x_.start[slot].robot < 0)
        x_.start[slot].state.setVelocity(x_.start[slot].state.velocity() + *response * hits_[c]);
  }
  for (size_t r = 0; r < x_.start.robots.size() && !hits_.empty(); ++r) {
    mean_ = x_.start.robots[r].state.v;
    for (size_t c = 0; c < hits_.size(); ++c)
      if (!hits_[c].isZero(0))
        x_.contacts.system().addRobotResponse(static_cast<int>(c), static_cast<int>(r), hits_[c], mean_);
    if (mean_ == x_.start.robots[r].state.v) continue;
    x_.contacts.system().setRobotVelocity(x_.start, static_cast<int>(r), mean_);
  }
  return Closed::kYes;
}

double Tick::lengthToArrival(double h) const {
  double first = h, limits = h;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const auto& at = x_.contacts.kinematics(c);
    const bool limit = x_.contacts[c].isLimit();
    if ((!limit && !(x_.contacts[c].restitution > 0)) || !(at.gap > x_.scales.band)) continue;
    const double speed = -normalSpeed(c, u_);  // After the hits.
    if (!(speed > x_.scales.capture_speed)) continue;
    const double arrival = (at.gap - x_.scales.gap) / (speed + x_.scales.acceleration * h);
    (limit ? limits : first) = std::min(limit ? limits : first, arrival);
  }
  return std::min(std::max(first, kEarlyShare * h), limits);
}

/// Velocities without contacts. @returns whether there is energy to lift contacts to delta.
bool Tick::startVelocities(double h) {
  const size_t n = x_.start.size();
  base_.bodies.resize(n);
  double kinetic = 0, weight = 0;
  for (size_t i = 0; i < n; ++i) {
    const SystemBody& b = x_.start[i];
    kinetic += dynamics::kineticEnergy(*b.model, b.state);
    weight += b.model->mass * x_.scales.acceleration;
    base_.bodies[i] = b.state.velocity();
  }
  base_.robots.clear();
  for (const SystemRobot& robot : x_.start.robots) base_.robots.push_back(robot.state.v);
  u_ = starts_ = base_;
  for (Vector6d& u : base_.bodies) u.head<3>() += h * x_.scene.gravity;
  return kLiftEnergyShare * kinetic > weight * x_.scales.gap;
}

void Tick::moveEnds(double h) {
  auto& ends = x_.trial.ends;
  ends = x_.start;
  for (size_t r = 0; r < ends.robots.size(); ++r) {
    SystemRobot& robot = ends.robots[r];
    mean_ = (1 - kTickEndWeight) * robot.state.v + kTickEndWeight * u_.robots[r];
    dynamics::integrate(*robot.model, x_.start.robots[r].state.q, mean_, h, robot.state.q);
    robot.state.v = u_.robots[r];
    robot.implicit_time = 0.5 * h;
  }
  for (size_t i = 0; i < u_.bodies.size(); ++i) {
    if (ends[i].robot >= 0) continue;  // Where its robot's coordinates put it, once they are placed.
    if (falls_[i]) {
      ends[i].state = dynamics::stepFree(*x_.start[i].model, x_.start[i].state, x_.scene.gravity, h);
      continue;
    }
    const Vector6d mean = (1 - kTickEndWeight) * x_.start[i].state.velocity() + kTickEndWeight * u_.bodies[i];
    ends[i].state.pose.p += h * mean.head<3>();
    ends[i].state.pose.q = dynamics::rotate(x_.start[i].state.pose.q, h * mean.tail<3>());
    ends[i].state.setVelocity(u_.bodies[i]);
  }
}

void Tick::placeStarts() {
  x_.contacts.place(x_.start);
  start_points_.resize(x_.contacts.size());
  for (size_t c = 0; c < x_.contacts.size(); ++c)
    x_.contacts[c].start_gap = x_.contacts.kinematics(c).gap, start_points_[c] = x_.contacts.kinematics(c).point;
}

double Tick::leastGap() const {
  double least = HUGE_VAL;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const double gap = x_.contacts.kinematics(c).gap;
    if (!x_.contacts[c].isBrake() && !(gap >= least)) least = gap;
  }
  return least;
}

/// Whether what sticks slides at the ends that its answer leads to: what turns fast is not where it was linearised.
/// @pre the contacts are placed there.
bool Tick::slidesOff() const {
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    const bool sticks = !contact.isLimit() && contact.force[0] > 0 &&
                        contact.force.tail<2>().norm() < kInsideCone * contact.friction * contact.force[0];
    if (sticks && x_.contacts.velocity(x_.trial.ends, c).tail<2>().norm() > kStuckShare * x_.scales.speed) return true;
  }
  return false;
}

/// Angular velocities without contacts such that impulses at the ends, where the bodies are placed now, give what the
/// ledger's balance will: there half of what acts throughout acts at the start, and the centres move
/// (docs/equations.md).
void Tick::keepMomentum(double h) {
  freeRobots(h);
  spin_.assign(base_.bodies.size(), Vector3d::Zero());
  turned_.assign(base_.robots.size(), Vector3d::Zero());
  held_.assign(base_.bodies.size(), 0);
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    if (contact.force.isZero(0) || contact.isLimit()) continue;
    const auto& at = x_.contacts.kinematics(c);
    const Vector3d P = h * (at.frame.transpose() * contact.force);
    const bool throughout = touches(contact.start_gap);
    const Vector3d first = throughout ? Vector3d(0.5 * P) : Vector3d(Vector3d::Zero());
    for (const auto& [slot, sign] : {std::pair{contact.slot_a, -1.0}, std::pair{contact.slot_b, 1.0}}) {
      if (slot < 0) continue;
      if (x_.start[slot].robot >= 0) {
        turned_[x_.start[slot].robot] += sign * (start_points_[c] - at.point).cross(first);
        continue;
      }
      const Vector3d &p0 = x_.start[slot].state.pose.p, &p1 = x_.trial.ends[slot].state.pose.p;
      spin_[slot] += sign * ((start_points_[c] - p0 - (at.point - p1)).cross(first) + (p1 - p0).cross(P - first));
      held_[slot] = 1;
    }
  }
  if (!turned_.empty()) floating_ = x_.trial.ends;
  for (size_t r = 0; r < turned_.size(); ++r) keepRobotMomentum(h, r, turned_[r]);
  for (size_t i = 0; i < base_.bodies.size(); ++i) {
    const SystemBody& b = x_.start[i];
    if (b.robot >= 0) continue;
    const geom::Pose& end = x_.trial.ends[i].state.pose;
    const Eigen::Matrix3d R0 = b.state.pose.rotation(), R1 = end.rotation();
    const Vector3d moved = end.p - b.state.pose.p, v1 = u_.bodies[i].head<3>();
    spin_[i] += R0 * (b.model->inertia * (R0.transpose() * b.state.w));
    const Vector3d integral = hermiteIntegral(moved, b.state.v, v1, h);
    if (held_[i]) spin_[i] += b.model->mass * (integral.cross(x_.scene.gravity) - moved.cross(v1));
    base_.bodies[i].tail<3>() = R1 * (b.model->inverse_inertia * (R1.transpose() * spin_[i]));
  }
}

/// The contact problem, linearised where the ends are: gaps there, less what the velocities have moved them by already.
bool Tick::solveAtEnds(double h, bool lift, double share) {
  keepMomentum(h);
  problem_.setBodies(x_.trial.ends, base_, x_.contacts.system());
  problem_.clearContacts();
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const Contact& contact = x_.contacts[c];
    if (contact.isBrake()) {
      problem_.addBrake(contact, static_cast<int>(c), x_.contacts.system(), h * contact.hold, h * contact.force);
      continue;
    }
    const double gap = x_.contacts.kinematics(c).gap;
    const double target =
        lift ? x_.scales.gap : std::clamp(contact.start_gap, kEndShare * x_.scales.gap, x_.scales.gap);
    problem_.add(contact, static_cast<int>(c), x_.contacts.system(),
                 (gap - target) / (kTickEndWeight * h) - normalSpeed(c, u_), h * contact.force);
  }
  const double speed = x_.scales.gap / h;
  const double to = std::clamp(kSolvedError * x_.scales.velocity_tolerance, kSolvedLeast * speed, kSolvedShare * speed);
  if (!problem_.solve(share * to, u_)) return false;
  moveLinks(u_);
  held_.assign(u_.bodies.size(), 0);
  const double no_push = kNoPush * x_.scales.gap / h;
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    Contact& contact = x_.contacts[c];
    const Vector3d P = problem_.impulse(static_cast<int>(c));
    contact.force = P / h;
    if (!contact.isLimit() && P.norm() <= no_push * x_.lighterMass(contact)) contact.force.setZero();
    if (contact.force.isZero(0)) continue;
    for (const int slot : {contact.slot_a, contact.slot_b})
      if (slot >= 0) held_[slot] = 1;
  }
  // What was held once in this tick is not taken for falling again: the two differ, and might take turns.
  for (size_t i = 0; i < held_.size(); ++i) falls_[i] = falls_[i] && !held_[i];
  moveEnds(h);
  return true;
}

/// Velocities and ends whose contacts are closed, `lift`: and at delta.
Tick::Closed Tick::close(double h, bool lift) {
  dropped_.clear();
  placeStarts();
  falls_.assign(x_.start.size(), 0);
  moveEnds(h);
  x_.contacts.place(x_.trial.ends);
  falls_.assign(x_.start.size(), 1);
  double share = 1, before = -HUGE_VAL;
  if (!solveAtEnds(h, lift, share)) return Closed::kNo;
  for (int k = 1; k < kLinearisations; ++k) {
    x_.contacts.place(x_.trial.ends);
    const double least = leastGap();
    if (least >= kEndShare * x_.scales.gap) {
      if (renewEndFeatures(h)) {
        placeStarts();
        if (hitsFirst(h)) return Closed::kHitFirst;
        x_.contacts.place(x_.trial.ends);
      } else if (k > kMoreForSlip || !slidesOff()) {
        return Closed::kYes;
      }
    } else if (least == before) {
      share *= kFinerShare;  // The last answer solves this problem, too: its residual is what is missing.
    }
    before = least;
    if (!solveAtEnds(h, lift, share)) return Closed::kNo;
  }
  return Closed::kNo;
}

Tick::Closed Tick::solve(double h, Pause& pause) {
  const bool has_energy = startVelocities(h);
  if (pause.left > 0 || !has_energy) {
    pause.pass();
    return close(h, false);
  }
  const Closed closed = close(h, true);
  if (closed == Closed::kYes) pause.end();
  if (closed != Closed::kNo) return closed;
  pause.lengthen(kLongestPause);
  startVelocities(h);
  return close(h, false);
}

bool Tick::balances(double window) {
  if (!x_.start.robots.empty()) return false;
  const Vector6d falls = dynamics::stacked(window * x_.scene.gravity, Vector3d::Zero());
  base_.bodies.assign(x_.start.size(), falls), base_.robots.clear();
  u_ = base_;
  x_.contacts.place(x_.start);
  problem_.setBodies(x_.start, base_, x_.contacts.system());
  problem_.clearContacts();
  touching_.clear();
  for (size_t c = 0; c < x_.contacts.size(); ++c) {
    const auto& at = x_.contacts.kinematics(c);
    x_.contacts[c].held = at.gap <= x_.scales.band;
    if (!x_.contacts[c].held) continue;
    touching_.push_back(static_cast<int>(c));
    problem_.add(x_.contacts[c], static_cast<int>(c), x_.contacts.system(), 0, window * x_.contacts[c].force);
  }
  const double slow = x_.scales.rest_acceleration * window;
  if (!problem_.solve(kRestShare * slow, u_)) return false;
  const bool still = std::all_of(u_.bodies.begin(), u_.bodies.end(), [&](const Vector6d& u) {
    return u.head<3>().norm() + x_.scales.length * u.tail<3>().norm() <= slow;
  });
  if (still) problem_.spread(kSpreadShare * slow);
  for (size_t k = 0; k < touching_.size(); ++k)
    x_.contacts[touching_[k]].force = problem_.impulse(static_cast<int>(k)) / window;
  return still;
}

}  // namespace rigor::sim
