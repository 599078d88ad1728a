// SPDX-License-Identifier: MIT
#include "atlas/engine_landing.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "compare/peers.h"
#include "formats/csv.h"

namespace rigor::atlas {
namespace {

constexpr std::size_t kFirstVelocity = 9, kVelocities = 6;  // Columns of the states: time, body, pose, velocities.

/// Velocities at the last time of a file of states, in the order of its rows.
std::vector<BodyVelocity> lastVelocities(const std::string& path) {
  std::ifstream file(path);
  std::vector<BodyVelocity> bodies;
  std::string line, time;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = formats::splitCsvLine(line);
    if (fields.size() < kFirstVelocity + kVelocities) throw std::runtime_error(path + ": a row is too short");
    if (fields[0] != time) bodies.clear(), time = fields[0];
    double values[kVelocities];
    for (std::size_t k = 0; k < kVelocities; ++k) {
      const std::string& text = fields[kFirstVelocity + k];
      if (std::from_chars(text.data(), text.data() + text.size(), values[k]).ec != std::errc())
        throw std::runtime_error(path + ": a velocity is no number");
    }
    bodies.push_back({{values[0], values[1], values[2]}, {values[3], values[4], values[5]}});
  }
  return bodies;
}

}  // namespace

std::vector<Eigen::VectorXd> engineOutcomes(const StudyOptions& options, const std::string& engine,
                                            const Family& family, double x, double y) {
  static std::atomic<long> numbers = 0;
  const std::string stem = fmt::format("{}/{}", options.scratch, numbers++), scene = stem + ".yaml",
                    states = stem + ".csv";
  std::ofstream(scene) << family.scene(x, y);
  std::vector<Eigen::VectorXd> outcomes;
  for (const bool reversed : {false, true}) {
    std::vector<std::string> arguments{engine, scene, fmt::format("{}", kEngineStep), fmt::format("{}", kEngineEnd),
                                       states};
    if (reversed) arguments.emplace_back("reversed");
    compare::outputOf(options.peers, arguments);
    Eigen::VectorXd v = family.velocities(lastVelocities(states)) / kEngineSpeed;
    if (v.allFinite()) outcomes.push_back(std::move(v));
  }
  std::filesystem::remove(scene);
  std::filesystem::remove(states);
  return outcomes;
}

}  // namespace rigor::atlas
