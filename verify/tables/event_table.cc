// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "verify/kernel/laws.h"
#include "verify/record/strict_json.h"
#include "verify/tables/tables.h"

namespace rigor::verify::tables {
namespace {

using Eigen::Vector3d;
using kernel::Joint;
using kernel::Law;
using nlohmann::json;
using recorded::EventRow;
using recorded::ImpactRow;

/// What touches is at most so many gaps apart, or as many as what acts may be from what it acts on.
constexpr double kTouchGaps = 1000;
/// Where a branch ends a motion was cut, maybe before what lets go was noted: so many times as far.
constexpr double kEndReaches = 10;
/// Parts that slip on each other come nearer or leave each other by less, of V. A slip has no share along the normal,
/// but for what closing other contacts changed after it was told, of the speeds there and V.
constexpr double kAcross = 0.1, kAlong = 0.01;
/// Of the slip that begins, the share that is there.
constexpr double kSlips = 0.5;
/// What has come to rest is slower, of V.
constexpr double kRests = 1e-3;

/// Of a joint's limit: no body has these numbers.
Key limitKey(int robot, int joint, bool upper) { return {-1, robot, joint, upper}; }

class EventTable {
 public:
  EventTable(const Branch& branch, Touching& touching) : x_(branch), touching_(touching) {
    for (const auto& [key, touch] : touching) {
      log_[key] = {{-HUGE_VAL, touch.contacts}};
      if (touch.until_late) until_late_.insert(key);
    }
  }

  void check() {
    for (const EventRow& event : x_.rows.events) {
      if (x_.isPast(event.time) && event.kind != "fork" && !x_.isNowhere(event.time)) continue;
      std::string wrong;
      try {
        wrong = wrongWith(event, event.detail.empty() ? json::object() : recorded::parseStrictJson(event.detail));
      } catch (const json::exception&) {
        wrong = "its detail is not that of its kind";
      }
      if (!wrong.empty())
        return x_.fail(event.time, event.body_a, fmt::format("event {}, {}: {}", event.id, event.kind, wrong));
    }
    for (const auto& [place, count] : bounced_)
      if (count != 0) x_.fail(place.first, place.second[2], "one event alone tells of a bounce");
    checkEnd();
    if (!run().actions_known) return;  // Others may write no events.
    checkActed();
    checkImpactsTold();
    checkRests();
    if (isParent() && !forks_) x_.fail(x_.proof().horizon(), -1, "no event tells of the fork that ends the branch");
  }

 private:
  const kernel::Run& run() const { return x_.proof().run(); }
  const kernel::Model& model() const { return run().model; }
  double reach(int body_a, int body_b) const {
    return std::max(kTouchGaps * run().gap_nominal, x_.motion.reach(body_a, body_b));
  }

  std::string wrongWith(const EventRow& event, const json& detail) {
    const std::string& kind = event.kind;
    if (kind == "fork") return wrongWithFork(event, detail);
    if (x_.isNowhere(event.time)) return "its branch does not go on there";
    if (event.body_a < 0) return "it is of no body";
    for (const int body : {event.body_a, event.body_b})
      if (body >= 0 && !x_.motion.atStart(body, event.time)) return "no piece of its body starts there";
    if (kind.starts_with("contact-")) return wrongWithContact(event, detail);
    if (kind.starts_with("slip-")) return wrongWithSlip(event, detail);
    if (kind.starts_with("limit-")) return wrongWithLimit(event, detail);
    if (event.body_b >= 0) return "it is of one body";
    if (kind == "rest") return event.detail.empty() ? wrongWithRest(event) : "it has a detail";
    if (kind == "closure") return wrongWithClosure(event, detail);
    if (run().actions_known) return "something acts from outside in a run of bodies left alone";
    return kind == "velocity-set" ? wrongWithSetVelocity(event, detail) : "";
  }

  // How far the parts of a pair are apart, as far as that is more than what touches may be; 0 otherwise.
  double apart(const Key& key, const BodyAt& a, const BodyAt& b) const {
    return apartAtLeast(partOf(key, 0), a, partOf(key, 2), b,
                        reach(key[0], key[2]) + 1e-9 * (a.p.norm() + b.p.norm()));
  }
  const kernel::Part& partOf(const Key& key, std::size_t first) const {
    return model().bodies[static_cast<std::size_t>(key[first])].parts[static_cast<std::size_t>(key[first + 1])];
  }

