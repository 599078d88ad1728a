// SPDX-License-Identifier: MIT
#include "viewer/background_run.h"

#include <stdlib.h>

#include <chrono>
#include <filesystem>

#include "record/writer.h"

namespace rigor::viewer {

BackgroundRun::BackgroundRun(sim::Scene scene, std::uint64_t seed, double until) {
  sim::Simulation simulation(std::move(scene), seed);
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "rigor-view-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    throw record::RecordError("cannot create a folder for the record in " + fs::temp_directory_path().string());
  folder_ = pattern;
  path_ = (fs::path(folder_) / (simulation.scene().name + ".rigor")).string();
  if (simulation.scene().name.find('/') != std::string::npos) path_ = (fs::path(folder_) / "scene.rigor").string();
  const record::RunInfo info = record::runInfo(simulation, seed, until, "rigor view");
  record::WriterOptions options;
  options.commit_interval = 0.1;  // A person is watching.
  options.visible_at_once = true;
  auto writer = std::make_unique<record::Writer>(path_, simulation.scene(), info, options);
  thread_ = std::thread([this, until, run = std::move(simulation), out = std::move(writer)]() mutable {
    try {
      const sim::Summary summary =
          run.run(until, *out, &interrupt_, [this](double time, long) { time_ = time; });
      out->finish(summary, "{}");
      const std::lock_guard lock(mutex_);
      message_ = summary.status == sim::RunStatus::kFailed ? summary.message : "";
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      message_ = error.what();
    }
    out.reset();
    done_ = true;
  });
}

BackgroundRun::~BackgroundRun() {
  interrupt_ = true;
  if (thread_.joinable()) thread_.join();
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

std::string BackgroundRun::message() const {
  const std::lock_guard lock(mutex_);
  return message_;
}

void BackgroundRun::wait(const std::atomic<bool>& stop) {
  while (!done_ && !stop) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace rigor::viewer
