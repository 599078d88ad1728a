// SPDX-License-Identifier: MIT
#include "impact/models/shared_options.h"

namespace rigor::impact {

ModelOption toleranceOption() {
  return keptIn({.name = "tolerance",
                 .meaning = "normal velocity that is not approaching, relative to the largest contact speed before",
                 .least = 0, .most = 1, .above_least = true, .below_most = true},
                [](auto& o) -> auto& { return o.tolerance; });
}

ModelOption coneEdgesOption() {
  ModelOption option = keptIn({.name = "cone_edges", .kind = ModelOption::Kind::kWhole,
                               .meaning = "directions of the polygonal cone of a spatial contact",
                               .least = 4, .most = 64, .multiple = 2},
                              [](auto& o) -> auto& { return o.cone_edges; });
  // Who names edges means the polygon; smooth_cone is applied later and may say otherwise.
  option.write = [](ImpactOptions& options, const OptionValue& value) {
    assignOption(options.cone_edges, value);
    options.smooth_cone = false;
  };
  return option;
}

ModelOption captureSpeedOption() {
  return keptIn(
      {.name = "capture_speed",
       .meaning = "contacts that hit slower do not rebound (in scenes: solver.capture_speed)",
       .unit = "m/s",
       .least = 0,
       .place = ModelOption::Place::kProblem},
      [](auto& o) -> auto& { return o.capture_speed; });
}

}  // namespace rigor::impact
