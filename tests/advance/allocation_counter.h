// SPDX-License-Identifier: MIT
#pragma once

namespace rigor {

/// Calls of operator new so far, in the whole test program: its global operator new counts.
long allocations();

}  // namespace rigor
