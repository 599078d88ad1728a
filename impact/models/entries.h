// SPDX-License-Identifier: MIT
#pragma once
#include "impact/model_registry.h"

namespace rigor::impact {

// The library's models: each is described at the end of its own file. Others are registered (registerModel()).
[[nodiscard]] Model routhEntry();
[[nodiscard]] Model anitescuPotraEntry();
[[nodiscard]] Model sequentialEntry();
[[nodiscard]] Model propagativeEntry();
[[nodiscard]] Model plusEntry();
[[nodiscard]] Model compliantEntry();

inline constexpr Model (*kModelEntries[])() = {routhEntry,       anitescuPotraEntry, sequentialEntry,
                                               propagativeEntry, plusEntry,          compliantEntry};

}  // namespace rigor::impact
