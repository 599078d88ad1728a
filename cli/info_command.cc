// SPDX-License-Identifier: MIT
#include "cli/info_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/exit_code.h"
#include "cli/robot_info.h"
#include "record/reader.h"
#include "scenes/model_reader.h"

namespace rigor::cli {

int infoCommand(const InfoArguments& arguments, std::ostream& out, std::ostream& err) {
  const std::string& path = arguments.path;
  if (const std::string format = scenes::robotFormat(path); !format.empty()) return robotInfo(path, format, arguments.json, out, err);
  try {
    record::Reader reader(path);
    const record::RunHeader& header = reader.header();
    if (arguments.model) {
      out << header.model << '\n';
      return kDone;
    }
    const auto branches = reader.branches();
    double time = 0, min_gap = INFINITY;
    for (const record::BranchRow& branch : branches) {
      time = std::max(time, branch.end_time);
      min_gap = std::min(min_gap, branch.min_gap);
    }
    const long pieces = reader.count("pieces"), events = reader.count("events"), impacts = reader.count("impacts");
    const long witnesses = reader.count("witnesses");
    if (arguments.json) {
      nlohmann::ordered_json object = {{"version", header.build},
                                       {"scene", header.scene_name},
                                       {"seed", header.seed},
                                       {"status", header.status},
                                       {"time", time},
                                       {"branches", branches.size()},
                                       {"pieces", pieces},
                                       {"events", events},
                                       {"bodies", reader.bodies().size()},
                                       {"message", header.message},
                                       {"witnesses", witnesses},
                                       {"impacts", impacts},
                                       {"min_gap", nullptr},
                                       {"record", path}};
      if (std::isfinite(min_gap)) object["min_gap"] = min_gap;
      out << object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
      return kDone;
    }
    // Data for a person and for grep: stdout, as `git show` does.
    out << fmt::format("record    {}\nscene     {}\nversion   {}\nseed      {}\nstatus    {}{}\ntime      {} s of {}\n",
                       path, header.scene_name, header.build, header.seed, header.status,
                       header.message.empty() ? "" : ": " + header.message, time, header.until);
    out << fmt::format("bodies    {}\npieces    {}\nwitnesses {}\nevents    {}\nimpacts   {}\n", reader.bodies().size(),
                       pieces, witnesses, events, impacts);
    if (std::isfinite(min_gap)) out << fmt::format("min gap   {:.6g} m (claimed; `rigor verify` proves it)\n", min_gap);
    out << fmt::format("branches  {}\n", branches.size());
    constexpr std::size_t kListed = 20;
    for (std::size_t i = 0; branches.size() > 1 && i < std::min(branches.size(), kListed); ++i)
      out << fmt::format("  {:<10} from {} s to {} s, {}\n", branches[i].id, branches[i].fork_time,
                         branches[i].end_time, branches[i].status);
    if (branches.size() > kListed) out << fmt::format("  and {} more\n", branches.size() - kListed);
    return kDone;
  } catch (const record::RecordError& error) {
    err << "rigor: " << error.what() << '\n';
    return kBadInput;
  }
}

}  // namespace rigor::cli
