// SPDX-License-Identifier: MIT
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "record/writer.h"
#include "scenes/loader.h"
#include "sim/law_bounds.h"
#include "sim/simulation.h"

/// Runs that are recorded as `rigor run` does: with the bounds of the laws of motion that they declare.
namespace rigor::verify {

enum class End { kFinished, kKilled };

inline void recordScene(const sim::Scene& scene, std::uint64_t seed, const std::string& path,
                        End end = End::kFinished) {
  sim::Simulation simulation(scene, seed);
  record::RunInfo info;
  info.seed = seed, info.until = scene.until;
  info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor();
  info.bounds = sim::lawBounds(simulation.scene());
  record::WriterOptions options;
  options.replace = true;
  if (end == End::kKilled) options.commit_rows = 20;
  record::Writer writer(path, simulation.scene(), info, options);
  const sim::Summary summary = simulation.run(scene.until, writer);
  ASSERT_NE(summary.status, sim::RunStatus::kFailed) << summary.message;
  if (end == End::kFinished) writer.finish(summary, "");
}

}  // namespace rigor::verify
