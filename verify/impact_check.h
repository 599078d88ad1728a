// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "verify/branch_motion.h"

namespace rigor::verify {

/// An impact lies between two pieces of each of its bodies: positions go on (BranchMotion::check), and it starts from
/// their velocity. What it leaves may be projected further before the next piece starts.
void checkImpacts(CheckedRecord& record, const Branch& branch, const BranchMotion& motion,
                  const std::vector<Impact>& impacts, double horizon);

}  // namespace rigor::verify
