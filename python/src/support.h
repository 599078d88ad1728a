// SPDX-License-Identifier: MIT
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "elementary/require.h"
#include "rigor/rigor.h"

namespace rigor::python {

namespace py = pybind11;

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// How often a long call looks for Ctrl-C.
inline constexpr std::chrono::milliseconds kSignalInterval{50};

inline Array rowsAndColumns(std::size_t rows, std::size_t columns) {
  return Array({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)});
}

template <std::size_t N>
Array toNumpy(const std::array<double, N>& values) {
  return Array(static_cast<py::ssize_t>(N), values.data());
}

/// A new matrix of rows of N numbers.
template <std::size_t N>
Array toNumpy(const std::vector<std::array<double, N>>& rows) {
  return Array({static_cast<py::ssize_t>(rows.size()), static_cast<py::ssize_t>(N)},
               rows.empty() ? nullptr : rows[0].data());
}

/// Owns `values` through the array: no copy.
Array adopt(std::vector<double>&& values, std::size_t rows, std::size_t columns);

/// A matrix of so many columns; of rows too unless -1. @throws InputError naming `what`.
Array matrix(const py::object& object, py::ssize_t rows, py::ssize_t columns, const std::string& what);
/// N numbers. @throws InputError naming `what`.
template <std::size_t N>
std::array<double, N> numbers(const py::object& object, const std::string& what) {
  const Array array = Array::ensure(object);
  if (!array || array.ndim() != 1 || array.shape(0) != static_cast<py::ssize_t>(N)) {
    PyErr_Clear();
    throw InputError(what + " is no list of numbers of that length; allowed: " + std::to_string(N) + " numbers");
  }
  std::array<double, N> values;
  std::copy_n(array.data(), N, values.begin());
  return values;
}
std::vector<double> listOfTimes(const py::object& object);

/// The path that a str or os.PathLike means.
std::string pathOf(const py::object& object);
/// YAML text of a dict, or the text itself.
std::string textOf(const py::object& object);

/// Tables: a dict a row, for pandas.DataFrame() or a loop.
py::dict rowOf(const Event& event);
py::dict rowOf(const Impact& impact);
py::dict rowOf(const Contact& contact);
py::dict rowOf(const JointSample& sample);
template <typename Row>
py::list tableOf(const std::vector<Row>& rows) {
  py::list table;
  for (const Row& row : rows) table.append(rowOf(row));
  return table;
}

/// Looks for signals now and then, from the thread that made it; to be called without the interpreter's lock.
class SignalWatch {
 public:
  Watch watch() {
    return {&interrupt_, [this](double, double) { look(); }};
  }
  /// Throws what a signal handler raised (KeyboardInterrupt), if one did. @pre The lock is held.
  void rethrow() {
    RIGOR_REQUIRE(PyGILState_Check());
    if (error_) throw py::error_already_set(*error_);
  }
  ~SignalWatch() {
    if (!error_) return;
    py::gil_scoped_acquire lock;
    error_.reset();
  }
  void look();

 private:
  std::atomic<bool> interrupt_{false};
  std::optional<py::error_already_set> error_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// (rows, cols), copied.
inline Array arrayOf(const Matrix& m) { return Array({m.rows, m.cols}, m.values.data()); }

/// work(watch) on a thread of its own without the interpreter's lock, while this one looks for Ctrl-C.
template <typename Work>
auto interruptible(Work&& work) -> decltype(work(std::declval<const Watch&>())) {
  SignalWatch signals;
  const std::atomic<bool>* interrupt = signals.watch().interrupt;
  std::optional<decltype(work(std::declval<const Watch&>()))> result;
  std::exception_ptr failure;
  {
    py::gil_scoped_release release;
    auto future = std::async(std::launch::async, [&] { return work(Watch{interrupt, {}}); });
    while (future.wait_for(kSignalInterval) != std::future_status::ready) signals.look();
    try {
      result.emplace(future.get());
    } catch (...) {
      failure = std::current_exception();
    }
  }
  signals.rethrow();
  if (failure) std::rethrow_exception(failure);
  return *std::move(result);
}

void defineScene(py::module_& module);
void defineSimulation(py::module_& module);
void defineRecord(py::module_& module);
void defineTools(py::module_& module);
void defineImpactModel(py::module_& module);

}  // namespace rigor::python
