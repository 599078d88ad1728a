// SPDX-License-Identifier: MIT
#include "record/summary_json.h"

#include <nlohmann/json.hpp>

#include "record/writer.h"

namespace rigor::record {

std::string summaryJson(const std::string& scene, const sim::Summary& s, double wall_seconds, std::uint64_t seed,
                        const std::string& record) {
  nlohmann::ordered_json json{{"scene", scene},
                              {"status", statusName(s.status)},
                              {"time", s.time},
                              {"steps", s.steps},
                              {"manifold_changes", s.manifold_changes},
                              {"impacts", s.impacts},
                              {"contacts_made", s.contacts_made},
                              {"contacts_broken", s.contacts_broken},
                              {"min_gap", s.min_gap},
                              {"mean_step", s.mean_step},
                              {"min_step", s.min_step},
                              {"max_step", s.max_step},
                              {"energy_initial", s.energy_initial},
                              {"energy_final", s.energy_final},
                              {"max_energy_increase", s.max_energy_increase},
                              {"wall_seconds", wall_seconds},
                              {"seed", seed},
                              {"record", record},
                              {"false_liftoffs", s.false_liftoffs},
                              {"plastic_impacts", s.plastic_impacts},
                              {"message", s.message}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string treeJson(const std::string& scene, const sim::TreeSummary& s, double wall_seconds, std::uint64_t seed,
                     const std::string& record) {
  nlohmann::ordered_json json{{"scene", scene},
                              {"status", statusName(s.status)},
                              {"branches", s.branches},
                              {"leaves", s.leaves()},
                              {"forks", s.forks},
                              {"merged", s.merged},
                              {"time", s.time},
                              {"min_gap", s.min_gap},
                              {"wall_seconds", wall_seconds},
                              {"seed", seed},
                              {"record", record},
                              {"open", s.open},
                              {"open_difference", s.open_difference},
                              {"plastic_impacts", s.plastic_impacts},
                              {"message", s.message}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace rigor::record
