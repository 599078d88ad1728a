// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "check/trajectory.h"
#include "sim/world.h"

namespace rigor::check {

/// A place where libccd and rigor do not agree.
struct Difference {
  int body_a = -1, body_b = -1;
  double time = 0;            ///< [s]
  double ours = 0, other = 0; ///< Distance [m]; negative: minus the depth of overlap.
};

struct SecondOpinions {
  long asked = 0, agree = 0;  ///< Pairs of parts at samples; what libccd does not answer is neither.
  std::vector<Difference> differ;
};

/// What libccd (geom/second_opinion.h), which shares no code with the rest, says of the distances at samples.
///
/// Every pair of bodies that checkTrajectories() looks at is asked at up to `most` instants at which both have a
/// sample, spread evenly. A half-space is a box there, as large as what lies before it. Cost: some 50 us a pair of
/// parts and instant. @pre matchScene() accepted each trajectory.
SecondOpinions askSecondOpinion(const sim::Scene& scene, std::span<const Trajectory> trajectories, long most);

}  // namespace rigor::check
