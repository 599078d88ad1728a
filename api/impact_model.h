// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace rigor {

/// Whether registerImpactModel() made the model known: another program does not know it.
bool isForeignModel(const std::string& name);

}  // namespace rigor
