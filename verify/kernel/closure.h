// SPDX-License-Identifier: MIT
#pragma once
#include "verify/kernel/motion.h"

namespace rigor::verify::kernel {

/// Whether links stay joined while the child's piece and the parent's last at once: (p_c + R_c a_c) - (p_p + R_p a_p)
/// is at most `bound` in all coordinates, or across or along the joint's axis; so are differences of unit vectors that
/// do not turn, times `length`. @param open  If so: the largest of all that, for people. @pre They meet; the
/// quaternions do not vanish; the joint is not kOther.
bool staysJoined(const Joint& joint, const Vector3& parent_centre, const Piece& parent, const Vector3& child_centre,
                 const Piece& child, double length, const Number& bound, double& open);

}  // namespace rigor::verify::kernel
