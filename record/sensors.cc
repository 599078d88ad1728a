// SPDX-License-Identifier: MIT
#include "record/sensors.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "advance/piece_acceleration.h"
#include "record/export_contacts.h"

namespace rigor::record {
namespace {

using Eigen::Vector3d;

/// One contact's share of a link's sensors.
struct Push {
  double t0, t1;
  Vector3d point, P;  ///< World; on the link.
};

/// Contacts by link, in order of their start.
using Pushes = std::map<int, std::vector<Push>>;

Pushes pushesOf(Reader& reader, const std::string& branch, const std::set<int>& links) {
  Pushes pushes;
  forEachContactForce(reader, branch, [&](const ContactForceRow& row) {
    if (links.contains(row.pair.body_a)) pushes[row.pair.body_a].push_back({row.t0, row.t1, row.point, -row.P});
    if (links.contains(row.pair.body_b)) pushes[row.pair.body_b].push_back({row.t0, row.t1, row.point, row.P});
  });
  for (auto& [link, list] : pushes)
    std::stable_sort(list.begin(), list.end(), [](const Push& a, const Push& b) { return a.t0 < b.t0; });
  return pushes;
}

/// The piece that ends at `time` or holds it.
sim::PieceRecord pieceBefore(Reader& reader, const std::string& branch, int link, double time) {
  std::optional<sim::PieceRecord> piece = reader.pieceAt(branch, link, time);
  if (piece && piece->piece.t0 == time)
    if (const auto start = reader.startBefore(branch, link, time))
      if (auto before = reader.pieceAt(branch, link, *start); before && before->piece.t1 == time) piece = before;
  if (!piece) throw RecordError("no motion of '" + bodyName(reader, link) + "' is recorded at the time asked for");
  return *piece;
}

void readImu(Reader& reader, const std::string& branch, SensorRow& row) {
  const sim::PieceRecord record = pieceBefore(reader, branch, row.link, row.time);
  const advance::Acceleration a = advance::accelerationAt(record.piece, row.time);
  const Eigen::Matrix3d R = record.piece.at(row.time).rotation();
  const Vector3d arm = -(R * reader.bodies()[static_cast<std::size_t>(row.link)].centre);
  const auto& g = reader.file().model().gravity;
  const Vector3d origin =
      a.acceleration + a.angular_acceleration.cross(arm) + a.angular_velocity.cross(a.angular_velocity.cross(arm));
  row.specific_force = R.transpose() * (origin - Vector3d(g[0], g[1], g[2]));
  row.angular_velocity = R.transpose() * a.angular_velocity;
}

/// What acted in (from, row.time], and jumps after `since`.
void addPushes(std::span<const Push> list, double from, double since, const Vector3d& origin, SensorRow& row) {
  const double span = row.time - from;
  for (const Push& push : list) {
    if (push.t0 > row.time) break;
    const bool jump = push.t0 == push.t1;
    const double share =
        jump ? (since < push.t0 ? 1.0 : 0.0)
             : std::max(0.0, std::min(push.t1, row.time) - std::max(push.t0, from)) / (push.t1 - push.t0);
    if (!(share > 0)) continue;
    row.touches = true;
    row.force += share / span * push.P;
    row.torque += share / span * (push.point - origin).cross(push.P);
  }
}

std::vector<SensorRow> measure(Reader& reader, const std::string& branch, int link, const std::vector<double>& times,
                               const Pushes& pushes) {
  std::vector<SensorRow> rows;
  const auto found = pushes.find(link);
  // Jumps at the start of the branch belong to its first interval.
  double from = reader.branch(branch).fork_time, since = -HUGE_VAL;
  std::size_t first = 0;
  for (const double time : times) {
    SensorRow& row = rows.emplace_back();
    row.time = time, row.link = link;
    readImu(reader, branch, row);
    if (found != pushes.end() && time > from) {
      const std::vector<Push>& list = found->second;
      // A step is at most as long as the run; those that ended long ago are never asked again.
      while (first < list.size() && list[first].t1 < from) ++first;
      addPushes(std::span(list).subspan(first), from, since, reader.stateAt(branch, link, time).position, row);
      since = time;
    }
    from = std::max(from, time);
  }
  return rows;
}

/// Times of the samples of a robot's controller; none without one.
std::vector<double> samplesOf(const nlohmann::json& robot, const BranchRow& branch) {
  std::vector<double> times;
  if (!robot.contains("controller") || !robot["controller"].is_object()) return times;
  const double period = robot["controller"].value("period", 0.0);
  if (!(period > 0)) return times;
  for (auto k = static_cast<long>(std::ceil(branch.fork_time / period));
       static_cast<double>(k) * period <= branch.end_time; ++k)
    times.push_back(static_cast<double>(k) * period);
  return times;
}

}  // namespace

void forEachSensor(Reader& reader, const std::string& branch, const std::function<void(const SensorRow&)>& use,
                   const ExportTimes& times) {
  const verify::kernel::Model& model = reader.file().model();
  if (model.robots.empty()) return;
  const BranchRow row = reader.branch(branch);
  const nlohmann::json json = nlohmann::json::parse(reader.header().model);
  for (std::size_t r = 0; r < model.robots.size(); ++r) {
    const std::string& name = model.robots[r].name;
    if (r > 0 && model.robots[r - 1].name == name) continue;  // Trees of one file are one robot here.
    const std::vector<double> at =
        times.everyStep() ? samplesOf(json["robots"][r], row) : times.within(row.fork_time, row.end_time);
    if (at.empty()) continue;
    std::set<int> links;
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
      if (model.bodies[b].name.starts_with(name + '/') && !model.bodies[b].fixed) links.insert(static_cast<int>(b));
    if (links.empty()) continue;
    const Pushes pushes = pushesOf(reader, branch, links);
    std::vector<std::vector<SensorRow>> columns{measure(reader, branch, *links.begin(), at, pushes)};
    for (const auto& [link, list] : pushes)
      if (link != *links.begin()) columns.push_back(measure(reader, branch, link, at, pushes));
    for (std::size_t k = 0; k < at.size(); ++k)
      for (const auto& column : columns) use(column[k]);
  }
}

std::vector<SensorRow> sensorsOf(Reader& reader, const std::string& branch, int link,
                                 const std::vector<double>& times) {
  return measure(reader, branch, link, times, pushesOf(reader, branch, {link}));
}

}  // namespace rigor::record
