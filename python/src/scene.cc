// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>

#include "support.h"

namespace rigor::python {
namespace {

/// A Python object with the methods of rigor.Controller.
class PythonController : public Controller {
 public:
  explicit PythonController(py::object law)
      : law_(std::move(law)),
        period_(law_.attr("period").cast<double>()),
        memory_(law_.attr("memory_size").cast<std::size_t>()),
        senses_(py::bool_(py::getattr(law_, "senses", py::bool_(false)))) {}
  ~PythonController() override {
    py::gil_scoped_acquire lock;
    law_ = py::object();
  }
  double period() const override { return period_; }
  std::size_t memorySize() const override { return memory_; }
  void forces(double time, std::span<const double> q, std::span<const double> v, std::span<double> memory,
              std::span<double> tau) const override {
    ask(time, q, v, nullptr, memory, tau);
  }
  bool senses() const override { return senses_; }
  void forcesSensing(double time, std::span<const double> q, std::span<const double> v, const Readings& readings,
                     std::span<double> memory, std::span<double> tau) const override {
    ask(time, q, v, &readings, memory, tau);
  }

 private:
  static py::dict dictOf(const Readings& readings) {
    const auto n = static_cast<py::ssize_t>(readings.links.size());
    py::array_t<bool> touches(n);
    const auto vectors = [&](Vector3 LinkReading::*member) {
      Array array({n, static_cast<py::ssize_t>(3)});
      for (py::ssize_t i = 0; i < n; ++i) {
        const Vector3& each = readings.links[static_cast<std::size_t>(i)].*member;
        std::copy_n(each.data(), 3, array.mutable_data(i, 0));
      }
      return array;
    };
    for (py::ssize_t i = 0; i < n; ++i) touches.mutable_at(i) = readings.links[static_cast<std::size_t>(i)].touches;
    py::dict dict;
    dict["touches"] = touches;
    dict["force"] = vectors(&LinkReading::force), dict["torque"] = vectors(&LinkReading::torque);
    dict["specific_force"] = vectors(&LinkReading::specific_force);
    dict["angular_velocity"] = vectors(&LinkReading::angular_velocity);
    dict["effort"] = Array(static_cast<py::ssize_t>(readings.effort.size()), readings.effort.data());
    return dict;
  }
  void ask(double time, std::span<const double> q, std::span<const double> v, const Readings* readings,
           std::span<double> memory, std::span<double> tau) const {
    py::gil_scoped_acquire lock;
    // Copies: a controller may keep what it is given.
    const Array q_array(static_cast<py::ssize_t>(q.size()), q.data()),
        v_array(static_cast<py::ssize_t>(v.size()), v.data());
    Array memory_array(static_cast<py::ssize_t>(memory.size()), memory.data());
    const py::object law = law_.attr("forces");
    const Array found = Array::ensure(readings ? law(time, q_array, v_array, memory_array, dictOf(*readings))
                                               : law(time, q_array, v_array, memory_array));
    if (!found || found.ndim() != 1 || found.size() != static_cast<py::ssize_t>(tau.size())) {
      PyErr_Clear();
      throw InputError("forces() of the controller returned no " + std::to_string(tau.size()) +
                       " numbers; allowed: a force for each velocity");
    }
    std::copy_n(found.data(), tau.size(), tau.begin());
    for (const double x : tau)
      if (!std::isfinite(x)) throw InputError("forces() of the controller returned a number that is not finite");
    std::copy_n(memory_array.data(), memory.size(), memory.begin());
  }

