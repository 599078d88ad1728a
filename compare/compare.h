// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "methods/registry.h"
#include "record/svg_plot.h"
#include "sim/simulation.h"

namespace rigor::compare {

/// One method or engine on the scene, and what its motion is worth.
struct Entry {
  enum class Kind : unsigned char { kCertified, kPublished, kEngine };
  std::string name;
  Kind kind = Kind::kPublished;
  double step = 0;         ///< Fixed, or the longest [s]; 0: none was set.
  std::string refused;     ///< Why it is not for the scene; everything below is then unset.
  sim::Summary summary;    ///< Of engines: time, steps and energies. min_gap as of `rigor run`; of motions that overlap
                           ///< minus the deepest overlap.
  double cpu_seconds = 0;  ///< Of the simulation alone.
  std::string counters = "{}";  ///< JSON, of the method's own.

  std::string verdict;  ///< "apart", "penetrates", "undecided": as of `rigor check`, between the samples too.
  long intervals = 0, overlapping = 0, tunnelling = 0, undecided = 0;
  double deepest = 0, deepest_time = 0;  ///< [m], [s]
  std::string deepest_pair;
  double from_certified =
      0;  ///< Largest distance of a body's centre at the end from where the event loop has it [m]; NaN: not known.
  std::string record;  ///< Path; empty: none.
  std::vector<record::PlotPoint> depth, energy,
      height;  ///< Over time: [m], change since the start [J], of the first body that moves [m].
};

struct Options {
  std::string folder;             ///< For records; must exist. Empty: none are written.
  std::vector<std::string> only;  ///< Names; empty: all.
  double step = 0;                ///< Of methods and engines [s]; 0: their own.
  long max_steps = 0;             ///< Of a published method; 0: as the scene says.
  std::uint64_t seed = 0;
  std::string build;       ///< For records.
  std::string peers;       ///< Path of rigor-peers; empty: no engines.
  std::string scene_path;  ///< For rigor-peers.
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(const std::string& name, double time)> progress = {};
};

/// Every method and engine on one scene, the event loop first. One after the other, in one thread: their times are
/// comparable.
/// @throws sim::SceneError, record::RecordError.
std::vector<Entry> compareMethods(const sim::Scene& scene, const Options& options);

/// The motion of one published method, proved as far as it can be, and recorded. `path` empty: not recorded.
Entry runPublished(const methods::MethodInfo& method, const methods::Choice& choice, const sim::Scene& start,
                   const sim::Simulation& scales, const std::string& path, bool replace, const Options& options);

}  // namespace rigor::compare
