// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace rigor::sim {
class Simulation;
}

namespace rigor::record {

/// What a record says of the run besides its scene.
struct RunInfo {
  std::uint64_t seed = 0;
  std::string build;           ///< Version and revision of the program.
  std::string options = "{}";  ///< JSON text: the command line's choices.
  std::string bounds = "{}";   ///< JSON text: bound of each law of motion; empty object: no impulses are recorded.
  double gap_nominal = 0;      ///< delta [m]
  double gap_floor = 0;        ///< Every pair stays at least this apart [m].
  double until = 0;            ///< [s]
};

/// What a record says of a run of `simulation`, whoever made it: scales of gaps, bounds of the laws of motion, seed and
/// end, and as options the scene's path, `until`, `seed`, the impact model and the budget of steps.
/// @param build  Version and revision of the program.
/// @param own    Options of this kind of run alone, an object; they replace those of the same name.
RunInfo runInfo(const sim::Simulation& simulation, std::uint64_t seed, double until, const std::string& build);
RunInfo runInfo(const sim::Simulation& simulation, std::uint64_t seed, double until, const std::string& build,
                const nlohmann::ordered_json& own);

/// Text of options, also where a path is no UTF-8.
std::string optionsText(const nlohmann::ordered_json& options);

}  // namespace rigor::record
