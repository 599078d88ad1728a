// SPDX-License-Identifier: MIT
#include "sim/touching.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigor::sim {

void TouchingSet::update(double time, std::span<const Contact> contacts, std::span<const int> group,
                         std::span<const ImpactRecord> impacts, double window,
                         const std::function<std::string(const PairKey&, int)>& limit_name, Sink& sink, Summary& summary) {
  now_.clear();
  for (const Contact& c : contacts)
    if (c.held || !c.in_patch) now_.push_back({c.pair, c.feature, c.limit});
  auto contains = [](const std::vector<Touch>& set, const Touch& t) {
    return std::any_of(set.begin(), set.end(), [&](const Touch& o) { return o.isSameAs(t); });
  };
  struct Change {
    PairKey pair;
    int made = 0, broken = 0, left = 0;
  };
  std::vector<Change> changes;
  auto changeOf = [&](const PairKey& pair) -> Change& {
    for (Change& c : changes)
      if (c.pair == pair) return c;
    changes.push_back({pair});
    return changes.back();
  };
  const auto reportLimit = [&](std::string_view kind, const PairKey& links, const std::string& name) {
    sink.event({time, kind, links.body_a, links.body_b, "{" + name + "}"});
  };
  std::erase_if(broken_, [&](const Broken& b) { return b.time < time - window; });
  for (const Touch& t : now_)
    if (!contains(known_, t)) {
      if (t.limit >= 0) {
        reportLimit("limit-reached", t.pair, limit_name(t.pair, t.limit));
        continue;
      }
      ++changeOf(t.pair).made;
      for (const Broken& b : broken_)
        if (b.touch.isSameAs(t)) { ++summary.false_liftoffs; break; }
    }
  auto concerns = [&](const Touch& t) {
    return std::binary_search(group.begin(), group.end(), t.pair.body_a) ||
           std::binary_search(group.begin(), group.end(), t.pair.body_b);
  };
  others_.clear();
  for (const Touch& t : known_) {
    if (!concerns(t)) {
      others_.push_back(t);
      continue;
    }
    if (contains(now_, t)) continue;
    if (t.limit >= 0) {
      reportLimit("limit-left", t.pair, limit_name(t.pair, t.limit));
    } else {
      ++changeOf(t.pair).broken;
      broken_.push_back({t, time});
    }
  }
  for (Change& change : changes) {
    for (const Touch& t : now_) change.left += t.pair == change.pair;
    ++summary.manifold_changes;
    summary.contacts_made += change.made;
    summary.contacts_broken += change.broken;
    const std::string_view kind = change.broken == 0 ? "contact-made" : change.made == 0 ? "contact-broken" : "contact-changed";
    sink.event({time, kind, change.pair.body_a, change.pair.body_b,
                fmt::format(R"({{"part_a":{},"part_b":{},"made":{},"broken":{},"touching":{}}})", change.pair.part_a,
                            change.pair.part_b, change.made, change.broken, change.left)});
  }
  std::vector<PairKey> bounced;
  for (const ImpactRecord& impact : impacts)
    for (const ImpactContactRecord& contact : impact.contacts) {
      if (!contact.limit.empty()) {
        const auto isIt = [&](const Touch& t) { return t.limit >= 0 && t.pair == contact.pair && limit_name(t.pair, t.limit) == contact.limit; };
        if (std::any_of(known_.begin(), known_.end(), isIt) || std::any_of(now_.begin(), now_.end(), isIt)) continue;
        for (const std::string_view kind : {"limit-reached", "limit-left"}) reportLimit(kind, contact.pair, contact.limit);
        continue;
      }
      auto concernsPair = [&](const Touch& t) { return t.pair == contact.pair && t.limit < 0; };
      if (std::any_of(known_.begin(), known_.end(), concernsPair) || std::any_of(now_.begin(), now_.end(), concernsPair)) continue;
      if (std::find(bounced.begin(), bounced.end(), contact.pair) != bounced.end()) continue;
      bounced.push_back(contact.pair);
      const long points = std::count_if(impact.contacts.begin(), impact.contacts.end(),
                                        [&](const ImpactContactRecord& c) { return c.pair == contact.pair; });
      summary.manifold_changes += 2;
      summary.contacts_made += points, summary.contacts_broken += points;
      for (const std::string_view kind : {"contact-made", "contact-broken"})
        sink.event({time, kind, contact.pair.body_a, contact.pair.body_b,
                    fmt::format(R"({{"part_a":{},"part_b":{},"made":{},"broken":{},"touching":0}})", contact.pair.part_a,
                                contact.pair.part_b, points, points)});
    }
  known_.swap(now_);
  known_.insert(known_.end(), others_.begin(), others_.end());
}

}  // namespace rigor::sim
