// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "scenes/facets.h"

namespace rigor::scenes {

/// What a scene says about the collision shapes of a robot's file.
struct ShapeOptions {
  Facets facets;                    ///< Of round ones.
  std::optional<double> decompose;  ///< How far convex parts may stick out of a mesh [m]; none: hulls.

  ShapeOptions() = default;
  ShapeOptions(const Facets& of_round) : facets(of_round) {}  // NOLINT: facets alone are options.
};

}  // namespace rigor::scenes
