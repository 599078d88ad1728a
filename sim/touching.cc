// SPDX-License-Identifier: MIT
#include "sim/touching.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace rigor::sim {

namespace {

template <typename Touch>
bool contains(const std::vector<Touch>& set, const Touch& touch) {
  return std::any_of(set.begin(), set.end(), [&](const Touch& other) { return other.isSameAs(touch); });
}

bool isIn(std::span<const int> group, int body) { return std::binary_search(group.begin(), group.end(), body); }

}  // namespace

void TouchingSet::reset(std::span<const BodyRuntime> bodies) {
  moves_.clear();
  for (const BodyRuntime& body : bodies) moves_.push_back(!body.fixed);
  of_body_.assign(bodies.size(), {});
  broken_.clear();
}

void TouchingSet::forget(double time) {
  std::erase_if(broken_, [&](const Broken& b) { return b.time < time; });
  // In an order that does not tell which group stepped first.
  const auto key = [](const Broken& b) {
    const PairKey& pair = b.touch.pair;
    const advance::ContactFeature& f = b.touch.feature;
    return std::tuple(b.time, pair.body_a, pair.body_b, pair.part_a, pair.part_b, f.a0, f.a1, f.b0, f.b1);
  };
  std::stable_sort(broken_.begin(), broken_.end(), [&](const Broken& a, const Broken& b) { return key(a) < key(b); });
}

/// By its first moving body.
bool TouchingSet::isOf(const Broken& broken, std::span<const int> bodies) const {
  const PairKey& pair = broken.touch.pair;
  return isIn(bodies, moves_[pair.body_a] ? pair.body_a : pair.body_b);
}

void TouchingSet::copyTo(std::span<const int> bodies, TouchingSet& other) const {
  for (const int body : bodies) other.of_body_[body] = of_body_[body];
  for (const Broken& broken : broken_)
    if (isOf(broken, bodies)) other.broken_.push_back(broken);
}

void TouchingSet::forget(std::span<const int> bodies) {
  for (const int body : bodies) of_body_[body].clear();
  std::erase_if(broken_, [&](const Broken& broken) { return isOf(broken, bodies); });
}

void TouchingSet::update(double time, std::span<const Contact> contacts, std::span<const int> group,
                         std::span<const ImpactRecord> impacts, double window, const LimitName& limit_name, Sink& sink,
                         Summary& summary) {
  event_.time = time;
  std::erase_if(broken_, [&](const Broken& b) { return b.time < time - window; });
  gather(contacts, group);
  changes_.clear();
  findMade(limit_name, sink, summary);
  findBroken(limit_name, sink);
  reportChanges(sink, summary);
  reportBounces(impacts, limit_name, sink, summary);
  keep(group);
}

/// What the group touches now, and what was known of that.
void TouchingSet::gather(std::span<const Contact> contacts, std::span<const int> group) {
  now_.clear(), known_.clear();
  for (const Contact& c : contacts) {
    const Touch touch{c.pair, c.feature, c.limit};
    if ((c.held || !c.in_patch) && !c.let_go && !c.isBrake() && !contains(now_, touch)) now_.push_back(touch);
  }
  for (const int body : group)
    for (const Touch& t : of_body_[body]) {
      const int other = t.pair.body_a == body ? t.pair.body_b : t.pair.body_a;
      // Else it came with the other. Limits of joints that hang in the world are between a link and itself.
      if (other >= body || !isIn(group, other)) known_.push_back(t);
    }
}

void TouchingSet::keep(std::span<const int> group) {
  const auto eachMoving = [&](const Touch& t, auto&& visit) {
    if (moves_[t.pair.body_a]) visit(t.pair.body_a);
    if (t.pair.body_b != t.pair.body_a && moves_[t.pair.body_b]) visit(t.pair.body_b);
  };
  for (const int body : group) of_body_[body].clear();
  for (const Touch& t : known_)
    eachMoving(t, [&](int body) { std::erase_if(of_body_[body], [&](const Touch& o) { return o.isSameAs(t); }); });
  for (const Touch& t : now_)
    eachMoving(t, [&](int body) { of_body_[body].push_back(t); });
}

