// SPDX-License-Identifier: MIT
#pragma once
#include "scenes/mjcf_document.h"
#include "scenes/model_file.h"

namespace rigor::scenes {

/// Warns of what bodies, joints, geoms, inertials, sites and actuators of an MJCF file state that the format does not
/// know, and of what it knows and is not simulated: gravcomp, springdamper, dampers and gains of actuators.
/// @throws LoadError for elements nested deeper than readers can follow.
void warnOfUnreadNames(MjcfDocument& document, const FileModel& file);

}  // namespace rigor::scenes
