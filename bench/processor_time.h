// SPDX-License-Identifier: MIT
#pragma once
#include <ctime>

/// Time of this process on the processor [s]: other work on the machine does not count.
inline double cpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
