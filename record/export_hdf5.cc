// SPDX-License-Identifier: MIT
#include <hdf5.h>

#include <cmath>
#include <utility>

#include "record/export.h"

namespace rigor::record {
namespace {

/// An HDF5 handle that closes itself. A negative handle is a failed call.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id < 0) throw ExportError("cannot write " + what + " with HDF5");
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t code, const std::string& what) {
  if (code < 0) throw ExportError("cannot write " + what + " with HDF5");
}

Handle createGroup(hid_t parent, const std::string& name) {
  // "robot/link" nests by itself.
  const Handle properties(H5Pcreate(H5P_LINK_CREATE), H5Pclose, name);
  H5Pset_create_intermediate_group(properties, 1);
  return {H5Gcreate2(parent, name.c_str(), properties, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, name};
}

void writeNumbers(hid_t group, const char* name, const std::vector<double>& values, hsize_t columns) {
  const hsize_t size[2] = {values.size() / columns, columns};
  const Handle space(H5Screate_simple(columns == 1 ? 1 : 2, size, nullptr), H5Sclose, name);
  const Handle set(H5Dcreate2(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose,
                   name);
  if (!values.empty()) check(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name);
}

Handle stringType() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "text");
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

void writeTexts(hid_t group, const char* name, const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const hsize_t size = texts.size();
  const Handle type = stringType();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, name);
  const Handle set(H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, name);
  if (!texts.empty()) check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), name);
}

void writeAttribute(hid_t object, const char* name, const std::string& text) {
  const Handle type = stringType();
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, name);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  const char* pointer = text.c_str();
  check(H5Awrite(attribute, type, &pointer), name);
}

void writeAttribute(hid_t object, const char* name, double value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, name);
  const Handle attribute(H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  check(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value), name);
}

template <typename Vector>
void append(std::vector<double>& list, const Vector& v) {
  list.insert(list.end(), v.data(), v.data() + v.size());
}

void writeStates(Reader& reader, const std::string& branch, hid_t group) {
  struct Columns {
    std::vector<double> time, position, orientation, velocity, angular_velocity;
  };
  std::vector<Columns> columns(reader.bodies().size());
  forEachState(reader, branch, [&](double time, int body, const BodyState& s, bool) {
    Columns& c = columns[body];
    c.time.push_back(time);
    append(c.position, s.position);
    append(c.orientation, s.orientation);
    append(c.velocity, s.velocity);
    append(c.angular_velocity, s.angular_velocity);
  });
  for (std::size_t b = 0; b < columns.size(); ++b) {
    if (reader.bodies()[b].fixed) continue;
    const Handle body = createGroup(group, "bodies/" + reader.bodies()[b].name);
    writeNumbers(body, "time", columns[b].time, 1);
    writeNumbers(body, "position", columns[b].position, 3);
    writeNumbers(body, "orientation", columns[b].orientation, 4);
    writeNumbers(body, "velocity", columns[b].velocity, 3);
    writeNumbers(body, "angular_velocity", columns[b].angular_velocity, 3);
  }
}

std::string nameOf(Reader& reader, int body) {
  return body >= 0 && body < static_cast<int>(reader.bodies().size()) ? reader.bodies()[body].name : std::string();
}

void writeEvents(Reader& reader, const std::string& branch, hid_t group) {
  std::vector<double> time;
  std::vector<std::string> kind, body_a, body_b, detail;
  for (const EventRow& e : reader.events(branch, -INFINITY, INFINITY)) {
    time.push_back(e.time);
    kind.push_back(e.kind);
    body_a.push_back(nameOf(reader, e.body_a));
    body_b.push_back(nameOf(reader, e.body_b));
    detail.push_back(e.detail);
  }
  const Handle events = createGroup(group, "events");
  writeNumbers(events, "time", time, 1);
  writeTexts(events, "kind", kind);
  writeTexts(events, "body_a", body_a);
  writeTexts(events, "body_b", body_b);
  writeTexts(events, "detail", detail);
}

void writeImpacts(Reader& reader, const std::string& branch, hid_t group) {
  std::vector<double> time, point, normal, tangent, impulse, friction, restitution, part_a, part_b;
  std::vector<std::string> model, body_a, body_b;
  for (const ImpactRow& impact : reader.impacts(branch, -INFINITY, INFINITY))
    for (const ImpactContactRow& c : impact.contacts) {
      time.push_back(impact.time);
      model.push_back(impact.model);
      body_a.push_back(nameOf(reader, c.pair.body_a));
      body_b.push_back(nameOf(reader, c.pair.body_b));
      part_a.push_back(c.pair.part_a);
      part_b.push_back(c.pair.part_b);
      append(point, c.point);
      append(normal, c.normal);
      append(tangent, c.tangent);
      append(impulse, c.impulse);
      friction.push_back(c.friction);
      restitution.push_back(c.restitution);
    }
  const Handle impacts = createGroup(group, "impacts");
  writeNumbers(impacts, "time", time, 1);
  writeTexts(impacts, "model", model);
  writeTexts(impacts, "body_a", body_a);
  writeTexts(impacts, "body_b", body_b);
  writeNumbers(impacts, "point", point, 3);
  writeNumbers(impacts, "part_a", part_a, 1);
  writeNumbers(impacts, "part_b", part_b, 1);
  writeNumbers(impacts, "normal", normal, 3);
  writeNumbers(impacts, "tangent", tangent, 3);
  writeNumbers(impacts, "impulse", impulse, 3);
  writeNumbers(impacts, "friction", friction, 1);
  writeNumbers(impacts, "restitution", restitution, 1);
}

void writeJoints(Reader& reader, const std::string& branch, hid_t group) {
  std::vector<double> time, position, velocity, effort;
  std::vector<std::string> joint;
  reader.forEachJoint(branch, [&](const JointRow& j) {
    time.push_back(j.time);
    joint.push_back(j.joint);
    position.push_back(j.position);
    velocity.push_back(j.velocity);
    effort.push_back(j.effort);
  });
  const Handle joints = createGroup(group, "joints");
  writeNumbers(joints, "time", time, 1);
  writeTexts(joints, "joint", joint);
  writeNumbers(joints, "position", position, 1);
  writeNumbers(joints, "velocity", velocity, 1);
  writeNumbers(joints, "effort", effort, 1);
}

}  // namespace

void exportHdf5(Reader& reader, const std::string& path, const std::string& branch) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // Failures are reported by exceptions, not on stderr.
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, path);
  const RunHeader& header = reader.header();
  writeAttribute(file, "scene_name", header.scene_name);
  writeAttribute(file, "scene_text", header.scene_text);
  writeAttribute(file, "build", header.build);
  writeAttribute(file, "seed", std::to_string(header.seed));
  writeAttribute(file, "status", header.status);
  for (const BranchRow& row : branch.empty() ? reader.branches() : std::vector{reader.branch(branch)}) {
    const Handle group = createGroup(file, "branches/" + row.id);
    writeAttribute(group, "parent", row.parent);
    writeAttribute(group, "fork_time", row.fork_time);
    writeAttribute(group, "end_time", row.end_time);
    writeAttribute(group, "min_gap", row.min_gap);
    writeStates(reader, row.id, group);
    writeEvents(reader, row.id, group);
    writeImpacts(reader, row.id, group);
    writeJoints(reader, row.id, group);
  }
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), path);
}

}  // namespace rigor::record
