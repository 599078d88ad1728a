// SPDX-License-Identifier: MIT
// A race on purpose: calls of two workers add to one number. The preset tsan expects ThreadSanitizer to report it; if
// what hides oneTBB's own traffic hid the calls' as well, every clean test with threads would mean nothing.
#include <atomic>
#include <cstdio>
#include <thread>

#include "impact/workers.h"

int main() {
  long sum = 0;
  std::atomic<int> arrived{0};
  rigor::impact::Workers workers(2);
  workers.run(2, 1, [&](long begin, long, int) {
    for (arrived.fetch_add(1, std::memory_order_relaxed); arrived.load(std::memory_order_relaxed) < 2;)
      std::this_thread::yield();
    sum += begin;
  });
  std::printf("%ld\n", sum);
}
