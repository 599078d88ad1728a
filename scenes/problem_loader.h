// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "impact/resolver.h"
#include "scenes/load_error.h"

namespace rigor::scenes {

/// An impact problem file (docs/impact-problems.md) as it was read.
struct LoadedProblem {
  std::string path, name, description, notes;
  impact::ImpactProblem problem;
  impact::ImpactOptions options;            ///< The file's; `step` of a file is h itself [N s].
  std::map<std::string, Position> fields;   ///< Where the value of each field but the words stands.
  std::vector<std::string> warnings;        ///< `FILE:LINE:COL: what`, such as contacts that are jammed.

  /// `FILE:LINE:COL` of a field, such as `restitution` or `plus.theta_max`; of the file's start where it is not there.
  std::string locate(const std::string& field) const;
  /// `FILE:LINE:COL: reason`, at the field that the error is of (impact::FieldError).
  std::string located(const std::invalid_argument& error) const;
};

/// The problem of a YAML or JSON file, read strictly.
///
/// Guarantee: everything in the file was understood; sizes fit; numbers are finite; the mass matrix is symmetric (made
/// exactly so) and positive definite; every contact with friction has tangent rows; no normal is zero. Contacts that no
/// velocity separates all at once are a warning: most models end such impacts, none has to.
/// @throws LoadError at the first value that is not allowed.
LoadedProblem loadProblem(const std::string& path);

/// The same from text; `path` is for messages.
LoadedProblem parseProblem(const std::string& text, const std::string& path);

}  // namespace rigor::scenes
