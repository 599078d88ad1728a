// SPDX-License-Identifier: MIT
// Proved: a range is covered once, by calls of the size asked for, whose worker numbers are right and never act twice
// at once; more threads than cores are granted; exceptions arrive. Oracle: counting. That ThreadSanitizer sees races of
// the calls, and nothing else: tests/tsan_race.cc, and every test with threads under the preset tsan.
#include "impact/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace rigor::impact {
namespace {

TEST(Workers, CoverTheRangeOnceInCallsOfTheSizeAskedFor) {
  for (const int threads : {0, 1, 2, 5}) {
    Workers workers(threads);
    EXPECT_EQ(workers.size(), threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency()));
    for (const long count : {0L, 1L, 99L, 1000L}) {
      for (const long grain : {1L, 16L, 4000L}) {
        std::vector<int> times(count, 0);
        std::vector<std::atomic<int>> busy(workers.size());
        std::atomic<int> wrong{0};
        workers.run(count, grain, [&](long begin, long end, int worker) {
          wrong += worker < 0 || worker >= workers.size() || begin >= end || end - begin > grain;
          wrong += busy[worker]++ > 0;
          for (long k = begin; k < end; ++k) ++times[k];
          --busy[worker];
        });
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(times, std::vector<int>(count, 1));
      }
    }
  }
}

TEST(Workers, AreThreadsOfTheirOwnBeyondTheCores) {
  const int many = static_cast<int>(std::thread::hardware_concurrency()) + 2;
  Workers workers(many);
  std::atomic<int> arrived{0};
  // Nobody leaves before all are there.
  workers.run(many, 1, [&](long, long, int) {
    for (++arrived; arrived < many;) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, many);
}

TEST(Workers, ThrowWhatACallThrew) {
  for (const int threads : {1, 3}) {
    Workers workers(threads);
    const auto fail = [](long begin, long, int) {
      if (begin >= 40) throw std::runtime_error("the body's own");
    };
    EXPECT_THROW(workers.run(64, 1, fail), std::runtime_error);
    std::atomic<long> sum{0};
    workers.run(64, 1, [&](long begin, long, int) { sum += begin; });  // As good as new.
    EXPECT_EQ(sum, 63 * 64 / 2);
  }
}

}  // namespace
}  // namespace rigor::impact