  double apart(const Key& key, double time) const {
    const std::optional<BodyAt> a = x_.motion.atStart(key[0], time), b = x_.motion.atStart(key[2], time);
    return a && b ? apart(key, *a, *b) : HUGE_VAL;
  }
  int movingOf(const Key& key) const { return x_.motion.fixed(key[2]) ? key[0] : key[2]; }
  /// When the step began that ends at a time: what lets go within it is known to have done so at its end.
  double beganBefore(int moving, double time) const {
    const kernel::Piece* piece = x_.motion.ending(moving, time);
    const auto pieces = x_.proof().piecesOf(moving);
    while (piece && piece != pieces.data() && piece[-1].step == piece->step) --piece;
    return piece ? piece->t0 : time;
  }

  /// Whether the parts touch where the step began that ends at a time, be it in the branch before.
  bool touchedBefore(const Key& key, double time) const {
    if (time == x_.proof().branch().start() && until_late_.contains(key)) return true;
    return apart(key, beganBefore(movingOf(key), time)) == 0;
  }

  /// Whether the parts touch where the step ends that begins at a time: what comes to touch within a tick is told at
  /// its begin.
  bool touchesAtEnd(const Key& key, double time) const {
    const auto pieces = x_.proof().piecesOf(movingOf(key));
    const kernel::Piece* piece = x_.motion.starting(movingOf(key), time);
    while (piece && piece + 1 != pieces.data() + pieces.size() && piece[1].step == piece->step) ++piece;
    if (!piece) return false;
    const std::optional<BodyAt> a = x_.motion.atEnd(key[0], piece->t1), b = x_.motion.atEnd(key[2], piece->t1);
    return a && b && apart(key, *a, *b) == 0;
  }

  std::optional<Key> pairOf(const EventRow& event, const json& detail) const {
    if (event.body_a < 0 || event.body_b < 0 || event.body_a == event.body_b) return {};
    const Key key{event.body_a, detail.at("part_a").get<int>(), event.body_b, detail.at("part_b").get<int>()};
    for (const int i : {0, 2})
      if (key[i + 1] < 0 || key[i + 1] >= std::ssize(model().bodies[static_cast<std::size_t>(key[i])].parts)) return {};
    return key;
  }

  struct Count {
    double time;
    long touching;
  };
  long lastCount(const Key& key) const {
    const auto found = log_.find(key);
    return found == log_.end() ? 0 : found->second.back().touching;
  }
  bool add(const Key& key, double time, long touching) {
    auto& list = log_[key];
    if (!list.empty() && time < list.back().time) return false;
    list.push_back({time, touching});
    return true;
  }
  /// Whether something touched just before a time, at it (after some of its events), or from it on.
  bool touchesAround(const Key& key, double time) const {
    const auto found = log_.find(key);
    if (found == log_.end()) return false;
    long before = 0;
    for (const Count& count : found->second) {
      if (count.time >= time) {
        if (count.time == time && count.touching > 0) return true;
        break;
      }
      before = count.touching;
    }
    return before > 0;
  }

  std::string wrongWithContact(const EventRow& event, const json& detail) {
    const std::optional<Key> key = pairOf(event, detail);
    if (!key) return "it is of no two parts";
    const long made = detail.at("made").get<long>(), broken = detail.at("broken").get<long>(),
               touching = detail.at("touching").get<long>(), before = lastCount(*key);
    const bool bounces = event.kind != "contact-changed" && made == broken && made > 0 && touching == 0;
    if (made < 0 || broken < 0 || touching < 0) return "its numbers of contacts are none";
    if (apart(*key, event.time) > 0 && !(made > 0 && touchesAtEnd(*key, event.time)) &&
        !(broken > 0 && touchedBefore(*key, event.time)))
      return "its parts do not touch there";
    if (bounces) {
      if (before != 0) return "it bounces off what it touches";
      bounced_[{event.time, *key}] += event.kind == "contact-made" ? 1 : -1;
      return isHit(event.time, *key, made) ? "" : "no impact has as many contacts of its parts";
    }
    const bool fits = event.kind == "contact-made"     ? made > 0 && broken == 0
                      : event.kind == "contact-broken" ? made == 0 && broken > 0
                                                       : made > 0 && broken > 0;
    if (!fits) return "its numbers of contacts are not those of its kind";
    if (touching != before + made - broken)
      return fmt::format("{} contacts touch before it, {} after it", before, touching);
    return add(*key, event.time, touching) ? "" : "it comes before an event of the same parts that stands before it";
  }

  bool isHit(double time, const Key& key, long points) const {
    return std::any_of(x_.rows.impacts.begin(), x_.rows.impacts.end(), [&](const ImpactRow& impact) {
      return impact.time == time && points == std::count_if(impact.contacts.begin(), impact.contacts.end(),
                                                            [&](const auto& c) { return keyOf(c.pair) == key; });
    });
  }

