// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

#include "sim/contact/contact.h"
#include "sim/system_state.h"

namespace rigor::sim {

/// A contact's feature with both bodies somewhere. The one place that says what its gap, its point and its frame are.
struct FeaturePlace {
  double gap;                        ///< [m]
  Eigen::Vector3d point;             ///< Where what acts on the contact acts, on both bodies; world [m].
  Eigen::Matrix3d frame;             ///< Rows: n, t1, t2; world.
  Eigen::Vector3d r_a, r_b;          ///< From the centres to the point [m].
  Eigen::Vector3d edge_a, edge_b;    ///< kEdges, kNearest: in the world [m].
  Eigen::Vector3d core_a, core_b;    ///< kNearest: the nearest points of corners and edges; world [m].
  Eigen::Vector3d round_axis;        ///< Round::axis of a round solid that touches a plane; world.
};

/// @pre the contact is of two parts, no limit.
void placeFeature(const Contact& contact, const Placement& A, const Placement& B, FeaturePlace& place);

}  // namespace rigor::sim
