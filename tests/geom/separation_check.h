// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <string>

#include "geom/separation.h"
#include "tests/geom/exact_distance.h"
#include "tests/geom/polytope_pairs.h"

/// Holds answers of separation() against the exact ones; shared by the tests and the fuzzers.
namespace rigor::geom::oracle {

/// What is wrong with an answer, in words, or nothing. Checked, NaN being a fault everywhere:
///   distance   within 1e-14 (sizes + distance of the origins) of the exact one; where the sets overlap, of minus the
///              exact depth if they are small enough to know it, of being <= 0 otherwise;
///   normal     unit; joins the points; where disjoint, the exact direction up to (error of the points) / distance; the
///              sets' support planes along it, evaluated exactly, are the distance apart, within the same tolerance:
///              where overlapping, a move by the depth along it separates the sets;
///   points     on the sets, and as far apart as the distance says, up to the rounding of world coordinates.
std::string faultOf(const PolytopePair& pair, const Separation& answer, const ExactSeparation& exact);

/// An exact vector as a unit vector in doubles.
Eigen::Vector3d unitVector(const ExactVector& v);

}  // namespace rigor::geom::oracle
