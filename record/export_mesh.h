// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "record/reader.h"

namespace rigor::record {

using Triangle = std::array<Eigen::Vector3d, 3>;  ///< Body frame [m], counter-clockwise from outside.

/// The surface of a part; of a half-space a square around the point next to the origin, 2 `plate` a side.
std::vector<Triangle> partTriangles(const PartRow& part, double plate);

/// A `plate` that is large beside all bodies [m].
double plateSize(const std::vector<BodyRow>& bodies);

/// RFC 4648, with padding.
std::string base64(const std::vector<char>& bytes);

}  // namespace rigor::record
