// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "verify/tables/tables.h"

namespace rigor::verify::tables {
namespace {

using Eigen::Vector3d;
using kernel::Joint;
using recorded::ImpactContact;
using recorded::ImpactRow;

/// Velocities, relative to the body's speed, or in m/s.
constexpr double kVelocityRounding = 1e-6;
/// Numbers that are computed from the same ones, in another order.
constexpr double kRounding = 1e-9;
/// Where a contact stands, from either body, in gaps: as far as what acts may be from what it acts on, and at least.
constexpr double kPlaceGaps = 100;
/// Of runs that declare no bounds: the share of m V that an impact's impulses may miss.
constexpr double kMissing = 0.01;
/// By how much velocities of few bodies jump without an impact, of V; where masses differ by as much as `cone` permits,
/// which is no more than kAlikeCone where they are alike.
constexpr double kUntold = 0.2, kAlikeCone = 0.9;
/// Two axes are one normal where they differ by no more [rad].
constexpr double kOneNormal = 0.01;
/// Impulses of limits may stand in rounded numbers.
constexpr double kStoredRounding = 0x1p-24;

bool near(const Vector3d& a, const Vector3d& b, double relative, double size = 0) {
  return (a - b).norm() <= relative * (size + b.norm());  // NaN is not near.
}

using Twist = Eigen::Matrix<double, 6, 1>;
Twist twistOf(const std::vector<double>& list, std::size_t i) { return Twist(list.data() + 6 * i); }

bool agree(const Twist& a, const Twist& b) {
  return near(a.head<3>(), b.head<3>(), kVelocityRounding, 1) && near(a.tail<3>(), b.tail<3>(), kVelocityRounding, 1);
}

class ImpactTable {
 public:
  explicit ImpactTable(const Branch& branch) : x_(branch) {}

  void check() {
    for (const ImpactRow& impact : x_.rows.impacts)
      if (x_.isNowhere(impact.time)) fail(impact, -1, "its branch does not go on there");
      else if (!x_.isPast(impact.time)) check(impact);
    for (const auto& [place, last] : known_)
      if (!agree(startOf(place.second, place.first), last.twist))
        doubts_.push_back({last.impact, place.second, "after", startOf(place.second, place.first) - last.twist});
    for (const Doubt& doubt : doubts_)
      if (!isLeft(doubt))
        fail(*doubt.impact, doubt.body, fmt::format("the velocity {} it is not that of the motion", doubt.side));
    checkUntold();
    checkTwice();
  }

 private:
  // What hits is told: what places and velocities are projected by is less. Ticks of crowds hit without an impact.
  void checkUntold() const {
    const kernel::Run& run = x_.proof().run();
    if (!run.actions_known || kernel::isCrowd(run)) return;
    const double cone = run.bounds[kernel::Law::kCone],
                 most = cone > kAlikeCone ? cone : kUntold;
    for (const kernel::Action* action : x_.acted.jumps()) {
      if (x_.isPast(action->t0)) return;
      for (const kernel::Contact& contact : action->contacts)
        for (const int body : {contact.facing->body_a, contact.facing->body_b})
          if (jumpsUntold(body, action->t0, most))
            return x_.fail(action->t0, body, "no impact tells of what hits here");
    }
  }
  // Whether a free body's velocity changes by more than a share of V where no impact names it.
  bool jumpsUntold(int body, double time, double share) const {
    const auto before = x_.motion.atEnd(body, time), after = x_.motion.atStart(body, time);
    if (x_.motion.fixed(body) || bodyOf(body).robot >= 0 || !before || !after) return false;
    const Scale scale = scaleOf(x_.motion.model(), body);
    if ((after->v - before->v).norm() + (after->w - before->w).norm() * scale.length <= share * scale.speed)
      return false;
    return std::ranges::none_of(x_.rows.impacts, [&](const ImpactRow& impact) {
      return impact.time == time && std::ranges::count(impact.bodies, body) > 0;
    });
  }

