// SPDX-License-Identifier: MIT
#include "verify/recorded_run.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "verify/record/strict_json.h"

namespace rigor::verify {

RecordedRun::RecordedRun(const std::string& path) : file_(path) {
  run = file_.run();
  run_status = file_.meta().status;
}

ModelDifference RecordedRun::differenceFromScene(std::string& note) {
  const std::vector<recorded::FileRow> files = file_.files();
  if (!files.empty()) return verify::differenceFromScene(file_.meta(), file_.text(), files);
  note =
      "the record holds no scene (it was made in memory): what is proved is about its model alone, which `rigor info "
      "--model` prints";
  return {-1, excessOfModel(file_.meta(), file_.text())};
}

bool RecordedRun::motionsWereGiven() const {
  const auto options = recorded::parseStrictJson(file_.meta().options);
  return options.is_object() && options.value("origin", nlohmann::json()) == "check";
}

double RecordedRun::claimedGap() const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  if (file_.meta().summary.empty()) return kNone;
  const auto summary = recorded::parseStrictJson(file_.meta().summary);
  return summary.is_object() && summary.contains("min_gap") && summary["min_gap"].is_number()
             ? summary["min_gap"].get<double>()
             : kNone;
}

}  // namespace rigor::verify
