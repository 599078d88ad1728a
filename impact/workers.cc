// SPDX-License-Identifier: MIT
#include "impact/workers.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <vector>

// Set by the build where the rest is instrumented; this file is not (impact/CMakeLists.txt).
#if defined(RIGOR_TELLS_THREAD_SANITIZER)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
// What oneTBB compares and frees by itself as its threads end; nothing that its tasks do.
extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:libtbb.so\n"; }
#else
static void __tsan_acquire(void*) {}
static void __tsan_release(void*) {}
#endif

namespace rigor::impact {
struct Workers::Arena {
  explicit Arena(int threads) : arena(threads), worker(threads) {
    // More threads than cores are granted only if this says so; of several such limits the least counts.
    if (threads > tbb::info::default_concurrency())
      limit.emplace(tbb::global_control::max_allowed_parallelism, threads);
  }
  std::optional<tbb::global_control> limit;
  tbb::task_arena arena;
  char start = 0, end = 0;  // Addresses that stand for what oneTBB makes visible: to the calls, and to run()'s caller;
  std::vector<char> worker;   // to the next call of the same worker, whichever thread that is.
};

Workers::Workers(int threads)
    : size_(threads > 0 ? std::min(threads, kMostWorkers) : tbb::info::default_concurrency()) {
  if (size_ > 1) arena_ = std::make_unique<Arena>(size_);
}

Workers::~Workers() = default;

void Workers::run(long count, long grain, const std::function<void(long, long, int)>& body) {
  grain = std::max(1L, grain);
  if (!arena_) {
    for (long begin = 0; begin < count; begin += grain) body(begin, std::min(begin + grain, count), 0);
    return;
  }
  struct Visible {  // To the end of a call, thrown or not.
    Visible(Arena& a, int worker) : arena(a), own(&a.worker[worker]) {
      __tsan_acquire(&arena.start);
      __tsan_acquire(own);
    }
    ~Visible() {
      __tsan_release(own);
      __tsan_release(&arena.end);
    }
    Arena& arena;
    char* own;
  };
  const auto work = [&](const tbb::blocked_range<long>& range) {
    const int worker = tbb::this_task_arena::current_thread_index();
    const Visible visible(*arena_, worker);
    body(range.begin(), range.end(), worker);
  };
  struct Caller {
    explicit Caller(Arena& a) : arena(a) { __tsan_release(&arena.start); }
    ~Caller() { __tsan_acquire(&arena.end); }
    Arena& arena;
  };
  const Caller caller(*arena_);
  arena_->arena.execute(
      [&] { tbb::parallel_for(tbb::blocked_range<long>(0, count, grain), work, tbb::simple_partitioner{}); });
}

}  // namespace rigor::impact
