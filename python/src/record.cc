// SPDX-License-Identifier: MIT
#include "support.h"

namespace rigor::python {
py::dict rowOf(const JointSample& sample) {
  using namespace py::literals;
  return py::dict("time"_a = sample.time, "joint"_a = sample.joint, "position"_a = sample.position,
                  "velocity"_a = sample.velocity, "effort"_a = sample.effort);
}

namespace {

/// Rows of all branches, each with its branch's name.
template <typename Rows>
py::list ofAllBranches(const Record& record, Rows&& rows) {
  py::list table;
  for (const Branch& branch : record.branches())
    for (const auto& row : rows(branch.id)) {
      py::dict dict = rowOf(row);
      dict["branch"] = branch.id;
      table.append(dict);
    }
  return table;
}

py::dict sensorsOf(const Record& record, const std::string& link, const py::object& times, const std::string& branch) {
  const std::vector<SensorSample> samples = record.sensors(link, listOfTimes(times), branch);
  const std::size_t count = samples.size();
  py::array_t<double> time(static_cast<py::ssize_t>(count));
  py::array_t<bool> touches(static_cast<py::ssize_t>(count));
  py::dict table;
  table["time"] = time, table["touches"] = touches;
  for (std::size_t i = 0; i < count; ++i)
    time.mutable_data()[i] = samples[i].time, touches.mutable_data()[i] = samples[i].touches;
  const std::pair<const char*, Vector3 SensorSample::*> columns[] = {
      {"force", &SensorSample::force},
      {"torque", &SensorSample::torque},
      {"specific_force", &SensorSample::specific_force},
      {"angular_velocity", &SensorSample::angular_velocity}};
  for (const auto& [name, member] : columns) {
    Array rows = rowsAndColumns(count, 3);
    for (std::size_t i = 0; i < count; ++i) std::copy_n((samples[i].*member).data(), 3, rows.mutable_data() + 3 * i);
    table[name] = rows;
  }
  return table;
}

void defineBranch(py::module_& module) {
  py::class_<Branch>(module, "Branch", "A branch of a record's tree of trajectories.")
      .def_readonly("id", &Branch::id, "path in the tree: '0', '0/2', ...")
      .def_readonly("parent", &Branch::parent)
      .def_readonly("fork_time", &Branch::fork_time, "[s]")
      .def_readonly("end_time", &Branch::end_time, "[s]")
      .def_readonly("min_gap", &Branch::min_gap, "[m]")
      .def_readonly("weight", &Branch::weight, "share of the samples of its fork")
      .def_readonly("status", &Branch::status)
      .def_readonly("choice", &Branch::choice, "JSON: what was chosen at the fork")
      .def("__repr__", [](const Branch& b) { return "Branch('" + b.id + "')"; });
}

}  // namespace

void defineRecord(py::module_& module) {
  defineBranch(module);
  py::class_<Record>(module, "Record", "A record file, opened to be read; also one that is being written.")
      .def(py::init([](const py::object& path) { return Record(pathOf(path)); }), py::arg("path"),
           "Raises InputError for files that are no record.")
      .def_property_readonly("path", &Record::path)
      .def_property_readonly(
          "scene", [](const Record& r) { return r.info().scene; }, "name of the scene")
      .def_property_readonly("scene_text", [](const Record& r) { return r.info().scene_text; })
      .def_property_readonly("build", [](const Record& r) { return r.info().build; })
      .def_property_readonly("status", [](const Record& r) { return r.info().status; })
      .def_property_readonly("message", [](const Record& r) { return r.info().message; })
      .def_property_readonly("seed", [](const Record& r) { return r.info().seed; })
      .def_property_readonly(
          "until", [](const Record& r) { return r.info().until; }, "[s]")
      .def_property_readonly(
          "gap_nominal", [](const Record& r) { return r.info().gap_nominal; }, "[m]")
      .def_property_readonly(
          "gap_floor", [](const Record& r) { return r.info().gap_floor; }, "[m]")
      .def_property_readonly(
          "model", [](const Record& r) { return r.info().model; }, "the canonical model, JSON (docs/record-format.md)")
      .def_property_readonly("branches", &Record::branches, "list of Branch, parents first")
      .def_property_readonly("bodies", &Record::bodies, "names of the bodies")
      .def(
          "poses",
          [](const Record& record, const std::string& body, const py::object& times, const std::string& branch) {
            const std::vector<double> list = listOfTimes(times);
            Array rows = rowsAndColumns(list.size(), 7);
            record.poses(body, list, branch, rows.mutable_data());
            return rows;
          },
          py::arg("body"), py::arg("times"), py::arg("branch") = "0",
          "(n, 7): position [m] and quaternion [w, x, y, z] of the body's origin at n times [s], of the published "
          "motion itself.\n"
          "Times before the branch's fork are those of its ancestors. Raises InputError for times that are not "
          "recorded.")
      .def(
          "velocities",
          [](const Record& record, const std::string& body, const py::object& times, const std::string& branch) {
            const std::vector<double> list = listOfTimes(times);
            Array rows = rowsAndColumns(list.size(), 6);
            record.velocities(body, list, branch, rows.mutable_data());
            return rows;
          },
          py::arg("body"), py::arg("times"), py::arg("branch") = "0",
          "(n, 6): velocity of the origin [m/s] and angular velocity [rad/s] at n times; where velocities jump, after "
          "the jump.")
      .def("sensors", &sensorsOf, py::arg("link"), py::arg("times"), py::arg("branch") = "0",
           "What sensors on a robot's link say at n ascending times, a dict of arrays: time (n), touches (n, bool),\n"
           "force and torque (n, 3) of its contacts about the link's origin in the world [N, N m], means since the\n"
           "time before; specific_force and angular_velocity (n, 3) of an IMU at its origin in its axes [m/s^2, "
           "rad/s].")
      .def(
          "contacts",
          [](const Record& r, double time, const std::string& branch) { return tableOf(r.contacts(time, branch)); },
          py::arg("time"), py::arg("branch") = "0",
          "What contacts did at a time: a dict each with body_a, body_b, t0, t1, point, normal, impulse, force (see "
          "Simulation.contacts).\n"
          "Empty where nothing touches, or the record does not say what acted.")
      .def_property_readonly(
          "events",
          [](const Record& r) { return ofAllBranches(r, [&](const std::string& id) { return r.events(id); }); },
          "of all branches, a dict each: branch, time, kind, body_a, body_b, detail (JSON)")
      .def_property_readonly(
          "impacts",
          [](const Record& r) { return ofAllBranches(r, [&](const std::string& id) { return r.impacts(id); }); },
          "of all branches, a dict each: branch, time, model, bodies, before and after (k, 6), contacts")
      .def_property_readonly(
          "joints",
          [](const Record& r) { return ofAllBranches(r, [&](const std::string& id) { return r.joints(id); }); },
          "of all branches, a dict each: branch, time, joint, position, velocity, effort; joints that follow others "
          "stand after them")
      .def("__repr__", [](const Record& r) { return "Record('" + r.path() + "', " + r.info().status + ")"; });
}

}  // namespace rigor::python
