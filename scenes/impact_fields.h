// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>
#include <vector>

#include "impact/model_registry.h"
#include "scenes/document.h"

namespace rigor::scenes {

/// What scene files and impact problem files say in the same words. All throw LoadError at what they do not accept.

/// A number >= 0, or no-slip (impact::kNoSlip).
double readFriction(const Value& value);

/// `map` must have no fields but `fields` and the options of impact models that may stand there.
void requireImpactFields(const Value& map, std::vector<std::string_view> fields, impact::ModelOption::Place place);

/// The options of all impact models (impact::modelOptions()) that `map` has; it may have other fields.
void readImpactOptions(const Value& map, impact::ModelOption::Place place, int contacts,
                       impact::ImpactOptions& options);

}  // namespace rigor::scenes
