// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/run/disjoint_sets.h"
#include "sim/run/groups.h"
#include "sim/run/meeting_boxes.h"

namespace rigor::sim {

/// Bodies near each other, as the last checkpoint found them. What other zones do until the next one has no part in
/// their steps: so zones may step in any order, or at a time.
struct Zone {
  long steps = 0;   ///< Of all bodies before that checkpoint, and of its groups since.
  double near = std::numeric_limits<double>::infinity();  ///< Bounds the smallest distance of the run from above, as
                                                          ///< far as it knows [m].
};

/// The zones of a run. A group is of the zone of its first body.
class Zones {
 public:
  /// Of a body, for divide().
  void addBox(int body, const BodyBox& box) {
    boxes_.push_back(box), box_of_.push_back(body);
    finite_ = finite_ && box.lower.allFinite() && box.upper.allFinite();
  }
  /// Divides moving bodies: those of a group, and those of which boxes that were added meet, are in one; all are where
  /// a box is not finite. Zones are numbered in the order of their first bodies.
  void divide(Groups& groups, std::size_t bodies, const Zone& each) {
    if (!finite_) boxes_.assign(boxes_.size(), {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()});
    sets_.reset(bodies);
    groups.each([&](const Group& group) {
      for (const int i : group.bodies) sets_.unite(group.bodies[0], i);
    });
    meeting_.each(boxes_, [&](int i, int j) {
      sets_.unite(box_of_[i], box_of_[j]);
      return true;
    });
    boxes_.clear(), box_of_.clear(), finite_ = true;
    zones_.clear();
    of_body_.assign(bodies, -1);
    for (int b = 0; b < static_cast<int>(bodies); ++b) {
      if (groups.of(b) < 0) continue;
      const int first = sets_.root(b);
      if (first == b) of_body_[b] = static_cast<int>(zones_.size()), zones_.push_back(each);
      else of_body_[b] = of_body_[first];
    }
  }

  std::size_t size() const { return zones_.size(); }
  /// -1 for fixed bodies.
  int of(int body) const { return of_body_[body]; }
  Zone& of(const Group& group) { return zones_[of_body_[group.bodies[0]]]; }
  /// What is drawn at an impact of a group's next step. No two impacts have the same.
  std::uint64_t streamOf(const Group& group) {
    return (static_cast<std::uint64_t>(of_body_[group.bodies[0]]) << kStepBits) +
           static_cast<std::uint64_t>(of(group).steps);
  }
  /// Takes the zone of a body over from others that were divided in the same way.
  void takeZone(int body, const Zones& from) { zones_[of_body_[body]] = from.zones_[of_body_[body]]; }

  /// Visits every stored value, for snapshots: list(values, visit).
  template <typename List, typename Value>
  void transfer(List&& list, Value&& value) {
    list(of_body_, [&](int& zone) { value(zone); });
    list(zones_, [&](Zone& zone) { value(zone.steps), value(zone.near); });
  }
  /// Whether what was read can be of bodies of which those in groups move.
  bool isOf(const Groups& groups, std::size_t bodies) const {
    if (of_body_.size() != bodies) return false;
    for (std::size_t b = 0; b < bodies; ++b)
      if (groups.of(static_cast<int>(b)) >= 0 &&
          (of_body_[b] < 0 || of_body_[b] >= static_cast<int>(zones_.size())))
        return false;
    return true;
  }

 private:
  static constexpr int kStepBits = 40;

  std::vector<int> of_body_;
  std::vector<Zone> zones_;
  std::vector<BodyBox> boxes_;  // That were added,
  std::vector<int> box_of_;     // of these bodies;
  bool finite_ = true;          // all of them.
  DisjointSets sets_;  // Scratch of divide().
  MeetingBoxes meeting_;
};

}  // namespace rigor::sim
