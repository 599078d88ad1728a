// SPDX-License-Identifier: MIT
#pragma once

namespace rigor::cli {

/// Of `--reach`, which explore and info share.
inline constexpr const char* kReachHelp = "Write where bodies can be, over all outcomes followed, into this CSV file";

}  // namespace rigor::cli
