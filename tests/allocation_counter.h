// SPDX-License-Identifier: MIT
#pragma once

/// Calls of malloc, realloc and aligned allocation by this thread so far; -1 where a sanitizer owns the allocator.
namespace rigor {
long allocations();
}
