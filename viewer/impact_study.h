// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "viewer/impact_set.h"

namespace rigor::viewer {

/// Computes the set of an impact on a thread of its own: simulating up to it again may take as long as it did first.
class ImpactStudy {
 public:
  ImpactStudy();
  ~ImpactStudy();

  /// Gives up what it does, and turns to this one.
  void request(const std::string& record, const ImpactPlace& place, const StudyEffort& effort);
  /// What is known of the last request, once after each change: without the deterministic models first, then complete.
  /// Null: nothing new. Where it failed: an empty set, whose note says why.
  std::shared_ptr<const ImpactSet> take();
  bool running() const { return running_; }

 private:
  struct Request {
    std::string record;
    ImpactPlace place;
    StudyEffort effort;
  };
  void work();
  void study(const Request& request);
  void publish(ImpactSet set);

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::atomic<bool> interrupt_{false}, running_{false};
  std::optional<Request> request_;
  std::shared_ptr<const ImpactSet> result_;
  std::thread thread_;
};

}  // namespace rigor::viewer
