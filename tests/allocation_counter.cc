// SPDX-License-Identifier: MIT
#include "tests/allocation_counter.h"

#include <cstddef>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
thread_local long count = 0;
}

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t size) {
  ++count;
  return __libc_malloc(size);
}
void* realloc(void* p, std::size_t size) {
  ++count;
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++count;
  return __libc_memalign(alignment, size);
}
}

namespace rigor {
long allocations() { return count; }
}  // namespace rigor

#else

namespace rigor {
long allocations() { return -1; }
}  // namespace rigor

#endif
