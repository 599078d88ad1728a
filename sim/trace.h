// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>
#include <utility>

namespace rigor::sim {

/// Something that the event loop did with a group of bodies, and why. Texts are valid during the call.
struct TraceEntry {
  std::string_view kind;     ///< "step", "impacts", "refused", "accepted", "rest", "merge", "fork", "failed".
  double time = 0;           ///< Simulated, at the start of the step [s].
  int body = -1;             ///< First of the group.
  int bodies = 0;            ///< In the group.
  int contacts = 0;          ///< Features that touch or may.
  double length = 0;         ///< Of the step or trial [s].
  double error = 0;          ///< Of a trial, as a velocity [m/s].
  std::string_view method;   ///< Of a trial that was accepted: "crowd", "flight", "velocity level", "integrated".
  std::string_view reason;   ///< Why it was refused or failed; of one that was accepted: what ends it.
};

/// A contact problem that was tried.
struct SolveEntry {
  std::string_view strategy;  ///< The last one that was tried: "active set", "graph", "polygons"; of ticks and of
                              ///< impacts of many contacts an attempt of docs/contact-solver.md.
  int contacts = 0;
  long iterations = 0;  ///< Changes of the active set, or Newton steps.
  double seconds = 0;
  bool solved = false;
};

/// Receives what the event loop decides. It must not change the run.
class Trace {
 public:
  virtual ~Trace() = default;
  virtual void entry(const TraceEntry& entry) = 0;
  /// A certificate of one pair over a trial was tried, for so long [s].
  virtual void certificate(double /*seconds*/, bool /*proved*/) {}
  virtual void solve(const SolveEntry& /*entry*/) {}
};

/// Of this thread's runs; null: nobody listens, which costs one comparison a trial.
inline thread_local Trace* active_trace = nullptr;

/// Listens to the runs of this thread while it lives.
class TraceScope {
 public:
  explicit TraceScope(Trace* trace) : before_(std::exchange(active_trace, trace)) {}
  ~TraceScope() { active_trace = before_; }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  Trace* before_;
};

}  // namespace rigor::sim