  // A contact that is told twice, along two axes that are nearly one, would pass for two that act, of whose rebound
  // nothing is asked. Ticks of crowds have a corner's contact of their start and that of their end.
  void checkTwice() const {
    if (const kernel::Run& run = x_.proof().run(); !run.actions_known || kernel::isCrowd(run)) return;
    const auto unit = [](const kernel::Facing& f) -> Vector3d { return vectorOf(f.axis).stableNormalized(); };
    std::map<std::tuple<double, Key, int, int, int, int, int>, const kernel::Facing*> told;
    for (const kernel::Action* action : x_.acted.jumps())
      for (const kernel::Contact& contact : action->contacts) {
        const kernel::Facing& f = *contact.facing;
        const kernel::Facing* const other =
            told.try_emplace({action->t0, keyOf(f), f.kind, f.a0, f.a1, f.b0, f.b1}, &f).first->second;
        if (other != &f && (unit(*other) - unit(f)).norm() <= kOneNormal)
          return x_.fail(action->t0, f.body_b, "a contact is told twice");
      }
  }

  void fail(const ImpactRow& impact, int body, std::string_view reason) {
    x_.fail(impact.time, body, fmt::format("impact {}: {}", impact.id, reason));
  }
  const kernel::Body& bodyOf(int body) const { return x_.motion.model().bodies[static_cast<std::size_t>(body)]; }

  void check(const ImpactRow& impact) {
    const bool set = impact.model == "velocity-set";
    if (set && x_.proof().run().actions_known)
      return fail(impact, -1, "a velocity was set in a run of bodies left alone");
    if (!set && impact.contacts.empty() && impact.bodies.empty()) return fail(impact, -1, "it is of nothing");
    if (!set && impact.model != "coulomb" && impact.model != x_.text.impact_model)
      return fail(impact, -1, "its model is not that of the run");
    std::map<int, Twist> gained;  // By the contacts: momentum, and that about the body's centre.
    for (const ImpactContact& contact : impact.contacts)
      if (const std::string wrong = wrongWith(impact, contact, gained); !wrong.empty())
        return fail(impact, contact.pair.body_b, wrong);
    checkBodies(impact, gained);
  }

  // A contact of the model. What it gives to its bodies goes to `gained`.
  std::string wrongWith(const ImpactRow& impact, const ImpactContact& c, std::map<int, Twist>& gained) {
    const kernel::Body &A = bodyOf(c.pair.body_a), &B = bodyOf(c.pair.body_b);
    const std::optional<BodyAt> a = x_.motion.atStart(c.pair.body_a, impact.time),
                                b = x_.motion.atStart(c.pair.body_b, impact.time);
    if (!a || !b) return "no piece of a body that it hits starts there";
    if (c.pair.part_a < 0 || c.pair.part_b < 0) return wrongWithLimit(impact, c, *a, *b);
    const double friction = A.no_slip || B.no_slip ? HUGE_VAL : std::sqrt(A.friction * B.friction);
    if (!(c.friction == friction || std::abs(c.friction - friction) <= kRounding * friction))
      return "its friction is not that of its bodies";
    if (c.restitution != std::max(A.restitution, B.restitution)) return "its restitution is not that of its bodies";
    const Vector3d n = vectorOf(c.normal), t = vectorOf(c.tangent), along = vectorOf(c.impulse);
    if (!(std::abs(n.norm() - 1) <= kRounding && std::abs(t.norm() - 1) <= kRounding &&
          std::abs(n.dot(t)) <= kRounding))
      return "its normal and tangent are no units across each other";
    const Vector3d P = along[0] * n + along[1] * t + along[2] * n.cross(t), x = vectorOf(c.point);
    const double far =
        std::max(kPlaceGaps * x_.proof().run().gap_nominal, x_.motion.reach(c.pair.body_a, c.pair.body_b)) +
        kRounding * (x.norm() + a->p.norm() + b->p.norm());
    if (apartAtLeast(x, B.parts[static_cast<std::size_t>(c.pair.part_b)], *b, far) > 0 ||
        apartAtLeast(x, A.parts[static_cast<std::size_t>(c.pair.part_a)], *a, far) > 0)
      return "its point is not where its bodies touch";
    for (const auto& [body, at, sign] : {std::tuple{c.pair.body_a, *a, -1}, {c.pair.body_b, *b, 1}}) {
      Twist& sum = gained.try_emplace(body, Twist::Zero()).first->second;
      sum.head<3>() += sign * P, sum.tail<3>() += sign * (x - at.p).cross(P);
    }
    if (x_.proof().run().actions_known && !acted(impact.time, c, n, P, *a, *b))
      return "its impulse is not among those that acted";
    return {};
  }

