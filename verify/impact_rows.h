// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "verify/kernel/branch_proof.h"

namespace rigor::verify {

/// Rows of `impacts` against the motion: each lies between two pieces of each of its bodies, and the first of a body at
/// its time starts from the velocity there. They are for readers: no proof rests on them. (What they leave may be
/// projected further before the next piece starts.)
std::vector<kernel::Finding> checkImpacts(const kernel::BranchProof& proof);

}  // namespace rigor::verify
