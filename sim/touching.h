// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "sim/contact.h"
#include "sim/simulation.h"

namespace rigor::sim {

/// The set of touching features of every pair over time: counts its changes and reports them as events.
class TouchingSet {
 public:
  /// Compares the contacts of the step that the bodies `group` (ascending) start at `time` with those known of them, emits contact-made, -broken and -changed
  /// events and adds to the counters of `summary`. Pairs of `impacts` that neither touched before nor stay in touch have
  /// bounced: they count as made and broken at once. A contact made again within `window` [s] of its breaking counts as a false lift-off.
  void update(double time, std::span<const Contact> contacts, std::span<const int> group,
              std::span<const ImpactRecord> impacts, double window, Sink& sink,
              Summary& summary);

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
    list(known_, [&](Touch& t) { pair(t.pair), feature(t.feature); });
    list(broken_, [&](Broken& b) { pair(b.touch.pair), feature(b.touch.feature), value(b.time); });
  }

 private:
  struct Touch {
    PairKey pair;
    advance::ContactFeature feature;
  };
  struct Broken {
    Touch touch;
    double time;
  };
  std::vector<Touch> known_, now_;
  std::vector<Broken> broken_;
};

}  // namespace rigor::sim
