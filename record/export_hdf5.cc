// SPDX-License-Identifier: MIT
#include <cmath>

#include "formats/hdf5.h"
#include "record/export.h"
#include "record/export_contacts.h"
#include "record/leaves.h"
#include "record/sensors.h"

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

void writeContacts(Reader& reader, const std::string& branch, formats::Hdf5Writer& file) {
  std::vector<double> t0, t1, point, normal, impulse;
  std::vector<std::string> body_a, body_b;
  forEachContactForce(reader, branch, [&](const ContactForceRow& c) {
    t0.push_back(c.t0), t1.push_back(c.t1);
    body_a.push_back(bodyName(reader, c.pair.body_a));
    body_b.push_back(bodyName(reader, c.pair.body_b));
    append(point, c.point), append(normal, c.normal), append(impulse, c.P);
  });
  const std::string contacts = "branches/" + branch + "/contacts/";
  file.numbers(contacts + "t0", t0, 1);
  file.numbers(contacts + "t1", t1, 1);
  file.texts(contacts + "body_a", body_a);
  file.texts(contacts + "body_b", body_b);
  file.numbers(contacts + "point", point, 3);
  file.numbers(contacts + "normal", normal, 3);
  file.numbers(contacts + "impulse", impulse, 3);
}

void writeSensors(Reader& reader, const std::string& branch, const ExportTimes& times, formats::Hdf5Writer& file) {
  std::vector<double> time, touches, force, torque, specific_force, angular_velocity;
  std::vector<std::string> link;
  forEachSensor(
      reader, branch,
      [&](const SensorRow& s) {
        time.push_back(s.time), touches.push_back(s.touches ? 1 : 0);
        link.push_back(bodyName(reader, s.link));
        append(force, s.force), append(torque, s.torque);
        append(specific_force, s.specific_force), append(angular_velocity, s.angular_velocity);
      },
      times);
  const std::string sensors = "branches/" + branch + "/sensors/";
  file.numbers(sensors + "time", time, 1);
  file.texts(sensors + "link", link);
  file.numbers(sensors + "contact", touches, 1);
  file.numbers(sensors + "force", force, 3);
  file.numbers(sensors + "torque", torque, 3);
  file.numbers(sensors + "specific_force", specific_force, 3);
  file.numbers(sensors + "angular_velocity", angular_velocity, 3);
}

/// Where every moving body is at the end of each leaf.
void writeLeaves(Reader& reader, const std::vector<Leaf>& leaves, formats::Hdf5Writer& file) {
  std::vector<double> weight, time, position, orientation, velocity, angular_velocity;
  std::vector<std::string> branch, modes, status, body;
  for (const Leaf& leaf : leaves)
    for (std::size_t b = 0; b < reader.bodies().size(); ++b) {
      if (reader.bodies()[b].fixed) continue;
      const BodyState state = reader.stateAt(leaf.branch, static_cast<int>(b), leaf.end_time);
      branch.push_back(leaf.branch), modes.push_back(leaf.modes), status.push_back(leaf.status);
      body.push_back(reader.bodies()[b].name);
      weight.push_back(leaf.weight), time.push_back(leaf.end_time);
      append(position, state.position), append(orientation, state.orientation);
      append(velocity, state.velocity), append(angular_velocity, state.angular_velocity);
    }
  file.texts("leaves/branch", branch);
  file.numbers("leaves/weight", weight, 1);
  file.texts("leaves/modes", modes);
  file.numbers("leaves/time", time, 1);
  file.texts("leaves/status", status);
  file.texts("leaves/body", body);
  file.numbers("leaves/position", position, 3);
  file.numbers("leaves/orientation", orientation, 4);
  file.numbers("leaves/velocity", velocity, 3);
  file.numbers("leaves/angular_velocity", angular_velocity, 3);
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
  std::vector<Leaf> leaves = leavesOf(reader);
  std::erase_if(leaves, [&](const Leaf& leaf) { return !branch.empty() && leaf.branch != branch; });
  writeLeaves(reader, leaves, file);
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
    for (const Leaf& leaf : leaves) {
      if (leaf.branch != row.id) continue;
      file.attribute(group, "leaf_weight", leaf.weight);
      file.attribute(group, "modes", leaf.modes);
    }
    writeStates(reader, row.id, times, file);
    writeEvents(reader, row.id, file);
    writeImpacts(reader, row.id, file);
    writeJoints(reader, row.id, times, file);
    writeContacts(reader, row.id, file);
    if (!reader.file().model().robots.empty()) writeSensors(reader, row.id, times, file);
  }
  file.close();
}

}  // namespace rigor::record
