// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "advance/motion_piece.h"
#include "geom/shape.h"

namespace rigor::advance {

/// Pairs of convex parts that may come within reach of each other during the bodies' current pieces.
///
/// Guarantee: two polytope parts of different bodies, not both fixed, that are not in pairs() have swept boxes at least
/// `reach` apart along some axis, hence keep that distance over the whole pieces. The swept box of a part is the box of
/// the position control points widened by the largest |vertex - centre|, rounded outwards: it contains the box by which
/// docs/record-format.md excuses a pair from witnesses. A half-space pairs with every moving part: it has no box.
///
/// Sweep and prune: an order along the axis of largest spread, kept from call to call and repaired by insertion.
/// O(parts + pairs) while the bodies move little, no allocation in the steady state. The order of pairs() depends on
/// the boxes alone, not on the history.
///
/// For all bodies at one time: the viewer's contacts, and programs of one's own. A step of sim/ asks for the pairs of
/// one group, whose pieces are seldom those of the others' time, and goes through the boxes of all bodies once
/// (Stepper::collectPairs, Stepper::certify).
class BroadPhase {
 public:
  struct Part {
    int body;
    bool fixed;
    const geom::Shape* shape;         ///< Must outlive this.
    Eigen::Vector3d centre{0, 0, 0};  ///< Point that the body's p follows, body frame [m].
  };
  /// Numbers of two parts. A half-space is `a`; otherwise a < b.
  struct Pair {
    int a, b;
    bool near;  ///< False: a half-space at least `reach` from the swept box of b; proved up to rounding, still to
                ///< certify.
    friend bool operator==(const Pair&, const Pair&) = default;
  };

  /// Parts in the order of their bodies' numbers. All bodies start with an empty box: call update() for each.
  explicit BroadPhase(std::vector<Part> parts);

  /// The body follows `piece` from now on. O(its parts). NaN in the piece: the box is all of space.
  void update(int body, const MotionPiece& piece);

  /// Sorted by (a, b); valid until the next call. @param reach  [m] >= 0.
  std::span<const Pair> pairs(double reach);

 private:
  struct Box {
    double lower[3], upper[3];
  };
  void chooseAxis();

  std::vector<Part> parts_;
  std::vector<double> radius_;  // Rounded up; 0 for half-spaces.
  std::vector<Box> boxes_;
  std::vector<int> first_part_;          // Of body b: parts first_part_[b] .. first_part_[b + 1] - 1.
  std::vector<int> half_spaces_;         // Parts.
  std::vector<Eigen::Vector4d> planes_;  // World plane of each half-space: normal and offset over |normal|.
  std::vector<int> order_;               // Polytope parts, by the lower bound along axis_.
  std::vector<Pair> pairs_;
  int axis_ = 0;
};

}  // namespace rigor::advance
