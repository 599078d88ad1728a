// SPDX-License-Identifier: MIT
#include "cli/verify_command.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/exit_code.h"
#include "verify/verify.h"

namespace rigor::cli {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity: a run without pairs has no gap.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json physicsJson(const verify::Report& report) {
  if (!report.physics_known) return nullptr;
  Json laws = Json::object();
  for (const verify::LawReport& law : report.physics)
    laws[law.name] = {
        {"worst", number(law.worst)}, {"bound", number(law.bound)}, {"branch", law.branch}, {"time", number(law.time)}};
  return laws;
}

Json reportJson(const std::string& path, const verify::Report& report) {
  Json json = {{"record", path},
               {"status", report.status()},
               {"verified", report.verified},
               {"complete", report.complete},
               {"branches", report.branches},
               {"pieces", report.pieces},
               {"pairs", report.pairs},
               {"witnesses", report.witnesses},
               {"min_gap", number(report.min_gap)},
               {"horizon", number(report.horizon)},
               {"until", number(report.until)},
               {"open_joints", number(report.open_joints)},
               {"physics", physicsJson(report)},
               {"failures", Json::array()},
               {"failure_count", report.failure_count},
               {"notes", report.notes},
               {"wall_seconds", report.wall_seconds}};
  for (const verify::Failure& f : report.failures) {
    Json pair = Json::array();
    for (const std::string& name : f.pair)
      if (!name.empty()) pair.push_back(name);
    json["failures"].push_back({{"branch", f.branch},
                                {"piece", f.piece < 0 ? Json(nullptr) : Json(f.piece)},
                                {"pair", std::move(pair)},
                                {"time", number(f.time)},
                                {"reason", f.reason}});
  }
  return json;
}

void printReport(const std::string& path, const verify::Report& report, std::ostream& err) {
  for (const verify::Failure& f : report.failures) {
    std::string place = f.branch.empty() ? "" : fmt::format("branch {}, ", f.branch);
    if (f.piece >= 0) place += fmt::format("piece {}, ", f.piece);
    if (!f.pair[1].empty())
      place += fmt::format("{} and {}, ", f.pair[0], f.pair[1]);
    else if (!f.pair[0].empty())
      place += fmt::format("{}, ", f.pair[0]);
    err << fmt::format("{}: {}t = {}: {}\n", path, place, f.time, f.reason);
  }
  if (report.failure_count > static_cast<long>(report.failures.size()))
    err << fmt::format("{}: {} more failures\n", path,
                       report.failure_count - static_cast<long>(report.failures.size()));
  for (const std::string& note : report.notes) err << fmt::format("{}: note: {}\n", path, note);
  // A run that ended early is proved as far as it goes, and the same line says how far that is.
  const std::string status = !report.verified || report.complete
                                 ? report.status()
                                 : fmt::format("proved up to {} of {} s", report.horizon, report.until);
  err << fmt::format("{}: {}: {} pieces, {} witnesses, {} pair{}, {:.3g} s\n", path, status, report.pieces,
                     report.witnesses, report.pairs, report.pairs == 1 ? "" : "s", report.wall_seconds);
  if (!report.verified) return;
  err << (std::isfinite(report.min_gap)
              ? fmt::format("at every instant up to {} s all pairs are at least {:.6g} m apart\n", report.horizon,
                            report.min_gap)
              : fmt::format("no pair can collide; motions are proved continuous up to {} s\n", report.horizon));
  if (report.open_joints > 0)
    err << fmt::format("no joint or loop is open by more than {:.3g} m\n", report.open_joints);
  if (report.physics_known)
    for (const verify::LawReport& law : report.physics)
      err << fmt::format("  {}: at most {:.3g} (declared {:.3g}), in branch {} at t = {} s\n", law.name, law.worst,
                         law.bound, law.branch, law.time);
  else
    err << "forces are not proved: the laws of motion were left out, or the record declares no bounds of them\n";
  if (report.run_status != "done")
    err << fmt::format("the run's status is '{}': proved is what was recorded\n", report.run_status);
}

}  // namespace

int verifyCommand(const VerifyArguments& arguments, std::ostream& out, std::ostream& err) {
  const std::string& path = arguments.record;
  try {
    verify::Options options;
    options.kernel_alone = arguments.kernel;
    options.geometry_only = arguments.geometry_only;
    const verify::Report report = verify::verifyRecord(path, options);
    arguments.json ? void(out << reportJson(path, report).dump(-1, ' ', false, Json::error_handler_t::replace) << '\n')
         : printReport(path, report, err);
    return report.verified ? kDone : kNotProved;
  } catch (const verify::InputError& error) {
    err << "rigor: " << error.what() << '\n';
    return kBadInput;
  }
}

}  // namespace rigor::cli
