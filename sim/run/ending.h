// SPDX-License-Identifier: MIT
#pragma once

namespace rigor::sim {

/// How motions end that are cut.
enum class Ending {
  kForGood,  ///< The run goes on from there.
  kStops,    ///< It may go on as if it had not been stopped; what was handed over obeys the laws of motion by itself.
  kShown,    ///< The same, but it most likely goes on: with the velocities of the curves, to which no law is held.
};

}  // namespace rigor::sim