  py::object law_;
  double period_;
  std::size_t memory_;
  bool senses_;
};

/// What scenes are asked about.
void defineInfos(py::module_& module) {
  py::class_<State>(module, "State", "Position and velocity of a body's origin, world axes.")
      .def_property_readonly(
          "position", [](const State& s) { return toNumpy(s.position); }, "(3,) [m]")
      .def_property_readonly(
          "orientation", [](const State& s) { return toNumpy(s.orientation); },
          "(4,) quaternion [w, x, y, z], not renormalised")
      .def_property_readonly(
          "velocity", [](const State& s) { return toNumpy(s.velocity); }, "(3,) [m/s]")
      .def_property_readonly(
          "angular_velocity", [](const State& s) { return toNumpy(s.angular_velocity); }, "(3,) [rad/s]")
      .def("__repr__", [](const State& s) {
        return py::str("State(position={}, orientation={}, velocity={}, angular_velocity={})")
            .format(toNumpy(s.position), toNumpy(s.orientation), toNumpy(s.velocity), toNumpy(s.angular_velocity));
      });
  py::class_<BodyInfo>(module, "BodyInfo", "A body of a scene.")
      .def_readonly("name", &BodyInfo::name)
      .def_readonly("fixed", &BodyInfo::fixed)
      .def_readonly("mass", &BodyInfo::mass, "[kg]; 0 for fixed bodies")
      .def_readonly("start", &BodyInfo::start, "State at t = 0")
      .def_readonly("robot", &BodyInfo::robot, "whose link it is; '' for none")
      .def("__repr__", [](const BodyInfo& b) { return "BodyInfo('" + b.name + "')"; });
  py::class_<Joint>(
      module, "Joint",
      "A joint, and where its numbers stand: q[joint.q:joint.q + joint.num_q], v[joint.v:joint.v + joint.num_v].")
      .def_readonly("name", &Joint::name)
      .def_readonly("type", &Joint::type)
      .def_readonly("q", &Joint::q)
      .def_readonly("num_q", &Joint::num_q)
      .def_readonly("v", &Joint::v)
      .def_readonly("num_v", &Joint::num_v)
      .def("__repr__", [](const Joint& j) { return "Joint('" + j.name + "', '" + j.type + "')"; });
  py::class_<RobotInfo>(module, "RobotInfo", "A robot of a scene.")
      .def_readonly("name", &RobotInfo::name)
      .def_readonly("links", &RobotInfo::links)
      .def_readonly("joints", &RobotInfo::joints)
      .def_readonly("num_q", &RobotInfo::num_q)
      .def_readonly("num_v", &RobotInfo::num_v)
      .def("__repr__", [](const RobotInfo& r) { return "RobotInfo('" + r.name + "')"; });
}

}  // namespace

void defineScene(py::module_& module) {
  defineInfos(module);
  py::class_<Scene>(module, "Scene", "What a run starts from. Never changes; with_...() return changed copies.")
      .def(py::init([](const py::object& source, const py::object& path) {
             return Scene::parse(textOf(source), path.is_none() ? "<scene>" : pathOf(path));
           }),
           py::arg("source"), py::arg("path") = py::none(),
           "A scene from a dict (of the fields of docs/scenes.md; arrays allowed) or from YAML text.\n\n"
           "path: for messages; files that the scene names are looked for beside it. Raises InputError with line and "
           "column.")
      .def_property_readonly("name", &Scene::name)
      .def_property_readonly("description", &Scene::description)
      .def_property_readonly("text", &Scene::text, "the scene file's text, as records keep it")
      .def_property_readonly("path", &Scene::path)
      .def_property_readonly("until", &Scene::until, "default end of a run [s]")
      .def_property_readonly("impact_model", &Scene::impactModel)
      .def_property_readonly(
          "gravity", [](const Scene& s) { return toNumpy(s.gravity()); }, "(3,) [m/s^2]")
      .def_property_readonly("bodies", &Scene::bodies, "list of BodyInfo")
      .def_property_readonly("robots", &Scene::robots, "list of RobotInfo")
      .def_property_readonly("warnings", &Scene::warnings, "what the loader wants to say, a line each")
      .def("with_until", &Scene::withUntil, py::arg("until"), "The same scene with another end [s].")
      .def("with_impact_model", &Scene::withImpactModel, py::arg("name"), "The same scene with another impact model.")
      .def(
          "with_controller",
          [](const Scene& scene, const std::string& robot, const py::object& controller) {
            return scene.withController(
                robot, controller.is_none() ? nullptr : std::make_shared<PythonController>(controller));
          },
          py::arg("robot"), py::arg("controller"), "The same scene with a rigor.Controller for a robot; None: without.")
      .def(
          "link_poses",
          [](const Scene& scene, const std::string& robot, const py::object& q) {
            const Array rows =
                matrix(q, -1, static_cast<py::ssize_t>(scene.configurationSize(robot)), "configurations of " + robot);
            const auto n = static_cast<std::size_t>(rows.shape(0));
            std::vector<std::vector<double>> poses =
                scene.linkPoses(robot, {rows.data(), static_cast<std::size_t>(rows.size())}, n);
            py::dict dict;
            for (const RobotInfo& info : scene.robots())
              for (std::size_t l = 0; info.name == robot && l < info.links.size(); ++l)
                dict[py::str(robot + "/" + info.links[l])] = adopt(std::move(poses[l]), n, 7);
            return dict;
          },
          py::arg("robot"), py::arg("q"),
          "A dict from 'robot/link' to (n, 7) poses at n configurations, for check(). q: (n, k), the joints' numbers "
          "in the order of\n"
          "robot.joints without fixed ones; floating joints as position and quaternion [w, x, y, z] of the link. "
          "MuJoCo's qpos is that.")
      .def("__repr__", [](const Scene& s) {
        return "Scene('" + s.name() + "', " + std::to_string(s.bodies().size()) + " bodies)";
      });
  module.def(
      "load_scene", [](const py::object& path) { return Scene::load(pathOf(path)); }, py::arg("path"),
      "The scene of a YAML or JSON file (docs/scenes.md). Raises InputError with file, line and column.");
}

}  // namespace rigor::python
