// SPDX-License-Identifier: MIT
#include "record/run_info.h"

#include <nlohmann/json.hpp>

#include "sim/law_bounds.h"
#include "sim/simulation.h"

namespace rigor::record {

RunInfo runInfo(const sim::Simulation& simulation, std::uint64_t seed, double until, const std::string& build) {
  return runInfo(simulation, seed, until, build, nlohmann::ordered_json::object());
}

RunInfo runInfo(const sim::Simulation& simulation, std::uint64_t seed, double until, const std::string& build,
                const nlohmann::ordered_json& own) {
  const sim::Scene& scene = simulation.scene();
  RunInfo info;
  info.seed = seed, info.build = build, info.until = until;
  info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor();
  info.bounds = sim::lawBounds(scene);
  nlohmann::ordered_json options{
      {"scene", scene.path}, {"until", until}, {"seed", seed}, {"impact", scene.impact_model}};
  options.update(own);
  options["max_steps"] = scene.solver.max_steps;
  info.options = optionsText(options);
  return info;
}

std::string optionsText(const nlohmann::ordered_json& options) {
  return options.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace rigor::record
