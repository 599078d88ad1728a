// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "verify/kernel/run.h"

/// How links hang on others, so that rows of `pieces` need not hold their motion: it follows, in doubles, in the
/// documented order of operations (docs/record-format.md). A link that fixed joints hold hangs rigidly on the one at
/// the root of them; one with a revolute joint turns about its parent.
namespace rigor::verify::recorded {

struct Carriage {
  int carrier = -1;     ///< Body; -1: none, it moves by itself.
  bool turns = false;   ///< By a revolute joint.
  double offset[3];     ///< From the carrier's centre, carrier axes [m]: to the body's, or to the joint,
  double turn[4];       ///< and the body's orientation there, or the joint's frame.
  double axis[3];       ///< Of the joint: unit; its frame,
  double axis_there[3]; ///< and the carrier's.
  double arm[3];        ///< From the joint to the body's centre, body axes [m].
};

/// What a revolute joint adds: cosine and sine of half its angle, and its rate.
struct Turning {
  double cosine = 1, sine = 0, rate = 0;
};

/// Of each body, from where the model starts.
std::vector<Carriage> carriages(const kernel::Model& model);

/// Pose (p of the centre, q) and velocity (v, w) of a body whose carrier has these. `turning`: where it turns.
void carry(const Carriage& carriage, const Turning& turning, const double* p, const double* q, const double* velocity,
           double* body_p, double* body_q, double* body_velocity);

}  // namespace rigor::verify::recorded
