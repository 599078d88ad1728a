// SPDX-License-Identifier: MIT
#include <cmath>

#include "support.h"

namespace rigor::python {
namespace {

py::dict dictOf(const Summary& s) {
  using namespace py::literals;
  return py::dict("status"_a = s.status, "time"_a = s.time, "steps"_a = s.steps,
                  "manifold_changes"_a = s.manifold_changes, "impacts"_a = s.impacts,
                  "contacts_made"_a = s.contacts_made, "contacts_broken"_a = s.contacts_broken, "min_gap"_a = s.min_gap,
                  "mean_step"_a = s.mean_step, "min_step"_a = s.min_step, "max_step"_a = s.max_step,
                  "energy_initial"_a = s.energy_initial, "energy_final"_a = s.energy_final,
                  "max_energy_increase"_a = s.max_energy_increase, "false_liftoffs"_a = s.false_liftoffs,
                  "plastic_impacts"_a = s.plastic_impacts, "message"_a = s.message);
}

/// A simulation that refuses calls from a thread while another one is in it without the lock.
class GuardedSimulation {
 public:
  GuardedSimulation(const Scene& scene, const SimulationOptions& options) : simulation_(scene, options) {}

  Simulation& get() {
    if (busy_) throw std::runtime_error("the simulation is being advanced by another thread");
    return simulation_;
  }
  /// call(simulation, watch) without the lock.
  template <typename Call>
  void release(Call&& call) {
    get();
    busy_ = true;
    const Freed freed{busy_};
    SignalWatch signals;
    {
      py::gil_scoped_release release;
      call(simulation_, signals.watch());
    }
    signals.rethrow();
  }

