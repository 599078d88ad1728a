// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/problem/impact_problem.h"
#include "impact/samples/outcome_set.h"

namespace rigor::impact {

/// What a combination of contact fates (which separate, stick, slide) is met how often.
struct FateCount {
  std::vector<ContactFate> fates;  ///< m.
  long count = 0;                  ///< Outcomes with these.
  double share = 0;                ///< count / all.
  int example = 0;                 ///< Column of the first of them.
};

/// The convex hull of a set, seen in the plane of two contact velocities.
struct PlanarHull {
  int row_x = 0, row_y = 0;   ///< Rows of SetDescription::jacobian: what the plane's axes are.
  std::vector<int> vertices;  ///< Columns of the outcomes at the corners, counter-clockwise; 1 or 2 where it is flat.
};

/// A set of outcomes in contact space, y = (normal, tangents of contact 0; of contact 1; ...).
struct SetDescription {
  Eigen::MatrixXd jacobian;        ///< r x n: y = jacobian * v.
  std::vector<int> row_contact;    ///< r: the contact of each row.
  std::vector<int> row_component;  ///< r: 0 normal, 1 and 2 tangential.
  Eigen::VectorXd lower, upper;    ///< r: bounds of y [m/s].
  std::vector<FateCount> fates;    ///< Most frequent first.
  std::vector<int> extremes;       ///< Columns of extreme outcomes, farthest apart first.
  std::vector<PlanarHull>
      hulls;  ///< Of each contact (tangent 1, normal), (tangent 2, normal); of pairs (normal, normal).
};

/// Describes the set whose outcomes are the columns of `velocities` (n x k).
///
/// Guarantee: bounds, counts and planar hulls are those of the outcomes, exactly; hulls leave out corners that lie
/// within `tolerance` (relative to the largest contact speed before) of the line of their neighbours. Every extreme is
/// an outcome that is the farthest in some direction of contact space, and thus a vertex of the set's convex hull;
/// those found are distinct by more than `tolerance` in the kinetic metric. Directions are the rows' axes, both ways,
/// the corners of the planar hulls, and `directions` fixed pseudo-random ones per row of y: in few dimensions all
/// vertices that are not flat. A full hull in many dimensions is not computed: with r rows it may have of the order of
/// k^(r/2) faces. Deterministic. Cost O(k r (directions r + m^2)).
[[nodiscard]] SetDescription describeSet(const ImpactProblem& problem,
                                         const Eigen::Ref<const Eigen::MatrixXd>& velocities, double tolerance,
                                         int directions = 64);

/// Convex hull of the points (x_k, y_k): their numbers, counter-clockwise from the lowest x (then y), without corners
/// within `tolerance` of the line of their neighbours. Equal points count once, the first of them. O(k log k).
[[nodiscard]] std::vector<int> planarHull(const Eigen::Ref<const Eigen::RowVectorXd>& x,
                                          const Eigen::Ref<const Eigen::RowVectorXd>& y, double tolerance);

}  // namespace rigor::impact
