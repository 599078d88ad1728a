// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "advance/broad_phase.h"
#include "advance/manifold.h"
#include "viewer/run_model.h"

namespace rigor::viewer {

/// A point where two parts touch, at the shown instant.
struct ShownContact {
  sim::PairKey pair;
  Eigen::Vector3d point, normal;  ///< World; the unit normal points from A to B.
  double gap;                     ///< [m]
};

/// The closest points of two parts that are near each other.
struct ClosestPair {
  sim::PairKey pair;
  Eigen::Vector3d point_a, point_b;  ///< World [m].
  double distance;                   ///< [m]
};

/// Finds contacts and near pairs from geometry alone, at any poses: records need not store them, and what is shown
/// belongs to the shown instant, between steps as well.
class ContactFinder {
 public:
  explicit ContactFinder(const RunModel& model);

  /// Points of pairs within `band` [m] (contacts are held at gapNominal()) and closest points of pairs within `reach`.
  /// Only pairs with a moving body. O(pairs within reach).
  void find(const RunModel& model, const std::vector<Placement>& placements, double band, double reach);

  const std::vector<ShownContact>& contacts() const { return contacts_; }
  const std::vector<ClosestPair>& closest() const { return closest_; }

 private:
  struct Part {
    int body, part;
  };
  std::vector<Part> parts_;
  std::unique_ptr<advance::BroadPhase> broad_phase_;
  advance::ManifoldFinder manifold_;
  std::vector<ShownContact> contacts_;
  std::vector<ClosestPair> closest_;
  std::vector<advance::ContactFeature> features_;
};

}  // namespace rigor::viewer
