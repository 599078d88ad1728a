// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "geom/shape.h"

namespace rigor::geom {

/// The number of the face of a box that looks up, as on a die: +z 1, +x 2, +y 3, opposite faces add to 7. 0 where none
/// does within a degree. @param R  Box axes to world. @param up  Unit.
int faceUp(const Eigen::Matrix3d& R, const Eigen::Vector3d& up);
/// The body's axis that faceUp() numbers: "+z" of 1; "" of 0.
const char* faceAxis(int number);
/// Whether a body is one box with faces along its axes, so that faceUp() means something; `half` its half edges [m].
bool isAxisBox(const std::vector<Shape>& parts, Eigen::Vector3d* half = nullptr);

}  // namespace rigor::geom
