// SPDX-License-Identifier: MIT
#pragma once
#include <variant>

#include "geom/polytope.h"

namespace rigor::geom {

/// One convex part of a body, in the body's frame.
using Shape = std::variant<Polytope, HalfSpace>;

}  // namespace rigor::geom
