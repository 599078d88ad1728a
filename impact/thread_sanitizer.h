// SPDX-License-Identifier: MIT
#pragma once

/// What oneTBB guarantees and ThreadSanitizer cannot see, because Debian's library is not instrumented: what was written before
/// a parallel call is visible to its tasks, and what its tasks wrote is visible after it. Nothing in other builds.
#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace rigor::impact {

/// At the start of a task, and after the call. @param region  Any object that lives as long as the call.
inline void acquireRegion([[maybe_unused]] void* region) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(region);
#endif
}

/// Before the call, and at the end of a task.
inline void releaseRegion([[maybe_unused]] void* region) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(region);
#endif
}

}  // namespace rigor::impact
