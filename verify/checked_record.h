// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "verify/record_file.h"
#include "verify/separation.h"
#include "verify/verify.h"

namespace rigor::verify {

/// What all checks of a record share: what stands at its head, and the report that they write.
class CheckedRecord {
 public:
  CheckedRecord(const std::string& path, const Options& checking);

  void fail(Failure failure);  ///< From any thread.
  void failPiece(const Branch& branch, const Piece& m, double time, const std::string& reason, bool refuted = true);
  bool hasBody(std::int64_t body) const { return body >= 0 && body < static_cast<std::int64_t>(bodies.size()); }
  std::array<std::string, 2> pairName(int a, int b) const { return {bodies[a].name, bodies[b].name}; }

  /// Work items 0 .. count - 1 in chunks over the threads, each with its own prover.
  template <typename Work>
  void parallel(std::size_t count, std::size_t chunk, const Work& work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    const auto worker = [&] {
      try {
        WitnessProver prover;
        for (std::size_t first; (first = next.fetch_add(chunk)) < count;) {
          if (options.interrupt && *options.interrupt) throw Interrupted();
          for (std::size_t i = first; i < std::min(first + chunk, count); ++i) work(prover, i);
        }
      } catch (...) {
        const std::lock_guard lock(mutex_);
        error = std::current_exception();
      }
    };
    std::vector<std::jthread> others;
    for (int t = 1; t < threads_ && count > chunk; ++t) others.emplace_back(worker);
    worker();
    others.clear();
    if (error) std::rethrow_exception(error);
  }

  Options options;
  RecordFile file;
  Header header;
  std::vector<Body> bodies;
  std::vector<Branch> branches;
  Report report;

 private:
  int threads_;
  std::mutex mutex_;
};

}  // namespace rigor::verify
