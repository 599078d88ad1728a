// SPDX-License-Identifier: MIT
#pragma once
#include "sim/contact/contact.h"
#include "sim/runtime.h"

namespace rigor::sim {

/// The contact of a feature of two parts: its frame about the centres of mass, friction and restitution of the pair.
/// Slots and pair_index are left to the caller. @pre a half-space is A.
Contact contactOf(const advance::ContactFeature& feature, const PartRuntime& A, const BodyRuntime& body_a,
                  const PartRuntime& B, const BodyRuntime& body_b);

}  // namespace rigor::sim