  static Vector3d vectorIn(const json& list) {
    return Vector3d(list.at(0).get<double>(), list.at(1).get<double>(), list.at(2).get<double>());
  }

  std::string wrongWithSlip(const EventRow& event, const json& detail) const {
    const std::optional<Key> key = pairOf(event, detail);
    if (!key) return "it is of no two parts";
    if (!touchesAround(*key, event.time) && !bounced_.contains({event.time, *key}))
      return "its parts do not touch there";
    const Vector3d point = vectorIn(detail.at("point")), slip = vectorIn(detail.at("slip"));
    const BodyAt a = *x_.motion.atStart(event.body_a, event.time), b = *x_.motion.atStart(event.body_b, event.time);
    const double far = reach(event.body_a, event.body_b) + 1e-9 * (point.norm() + a.p.norm() + b.p.norm());
    if (apartAtLeast(point, partOf(*key, 0), a, far) > 0 || apartAtLeast(point, partOf(*key, 2), b, far) > 0)
      return "its point is not where its parts touch";
    if (!slips(event, point, slip) && !isHitAfter(event)) return "its slip is not that of its bodies";
    return event.kind == "slip-start" && !slides(event, point, slip) ? "nothing slips" : "";
  }

  /// Whether the bodies slip nearly as fast as told, there or where the step ends that begins there.
  bool slides(const EventRow& event, const Vector3d& point, const Vector3d& slip) const {
    const auto slipsAt = [&](const BodyAt& a, const BodyAt& b) {
      return slip.norm() > 0 && (b.velocityAt(point) - a.velocityAt(point)).norm() >= kSlips * slip.norm();
    };
    const kernel::Piece* const piece =
        x_.motion.starting(x_.motion.fixed(event.body_b) ? event.body_a : event.body_b, event.time);
    if (!piece) return false;
    const auto end_a = x_.motion.atEnd(event.body_a, piece->t1), end_b = x_.motion.atEnd(event.body_b, piece->t1);
    if ((end_a && end_b && slipsAt(*end_a, *end_b)) || isHitAfter(event)) return true;
    const auto of_a = statesAt(event.body_a, event.time), of_b = statesAt(event.body_b, event.time);
    return std::ranges::any_of(of_a, [&](const BodyAt& a) {
      return std::ranges::any_of(of_b, [&](const BodyAt& b) { return slipsAt(a, b); });
    });
  }

  /// Whether the bodies slip so on each other, in one of their states there.
  bool slips(const EventRow& event, const Vector3d& point, const Vector3d& slip) const {
    const double V = scaleOf(model(), x_.motion.fixed(event.body_b) ? event.body_a : event.body_b).speed;
    const auto fits = [&](const BodyAt& a, const BodyAt& b) {
      const Vector3d u = b.velocityAt(point) - a.velocityAt(point), across = u - slip;
      const double fastest = a.v.norm() + b.v.norm() + u.norm();
      return across.norm() <= kAcross * V && std::abs(across.dot(slip)) <= kAlong * (fastest + V) * slip.norm();
    };
    if (fits(*x_.motion.atStart(event.body_a, event.time), *x_.motion.atStart(event.body_b, event.time))) return true;
    const auto of_a = statesAt(event.body_a, event.time), of_b = statesAt(event.body_b, event.time);
    return std::any_of(of_a.begin(), of_a.end(), [&](const BodyAt& a) {
      return std::any_of(of_b.begin(), of_b.end(), [&](const BodyAt& b) { return fits(a, b); });
    });
  }

  /// A body where a step of it begins: as the motion goes on, as it comes there, and between the impacts there: it may
  /// be taken up again by a larger group that is hit.
  std::vector<BodyAt> statesAt(int body, double time) const {
    std::vector<BodyAt> states{*x_.motion.atStart(body, time)};
    if (const auto end = x_.motion.atEnd(body, time); end && !x_.motion.fixed(body)) states.push_back(*end);
    for (const ImpactRow& impact : x_.rows.impacts)
      for (std::size_t i = 0; impact.time == time && i < impact.bodies.size(); ++i) {
        if (impact.bodies[i] != body) continue;
        for (const auto* twists : {&impact.before, &impact.after}) {
          BodyAt at = states[0];
          at.v = Vector3d(&(*twists)[6 * i]), at.w = Vector3d(&(*twists)[6 * i + 3]);
          states.push_back(at);
        }
      }
    return states;
  }

