// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "rigor/types.h"

namespace rigor {

/// Numbers of a matrix, row after row.
struct Matrix {
  long rows = 0, cols = 0;
  std::vector<double> values;
};

struct ImpactSetOptions {
  std::string model = "routh";
  long samples = 1000;  ///< Of random models.
  std::uint64_t seed = 0;
  int threads = 0;      ///< 0: all cores. Does not change the samples.
};

/// What a model makes of an impact problem: samples of a random model, all solutions of a deterministic one.
struct ImpactSet {
  std::string model;
  bool random = false;
  Matrix velocity;           ///< A row an outcome: the n velocities after it.
  Matrix normal_velocity;    ///< A row an outcome: m, positive separates [m/s].
  std::vector<int> lcps;     ///< An outcome each.
  std::vector<std::vector<std::vector<double>>>
      impulses;  ///< Deterministic models: of each outcome and contact, normal, then tangents [N s].
  long drawn = 0, unfinished = 0, failed = 0;
  double worst_residual = 0, worst_energy_increase = 0;
};

/// @param problem  Text of an impact problem (docs/impact-problems.md); `path` is for messages. @throws InputError.
ImpactSet impactSet(const std::string& problem, const std::string& path, const ImpactSetOptions& options = {},
                    const Watch& watch = {});
/// The same of a file.
ImpactSet impactSetOfFile(const std::string& path, const ImpactSetOptions& options = {}, const Watch& watch = {});
/// The models that there are.
std::vector<std::string> impactModels();

}  // namespace rigor
