// SPDX-License-Identifier: MIT
#pragma once
#include "viewer/draw_list.h"
#include "viewer/run_model.h"

namespace rigor::viewer {

/// Appends what of a body lies in the cube of half-edge `reach` around `origin`, computed in double precision and
/// relative to it: for views so close that single precision cannot place the body's vertices, as at a gap of 1e-8 m.
/// O(vertices).
void appendNear(const ModelBody& body, const Placement& place, const Eigen::Vector3d& origin, double reach,
                NearMesh& out);

}  // namespace rigor::viewer
