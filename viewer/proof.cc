// SPDX-License-Identifier: MIT
#include "viewer/proof.h"

namespace rigor::viewer {

Proof::~Proof() {
  interrupt_ = true;
  if (thread_.joinable()) thread_.join();
}

void Proof::start(const std::string& path) {
  interrupt_ = true;  // Of what still runs for another record.
  if (thread_.joinable()) thread_.join();
  forget();
  running_ = true;
  interrupt_ = false;
  progress_ = 0;
  thread_ = std::thread([this, path] {
    try {
      verify::Options options;
      options.threads = 1;  // The window stays quick.
      options.interrupt = &interrupt_;
      options.progress = &progress_;
      verify::Report report = verify::verifyRecord(path, options);
      const std::lock_guard lock(mutex_);
      if (!interrupt_) report_ = std::move(report);  // Else of a record that is no longer shown.
    } catch (const verify::Interrupted&) {
      // Nothing is known, as before.
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

bool Proof::cancel() {
  const std::lock_guard lock(mutex_);
  interrupt_ = true;
  return running_ && !report_;
}

void Proof::forget() {
  interrupt_ = true;
  const std::lock_guard lock(mutex_);
  report_.reset();
  error_.clear();
}

}  // namespace rigor::viewer
