// SPDX-License-Identifier: MIT
#include "viewer/impact_study.h"

namespace rigor::viewer {

ImpactStudy::ImpactStudy() : thread_([this] { work(); }) {}

ImpactStudy::~ImpactStudy() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = interrupt_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void ImpactStudy::request(const std::string& record, const ImpactPlace& place, const StudyEffort& effort) {
  {
    const std::lock_guard lock(mutex_);
    request_ = Request{record, place, effort};
    result_.reset();
    running_ = interrupt_ = true;
  }
  wake_.notify_all();
}

std::shared_ptr<const ImpactSet> ImpactStudy::take() {
  const std::lock_guard lock(mutex_);
  return std::move(result_);
}

void ImpactStudy::publish(ImpactSet set) {
  const std::lock_guard lock(mutex_);
  if (!request_) result_ = std::make_shared<const ImpactSet>(std::move(set));
}

void ImpactStudy::study(const Request& request) {
  const auto model = RunModel::openRecord(request.record);
  std::unique_ptr<ForkReplay> replay;
  std::string note;
  try {
    replay = std::make_unique<ForkReplay>(request.record);
  } catch (const ReplayError& error) {
    note = error.what();
  }
  const auto noted = [&](ImpactSet set) {
    if (!note.empty()) set.note = note;
    return set;
  };
  publish(noted(collectImpactSet(*model, replay.get(), request.place, request.effort, &interrupt_,
                                 [&](const ImpactSet& early) { publish(noted(early)); })));
}

void ImpactStudy::work() {
  for (;;) {
    Request request;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stop_ || request_; });
      if (stop_) return;
      request = std::move(*request_);
      request_.reset();
      interrupt_ = false;
    }
    try {
      study(request);
    } catch (const std::exception& failure) {
      ImpactSet none;
      none.place = request.place, none.note = failure.what();
      publish(std::move(none));
    }
    const std::lock_guard lock(mutex_);
    if (!request_) running_ = false;  // Else something newer was asked for.
  }
}

}  // namespace rigor::viewer
