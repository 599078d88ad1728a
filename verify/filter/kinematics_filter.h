// SPDX-License-Identifier: MIT
#pragma once
#include "verify/kernel/run.h"

namespace rigor::verify::filter {

/// The law of kinematics (kernel::Laws) in doubles that carry a bound of all roundings: that the velocity columns of a piece
/// are those of its curve, but for a lift of at most `bound` [gap_nominal]. "True" is a proof, and `lift` is then no less than
/// the true one. @param length  l of the body, rounded up [m]. @pre the piece is finite, t0 < t1, its quaternion does not vanish.
bool provesKinematics(const kernel::Piece& piece, double gap_nominal, double length, double bound, double& lift, double& time);

}  // namespace rigor::verify::filter
