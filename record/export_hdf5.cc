// SPDX-License-Identifier: MIT
#include <cmath>

#include "formats/hdf5.h"
#include "record/export.h"

namespace rigor::record {
namespace {

template <typename Vector>
void append(std::vector<double>& list, const Vector& v) {
  list.insert(list.end(), v.data(), v.data() + v.size());
}

void writeStates(Reader& reader, const std::string& branch, const ExportTimes& times, formats::Hdf5Writer& file) {
  struct Columns {
    std::vector<double> time, position, orientation, velocity, angular_velocity;
  };
  std::vector<Columns> columns(reader.bodies().size());
  forEachState(
      reader, branch,
      [&](double time, int body, const BodyState& s, bool) {
        Columns& c = columns[body];
        c.time.push_back(time);
        append(c.position, s.position);
        append(c.orientation, s.orientation);
        append(c.velocity, s.velocity);
        append(c.angular_velocity, s.angular_velocity);
      },
      times);
  for (std::size_t b = 0; b < columns.size(); ++b) {
    if (reader.bodies()[b].fixed) continue;
    const std::string body = "branches/" + branch + "/bodies/" + reader.bodies()[b].name + "/";
    file.numbers(body + "time", columns[b].time, 1);
    file.numbers(body + "position", columns[b].position, 3);
    file.numbers(body + "orientation", columns[b].orientation, 4);
    file.numbers(body + "velocity", columns[b].velocity, 3);
    file.numbers(body + "angular_velocity", columns[b].angular_velocity, 3);
  }
}

void writeEvents(Reader& reader, const std::string& branch, formats::Hdf5Writer& file) {
  std::vector<double> time;
  std::vector<std::string> kind, body_a, body_b, detail;
  for (const EventRow& e : reader.events(branch, -INFINITY, INFINITY)) {
    time.push_back(e.time);
    kind.push_back(e.kind);
    body_a.push_back(bodyName(reader, e.body_a));
    body_b.push_back(bodyName(reader, e.body_b));
    detail.push_back(e.detail);
  }
  const std::string events = "branches/" + branch + "/events/";
  file.numbers(events + "time", time, 1);
  file.texts(events + "kind", kind);
  file.texts(events + "body_a", body_a);
  file.texts(events + "body_b", body_b);
  file.texts(events + "detail", detail);
}

void writeImpacts(Reader& reader, const std::string& branch, formats::Hdf5Writer& file) {
  std::vector<double> time, point, normal, tangent, impulse, friction, restitution, part_a, part_b;
  std::vector<std::string> model, body_a, body_b;
  for (const ImpactRow& impact : reader.impacts(branch, -INFINITY, INFINITY))
    for (const ImpactContactRow& c : impact.contacts) {
      time.push_back(impact.time);
      model.push_back(impact.model);
      body_a.push_back(bodyName(reader, c.pair.body_a));
      body_b.push_back(bodyName(reader, c.pair.body_b));
      part_a.push_back(c.pair.part_a);
      part_b.push_back(c.pair.part_b);
      append(point, c.point);
      append(normal, c.normal);
      append(tangent, c.tangent);
      append(impulse, c.impulse);
      friction.push_back(c.friction);
      restitution.push_back(c.restitution);
    }
  const std::string impacts = "branches/" + branch + "/impacts/";
  file.numbers(impacts + "time", time, 1);
  file.texts(impacts + "model", model);
  file.texts(impacts + "body_a", body_a);
  file.texts(impacts + "body_b", body_b);
  file.numbers(impacts + "point", point, 3);
  file.numbers(impacts + "part_a", part_a, 1);
  file.numbers(impacts + "part_b", part_b, 1);
  file.numbers(impacts + "normal", normal, 3);
  file.numbers(impacts + "tangent", tangent, 3);
  file.numbers(impacts + "impulse", impulse, 3);
  file.numbers(impacts + "friction", friction, 1);
  file.numbers(impacts + "restitution", restitution, 1);
}

void writeJoints(Reader& reader, const std::string& branch, const ExportTimes& times, formats::Hdf5Writer& file) {
  std::vector<double> time, position, velocity, effort;
  std::vector<std::string> joint;
  forEachJointState(
      reader, branch,
      [&](const JointRow& j) {
        time.push_back(j.time);
        joint.push_back(j.joint);
        position.push_back(j.position);
        velocity.push_back(j.velocity);
        effort.push_back(j.effort);
      },
      times);
  const std::string joints = "branches/" + branch + "/joints/";
  file.numbers(joints + "time", time, 1);
  file.texts(joints + "joint", joint);
  file.numbers(joints + "position", position, 1);
  file.numbers(joints + "velocity", velocity, 1);
  file.numbers(joints + "effort", effort, 1);
}

}  // namespace

void exportHdf5(Reader& reader, const std::string& path, const std::string& branch, const ExportTimes& times) {
  formats::Hdf5Writer file(path);
  const RunHeader& header = reader.header();
  file.attribute("/", "scene_name", header.scene_name);
  file.attribute("/", "scene_text", header.scene_text);
  file.attribute("/", "build", header.build);
  file.attribute("/", "seed", std::to_string(header.seed));
  file.attribute("/", "status", header.status);
  for (const BranchRow& row : branch.empty() ? reader.branches() : std::vector{reader.branch(branch)}) {
    const std::string group = "branches/" + row.id;
    file.group(group);
    file.attribute(group, "parent", row.parent);
    file.attribute(group, "fork_time", row.fork_time);
    file.attribute(group, "end_time", row.end_time);
    file.attribute(group, "min_gap", row.min_gap);
    file.attribute(group, "weight", row.weight);
    file.attribute(group, "status", row.status);
    file.attribute(group, "choice", row.choice);
    writeStates(reader, row.id, times, file);
    writeEvents(reader, row.id, file);
    writeImpacts(reader, row.id, file);
    writeJoints(reader, row.id, times, file);
  }
  file.close();
}

}  // namespace rigor::record
