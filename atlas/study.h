// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "atlas/family.h"

namespace rigor::atlas {

/// Where one model or engine lands.
struct Landing {
  std::string name;      ///< A model, "springs, e = ...", or an engine.
  int outcomes = 0;      ///< 0: no answer.
  /// How far the worst outcome lies outside the exact set, or, where only bounds are known, outside these: relative to
  /// the largest contact speed before, a lower bound; 0: inside, or not known to be outside.
  double outside = 0;
};

/// What was found of one impact.
struct Cell {
  double x = 0, y = 0;
  bool exact = false;       ///< The set is known whole; else bounds, if `most_lift` is there.
  int pieces = 0, dimension = -1;
  /// Largest normal velocity of a contact in the set, relative to the largest contact speed before: a bound of it where
  /// the set is not known; none: not even that.
  std::optional<double> most_lift;
  double found_lift = 0;    ///< The same of all samples and outcomes of models that lie in it, as far as is known.
  std::vector<Landing> landings;
};

/// Outcomes this near count as inside, relative to the largest contact speed before: of solvers; of springs, which end
/// by a tolerance and stay loaded; of engines, that let bodies move (kEngineSpeed) and correct what they overlap.
inline constexpr double kModelInside = 1e-6, kSpringInside = 1e-4, kEngineInside = 1e-2;
/// Of a landing by its name.
double insideOf(const Landing& landing);

/// Stiffness of a contact relative to the others', and e of the dampers of single contacts, from heavy to light: 0
/// stands for the heaviest (impact/models/compliant.h). A contact with a lighter one rebounds: its outcomes lie outside
/// the set of the inelastic impact by the order of e.
inline constexpr double kStiffnessRatios[] = {1e-4, 1e-3, 1e-2, 0.1, 1, 10, 1e2, 1e3, 1e4};
inline constexpr double kDampers[] = {0, 1e-3, 1e-2};

struct StudyOptions {
  long samples = 200;                    ///< Of the sampler.
  std::int64_t work = 3'000'000;         ///< For an exact set, and for bounds (ExactSetLimits::work).
  std::string peers;                     ///< Path of rigor-peers; empty: no engines.
  std::vector<std::string> engines;      ///< Those that it has.
  std::string scratch;                   ///< Folder for the engines' files.
};

/// One impact of a family: its set, and what each model, springs and the engines make of it. Deterministic but for the
/// engines. Cost: some ms to some s. @throws std::runtime_error where an engine's program fails.
Cell studyImpact(const Family& family, double x, double y, const StudyOptions& options);

/// A family on a grid of cells x cells, a row of y after the other.
struct Map {
  const Family* family = nullptr;
  std::vector<double> xs, ys;
  std::vector<Cell> cells;

  const Cell& at(std::size_t i, std::size_t j) const { return cells[j * xs.size() + i]; }
};

/// @param progress  called now and then with the number of cells done; false ends the study.
/// @returns an empty map then.
Map studyFamily(const Family& family, int cells, int threads, const StudyOptions& options,
                const std::function<bool(long done, long of)>& progress);

}  // namespace rigor::atlas
