// SPDX-License-Identifier: MIT
#include "api/run_info.h"

#include <nlohmann/json.hpp>

#include "api/version.h"
#include "sim/law_bounds.h"

namespace rigor {

record::RunInfo runInfo(const sim::Simulation& simulation, std::uint64_t seed, double until,
                        const nlohmann::ordered_json& own) {
  const sim::Scene& scene = simulation.scene();
  record::RunInfo info;
  info.seed = seed, info.build = RIGOR_BUILD, info.until = until;
  info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor();
  info.bounds = sim::lawBounds(scene);
  nlohmann::ordered_json options{
      {"scene", scene.path}, {"until", until}, {"seed", seed}, {"impact", scene.impact_model}};
  options.update(own);
  options["max_steps"] = scene.solver.max_steps;
  info.options = options.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return info;
}

}  // namespace rigor
