// SPDX-License-Identifier: MIT
#include "sim/touching.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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
  changes_.clear();
  auto changeOf = [&](const PairKey& pair) -> Change& {
    for (Change& c : changes_)
      if (c.pair == pair) return c;
    changes_.push_back({pair});
    return changes_.back();
  };
  event_.time = time;
  const auto report = [&](std::string_view kind, const PairKey& pair, std::string_view detail, const auto&... values) {
    event_.kind = kind, event_.body_a = pair.body_a, event_.body_b = pair.body_b;
    event_.detail.clear();
    fmt::vformat_to(std::back_inserter(event_.detail), detail, fmt::make_format_args(values...));
    sink.event(event_);
  };
  const auto reportLimit = [&](std::string_view kind, const PairKey& links, const std::string& name) {
    report(kind, links, "{{{}}}", name);
  };
  const auto reportChange = [&](std::string_view kind, const PairKey& pair, long made, long broken, long touching) {
    report(kind, pair, R"({{"part_a":{},"part_b":{},"made":{},"broken":{},"touching":{}}})", pair.part_a, pair.part_b, made, broken,
           touching);
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
  for (Change& change : changes_) {
    for (const Touch& t : now_) change.left += t.pair == change.pair;
    ++summary.manifold_changes;
    summary.contacts_made += change.made;
    summary.contacts_broken += change.broken;
    const std::string_view kind = change.broken == 0 ? "contact-made" : change.made == 0 ? "contact-broken" : "contact-changed";
    reportChange(kind, change.pair, change.made, change.broken, change.left);
  }
  bounced_.clear();
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
      if (std::find(bounced_.begin(), bounced_.end(), contact.pair) != bounced_.end()) continue;
      bounced_.push_back(contact.pair);
      const long points = std::count_if(impact.contacts.begin(), impact.contacts.end(),
                                        [&](const ImpactContactRecord& c) { return c.pair == contact.pair; });
      summary.manifold_changes += 2;
      summary.contacts_made += points, summary.contacts_broken += points;
      for (const std::string_view kind : {"contact-made", "contact-broken"}) reportChange(kind, contact.pair, points, points, 0);
    }
  known_.swap(now_);
  known_.insert(known_.end(), others_.begin(), others_.end());
}

}  // namespace rigor::sim
