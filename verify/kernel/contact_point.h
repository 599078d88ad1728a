// SPDX-License-Identifier: MIT
#pragma once
#include "verify/kernel/rational.h"

namespace rigor::verify::kernel {

/// Where a contact acts; a point of the other solid near it, by which it is seen to touch; the normal, A to B.
struct ContactPoint {
  Rational3 x, other, n;
  Rational overlap{0};  ///< Of the parts along the normal, times its length, from above. 0: none, or of a half-space.
};
/// Of bodies where they are at one instant.
ContactPoint contactPoint(const Facing& contact, const Body& body_a, const Instant& a, const Body& body_b,
                          const Instant& b);

}  // namespace rigor::verify::kernel
