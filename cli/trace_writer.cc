// SPDX-License-Identifier: MIT
#include "cli/trace_writer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace rigor::cli {
namespace {

using TraceJson = nlohmann::ordered_json;

}  // namespace

TraceWriter::Form TraceWriter::formOf(const std::string& path) {
  return path.ends_with(".json") ? Form::kPerfetto : Form::kLines;
}

TraceWriter::TraceWriter(std::ostream& out, Form form, std::vector<std::string> bodies)
    : out_(out), form_(form), bodies_(std::move(bodies)) {
  if (form_ == Form::kPerfetto) out_ << "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
}

TraceWriter::~TraceWriter() {
  if (form_ == Form::kPerfetto) out_ << "\n]}\n";
}

double TraceWriter::clock() const {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin_).count();
}

std::string TraceWriter::bodyName(int body) const {
  return body >= 0 && body < static_cast<int>(bodies_.size()) ? bodies_[static_cast<std::size_t>(body)] : std::string();
}

void TraceWriter::write(const TraceJson& json) {
  if (form_ == Form::kPerfetto && !first_) out_ << ",\n";
  first_ = false;
  out_ << json.dump(-1, ' ', false, TraceJson::error_handler_t::replace);
  if (form_ == Form::kLines) out_ << '\n';
}

void TraceWriter::entry(const sim::TraceEntry& e) {
  const double now = clock();
  if (form_ == Form::kText) {
    out_ << fmt::format("rigor: debug: t = {:.9g} s, {}{}: {}", e.time, bodyName(e.body),
                        e.bodies > 1 ? fmt::format(" and {} more", e.bodies - 1) : "", e.kind);
    if (e.length > 0) out_ << fmt::format(" {:.4g} s", e.length);
    if (!e.method.empty()) out_ << " (" << e.method << ')';
    if (!e.reason.empty()) out_ << ": " << e.reason;
    for (const char* before = "; contact problems: "; const auto& [strategy, sum] : std::exchange(solves_, {}))
      out_ << std::exchange(before, ", ") << sum.count << " by " << strategy;
    out_ << '\n';
    return;
  }
  TraceJson fields{{"t", e.time}, {"body", bodyName(e.body)}, {"bodies", e.bodies}, {"contacts", e.contacts}};
  if (e.length > 0) fields["length"] = e.length;
  if (e.error > 0) fields["error"] = e.error;
  if (!e.method.empty()) fields["method"] = e.method;
  if (!e.reason.empty()) fields["reason"] = e.reason;
  if (certificates_ > 0) fields["certificates"] = certificates_, fields["certificate_us"] = 1e6 * certificate_seconds_;
  certificates_ = 0, certificate_seconds_ = 0;
  for (const auto& [strategy, sum] : std::exchange(solves_, {}))
    fields["solves"].push_back({{"strategy", strategy},
                                {"count", sum.count},
                                {"failed", sum.failed},
                                {"iterations", sum.iterations},
                                {"us", 1e6 * sum.seconds}});
  if (form_ == Form::kLines) {
    TraceJson json{{"kind", e.kind}, {"us", now}};
    json.update(fields);
    write(json);
    return;
  }
  // A slice from the end of what came before it: a trial's is inside of its step's.
  if (e.kind == "step") {
    step_began_ = trial_began_ = now;
    return;
  }
  const bool ends_step = e.kind != "refused" && e.kind != "impacts";
  write({{"name", e.kind},
         {"cat", "trial"},
         {"ph", "X"},
         {"ts", trial_began_},
         {"dur", now - trial_began_},
         {"pid", 1},
         {"tid", 1},
         {"args", fields}});
  if (ends_step)
    write({{"name", "step"},
           {"cat", "step"},
           {"ph", "X"},
           {"ts", step_began_},
           {"dur", now - step_began_},
           {"pid", 1},
           {"tid", 1},
           {"args", {{"t", e.time}}}});
  trial_began_ = now;
}

void TraceWriter::certificate(double seconds, bool) { ++certificates_, certificate_seconds_ += seconds; }

void TraceWriter::solve(const sim::SolveEntry& entry) {
  Solves& sum = solves_.try_emplace(std::string(entry.strategy)).first->second;
  ++sum.count, sum.failed += !entry.solved, sum.iterations += entry.iterations, sum.seconds += entry.seconds;
}

void TraceWriter::event(const sim::EventRecord& e) {
  if (form_ == Form::kText) {
    out_ << fmt::format("rigor: debug: t = {:.9g} s, event {} {} {}\n", e.time, e.kind, bodyName(e.body_a),
                        bodyName(e.body_b));
    return;
  }
  instant("event", std::string(e.kind),
          {{"t", e.time}, {"event", e.kind}, {"body_a", bodyName(e.body_a)}, {"body_b", bodyName(e.body_b)}});
}

void TraceWriter::impact(const sim::ImpactRecord& i) {
  if (form_ == Form::kText) {
    out_ << fmt::format("rigor: debug: t = {:.9g} s, impact by {} of {} contacts\n", i.time, i.model,
                        i.contacts.size());
    return;
  }
  instant("impact", "impact",
          {{"t", i.time}, {"model", i.model}, {"contacts", i.contacts.size()}, {"bodies", i.bodies.size()}});
}

void TraceWriter::instant(const char* kind, const std::string& name, const TraceJson& fields) {
  if (form_ == Form::kPerfetto) {
    write({{"name", name},
           {"cat", kind},
           {"ph", "i"},
           {"s", "p"},
           {"ts", clock()},
           {"pid", 1},
           {"tid", 1},
           {"args", fields}});
    return;
  }
  TraceJson json{{"kind", kind}, {"us", clock()}};
  json.update(fields);
  write(json);
}

}  // namespace rigor::cli