  // Whether it is among the contacts that acted there; each of those is taken once.
  bool acted(double time, const ImpactContact& c, const Vector3d& n, const Vector3d& P, const BodyAt& a,
             const BodyAt& b) {
    for (const kernel::Action* action : x_.acted.jumpsAt(time))
      for (const kernel::Contact& contact : action->contacts) {
        const kernel::Facing& f = *contact.facing;
        if (keyOf(f) != keyOf(c.pair) || !near(n, normalOf(f, a, b), kVelocityRounding)) continue;
        for (const kernel::Impulse& impulse : contact.impulses)
          if (near(vectorOf(impulse.P), P, kRounding) && taken_.insert(&impulse).second) return true;
      }
    return false;
  }

  Vector3d normalOf(const kernel::Facing& f, const BodyAt& a, const BodyAt& b) const {
    if (f.kind == 0) return (a.q * vectorOf(f.axis)).normalized();
    if (f.kind == 1) return (b.q * vectorOf(f.axis)).normalized();
    const kernel::Part &A = bodyOf(f.body_a).parts[static_cast<std::size_t>(f.part_a)],
                       &B = bodyOf(f.body_b).parts[static_cast<std::size_t>(f.part_b)];
    // Turned alone: far from the origin places have lost the digits of short edges.
    const Vector3d along_a = a.q * (vectorOf(A.corner(f.a1)) - vectorOf(A.corner(f.a0))),
                   along_b = b.q * (vectorOf(B.corner(f.b1)) - vectorOf(B.corner(f.b0)));
    return along_a.cross(along_b).normalized();
  }

  std::string wrongWithLimit(const ImpactRow& impact, const ImpactContact& c, const BodyAt& a, const BodyAt& b) {
    const kernel::Body& child = bodyOf(c.pair.body_b);
    if (child.robot < 0 || c.pair.part_a != c.pair.part_b) return "it is a contact of no parts";
    const Joint* const joint = jointOfLimit(x_.motion.model(), c.joint, c.pair.body_a, c.pair.body_b);
    if (!joint) return "it is at the limit of no joint of its bodies";
    if (!(std::isfinite(c.end == "upper" ? joint->upper : joint->lower) && (c.end == "upper" || c.end == "lower")))
      return "it is at an end that its joint does not have";
    const Vector3d axis = axisOf(*joint, b) * (c.end == "upper" ? -1 : 1);
    // Of joints with several angles an end's own direction follows from all of them, and is not worked out here.
    const bool one_axis = joint->type == kernel::JointType::kRevolute || joint->type == kernel::JointType::kPrismatic;
    if (one_axis && !near(vectorOf(c.normal), axis, kVelocityRounding)) return "its normal is not its joint's axis";
    if (!near(vectorOf(c.point), b.p, kVelocityRounding, 1 + (a.p - b.p).norm()))
      return "its point is not the centre of its link";
    const kernel::Robot& robot = x_.motion.model().robots[static_cast<std::size_t>(child.robot)];
    const int number = static_cast<int>(joint - robot.joints.data());
    const auto& more = x_.text.joints[static_cast<std::size_t>(child.robot)][static_cast<std::size_t>(number)];
    if (!(c.restitution == more.restitution && c.friction == 0)) return "its restitution is not that of its joint";
    if (!(c.impulse[1] == 0 && c.impulse[2] == 0)) return "it acts across its joint's axis";
    if (!x_.proof().run().actions_known || !one_axis) return {};
    const bool turns = joint->type != kernel::JointType::kPrismatic;
    for (const kernel::Action* action : x_.acted.jumpsAt(impact.time))
      for (const kernel::Wrench& wrench : action->wrenches) {
        if (wrench.source != kernel::Wrench::Source::kLimit || wrench.robot != child.robot || wrench.joint != number)
          continue;
        for (const kernel::Twisting& impulse : wrench.impulses)
          if (const double along = axis.dot(vectorOf(turns ? impulse.moment : impulse.P));
              std::abs(along - c.impulse[0]) <= kStoredRounding * std::abs(along) && taken_.insert(&impulse).second)
            return {};
      }
    return "its impulse is not among those that acted";
  }

