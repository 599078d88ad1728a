// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "sim/sink.h"
#include "sim/trace.h"

namespace rigor::cli {

/// Writes what the event loop decides, and the events and impacts of the run, a line each (docs/tracing.md).
class TraceWriter : public sim::Trace {
 public:
  /// Where to and how: JSON lines; what Perfetto and chrome://tracing read; lines for people.
  enum class Form { kLines, kPerfetto, kText };
  /// By the file's ending: .json is Perfetto's.
  static Form formOf(const std::string& path);

  /// @param bodies  Names, by number. @pre `out` outlives this.
  TraceWriter(std::ostream& out, Form form, std::vector<std::string> bodies);
  ~TraceWriter() override;  ///< Ends the file.

  void entry(const sim::TraceEntry& entry) override;
  void certificate(double seconds, bool proved) override;
  void solve(const sim::SolveEntry& entry) override;
  void event(const sim::EventRecord& event);
  void impact(const sim::ImpactRecord& impact);

 private:
  /// Contact problems since the last entry, by strategy.
  struct Solves {
    long count = 0, failed = 0, iterations = 0;
    double seconds = 0;
  };

  double clock() const;  ///< [us] since this was made.
  std::string bodyName(int body) const;
  /// What happens at an instant, as a line or for Perfetto.
  void instant(const char* kind, const std::string& name, const nlohmann::ordered_json& fields);
  void write(const nlohmann::ordered_json& json);

  std::ostream& out_;
  Form form_;
  std::vector<std::string> bodies_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool first_ = true;
  double step_began_ = 0, trial_began_ = 0;  ///< [us]
  long certificates_ = 0;                    ///< Since the last entry.
  double certificate_seconds_ = 0;
  std::map<std::string, Solves, std::less<>> solves_;
};

/// Hands everything on to another sink, and events and impacts to a trace as well.
class TracedSink : public sim::Sink {
 public:
  TracedSink(sim::Sink& sink, TraceWriter& trace) : sink_(sink), trace_(trace) {}
  void piece(const sim::PieceRecord& r) override { sink_.piece(r); }
  void witness(const sim::WitnessRecord& r) override { sink_.witness(r); }
  void event(const sim::EventRecord& r) override { trace_.event(r), sink_.event(r); }
  void impact(const sim::ImpactRecord& r) override { trace_.impact(r), sink_.impact(r); }
  void impulses(const sim::ImpulseRecord& r) override { sink_.impulses(r); }
  void joints(const sim::JointRecord& r) override { sink_.joints(r); }
  void checkpoint(double time, long step, const std::vector<unsigned char>& state) override {
    sink_.checkpoint(time, step, state);
  }

 private:
  sim::Sink& sink_;
  TraceWriter& trace_;
};

}  // namespace rigor::cli
