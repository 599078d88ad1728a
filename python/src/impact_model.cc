// SPDX-License-Identifier: MIT
#include "support.h"

namespace rigor::python {
namespace {

/// A Python object with the methods of rigor.ImpactModel. Never destroyed: models are known for the life of the
/// program.
class PythonImpactModel : public ImpactModel {
 public:
  explicit PythonImpactModel(const py::object& model)
      : model_(model),
        name_(model.attr("name").cast<std::string>()),
        assumption_(model.attr("assumption").cast<std::string>()),
        random_(model.attr("random").cast<bool>()),
        by_contact_(model.attr("by_contact").cast<bool>()) {
    model_.inc_ref();
  }
  std::string name() const override { return name_; }
  std::string assumption() const override { return assumption_; }
  bool isRandom() const override { return random_; }
  bool isByContact() const override { return by_contact_; }
  std::vector<std::vector<double>> impulses(const ImpactProblem& problem) const override {
    py::gil_scoped_acquire lock;
    const py::object found = model_.attr("impulses")(py::cast(problem));
    std::vector<std::vector<double>> list;
    if (found.is_none()) return list;
    for (const py::handle each : found) {
      const Array row = Array::ensure(py::reinterpret_borrow<py::object>(each));
      if (!row || row.ndim() > 1) {
        PyErr_Clear();
        throw InputError("impulses() of impact model '" + name_ +
                         "' returned a contact that is no list of numbers; allowed: normal, then tangential ones");
      }
      list.emplace_back(row.data(), row.data() + row.size());
    }
    return list;
  }

 private:
  py::handle model_;
  std::string name_, assumption_;
  bool random_, by_contact_;
};

}  // namespace

void defineImpactModel(py::module_& module) {
  py::class_<ImpactProblem>(module, "ImpactProblem",
                            "One simultaneous impact in generalized coordinates: n velocities, m contacts.")
      .def_property_readonly(
          "mass_matrix", [](const ImpactProblem& p) { return arrayOf(p.mass_matrix); }, "(n, n)")
      .def_property_readonly(
          "normal", [](const ImpactProblem& p) { return arrayOf(p.normal); },
          "(m, n): maps velocities to normal velocities, positive separates")
      .def_property_readonly(
          "tangent",
          [](const ImpactProblem& p) {
            py::list rows;
            for (const Matrix& m : p.tangent) rows.append(arrayOf(m));
            return rows;
          },
          "of each contact (0, 1 or 2, n)")
      .def_property_readonly(
          "friction",
          [](const ImpactProblem& p) { return Array(static_cast<py::ssize_t>(p.friction.size()), p.friction.data()); },
          "(m,); may be inf")
      .def_property_readonly(
          "restitution",
          [](const ImpactProblem& p) {
            return Array(static_cast<py::ssize_t>(p.restitution.size()), p.restitution.data());
          },
          "(m,)")
      .def_property_readonly(
          "velocity",
          [](const ImpactProblem& p) { return Array(static_cast<py::ssize_t>(p.velocity.size()), p.velocity.data()); },
          "(n,) before the impact")
      .def_readonly("seed", &ImpactProblem::seed,
                    "of the run, for random models: numpy.random.default_rng([p.seed, p.path])")
      .def_readonly("path", &ImpactProblem::path, "of the impact in its run");
  module.def(
      "register_impact_model",
      [](const py::object& model) { registerImpactModel(std::make_shared<PythonImpactModel>(model)); },
      py::arg("model"),
      "Makes a rigor.ImpactModel known, for the life of the program: to scenes, run(..., impact=NAME) and "
      "impact_set(..., model=NAME).\n"
      "Raises InputError for a name that is taken.");
}

}  // namespace rigor::python