  void checkBodies(const ImpactRow& impact, const std::map<int, Twist>& gained) {
    std::map<int, std::size_t> places;
    std::set<int> robots;
    for (std::size_t i = 0; i < impact.bodies.size(); ++i)
      if (!places.try_emplace(static_cast<int>(impact.bodies[i]), i).second)
        return fail(impact, static_cast<int>(impact.bodies[i]), "it names a body twice");
    for (const ImpactContact& contact : impact.contacts)
      for (const int body : {contact.pair.body_a, contact.pair.body_b}) {
        if (bodyOf(body).robot >= 0) robots.insert(bodyOf(body).robot);
        if (!x_.motion.fixed(body) && !places.contains(body))
          return fail(impact, body, "it does not name what it hits");
      }
    for (const auto& [body, i] : places) {
      const std::optional<BodyAt> at = x_.motion.atStart(body, impact.time);
      if (!at) return fail(impact, body, "no piece of the body starts there");
      if (x_.motion.fixed(body)) continue;
      const Twist before = twistOf(impact.before, i), after = twistOf(impact.after, i);
      const auto [known, first] = known_.try_emplace({impact.time, body}, Last{before, &impact});
      if (first)
        if (const auto end = x_.motion.atEnd(body, impact.time)) known->second.twist << end->v, end->w;
      if (!agree(known->second.twist, before))
        doubts_.push_back({&impact, body, "before", before - known->second.twist});
      known->second = {after, &impact};
      if (impact.model == "velocity-set") continue;
      if (bodyOf(body).robot >= 0) {
        if (!robots.contains(bodyOf(body).robot) && impact.time > 0)
          return fail(impact, body, "it does not hit this body");
        continue;
      }
      const auto sum = gained.find(body);
      if (sum == gained.end() && impact.time > 0) return fail(impact, body, "it does not hit this body");
      if (sum != gained.end() && !explains(body, *at, sum->second, after - before, before))
        return fail(impact, body, "its impulses do not change the velocity of the body as it says");
    }
  }

  // I w, world.
  static Vector3d spinOf(const kernel::Body& of, const BodyAt& at, const Twist& twist) {
    Eigen::Matrix3d I;
    I << of.inertia[0], of.inertia[3], of.inertia[4], of.inertia[3], of.inertia[1], of.inertia[5], of.inertia[4],
        of.inertia[5], of.inertia[2];
    return at.q * (I * (at.q.conjugate() * Vector3d(twist.tail<3>())));
  }

  // m dv = P and I dw = K, to what the laws leave open, as a motion that was cut ends with its curve's velocity.
  bool explains(int body, const BodyAt& at, const Twist& gained, const Twist& change, const Twist& before) const {
    const kernel::Body& of = bodyOf(body);
    const Vector3d dP = of.mass * change.head<3>() - gained.head<3>(), dK = spinOf(of, at, change) - gained.tail<3>();
    const double rounding = kVelocityRounding * of.mass * before.head<3>().norm();
    const auto [P, K] = missing(body);
    return dP.norm() <= P + rounding && dK.norm() <= K + rounding * scaleOf(x_.motion.model(), body).length;
  }