  /// What an event tells of may be hit at the same instant: then the motion goes on otherwise.
  bool isHitAfter(const EventRow& event) const {
    return std::any_of(x_.rows.events.begin(), x_.rows.events.end(), [&](const EventRow& other) {
      const bool same = other.body_a == event.body_a || other.body_a == event.body_b ||
                        (other.body_b >= 0 && (other.body_b == event.body_a || other.body_b == event.body_b));
      return same && other.time == event.time && other.id > event.id &&
             (other.kind.starts_with("contact-") || other.kind == "closure");
    });
  }

  std::string wrongWithRest(const EventRow& event) const {
    // What rests may be hit, or go on in a group that is, at that instant.
    const Scale scale = scaleOf(model(), event.body_a);
    const auto states = statesAt(event.body_a, event.time);
    const bool still = std::any_of(states.begin(), states.end(), [&](const BodyAt& at) {
      return at.v.norm() + at.w.norm() * scale.length <= kRests * scale.speed;
    });
    const bool is_hit = std::ranges::any_of(x_.rows.impacts, [&](const ImpactRow& impact) {
      return impact.time == event.time && std::ranges::count(impact.bodies, event.body_a) > 0;
    });
    const kernel::Piece* const piece = x_.motion.starting(event.body_a, event.time);
    return (still && piece && (piece->still() || is_hit)) || isHitAfter(event) ? "" : "its body moves";
  }

  std::string wrongWithClosure(const EventRow& event, const json& detail) const {
    if (detail.empty()) return x_.acted.jumpsAt(event.time).empty() && run().actions_known ? "nothing jumps there" : "";
    const long told = detail.at("plastic_impacts").get<long>();
    const long most = std::count_if(x_.rows.impacts.begin(), x_.rows.impacts.end(), [&](const ImpactRow& impact) {
      return impact.time == event.time && impact.model == "coulomb";
    });
    return told > 0 && told <= most ? "" : "there are not as many plastic impacts";
  }

  std::string wrongWithFork(const EventRow& event, const json& detail) {
    if (event.time != x_.proof().branch().end_time || forks_) return "the branch does not end there";
    forks_ = true;
    if (detail.at("outcomes").get<long>() < 2 || detail.at("samples").get<long>() < 0) return "it has no outcomes";
    return isParent() || run().unexplored > 0 ? "" : "no branch goes on from it";
  }
  bool isParent() const {
    const auto number = &x_.proof().branch() - run().branches.data();
    return std::any_of(run().branches.begin(), run().branches.end(),
                       [&](const kernel::Branch& other) { return other.parent == number; });
  }

  std::string wrongWithSetVelocity(const EventRow& event, const json& detail) const {
    const auto same = [&](const json& list, const std::vector<double>& told) {
      return list.get<std::vector<double>>() == told;
    };
    for (const ImpactRow& impact : x_.rows.impacts)
      if (impact.time == event.time && impact.model == "velocity-set" && impact.bodies.size() == 1 &&
          impact.bodies[0] == event.body_a && same(detail.at("before"), impact.before) &&
          same(detail.at("after"), impact.after))
        return {};
    return "the table 'impacts' does not say so";
  }

  std::string wrongWithLimit(const EventRow& event, const json& detail) {
    const std::string name = detail.at("joint").get<std::string>(), end = detail.at("end").get<std::string>();
    const int r = event.body_b < 0 ? -1 : model().bodies[static_cast<std::size_t>(event.body_b)].robot;
    if (r < 0 || (end != "upper" && end != "lower")) return "it is at the limit of no robot";
    const Joint* const joint = jointOfLimit(model(), name, event.body_a, event.body_b);
    if (!joint) return "it is of no joint of its links";
    const bool reached = event.kind == "limit-reached", upper = end == "upper";
    const auto number = joint - model().robots[static_cast<std::size_t>(r)].joints.data();
    const Key key = limitKey(r, static_cast<int>(number), upper);
    const double began = reached ? event.time : beganBefore(joint->child, event.time);
    if (!isAt(*joint, upper, event.time) && (began == event.time || !isAt(*joint, upper, began)))
      return "the joint is not at its limit there";
    // Both axes of a universal joint have its limits; events do not say which of them it is.
    const long before = lastCount(key), most = joint->type == kernel::JointType::kUniversal ? 2 : 1;
    if (reached ? before >= most : before == 0)
      return reached ? "the joint is at it already" : "the joint is not at it";
    return add(key, event.time, before + (reached ? 1 : -1))
               ? ""
               : "it comes before an event of the same limit that stands before it";
  }

