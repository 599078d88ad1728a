// SPDX-License-Identifier: MIT
#include "cli/trace_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "cli/exit_code.h"

namespace rigor::cli {
namespace {

constexpr std::size_t kSlowest = 5;  ///< Steps that are named.

/// A step of a group, from its begin to what ended it.
struct TracedStep {
  double us = 0, t = 0;
  std::string body, end;
  long trials = 0;
};

/// Contact problems of one strategy.
struct SolveSum {
  long count = 0, failed = 0, iterations = 0;
  double us = 0;
};

/// What a trace adds up to.
struct TraceSum {
  long steps = 0, impacts = 0;  ///< Steps: accepted ones, and those to rest.
  std::map<std::string, long> ends, refusals, methods, events;
  std::map<std::string, long> models;  ///< Of impacts.
  std::map<std::string, SolveSum> solves;
  std::vector<TracedStep> slowest;
  long certificates = 0;  ///< Pairs and trials.
  double us = 0, certificate_us = 0;

  void add(const nlohmann::json& line) {
    const std::string kind = line.at("kind");
    us = line.at("us");
    certificates += line.value("certificates", 0L), certificate_us += line.value("certificate_us", 0.0);
    for (const nlohmann::json& solve : line.value("solves", nlohmann::json::array())) {
      SolveSum& sum = solves[solve.at("strategy")];
      sum.count += solve.at("count").get<long>(), sum.failed += solve.at("failed").get<long>();
      sum.iterations += solve.at("iterations").get<long>(), sum.us += solve.at("us").get<double>();
    }
    if (kind == "event") {
      ++events[line.at("event")];
    } else if (kind == "impact") {
      ++impacts, ++models[line.at("model")];
    } else if (kind == "step") {
      current_ = {us, line.at("t"), line.at("body"), "", 0};
    } else if (kind == "refused") {
      ++refusals[line.value("reason", "")], ++current_.trials;
    } else if (kind != "impacts") {
      end(kind, line);
    }
  }

 private:
  void end(const std::string& kind, const nlohmann::json& line) {
    if (kind == "accepted" || kind == "rest") ++steps;
    ++ends[kind], ++current_.trials;
    if (line.contains("method")) ++methods[line["method"]];
    current_.us = us - current_.us;
    current_.end = kind;
    slowest.push_back(current_);
    std::stable_sort(slowest.begin(), slowest.end(),
                     [](const TracedStep& a, const TracedStep& b) { return a.us > b.us; });
    if (slowest.size() > kSlowest) slowest.pop_back();
    current_ = {us, current_.t, current_.body, "", 0};
  }
  TracedStep current_;
};

TraceSum readTrace(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path + ":1:1: the file cannot be read; a trace as `rigor run --trace FILE` writes it");
  TraceSum sum;
  std::string text;
  for (long line = 1; std::getline(file, text); ++line) {
    try {
      sum.add(nlohmann::json::parse(text));
    } catch (const nlohmann::json::exception&) {
      const char* hint = line == 1 && text.find("traceEvents") != text.npos
                             ? " (this one is for Perfetto: open it at ui.perfetto.dev)"
                             : "";
      throw std::runtime_error(fmt::format(
          "{}:{}:1: no entry of a trace; JSON lines as `rigor run --trace FILE` writes them{}", path, line, hint));
    }
  }
  return sum;
}

nlohmann::ordered_json counts(const std::map<std::string, long>& map) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [name, count] : map) json[name] = count;
  return json;
}

void printCounts(std::ostream& out, const char* title, const std::map<std::string, long>& map) {
  std::vector<std::pair<std::string, long>> rows(map.begin(), map.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [name, count] : rows)
    out << fmt::format("  {:<10} {:>8}  {}\n", std::exchange(title, ""), count, name);
}

}  // namespace

int traceCommand(const std::string& path, bool json, std::ostream& out, std::ostream& err) {
  TraceSum sum;
  try {
    sum = readTrace(path);
  } catch (const std::runtime_error& error) {
    err << error.what() << '\n';
    return kBadInput;
  }
  long refused = 0;
  for (const auto& [reason, count] : sum.refusals) refused += count;
  if (json) {
    nlohmann::ordered_json report{{"steps", sum.steps},
                                  {"refused", refused},
                                  {"impacts", sum.impacts},
                                  {"seconds", sum.us * 1e-6},
                                  {"certificates", sum.certificates},
                                  {"certificate_seconds", sum.certificate_us * 1e-6},
                                  {"ends", counts(sum.ends)},
                                  {"refusals", counts(sum.refusals)},
                                  {"methods", counts(sum.methods)},
                                  {"models", counts(sum.models)},
                                  {"events", counts(sum.events)},
                                  {"solves", nlohmann::json::object()},
                                  {"slowest", nlohmann::json::array()}};
    for (const auto& [strategy, solve] : sum.solves)
      report["solves"][strategy] = {{"count", solve.count},
                                    {"failed", solve.failed},
                                    {"iterations", solve.iterations},
                                    {"seconds", solve.us * 1e-6}};
    for (const TracedStep& step : sum.slowest)
      report["slowest"].push_back(
          {{"t", step.t}, {"body", step.body}, {"us", step.us}, {"trials", step.trials}, {"end", step.end}});
    out << report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    return kDone;
  }
  out << fmt::format("{}: {} steps, {} refused trials, {} impacts, {:.3g} s\n", path, sum.steps, refused, sum.impacts,
                     sum.us * 1e-6);
  out << fmt::format("  certificates {:>6}  {:.3g} s\n", sum.certificates, sum.certificate_us * 1e-6);
  for (const char* title = "contacts"; const auto& [strategy, solve] : sum.solves)
    out << fmt::format("  {:<10} {:>8}  {}: {} iterations, {:.3g} s{}\n", std::exchange(title, ""), solve.count,
                       strategy, solve.iterations, solve.us * 1e-6,
                       solve.failed ? fmt::format(", {} without a solution", solve.failed) : "");
  printCounts(out, "ends", sum.ends);
  printCounts(out, "methods", sum.methods);
  printCounts(out, "refused", sum.refusals);
  printCounts(out, "impacts", sum.models);
  printCounts(out, "events", sum.events);
  out << "  slowest\n";
  for (const TracedStep& step : sum.slowest)
    out << fmt::format("    {:8.0f} us at t = {:.6g} s, {}: {} after {} trial{}\n", step.us, step.t, step.body,
                       step.end, step.trials, step.trials == 1 ? "" : "s");
  return kDone;
}

}  // namespace rigor::cli
