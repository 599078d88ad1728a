// SPDX-License-Identifier: MIT
// The extension `rigor._rigor`: include/rigor as Python sees it. Python code beside it makes the rest (python/rigor).
#include "support.h"

namespace rigor::python {
namespace {

PyObject* input_error = nullptr;
PyObject* guarantee_error = nullptr;

PyObject* makeError(py::module_& module, const char* name, PyObject* base, const char* doc) {
  PyObject* const type = PyErr_NewExceptionWithDoc((std::string("rigor.") + name).c_str(), doc, base, nullptr);
  if (!type) throw py::error_already_set();
  module.add_object(name, py::handle(type));
  return type;  // Lives as long as the interpreter.
}

void raise(const InputError& error) {
  const py::object instance = py::handle(input_error)(error.what());
  if (!error.file.empty()) instance.attr("file") = error.file;
  if (error.line > 0) instance.attr("line") = error.line;
  if (error.column > 0) instance.attr("column") = error.column;
  PyErr_SetObject(input_error, instance.ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    raise(error);
  } catch (const GuaranteeError& error) {
    PyErr_SetString(guarantee_error, error.what());
  } catch (const InterruptedError&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  }
}

}  // namespace

PYBIND11_MODULE(_rigor, module) {
  module.doc() = "rigid bodies that are proved never to touch: the compiled part of the package `rigor`";
  module.attr("__version__") = RIGOR_VERSION;
  input_error = makeError(module, "InputError", PyExc_ValueError,
                          "Input that cannot be used. str() is FILE:LINE:COL: what was found; what is allowed.\n\n"
                          "file (str), line and column (int, from 1) say where; None where there is no place.");
  for (const char* name : {"file", "line", "column"}) py::handle(input_error).attr(name) = py::none();
  guarantee_error =
      makeError(module, "GuaranteeError", PyExc_RuntimeError,
                "The simulator could not keep its guarantee, or a solver failed. What was made up to there stands.");
  py::register_exception_translator(translate);
  defineScene(module);
  defineSimulation(module);
  defineRecord(module);
  defineTools(module);
  defineImpactModel(module);
}

}  // namespace rigor::python