  bool isAt(const Joint& joint, bool upper, double time) const {
    const auto linkAt = [&](int body) { return linkOf(x_.motion.atStart(body, time).value_or(BodyAt())); };
    const auto found =
        jointPosition(joint, joint.parent < 0 ? recorded::LinkState() : linkAt(joint.parent), linkAt(joint.child));
    if (found.size() != 1) return true;  // Which of several is not said.
    const bool turns = joint.type != kernel::JointType::kPrismatic;
    double length = 0;
    for (const kernel::Body& body : model().bodies)
      if (body.robot == model().bodies[static_cast<std::size_t>(joint.child)].robot && !body.fixed)
        length = std::max(length, scaleOf(model(), static_cast<int>(&body - model().bodies.data())).length);
    const double off = found[0].position - (upper ? joint.upper : joint.lower);
    return std::abs(turns ? std::remainder(off, 2 * M_PI) * length : off) <= kernel::kLimitGaps * run().gap_nominal;
  }

  // What is let go may act on for some steps: that it has touched is told, or that it bounces.
  bool isTold(const Key& key, const kernel::Action& step) const {
    const auto found = log_.find(key);
    const auto touched = [&](const Count& count) { return count.touching > 0 && count.time <= step.t1; };
    return bounced_.contains({step.t0, key}) ||
           (found != log_.end() && std::any_of(found->second.begin(), found->second.end(), touched));
  }

  // What acts over a step touches, or did.
  void checkActed() {
    for (const kernel::Action* action : x_.acted.steps()) {
      if (x_.isPast(action->t0)) break;
      for (const kernel::Contact& contact : action->contacts)
        if (!isTold(keyOf(*contact.facing), *action))
          return x_.fail(action->t0, contact.facing->body_b, "a contact acts where no event says that it touches");
      for (const kernel::Wrench& wrench : action->wrenches) {
        if (wrench.source != kernel::Wrench::Source::kLimit) continue;
        if (!isTold(limitKey(wrench.robot, wrench.joint, false), *action) &&
            !isTold(limitKey(wrench.robot, wrench.joint, true), *action))
          return x_.fail(action->t0, -1, "a limit acts where no event says that it was reached");
      }
    }
  }

  void checkImpactsTold() {
    for (const ImpactRow& impact : x_.rows.impacts) {
      if (x_.isPast(impact.time)) continue;
      for (const recorded::ImpactContact& contact : impact.contacts) {
        if (contact.pair.part_a < 0) continue;
        const Key key = keyOf(contact.pair);
        if (bounced_.contains({impact.time, key}) || touchesAround(key, impact.time)) continue;
        return x_.fail(impact.time, contact.pair.body_b,
                       fmt::format("no event tells of the contact of impact {}", impact.id));
      }
    }
  }

  // What touches at the end is still near.
  void checkEnd() {
    const double end = x_.proof().horizon();
    touching_.clear();
    for (const auto& [key, list] : log_) {
      if (list.back().touching == 0) continue;
      touching_[key] = {list.back().touching, key[0] >= 0 && touchedBefore(key, end)};
      if (key[0] < 0) continue;
      const std::optional<BodyAt> a = x_.motion.atEnd(key[0], end), b = x_.motion.atEnd(key[2], end);
      if (a && b && apart(key, *a, *b) > kEndReaches * reach(key[0], key[2]))
        x_.fail(end, key[2], "what the last event says that touches does not");
    }
  }

  // What lies still at the end has come to rest.
  void checkRests() const {
    const bool ends_early = x_.proof().horizon() < run().until;
    std::set<int> rested;
    for (const EventRow& event : x_.rows.events)
      if (event.kind == "rest") rested.insert(event.body_a);
    for (int body = 0; body < std::ssize(model().bodies); ++body) {
      if (x_.motion.fixed(body) || rested.contains(body) || ends_early) continue;
      const kernel::Piece& last = x_.proof().piecesOf(body).back();
      if (last.p_degree == 0 && last.q_degree == 0 && x_.proof().branch().parent < 0)
        return x_.fail(last.t0, body, "no event tells that the body came to rest");
    }
  }

  const Branch& x_;
  Touching& touching_;
  std::map<Key, std::vector<Count>> log_;
  std::map<std::pair<double, Key>, int> bounced_;  // Events that tell of its begin less those of its end.
  std::set<Key> until_late_;  // Of the branch before: Touch.
  bool forks_ = false;
};

}  // namespace

void checkEvents(const Branch& branch, Touching& touching) { EventTable(branch, touching).check(); }

}  // namespace rigor::verify::tables
