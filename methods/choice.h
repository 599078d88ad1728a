// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace rigor::methods {

/// Which method moves the bodies of a scene, as its `solver` says.
struct Choice {
  std::string advance;   ///< Name of a method (methods/registry.h); empty: the event loop.
  double step = 0;       ///< [s]; 0: the method's own.
  std::string distance;  ///< Of `published`: "rigor" or "libccd"; empty: "rigor".
};

}  // namespace rigor::methods