void TouchingSet::findMade(const LimitName& limit_name, Sink& sink, Summary& summary) {
  for (const Touch& t : now_) {
    if (contains(known_, t)) continue;
    if (t.limit >= 0) {
      reportLimit("limit-reached", t.pair, limit_name(t.pair, t.limit), sink);
      continue;
    }
    ++changeOf(t.pair).made;
    summary.false_liftoffs +=
        std::any_of(broken_.begin(), broken_.end(), [&](const Broken& b) { return b.touch.isSameAs(t); });
  }
}

void TouchingSet::findBroken(const LimitName& limit_name, Sink& sink) {
  for (const Touch& t : known_) {
    if (contains(now_, t)) continue;
    if (t.limit >= 0) {
      reportLimit("limit-left", t.pair, limit_name(t.pair, t.limit), sink);
    } else {
      ++changeOf(t.pair).broken;
      broken_.push_back({t, event_.time});
    }
  }
}

void TouchingSet::reportChanges(Sink& sink, Summary& summary) {
  for (Change& change : changes_) {
    for (const Touch& t : now_) change.left += t.pair == change.pair;
    ++summary.manifold_changes;
    summary.contacts_made += change.made;
    summary.contacts_broken += change.broken;
    const std::string_view kind = change.broken == 0 ? "contact-made"
                                  : change.made == 0 ? "contact-broken"
                                                     : "contact-changed";
    reportChange(kind, change.pair, change.made, change.broken, change.left, sink);
  }
}

void TouchingSet::reportBounces(std::span<const ImpactRecord> impacts, const LimitName& limit_name, Sink& sink,
                                Summary& summary) {
  const auto touches = [&](auto&& isIt) {
    return std::any_of(known_.begin(), known_.end(), isIt) || std::any_of(now_.begin(), now_.end(), isIt);
  };
  bounced_.clear();
  for (const ImpactRecord& impact : impacts)
    for (const ImpactContactRecord& contact : impact.contacts) {
      if (!contact.limit.empty()) {
        if (touches([&](const Touch& t) {
              return t.limit >= 0 && t.pair == contact.pair && limit_name(t.pair, t.limit) == contact.limit;
            }))
          continue;
        for (const std::string_view kind : {"limit-reached", "limit-left"})
          reportLimit(kind, contact.pair, contact.limit, sink);
        continue;
      }
      if (touches([&](const Touch& t) { return t.pair == contact.pair && t.limit < 0; })) continue;
      if (std::find(bounced_.begin(), bounced_.end(), contact.pair) != bounced_.end()) continue;
      bounced_.push_back(contact.pair);
      const long points = std::count_if(impact.contacts.begin(), impact.contacts.end(),
                                        [&](const ImpactContactRecord& c) { return c.pair == contact.pair; });
      summary.manifold_changes += 2;
      summary.contacts_made += points, summary.contacts_broken += points;
      for (const std::string_view kind : {"contact-made", "contact-broken"})
        reportChange(kind, contact.pair, points, points, 0, sink);
    }
}

TouchingSet::Change& TouchingSet::changeOf(const PairKey& pair) {
  for (Change& change : changes_)
    if (change.pair == pair) return change;
  changes_.push_back({pair});
  return changes_.back();
}

/// The event of which the detail is ready.
void TouchingSet::report(std::string_view kind, const PairKey& pair, Sink& sink) {
  event_.kind = kind, event_.body_a = pair.body_a, event_.body_b = pair.body_b;
  sink.event(event_);
}

void TouchingSet::reportLimit(std::string_view kind, const PairKey& links, const std::string& name, Sink& sink) {
  event_.detail.clear();
  fmt::format_to(std::back_inserter(event_.detail), "{{{}}}", name);
  report(kind, links, sink);
}

void TouchingSet::reportChange(std::string_view kind, const PairKey& pair, long made, long broken, long touching,
                               Sink& sink) {
  event_.detail.clear();
  fmt::format_to(std::back_inserter(event_.detail),
                 R"({{"part_a":{},"part_b":{},"made":{},"broken":{},"touching":{}}})", pair.part_a, pair.part_b, made,
                 broken, touching);
  report(kind, pair, sink);
}

}  // namespace rigor::sim
