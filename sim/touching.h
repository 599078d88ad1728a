// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/contact/contact.h"
#include "sim/simulation.h"

namespace rigor::sim {

/// The set of touching features of every pair over time: counts its changes and reports them as events. Limits at which joints are
/// are reported, not counted.
class TouchingSet {
 public:
  /// Compares the contacts of the step that the bodies `group` (ascending) start at `time` with those known of them, emits contact-made, -broken and -changed
  /// events and adds to the counters of `summary`. Pairs of `impacts` that neither touched before nor stay in touch have
  /// bounced: they count as made and broken at once. A contact made again within `window` [s] of its breaking counts as a false lift-off.
  /// @param limit_name  RobotLimit::name() of the limit of that number of a robot with such a joint.
  void update(double time, std::span<const Contact> contacts, std::span<const int> group,
              std::span<const ImpactRecord> impacts, double window,
              const std::function<std::string(const PairKey& links, int limit)>& limit_name, Sink& sink, Summary& summary);

  /// Visits every stored value, for snapshots.
  template <typename Pair, typename Feature, typename Value>
  void transfer(Pair&& pair, Feature&& feature, Value&& value) {
    auto list = [&](auto& items, auto&& each) {
      std::uint64_t count = items.size();
      value(count);
      if (count > (1u << 28)) throw std::invalid_argument("the stored state is damaged");
      items.resize(count);
      for (auto& item : items) each(item);
    };
    list(known_, [&](Touch& t) { pair(t.pair, t.limit), feature(t.feature); });
    list(broken_, [&](Broken& b) { pair(b.touch.pair, b.touch.limit), feature(b.touch.feature), value(b.time); });
  }

 private:
  struct Touch {
    PairKey pair;
    advance::ContactFeature feature;
    int limit = -1;  ///< Contact::limit

    bool isSameAs(const Touch& o) const { return pair == o.pair && limit == o.limit && feature.sameVertices(o.feature); }
  };
  struct Broken {
    Touch touch;
    double time;
  };
  struct Change {
    PairKey pair;
    int made = 0, broken = 0, left = 0;
  };

  std::vector<Touch> known_, now_, others_;
  std::vector<Broken> broken_;
  // Scratch of update().
  std::vector<Change> changes_;
  std::vector<PairKey> bounced_;
  EventRecord event_;
};

}  // namespace rigor::sim
