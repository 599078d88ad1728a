// SPDX-License-Identifier: MIT
#include "support.h"

namespace rigor::python {

Array adopt(std::vector<double>&& values, std::size_t rows, std::size_t columns) {
  auto* const owned = new std::vector<double>(std::move(values));
  const py::capsule owner(owned, [](void* p) { delete static_cast<std::vector<double>*>(p); });
  return Array({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)}, owned->data(), owner);
}

Array matrix(const py::object& object, py::ssize_t rows, py::ssize_t columns, const std::string& what) {
  const Array array = Array::ensure(object);
  if (!array || array.ndim() != 2 || array.shape(1) != columns || (rows >= 0 && array.shape(0) != rows)) {
    PyErr_Clear();
    throw InputError(what + " has another shape; allowed: " + (rows < 0 ? "n" : std::to_string(rows)) + " x " +
                     std::to_string(columns) + " numbers");
  }
  return array;
}

std::vector<double> listOfTimes(const py::object& object) {
  const Array array = Array::ensure(object);
  if (!array || array.ndim() > 1) {
    PyErr_Clear();
    throw InputError("times are no list of numbers; allowed: n numbers [s]");
  }
  return {array.data(), array.data() + array.size()};
}

std::string pathOf(const py::object& object) {
  return py::module_::import("os").attr("fspath")(object).cast<std::string>();
}

std::string textOf(const py::object& object) {
  if (py::isinstance<py::str>(object)) return object.cast<std::string>();
  return py::module_::import("rigor._text").attr("as_yaml")(object).cast<std::string>();
}

void SignalWatch::look() {
  const auto now = std::chrono::steady_clock::now();
  if (error_ || now - last_ < kSignalInterval) return;
  last_ = now;
  py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() == 0) return;
  error_.emplace();  // Takes the error that is set.
  interrupt_ = true;
}

py::dict rowOf(const Event& event) {
  using namespace py::literals;
  return py::dict("time"_a = event.time, "kind"_a = event.kind, "body_a"_a = event.body_a, "body_b"_a = event.body_b,
                  "detail"_a = event.detail);
}

py::dict rowOf(const Contact& c) {
  using namespace py::literals;
  return py::dict("body_a"_a = c.body_a, "body_b"_a = c.body_b, "t0"_a = c.t0, "t1"_a = c.t1,
                  "point"_a = toNumpy(c.point), "normal"_a = toNumpy(c.normal), "impulse"_a = toNumpy(c.impulse),
                  "force"_a = toNumpy(c.force()));
}

py::dict rowOf(const Impact& impact) {
  using namespace py::literals;
  py::list contacts;
  for (const ImpactContact& c : impact.contacts)
    contacts.append(py::dict("body_a"_a = c.body_a, "body_b"_a = c.body_b, "point"_a = toNumpy(c.point),
                             "normal"_a = toNumpy(c.normal), "tangent"_a = toNumpy(c.tangent),
                             "impulse"_a = toNumpy(c.impulse), "friction"_a = c.friction,
                             "restitution"_a = c.restitution));
  return py::dict("time"_a = impact.time, "model"_a = impact.model, "bodies"_a = impact.bodies,
                  "before"_a = toNumpy(impact.before), "after"_a = toNumpy(impact.after), "contacts"_a = contacts);
}

}  // namespace rigor::python
