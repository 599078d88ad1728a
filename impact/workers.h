// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>

namespace rigor::impact {

/// Threads that go through a range together (oneTBB).
///
/// Debian's oneTBB is not instrumented for ThreadSanitizer, which therefore calls all that its templates share a race.
/// workers.cc, the only file that includes oneTBB, is compiled without the sanitizer and tells it what oneTBB
/// guarantees, so that nothing needs to be suppressed and races of the bodies are seen (tests/tsan_race.cc).
class Workers {
 public:
  /// @param threads  0: all cores that the process may use. More than those are granted too, up to kMostWorkers.
  explicit Workers(int threads);
  ~Workers();
  int size() const { return size_; }

  /// Calls body(begin, end, worker), 0 <= worker < size(), for ranges of at most `grain` that cover [0, count). Calls
  /// with the same worker follow each other. What was written before run() is visible to the calls, what they wrote is
  /// visible after it. The exception of a call ends the others' range and is thrown here. One worker is the calling
  /// thread.
  void run(long count, long grain, const std::function<void(long begin, long end, int worker)>& body);

 private:
  struct Arena;
  int size_;
  std::unique_ptr<Arena> arena_;  // Null for one worker.
};

inline constexpr int kMostWorkers = 256;

}  // namespace rigor::impact
