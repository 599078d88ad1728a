// SPDX-License-Identifier: MIT
// Functions of whole files and sets: verify, check, distance, impact sets, sweeps, trees.
#include <cmath>

#include "support.h"

namespace rigor::python {
namespace {

Samples samplesOf(const py::object& object, std::size_t times, const std::string& body) {
  const Array rows = Array::ensure(object);
  const bool moving = rows && rows.ndim() == 2 && rows.shape(1) == 13;
  if (!rows || rows.ndim() != 2 || (rows.shape(1) != 7 && !moving) ||
      static_cast<std::size_t>(rows.shape(0)) != times) {
    PyErr_Clear();
    throw InputError("poses of '" + body + "' have another shape; allowed: " + std::to_string(times) +
                     " x 7 (position, quaternion wxyz) or x 13 (and v, w)");
  }
  Samples samples;
  const double* row = rows.data();
  for (std::size_t i = 0; i < times; ++i, row += rows.shape(1)) {
    samples.position.push_back({row[0], row[1], row[2]});
    samples.orientation.push_back({row[3], row[4], row[5], row[6]});
    if (moving) samples.velocity.push_back({row[7], row[8], row[9], row[10], row[11], row[12]});
  }
  return samples;
}

CheckReport check(const Scene& scene, const py::object& times, const py::object& poses, double allow,
                  const py::object& interpolation, bool curves) {
  CheckOptions options;
  options.allow = allow, options.curves = curves;
  if (!interpolation.is_none()) options.interpolation = interpolation.cast<std::string>();
  if (poses.is_none()) {
    const std::string path = pathOf(times);
    return interruptible([&](const Watch& watch) { return checkFile(scene, path, options, watch); });
  }
  const std::vector<double> list = listOfTimes(times);
  std::map<std::string, Samples> bodies;
  for (const auto& [name, rows] : poses.cast<py::dict>())
    bodies.emplace(name.cast<std::string>(),
                   samplesOf(py::reinterpret_borrow<py::object>(rows), list.size(), name.cast<std::string>()));
  return interruptible([&](const Watch& watch) { return checkMotion(scene, list, bodies, options, watch); });
}

Hull hullOf(const py::object& vertices, const py::object& pose, const std::string& name) {
  Hull hull;
  const Array rows = matrix(vertices, -1, 3, "vertices of " + name);
  for (py::ssize_t i = 0; i < rows.shape(0); ++i)
    hull.vertices.push_back({rows.at(i, 0), rows.at(i, 1), rows.at(i, 2)});
  if (pose.is_none()) return hull;
  const std::array<double, 7> p = numbers<7>(pose, "pose of " + name);
  hull.position = {p[0], p[1], p[2]}, hull.orientation = {p[3], p[4], p[5], p[6]};
  return hull;
}

/// A path, or what a problem file holds.
ImpactSet impactSetOf(const py::object& problem, const ImpactSetOptions& options) {
  if (py::hasattr(problem, "__fspath__")) {
    const std::string path = pathOf(problem);
    return interruptible([&](const Watch& watch) { return impactSetOfFile(path, options, watch); });
  }
  if (py::isinstance<py::str>(problem) && problem.cast<std::string>().find('\n') == std::string::npos) {
    const std::string path = problem.cast<std::string>();
    return interruptible([&](const Watch& watch) { return impactSetOfFile(path, options, watch); });
  }
  const std::string text = textOf(problem);
  return interruptible([&](const Watch& watch) { return impactSet(text, "<problem>", options, watch); });
}

void defineVerify(py::module_& module) {
  py::class_<VerifyFailure>(module, "VerifyFailure", "One reason why a record's claim is not proved.")
      .def_readonly("refuted", &VerifyFailure::refuted, "the record is wrong; else it could not be proved right")
      .def_readonly("branch", &VerifyFailure::branch)
      .def_readonly("piece", &VerifyFailure::piece)
      .def_readonly("pair", &VerifyFailure::pair)
      .def_readonly("time", &VerifyFailure::time)
      .def_readonly("reason", &VerifyFailure::reason)
      .def("__repr__", [](const VerifyFailure& f) { return "VerifyFailure(" + f.reason + ")"; });
  py::class_<VerifyReport>(module, "VerifyReport", "What `rigor verify --json` prints.")
      .def_readonly("status", &VerifyReport::status, "'proved', 'refuted' or 'unproved'")
      .def_property_readonly("proved", &VerifyReport::proved)
      .def_readonly("complete", &VerifyReport::complete, "every leaf reached `until`")
      .def_readonly("branches", &VerifyReport::branches)
      .def_readonly("pieces", &VerifyReport::pieces)
      .def_readonly("pairs", &VerifyReport::pairs)
      .def_readonly("witnesses", &VerifyReport::witnesses)
      .def_readonly("min_gap", &VerifyReport::min_gap, "proved for every pair at every instant [m]")
      .def_readonly("horizon", &VerifyReport::horizon, "[s]")
      .def_readonly("until", &VerifyReport::until, "[s]")
      .def_readonly("open_joints", &VerifyReport::open_joints, "joints and loops are open by no more [m]")
      .def_readonly("wall_seconds", &VerifyReport::wall_seconds)
      .def_readonly("failures", &VerifyReport::failures)
      .def_readonly("failure_count", &VerifyReport::failure_count)
      .def_readonly("notes", &VerifyReport::notes)
      .def_property_readonly(
          "physics",
          [](const VerifyReport& report) -> py::object {
            using namespace py::literals;
            if (!report.physics_known) return py::none();
            py::dict laws;
            for (const VerifyLaw& law : report.physics)
              laws[py::str(law.name)] =
                  py::dict("worst"_a = law.worst, "bound"_a = law.bound, "branch"_a = law.branch, "time"_a = law.time);
            return laws;
          },
          "None where the record does not say what acted; else a dict by law: worst, bound, branch, time")
      .def("__repr__", [](const VerifyReport& r) {
        return "VerifyReport(" + r.status + ", min_gap=" + std::to_string(r.min_gap) + ")";
      });
  module.def(
      "verify",
      [](const py::object& path, bool kernel, bool geometry_only, int threads) {
        const VerifyOptions options{kernel, geometry_only, threads};
        const std::string file = pathOf(path);
        return interruptible([&](const Watch& watch) { return verifyRecord(file, options, watch); });
      },
      py::arg("path"), py::kw_only(), py::arg("kernel") = false, py::arg("geometry_only") = false,
      py::arg("threads") = 0,
      "Proves a record's claim again, from the file alone, in exact arithmetic. Returns a VerifyReport; raises "
      "InputError for files that are\n"
      "no record. Without the interpreter's lock; Ctrl-C ends it.");
}

void defineCheck(py::module_& module) {
  py::class_<CheckedPair>(module, "CheckedPair", "A pair that is not proved apart throughout.")
      .def_readonly("body_a", &CheckedPair::body_a)
      .def_readonly("body_b", &CheckedPair::body_b)
      .def_readonly("overlapping", &CheckedPair::overlapping, "intervals")
      .def_readonly("tunnelling", &CheckedPair::tunnelling, "intervals: apart at both samples, not between")
      .def_readonly("undecided", &CheckedPair::undecided)
      .def_readonly("first", &CheckedPair::first, "[s]")
      .def_readonly("last", &CheckedPair::last, "[s]")
      .def_readonly("time", &CheckedPair::deepest_time, "of the deepest overlap [s]")
      .def_readonly("depth", &CheckedPair::deepest_depth, "[m]")
      .def_property_readonly(
          "curve", [](const CheckedPair& p) { return toNumpy(p.curve); }, "(k, 2): time, depth")
      .def("__repr__", [](const CheckedPair& p) {
        return "CheckedPair('" + p.body_a + "', '" + p.body_b + "', depth=" + std::to_string(p.deepest_depth) + ")";
      });
  py::class_<CheckReport>(module, "CheckReport", "What `rigor check --json` prints.")
      .def_readonly("status", &CheckReport::status, "'apart', 'penetrates' or 'undecided'")
      .def_readonly("interpolation", &CheckReport::interpolation)
      .def_readonly("intervals", &CheckReport::intervals)
      .def_readonly("apart", &CheckReport::apart)
      .def_readonly("overlapping", &CheckReport::overlapping)
      .def_readonly("tunnelling", &CheckReport::tunnelling)
      .def_readonly("undecided", &CheckReport::undecided)
      .def_readonly("pairs", &CheckReport::pairs)
      .def_readonly("wall_seconds", &CheckReport::wall_seconds)
      .def_property_readonly(
          "deepest",
          [](const CheckReport& r) -> py::object {
            return r.deepest < 0 ? py::none() : py::cast(r.pairs[static_cast<std::size_t>(r.deepest)]);
          },
          "the CheckedPair that overlaps most; None: none overlaps")
      .def("__repr__", [](const CheckReport& r) { return "CheckReport(" + r.status + ")"; });
  module.def(
      "check", check, py::arg("scene"), py::arg("times"), py::arg("poses") = py::none(), py::kw_only(),
      py::arg("allow") = 0.0, py::arg("interpolation") = py::none(), py::arg("curves") = false,
      "Are motions that were computed elsewhere free of penetration, between their samples too? Proved, or shown where "
      "not.\n\n"
      "times: (n,) [s]; poses: a dict from body to (n, 7), position [m] and quaternion [w, x, y, z] of the origin, or "
      "(n, 13), with its\n"
      "velocity [m/s] and angular velocity [rad/s]. Or times alone: the path of a trajectory file (CSV, npz, HDF5).\n"
      "allow: depth that counts as apart [m]. interpolation: 'linear', 'hermite' or None: hermite where all velocities "
      "are there.");
}

void defineDistance(py::module_& module) {
  py::class_<Separation>(module, "Separation", "How two convex sets of points are separated.")
      .def_readonly("distance", &Separation::distance, "[m]; 0 touching; negative: minus the penetration depth")
      .def_property_readonly(
          "point_a", [](const Separation& s) { return toNumpy(s.point_a); }, "(3,) world [m]")
      .def_property_readonly(
          "point_b", [](const Separation& s) { return toNumpy(s.point_b); }, "(3,) world [m]")
      .def_property_readonly(
          "normal", [](const Separation& s) { return toNumpy(s.normal); }, "(3,) unit, from B to A")
      .def_property_readonly(
          "feature_a", [](const Separation& s) { return py::make_tuple(s.kind_a, s.feature_a); },
          "('vertex', 'edge' or 'face', indices)")
      .def_property_readonly("feature_b", [](const Separation& s) { return py::make_tuple(s.kind_b, s.feature_b); })
      .def("__repr__", [](const Separation& s) { return py::str("Separation(distance={})").format(s.distance); });
  module.def(
      "distance",
      [](const py::object& a, const py::object& b, const py::object& pose_a, const py::object& pose_b) {
        return distance(hullOf(a, pose_a, "a"), hullOf(b, pose_b, "b"));
      },
      py::arg("a"), py::arg("b"), py::arg("pose_a") = py::none(), py::arg("pose_b") = py::none(),
      "The Separation of the convex hulls of two sets of points, (k, 3) [m] each; flat sets and single points too. "
      "Poses: 7 numbers,\n"
      "position and quaternion [w, x, y, z]; None: at the origin.");
}

void defineImpact(py::module_& module) {
  py::class_<ImpactSet>(module, "ImpactSet", "What a model makes of an impact problem.")
      .def_readonly("model", &ImpactSet::model)
      .def_readonly("random", &ImpactSet::random, "outcomes are samples; else they are all solutions that were found")
      .def_property_readonly(
          "velocity", [](const ImpactSet& s) { return arrayOf(s.velocity); },
          "(k, n): velocities after it, an outcome a row")
      .def_property_readonly(
          "normal_velocity", [](const ImpactSet& s) { return arrayOf(s.normal_velocity); },
          "(k, m) [m/s], positive separates")
      .def_property_readonly(
          "lcps",
          [](const ImpactSet& s) { return py::array_t<int>(static_cast<py::ssize_t>(s.lcps.size()), s.lcps.data()); },
          "(k,)")
      .def_readonly("impulses", &ImpactSet::impulses,
                    "deterministic models: of each outcome and contact, normal and tangential [N s]")
      .def_readonly("drawn", &ImpactSet::drawn)
      .def_readonly("unfinished", &ImpactSet::unfinished)
      .def_readonly("failed", &ImpactSet::failed)
      .def_readonly("worst_residual", &ImpactSet::worst_residual)
      .def_readonly("worst_energy_increase", &ImpactSet::worst_energy_increase, "relative to the energy before")
      .def("__len__", [](const ImpactSet& s) { return s.velocity.rows; })
      .def("__repr__", [](const ImpactSet& s) {
        return "ImpactSet('" + s.model + "', " + std::to_string(s.velocity.rows) + " outcomes)";
      });
  module.def(
      "impact_set",
      [](const py::object& problem, long samples, std::uint64_t seed, const std::string& model, int threads) {
        return impactSetOf(problem, {model, samples, seed, threads});
      },
      py::arg("problem"), py::kw_only(), py::arg("samples") = 1000, py::arg("seed") = 0, py::arg("model") = "routh",
      py::arg("threads") = 0,
      "The set of outcomes of a simultaneous impact. problem: the path of a problem file, a dict of its fields (arrays "
      "allowed), or YAML text.");
  module.def("impact_models", impactModels, "Names of the impact models.");
}

void defineSweep(py::module_& module) {
  py::class_<SweepSummary>(module, "SweepSummary", "How many runs a sweep made.")
      .def_readonly("runs", &SweepSummary::runs)
      .def_readonly("done", &SweepSummary::done)
      .def_readonly("failed", &SweepSummary::failed)
      .def_readonly("refused", &SweepSummary::refused);
  module.def(
      "_sweep",
      [](const std::string& file, const std::string& folder, long shard, long shards, int threads, bool resume) {
        const SweepOptions options{shard, shards, threads, resume};
        return interruptible([&](const Watch& watch) {
          const SweepSummary summary = runSweep(file, folder, options, watch);
          if (summary.interrupted) throw InterruptedError();
          return summary;
        });
      },
      py::arg("file"), py::arg("folder"), py::arg("shard"), py::arg("shards"), py::arg("threads"), py::arg("resume"));
  module.def("_merge_sweeps", mergeSweeps, py::arg("folders"), py::arg("into"));
}

void defineExplore(py::module_& module) {
  py::class_<TreeSummary>(module, "TreeSummary", "What `rigor explore --json` prints.")
      .def_readonly("status", &TreeSummary::status)
      .def_readonly("message", &TreeSummary::message)
      .def_readonly("time", &TreeSummary::time)
      .def_readonly("min_gap", &TreeSummary::min_gap)
      .def_readonly("branches", &TreeSummary::branches)
      .def_readonly("leaves", &TreeSummary::leaves)
      .def_readonly("forks", &TreeSummary::forks)
      .def_readonly("merged", &TreeSummary::merged)
      .def_readonly("open", &TreeSummary::open, "outcomes that were found and not followed")
      .def_readonly("open_difference", &TreeSummary::open_difference, "each within this of a followed one [m/s]")
      .def_readonly("plastic_impacts", &TreeSummary::plastic_impacts)
      .def_readonly("failed", &TreeSummary::failed)
      .def("__repr__", [](const TreeSummary& s) {
        return "TreeSummary(" + s.status + ", " + std::to_string(s.branches) + " branches)";
      });
  module.def(
      "explore",
      [](const Scene& scene, const py::object& record, const py::object& until, std::uint64_t seed, long samples,
         double tolerance, long max_branches, int threads, bool replace) {
        ExploreOptions options;
        if (!until.is_none()) options.until = until.cast<double>();
        options.seed = seed, options.samples = samples, options.tolerance = tolerance;
        options.max_branches = max_branches, options.threads = threads, options.replace = replace;
        const std::string path = pathOf(record);
        return interruptible([&](const Watch& watch) { return exploreScene(scene, path, options, watch); });
      },
      py::arg("scene"), py::arg("record"), py::kw_only(), py::arg("until") = py::none(), py::arg("seed") = 0,
      py::arg("samples") = 1000, py::arg("tolerance") = 0.05, py::arg("max_branches") = 100, py::arg("threads") = 0,
      py::arg("replace") = false,
      "The tree of trajectories of a scene, every ambiguous impact forks; the record is that of `rigor explore`. "
      "Returns a TreeSummary.\n"
      "Without the interpreter's lock; Ctrl-C ends it with a valid record.");
}

}  // namespace

void defineTools(py::module_& module) {
  defineVerify(module);
  defineCheck(module);
  defineDistance(module);
  defineImpact(module);
  defineSweep(module);
  defineExplore(module);
}

}  // namespace rigor::python