  // Momentum, and about the centre, that the laws leave open.
  std::pair<double, double> missing(int body) const {
    const kernel::Run& run = x_.proof().run();
    const Scale scale = scaleOf(run.model, body);
    const double momentum = bodyOf(body).mass * scale.speed;
    if (!run.actions_known) return {kMissing * momentum, kMissing * momentum * scale.length};
    return {run.bounds[kernel::Law::kMomentum] * momentum,
            run.bounds[kernel::Law::kAngularMomentum] * momentum * scale.length};
  }

  struct Last {
    Twist twist;
    const ImpactRow* impact;
  };
  struct Doubt {
    const ImpactRow* impact;
    int body;
    const char* side;
    Twist off;
  };

  Twist startOf(int body, double time) const {
    const std::optional<BodyAt> at = x_.motion.atStart(body, time);
    return (Twist() << at->v, at->w).finished();
  }

  // Whether what acted there without an impact, projections and friction of joints, may be what a doubt is about: of a
  // free body, whether it is as much, to what the laws leave open.
  bool isLeft(const Doubt& doubt) const {
    const kernel::Body& of = bodyOf(doubt.body);
    if (of.robot >= 0) return actsOnRobot(doubt.impact->time, of.robot);
    double left = 0, radius = 0;
    for (const kernel::Action* action : x_.acted.jumpsAt(doubt.impact->time))
      for (const kernel::Contact& contact : action->contacts)
        if (contact.facing->body_a == doubt.body || contact.facing->body_b == doubt.body)
          for (const kernel::Impulse& impulse : contact.impulses)
            if (!taken_.contains(&impulse)) left += vectorOf(impulse.P).norm();
    for (const kernel::Part& part : of.parts)
      for (const kernel::Vector3& x : part.vertices)
        radius = std::max(radius, (vectorOf(x) - vectorOf(of.centre)).norm());
    const BodyAt at = *x_.motion.atStart(doubt.body, doubt.impact->time);
    const auto [P, K] = missing(doubt.body);
    return left > 0 && of.mass * doubt.off.head<3>().norm() <= left + P &&
           spinOf(of, at, doubt.off).norm() <= radius * left + K;
  }

  // Whether something acted on a robot that no impact tells of.
  bool actsOnRobot(double time, int robot) const {
    for (const Joint& joint : x_.motion.model().robots[static_cast<std::size_t>(robot)].joints)
      if (joint.friction > 0) return true;
    const auto isNew = [&](const auto& impulse) { return !taken_.contains(&impulse); };
    for (const kernel::Action* action : x_.acted.jumpsAt(time)) {
      for (const kernel::Contact& contact : action->contacts)
        if ((bodyOf(contact.facing->body_a).robot == robot || bodyOf(contact.facing->body_b).robot == robot) &&
            std::any_of(contact.impulses.begin(), contact.impulses.end(), isNew))
          return true;
      for (const kernel::Wrench& wrench : action->wrenches)
        if (wrench.source == kernel::Wrench::Source::kLimit && wrench.robot == robot &&
            std::any_of(wrench.impulses.begin(), wrench.impulses.end(), isNew))
          return true;
    }
    return false;
  }

  const Branch& x_;
  std::map<std::pair<double, int>, Last> known_;  // Of a time and a body: how the last impact leaves it.
  std::set<const kernel::Impulse*> taken_;        // What impacts tell of.
  std::vector<Doubt> doubts_;                     // Where they do not go on from each other, or the motion from them.
};

}  // namespace

void checkImpacts(const Branch& branch) { ImpactTable(branch).check(); }

}  // namespace rigor::verify::tables
