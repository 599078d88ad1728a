// SPDX-License-Identifier: MIT
#pragma once
#include "record/reader.h"
#include "sim/world.h"

namespace rigor::viewer {

/// The scene of a record, loaded from the files that are embedded in it: it may lie anywhere, and its meshes need not
/// be here.
/// @throws scenes::LoadError.
sim::Scene recordedScene(record::Reader& reader);

}  // namespace rigor::viewer
