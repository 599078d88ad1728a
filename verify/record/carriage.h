// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "verify/kernel/run.h"

/// Links that fixed joints hold on others: their motion follows from that of the link that carries them, in doubles, in
/// the documented order of operations (docs/record-format.md), so that rows of `pieces` need not hold it.
namespace rigor::verify::recorded {

/// How a body hangs on its carrier, the link at the root of the fixed joints between them.
struct Carriage {
  int carrier = -1;  ///< Body; -1: none, it moves by itself.
  double offset[3];  ///< From the carrier's centre to the body's, carrier axes [m],
  double turn[4];    ///< and the body's orientation there.
};

/// Of each body, from where the model starts.
std::vector<Carriage> carriages(const kernel::Model& model);

/// Pose (p of the centre, q) and velocity (v, w) of a body whose carrier has these.
void carry(const Carriage& carriage, const double* p, const double* q, const double* velocity, double* body_p,
           double* body_q, double* body_velocity);

}  // namespace rigor::verify::recorded
