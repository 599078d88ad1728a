// SPDX-License-Identifier: MIT
#include "cli/info_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/exit_code.h"
#include "cli/robot_info.h"
#include "record/export.h"
#include "record/leaves.h"
#include "record/reach.h"
#include "record/reader.h"
#include "scenes/model_reader.h"

namespace rigor::cli {
namespace {

constexpr std::size_t kListed = 20;

/// Weight, modes and where the moving bodies end: [x, y, z, qw, qx, qy, qz] of their origins.
nlohmann::ordered_json toJson(record::Reader& reader, const record::Leaf& leaf) {
  nlohmann::ordered_json ends = nlohmann::ordered_json::object();
  for (std::size_t b = 0; b < reader.bodies().size(); ++b) {
    if (reader.bodies()[b].fixed) continue;
    const record::BodyState state = reader.stateAt(leaf.branch, static_cast<int>(b), leaf.end_time);
    const Eigen::Vector3d& p = state.position;
    const Eigen::Vector4d& q = state.orientation;
    ends[reader.bodies()[b].name] = {p[0], p[1], p[2], q[0], q[1], q[2], q[3]};
  }
  return {{"branch", leaf.branch}, {"weight", leaf.weight}, {"modes", leaf.modes},
          {"time", leaf.end_time}, {"status", leaf.status}, {"ends", std::move(ends)}};
}

/// The heaviest ones, with the ends of the first moving body.
void printLeaves(record::Reader& reader, std::vector<record::Leaf> leaves, std::ostream& out) {
  const auto& bodies = reader.bodies();
  const auto moving =
      std::find_if(bodies.begin(), bodies.end(), [](const record::BodyRow& body) { return !body.fixed; });
  std::stable_sort(leaves.begin(), leaves.end(),
                   [](const record::Leaf& a, const record::Leaf& b) { return a.weight > b.weight; });
  out << fmt::format("leaves    {}; weight (share by the impact model's law), contacts after each fork, end{}\n",
                     leaves.size(), moving == bodies.end() ? std::string() : " of " + moving->name);
  for (std::size_t i = 0; i < std::min(leaves.size(), kListed); ++i) {
    out << fmt::format("  {:<10} {:<8.4g} {}", leaves[i].branch, leaves[i].weight, leaves[i].modes);
    if (moving != bodies.end()) {
      const record::BodyState state =
          reader.stateAt(leaves[i].branch, static_cast<int>(moving - bodies.begin()), leaves[i].end_time);
      out << fmt::format(" ({:.4g}, {:.4g}, {:.4g})", state.position[0], state.position[1], state.position[2]);
    }
    out << '\n';
  }
  if (leaves.size() > kListed) out << fmt::format("  and {} more\n", leaves.size() - kListed);
}

}  // namespace

int infoCommand(const InfoArguments& arguments, std::ostream& out, std::ostream& err) {
  const std::string& path = arguments.path;
  if (const std::string format = scenes::robotFormat(path); !format.empty()) {
    if (arguments.reach.empty()) return robotInfo(path, format, arguments.json, out, err);
    err << fmt::format("rigor: --reach is of a record; {} describes a robot\n", path);
    return kUsage;
  }
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
    const std::vector<record::Leaf> leaves = record::leavesOf(reader);
    if (!arguments.reach.empty()) record::writeReach(reader, arguments.reach);
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
      object["leaves"] = nlohmann::ordered_json::array();
      for (const record::Leaf& leaf : leaves) object["leaves"].push_back(toJson(reader, leaf));
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
    for (std::size_t i = 0; branches.size() > 1 && i < std::min(branches.size(), kListed); ++i)
      out << fmt::format("  {:<10} from {} s to {} s, {}\n", branches[i].id, branches[i].fork_time,
                         branches[i].end_time, branches[i].status);
    if (branches.size() > kListed) out << fmt::format("  and {} more\n", branches.size() - kListed);
    if (branches.size() > 1) printLeaves(reader, leaves, out);
    return kDone;
  } catch (const record::RecordError& error) {
    err << "rigor: " << error.what() << '\n';
    return kBadInput;
  } catch (const record::ExportError& error) {
    err << "rigor: " << error.what() << '\n';
    return kFailure;
  }
}

}  // namespace rigor::cli
