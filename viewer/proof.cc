// SPDX-License-Identifier: MIT
#include "viewer/proof.h"

namespace rigor::viewer {

Proof::~Proof() {
  if (thread_.joinable()) thread_.join();
}

void Proof::start(const std::string& path) {
  if (running_) return;
  if (thread_.joinable()) thread_.join();
  forget();
  running_ = true;
  thread_ = std::thread([this, path] {
    try {
      verify::Options options;
      options.threads = 1;  // The window stays quick.
      verify::Report report = verify::verifyRecord(path, options);
      const std::lock_guard lock(mutex_);
      report_ = std::move(report);
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      error_ = error.what();
    }
    running_ = false;
  });
}

std::optional<verify::Report> Proof::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

std::string Proof::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void Proof::forget() {
  const std::lock_guard lock(mutex_);
  report_.reset();
  error_.clear();
}

}  // namespace rigor::viewer
