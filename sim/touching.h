// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "elementary/require.h"
#include "sim/contact/contact.h"
#include "sim/runtime.h"
#include "sim/simulation.h"

namespace rigor::sim {

/// The set of touching features of every pair over time: counts its changes and reports them as events. Limits at which
/// joints are are reported, not counted. Kept by body: a step costs what touches its group, not what touches elsewhere.
class TouchingSet {
 public:
  /// What broke before `time` [s] is of no use any more.
  void forget(double time);

  /// Nothing touches. Of the bodies, only those that move are asked for.
  void reset(std::span<const BodyRuntime> bodies);

  /// Name of a limit: RobotLimit::name() of the limit of that number of a robot with a joint of those links.
  using LimitName = std::function<std::string(const PairKey& links, int limit)>;

  /// Compares the contacts of the step that the bodies `group` (ascending) start at `time` with those known of them,
  /// emits contact-made, -broken and -changed events and adds to the counters of `summary`. Pairs of `impacts` that
  /// neither touched before nor stay in touch have bounced: they count as made and broken at once. A contact made again
  /// within `window` [s] of its breaking counts as a false lift-off.
  void update(double time, std::span<const Contact> contacts, std::span<const int> group,
              std::span<const ImpactRecord> impacts, double window, const LimitName& limit_name, Sink& sink,
              Summary& summary);

  /// Gives what is known of some bodies to another one that knows nothing of them. @pre nothing else touches them but
  /// fixed bodies.
  void copyTo(std::span<const int> bodies, TouchingSet& other) const;
  /// Forgets what is known of some bodies.
  void forget(std::span<const int> bodies);
  /// visit(a, b) for every pair of bodies of which something is known.
  template <typename Visit>
  void eachPair(Visit&& visit) const {
    for (const std::vector<Touch>& known : of_body_)
      for (const Touch& t : known) visit(t.pair.body_a, t.pair.body_b);
    for (const Broken& b : broken_) visit(b.touch.pair.body_a, b.touch.pair.body_b);
  }

  /// Visits every stored value, for snapshots. @pre reset().
  template <typename Pair, typename Feature, typename Value>
  void transfer(Pair&& pair, Feature&& feature, Value&& value) {
    RIGOR_REQUIRE(of_body_.size() == moves_.size());
    auto list = [&](auto& items, auto&& each) {
      std::uint64_t count = items.size();
      value(count);
      if (count > (1u << 28)) throw std::invalid_argument("the stored state is damaged");
      items.resize(count);
      for (auto& item : items) each(item);
    };
    for (std::vector<Touch>& known : of_body_)
      list(known, [&](Touch& t) { pair(t.pair, t.limit), feature(t.feature); });
    list(broken_, [&](Broken& b) { pair(b.touch.pair, b.touch.limit), feature(b.touch.feature), value(b.time); });
  }

 private:
  struct Touch {
    PairKey pair;
    advance::ContactFeature feature;
    int limit = -1;  ///< Contact::limit

    bool isSameAs(const Touch& o) const {
      return pair == o.pair && limit == o.limit && feature.sameVertices(o.feature);
    }
  };
  struct Broken {
    Touch touch;
    double time;
  };
  struct Change {
    PairKey pair;
    int made = 0, broken = 0, left = 0;
  };

  bool isOf(const Broken& broken, std::span<const int> bodies) const;
  void gather(std::span<const Contact> contacts, std::span<const int> group);
  void keep(std::span<const int> group);
  void findMade(const LimitName& limit_name, Sink& sink, Summary& summary);
  void findBroken(const LimitName& limit_name, Sink& sink);
  void reportChanges(Sink& sink, Summary& summary);
  void reportBounces(std::span<const ImpactRecord> impacts, const LimitName& limit_name, Sink& sink, Summary& summary);
  Change& changeOf(const PairKey& pair);
  void report(std::string_view kind, const PairKey& pair, Sink& sink);
  void reportLimit(std::string_view kind, const PairKey& links, const std::string& name, Sink& sink);
  void reportChange(std::string_view kind, const PairKey& pair, long made, long broken, long touching, Sink& sink);

  std::vector<std::vector<Touch>> of_body_;  // What each moving body touches: twice where both move.
  std::vector<char> moves_;
  std::vector<Broken> broken_;  // Within the window.
  // Scratch of update().
  std::vector<Touch> known_, now_;
  std::vector<Change> changes_;
  std::vector<PairKey> bounced_;
  EventRecord event_;
};

}  // namespace rigor::sim