 private:
  struct Freed {
    bool& busy;
    ~Freed() { busy = false; }
  };
  Simulation simulation_;
  bool busy_ = false;  // Read and written with the lock alone.
};

using Self = GuardedSimulation;

double timeOr(Self& self, const py::object& time) { return time.is_none() ? self.get().time() : time.cast<double>(); }

template <typename Write>
Array evaluate(Self& self, const std::string& body, const py::object& times, std::size_t columns, Write&& write) {
  const std::vector<double> list = listOfTimes(times);
  Array rows = rowsAndColumns(list.size(), columns);
  double* out = rows.mutable_data();
  for (const double t : list) write(self.get().state(body, t), out), out += columns;
  return rows;
}

void setVelocity(Self& self, const std::string& body, const py::object& velocity, const py::object& angular_velocity) {
  const State now = self.get().state(body);
  self.get().setVelocity(
      body, velocity.is_none() ? now.velocity : numbers<3>(velocity, "velocity"),
      angular_velocity.is_none() ? now.angular_velocity : numbers<3>(angular_velocity, "angular_velocity"));
}

}  // namespace

void defineSimulation(py::module_& module) {
  py::class_<Summary>(module, "Summary", "The figures of a run, as `rigor run --json` prints them; [s], [m], [J].")
      .def_readonly("status", &Summary::status, "'done', 'failed', 'budget' or 'interrupted'")
      .def_readonly("message", &Summary::message)
      .def_readonly("time", &Summary::time)
      .def_readonly("steps", &Summary::steps)
      .def_readonly("manifold_changes", &Summary::manifold_changes)
      .def_readonly("impacts", &Summary::impacts)
      .def_readonly("contacts_made", &Summary::contacts_made)
      .def_readonly("contacts_broken", &Summary::contacts_broken)
      .def_readonly("plastic_impacts", &Summary::plastic_impacts)
      .def_readonly("false_liftoffs", &Summary::false_liftoffs)
      .def_readonly("min_gap", &Summary::min_gap, "certified lower bound of any pair's distance at any instant [m]")
      .def_readonly("min_step", &Summary::min_step)
      .def_readonly("max_step", &Summary::max_step)
      .def_readonly("mean_step", &Summary::mean_step)
      .def_readonly("energy_initial", &Summary::energy_initial)
      .def_readonly("energy_final", &Summary::energy_final)
      .def_readonly("max_energy_increase", &Summary::max_energy_increase)
      .def("as_dict", dictOf, "The same as a dict.")
      .def("__repr__", [](const Summary& s) { return py::str("Summary({})").format(dictOf(s)); });

  py::class_<Self>(module, "Simulation",
                   "One trajectory of a scene. Deterministic: the same scene and seed give the same bits, however "
                   "often somebody looks.")
      .def(py::init([](const Scene& scene, std::uint64_t seed, const py::object& record, bool replace, double history, int threads) {
             SimulationOptions options;
             options.seed = seed, options.replace = replace, options.history = history;
             options.threads = threads;
             if (!record.is_none()) options.record = pathOf(record);
             return std::make_unique<Self>(scene, options);
           }),
           py::arg("scene"), py::arg("seed") = 0, py::kw_only(), py::arg("record") = py::none(),
           py::arg("replace") = false, py::arg("history") = HUGE_VAL, py::arg("threads") = 0,
           "record: path of a record to write (replace=True: also over an existing one). history: how long motions are "
           "kept for state(),\n"
           "poses(), velocities() and contacts() at earlier times [s]; about 500 bytes a body and step.\n"
           "threads: 0 for all cores; what happens does not depend on it.\n"
           "Raises InputError for scenes that cannot be simulated (overlapping starts, ...).")
      .def(
          "advance",
          [](Self& self, double time) {
            self.release([&](Simulation& s, const Watch& watch) { s.advance(time, watch); });
            return self.get().summary();
          },
          py::arg("time"),
          "On to `time` [s], without the interpreter's lock; Ctrl-C ends it with what there is. Returns the Summary.\n"
          "Raises GuaranteeError where the guarantee could not be kept: `time` says up to where it is.")
      .def(
          "step",
          [](Self& self) {
            bool made = false;
            self.release([&](Simulation& s, const Watch&) { made = s.step(); });
            return made;
          },
          "One accepted step of the bodies that are farthest behind, the same as advance() takes. False at the scene's "
          "`until`.")
      .def_property_readonly(
          "time", [](Self& self) { return self.get().time(); }, "how far all motions are known [s]")
      .def_property_readonly(
          "summary", [](Self& self) { return self.get().summary(); }, "Summary of the last advance() or step()")
      .def_property_readonly("scene", [](Self& self) { return self.get().scene(); })
      .def_property_readonly(
          "warnings", [](Self& self) { return self.get().warnings(); },
          "bodies that were moved apart at the start, ...")
      .def_property_readonly(
          "gap_nominal", [](Self& self) { return self.get().gapNominal(); }, "contacts are held at this gap [m]")
      .def_property_readonly(
          "gap_floor", [](Self& self) { return self.get().gapFloor(); }, "and proved to stay above this one [m]")
      .def(
          "state",
          [](Self& self, const std::string& body, const py::object& time) {
            return self.get().state(body, timeOr(self, time));
          },
          py::arg("body"), py::arg("time") = py::none(),
          "State of a body now, or at an earlier time, on the published motion; where velocities jump, after the jump.")
      .def(
          "poses",
          [](Self& self, const std::string& body, const py::object& times) {
            return evaluate(self, body, times, 7, [](const State& s, double* row) {
              std::copy_n(s.position.begin(), 3, row), std::copy_n(s.orientation.begin(), 4, row + 3);
            });
          },
          py::arg("body"), py::arg("times"),
          "(n, 7): position [m] and quaternion [w, x, y, z] of the origin at n times [s].")
      .def(
          "velocities",
          [](Self& self, const std::string& body, const py::object& times) {
            return evaluate(self, body, times, 6, [](const State& s, double* row) {
              std::copy_n(s.velocity.begin(), 3, row), std::copy_n(s.angular_velocity.begin(), 3, row + 3);
            });
          },
          py::arg("body"), py::arg("times"),
          "(n, 6): velocity of the origin [m/s] and angular velocity [rad/s] at n times [s].")
      .def("set_velocity", setVelocity, py::arg("body"), py::arg("velocity") = py::none(),
           py::arg("angular_velocity") = py::none(),
           "From now on the body moves with this velocity of its origin (3,) [m/s] and angular velocity (3,) [rad/s]; "
           "None: as it does.\n"
           "The record names it (event 'velocity-set'); what it proves stays whole. Not for fixed bodies and links of "
           "robots.")
      .def(
          "apply_wrench",
          [](Self& self, const std::string& body, const py::object& force, const py::object& torque, double duration) {
            self.get().applyWrench(body, numbers<3>(force, "force"),
                                   torque.is_none() ? Vector3{} : numbers<3>(torque, "torque"), duration);
          },
          py::arg("body"), py::arg("force"), py::arg("torque") = py::none(), py::arg("duration") = HUGE_VAL,
          "From now on, for `duration` [s] (default: until further notice), a constant force (3,) [N] and torque (3,) "
          "[N m] act on the body, world\n"
          "axes, at its centre of mass, in place of what was applied to it before. The record names it (event "
          "'wrench-set'). Zero ends it.\n"
          "Not for fixed bodies and links of robots.")
      .def(
          "contacts",
          [](Self& self, const py::object& time) { return tableOf(self.get().contacts(timeOr(self, time))); },
          py::arg("time") = py::none(),
          "What contacts do now or at an earlier time: a dict each with body_a, body_b, t0, t1 [s], point (3,) [m], "
          "normal (3,) from A to B,\n"
          "impulse (3,) on B over [t0, t1] [N s] and force (3,), its mean [N]. Empty where nothing touches.")
      .def_property_readonly(
          "events", [](Self& self) { return tableOf(self.get().events()); },
          "a dict each: time, kind, body_a, body_b, detail (JSON)")
      .def_property_readonly(
          "impacts", [](Self& self) { return tableOf(self.get().impacts()); },
          "a dict each: time, model, bodies, before and after (k, 6), contacts")
      .def(
          "snapshot",
          [](Self& self) {
            const auto bytes = self.get().snapshot();
            return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
          },
          "The complete state as bytes, for restore().")
      .def(
          "restore",
          [](Self& self, const py::bytes& bytes) {
            const std::string_view view = bytes;
            self.get().restore({view.begin(), view.end()});
          },
          py::arg("state"), "Back to a snapshot(), and on from there to the bit. Not where a record is written.")
      .def(
          "finish", [](Self& self) { return self.get().finish(); },
          "Ends the record; nothing moves any more. Returns what it says of the run: 'interrupted' where it ends "
          "before the scene's `until`.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](Self& self, const py::args&) { self.get().finish(); });
}

}  // namespace rigor::python
