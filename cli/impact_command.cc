// SPDX-License-Identifier: MIT
#include "cli/impact_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "cli/exit_code.h"
#include "cli/impact_bounds.h"
#include "cli/impact_plot.h"
#include "cli/impact_report.h"
#include "cli/input_error.h"
#include "cli/interrupt.h"
#include "cli/places.h"
#include "cli/progress_bar.h"
#include "impact/model_registry.h"
#include "impact/models/sequential.h"

namespace rigor::cli {
namespace {

constexpr long kSamples = 1000;
constexpr long kMostSamplesOfCoverage = 1'000'000;
// Outcomes of a set that are shown, and how different they must be (kinetic distance, relative to the speed before).
constexpr int kShownOutcomes = 12;
constexpr double kShownDifference = 0.01;
// Contacts in space up to which the exact set is tried, to hold samples against it.
constexpr int kSpatialGaugeContacts = 2;

/// --option NAME=VALUE and --order, as the models describe them; throws UsageError.
void applyOptions(const ImpactArguments& arguments, const std::vector<std::string>& models, int contacts,
                  impact::ImpactOptions& options) {
  using Place = impact::ModelOption::Place;
  const auto apply = [&](const std::string& name, const std::string& value) {
    const impact::ModelOption* const option = impact::findOption(name, Place::kProblem);
    if (!option) {
      std::vector<std::string> names;
      for (const impact::ModelOption* known : impact::modelOptions(Place::kProblem)) names.push_back(known->name);
      throw UsageError(fmt::format("--option {}: no option of a model; there are {}", name, fmt::join(names, ", ")));
    }
    try {
      impact::setOption(*option, impact::parseOption(*option, value, contacts), contacts, options);
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--option {}", error.what()));
    }
  };
  for (const std::string& model : models) {
    const impact::ModelOption* const order = impact::findModel(model)->orderOption();
    if (order && !arguments.order.empty() && arguments.order != "all") apply(order->name, arguments.order);
  }
  for (const std::string& text : arguments.options) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw UsageError(fmt::format("--option {} is not allowed; NAME=VALUE, such as tolerance=1e-9", text));
    apply(text.substr(0, equals), text.substr(equals + 1));
  }
}

std::vector<std::string> modelsOf(const std::string& name) {
  std::vector<std::string> all = impact::resolverNames();
  if (name == "all") return all;
  if (std::find(all.begin(), all.end(), name) == all.end()) {
    throw UsageError(fmt::format("--model {}: no model of this version; there are {}, or all for every one", name,
                                 fmt::join(all, ", ")));
  }
  return {name};
}

void addOutcome(const impact::ImpactProblem& problem, impact::ImpactOutcome outcome, double weight, ModelReport& report,
                std::vector<int> order = {}) {
  ShownOutcome& shown = report.outcomes.emplace_back();
  impact::findFates(problem, outcome.velocity, impact::kFateTolerance, shown.fates);
  shown.outcome = std::move(outcome);
  shown.weight = weight;
  shown.order = std::move(order);
}

/// The figures of a deterministic model from its outcomes.
void summarise(const impact::ImpactProblem& problem, ModelReport& report) {
  report.drawn = static_cast<long>(report.outcomes.size()) + report.unfinished;
  if (report.outcomes.empty()) return;
  report.worst_energy_increase = -HUGE_VAL;
  report.min_normal_velocity = HUGE_VAL;
  for (const ShownOutcome& shown : report.outcomes) {
    const impact::ImpactOutcome& outcome = shown.outcome;
    report.mean_lcps += outcome.lcps / static_cast<double>(report.outcomes.size());
    report.worst_residual = std::max(report.worst_residual, outcome.residual);
    report.worst_energy_increase = std::max(report.worst_energy_increase, -energyLost(problem, outcome.velocity));
    report.min_normal_velocity = std::min(report.min_normal_velocity, (problem.normal * outcome.velocity).minCoeff());
  }
}

void resolveDeterministic(impact::Resolver& resolver, const impact::ImpactProblem& problem,
                          const impact::ImpactOptions& options, ModelReport& report) {
  std::vector<impact::ImpactOutcome> outcomes;
  report.status = resolver.resolveAll(problem, options, outcomes);
  if (report.status == impact::ImpactStatus::kFailed) {
    report.failed = 1;
    if (!outcomes.empty()) report.failure = outcomes[0].note;
    return;
  }
  if (report.status == impact::ImpactStatus::kUnfinished) {
    // What still approaches is no answer.
    const double speed = (problem.normal * problem.velocity).cwiseAbs().maxCoeff();
    const auto bad = [&](const impact::ImpactOutcome& o) {
      return !((problem.normal * o.velocity).minCoeff() >= -options.tolerance * speed);
    };
    report.unfinished = std::max<long>(1, std::count_if(outcomes.begin(), outcomes.end(), bad));
    std::erase_if(outcomes, bad);
  }
  for (impact::ImpactOutcome& outcome : outcomes) {
    addOutcome(problem, std::move(outcome), 1.0 / static_cast<double>(outcomes.size()), report);
  }
}

void resolveOrders(const impact::Model& model, const impact::ImpactProblem& problem,
                   const impact::ImpactOptions& options, ModelReport& report) {
  std::vector<impact::OrderedOutcome> outcomes;
  int unfinished = 0, finished = 0;
  report.status = impact::resolveAllOrders(model, problem, options, outcomes, unfinished);
  report.unfinished = unfinished;
  if (report.status == impact::ImpactStatus::kFailed) {
    report.failed = 1;
    return;
  }
  for (const impact::OrderedOutcome& found : outcomes) finished += found.orders;
  for (impact::OrderedOutcome& found : outcomes) {
    addOutcome(problem, std::move(found.outcome), static_cast<double>(found.orders) / finished, report, found.order);
  }
}

/// The contact modes of a set, and a few outcomes that cover it.
void describe(impact::Resolver& resolver, const impact::ImpactProblem& problem, const impact::ImpactOptions& options,
              std::uint64_t seed, ModelReport& report) {
  const impact::SampleSet& set = report.samples;
  std::map<std::vector<impact::ContactFate>, long> modes;
  std::vector<impact::ContactFate> fates;
  for (long k = 0; k < set.velocity.cols(); ++k) {
    impact::findFates(problem, set.velocity.col(k), impact::kFateTolerance, fates);
    ++modes[fates];
    report.mean_lcps += set.lcps[k] / static_cast<double>(set.velocity.cols());
  }
  for (const auto& [mode, count] : modes) report.modes.push_back({mode, count});
  std::stable_sort(report.modes.begin(), report.modes.end(),
                   [](const ModeCount& a, const ModeCount& b) { return a.count > b.count; });
  for (const impact::DistinctOutcome& distinct :
       impact::mergeOutcomes(problem, set.velocity, kShownDifference, kShownOutcomes)) {
    impact::ImpactOutcome outcome;
    const long number = set.index[distinct.representative];
    if (number < 0) {
      addOutcome(problem, set.corners[static_cast<size_t>(-1 - number)], distinct.weight, report);
      continue;
    }
    const auto path = static_cast<std::uint64_t>(number);
    if (resolver.resolve(problem, options, {seed, path}, outcome) != impact::ImpactStatus::kResolved) continue;
    addOutcome(problem, std::move(outcome), distinct.weight, report);
  }
}

void drawSet(impact::Resolver& resolver, const impact::ImpactProblem& problem, const impact::ImpactOptions& options,
             const ImpactArguments& arguments, ModelReport& report) {
  impact::SamplerOptions sampler;
  sampler.samples = arguments.samples.value_or(arguments.coverage ? kMostSamplesOfCoverage : kSamples);
  sampler.seed = arguments.seed;
  sampler.threads = arguments.threads;
  sampler.corners = true;
  sampler.mixed_rates = true;
  resolver.mixRates(true);
  sampler.coverage = arguments.coverage.value_or(0);
  sampler.confidence = arguments.confidence.value_or(sampler.confidence);
  {
    InterruptGuard interrupt;
    ProgressBar bar(true);
    report.samples = impact::drawSamples(report.model, problem, options, sampler, [&](long drawn) {
      bar.showPart(static_cast<double>(drawn) / static_cast<double>(sampler.samples),
                   fmt::format("{} of {}{} samples", drawn, arguments.coverage ? "at most " : "", sampler.samples));
      return !interrupt.interrupted();
    });
    report.interrupted = interrupt.interrupted();
  }
  const impact::SampleSet& set = report.samples;
  report.drawn = set.drawn;
  report.unfinished = set.unfinished;
  report.failed = set.failed;
  report.worst_residual = set.worst_residual;
  report.worst_energy_increase = set.worst_energy_increase;
  report.min_normal_velocity = set.min_normal_velocity;
  describe(resolver, problem, options, arguments.seed, report);
}

ModelReport resolveWith(const std::string& name, const scenes::LoadedProblem& file,
                        const impact::ImpactOptions& options, const ImpactArguments& arguments) {
  const impact::Model& model = *impact::findModel(name);
  const auto resolver = model.make();
  ModelReport report;
  report.model = name;
  report.assumption = resolver->assumption();
  report.random = resolver->isRandom();
  try {
    if (report.random) {
      drawSet(*resolver, file.problem, options, arguments, report);
      return report;
    }
    if (model.orderOption() && arguments.order == "all") {
      resolveOrders(model, file.problem, options, report);
    } else {
      resolveDeterministic(*resolver, file.problem, options, report);
    }
    summarise(file.problem, report);
  } catch (const std::invalid_argument& error) {
    report.refusal = error.what(), report.refused_at = file.located(error);
  }
  return report;
}

/// Says on `err` what a reader of the outcomes must know. @returns the exit code of one report.
int judge(const ModelReport& report, const ImpactArguments& arguments, const scenes::LoadedProblem& file,
          std::ostream& err) {
  if (!report.refusal.empty()) {
    err << report.refused_at << '\n';
    return kBadInput;
  }
  if (report.unfinished > 0) {
    err << fmt::format(
        "rigor: {}: {} of {} {} did not end and {} no outcome{}\n", report.model, report.unfinished, report.drawn,
        report.random ? "samples" : "impacts", report.unfinished == 1 ? "has" : "have",
        report.random ? fmt::format(" (more than {} steps; see max_steps and step)", file.options.max_steps) : "");
  }
  if (report.failed > 0) {
    err << fmt::format("rigor: {}: the solver failed {} time{}{}{}\n", report.model, report.failed,
                       report.failed == 1 ? "" : "s", report.failure.empty() ? "" : ": ", report.failure);
    return kFailure;
  }
  if (report.interrupted) return kInterrupted;
  if (report.outcomes.empty() || (!report.random && report.unfinished > 0)) return kFailure;
  if (arguments.coverage && report.random && !report.samples.covered) {
    err << fmt::format("rigor: --coverage was not reached within {} samples\n", report.drawn);
    return kBudget;
  }
  return kDone;
}

bool takesOrder(const std::string& model) { return impact::findModel(model)->orderOption() != nullptr; }

void checkUsage(const ImpactArguments& arguments, const std::vector<std::string>& models) {
  if (!arguments.order.empty() && std::none_of(models.begin(), models.end(), takesOrder)) {
    std::vector<std::string> ordered = modelsOf("all");
    std::erase_if(ordered, [](const std::string& model) { return !takesOrder(model); });
    throw UsageError(
        fmt::format("--order is for the model {}, not for {}", fmt::join(ordered, " or "), arguments.model));
  }
  if (arguments.confidence && !arguments.coverage) throw UsageError("--confidence goes with --coverage EPS");
  if (!arguments.output.empty() && models.size() > 1) throw UsageError("-o takes one model, not --model all");
  if (arguments.output == "-" && arguments.json) throw UsageError("-o - and --json cannot share stdout");
  if (!arguments.certificate.empty() && !arguments.bounds) throw UsageError("--certificate goes with --bounds");
  if (!arguments.check.empty() && arguments.bounds)
    throw UsageError("--check reads a proof that --bounds --certificate wrote; give one");
  if (arguments.plot == "-") throw UsageError("--plot - is not allowed; a file, such as set.svg");
  if (!arguments.plot_axes.empty() && arguments.plot.empty()) throw UsageError("--plot-axes goes with --plot FILE.svg");
}

/// What a picture shows: the set, and every other model; reports that are there already are taken as they are.
std::vector<ModelReport> reportsToPlot(std::vector<ModelReport> reports, const scenes::LoadedProblem& file,
                                       const impact::ImpactOptions& options, const ImpactArguments& arguments) {
  ImpactArguments each = arguments;
  each.coverage.reset();
  // Every order, of models that take one, where there are not too many.
  if (each.order.empty() && file.problem.numContacts() <= impact::kMostOrderedContacts) each.order = "all";
  std::vector<ModelReport> all;
  for (const std::string& model : modelsOf("all")) {
    const auto known =
        std::find_if(reports.begin(), reports.end(), [&](const ModelReport& r) { return r.model == model; });
    const bool orders = takesOrder(model) && each.order != arguments.order;
    all.push_back(known != reports.end() && !orders ? std::move(*known) : resolveWith(model, file, options, each));
  }
  return all;
}

/// Samples with a polygon for friction have its exact set in space, too; a round cone has none.
impact::ExactGauge::Effort gaugeEffort(const impact::ImpactProblem& problem, const impact::ImpactOptions& options) {
  impact::ExactGauge::Effort effort;
  const bool spatial = std::any_of(problem.tangent.begin(), problem.tangent.end(),
                                   [](const Eigen::MatrixXd& rows) { return rows.rows() > 1; });
  if (!spatial || options.smooth_cone) return effort;
  effort.cone_edges = options.cone_edges;
  effort.exact_contacts = kSpatialGaugeContacts;
  return effort;
}

/// Model after model, each held against the exact set where that is known.
std::vector<ModelReport> resolveWithAll(const std::vector<std::string>& models, const scenes::LoadedProblem& file,
                                        const impact::ImpactOptions& options, const ImpactArguments& arguments) {
  std::vector<ModelReport> reports;
  std::optional<impact::ExactGauge> gauge;
  for (const std::string& model : models) {
    reports.push_back(resolveWith(model, file, options, arguments));
    if (reports.back().interrupted) break;
    if (!reports.back().refusal.empty()) continue;
    if (!gauge) gauge.emplace(file.problem, gaugeEffort(file.problem, options));
    compareWithExactSet(*gauge, reports.back());
  }
  return reports;
}

/// The problem of a file, of stdin ("-") or a bundled one; warnings go to `err`.
scenes::LoadedProblem loadNamed(const std::string& name, std::ostream& err) {
  const auto read = [&] {
    if (name != "-") return scenes::loadProblem(resolveProblem(name));
    return scenes::parseProblem(std::string{std::istreambuf_iterator<char>(std::cin), {}}, "stdin");
  };
  scenes::LoadedProblem file = read();
  for (const std::string& warning : file.warnings) err << fmt::format("rigor: warning: {}\n", warning);
  return file;
}

std::vector<PlotAxis> plotAxesOf(const ImpactArguments& arguments, const impact::ImpactProblem& problem) {
  if (arguments.plot_axes.empty()) return {};
  try {
    return parsePlotAxes(arguments.plot_axes, problem);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

int impactCommand(const ImpactArguments& arguments, std::ostream& out, std::ostream& err) {
  try {
    const std::vector<std::string> models = modelsOf(arguments.model);
    checkUsage(arguments, models);
    const scenes::LoadedProblem file = loadNamed(arguments.problem, err);
    if (arguments.bounds || !arguments.check.empty()) return boundsCommand(file, arguments, out, err);
    impact::ImpactOptions options = file.options;
    options.smooth_cone = options.smooth_cone || arguments.smooth_cone;
    applyOptions(arguments, models, file.problem.numContacts(), options);
    if (arguments.order == "all") {
      if (file.problem.numContacts() > impact::kMostOrderedContacts) {
        throw UsageError(fmt::format("--order all is for at most {} contacts; the problem has {}",
                                     impact::kMostOrderedContacts, file.problem.numContacts()));
      }
    }
    const std::vector<PlotAxis> axes = plotAxesOf(arguments, file.problem);
    // The outputs are opened before the work, so that a bad path costs nothing.
    std::ofstream csv, picture;
    for (const auto& [path, stream] : {std::pair{&arguments.output, &csv}, std::pair{&arguments.plot, &picture}}) {
      if (path->empty() || (*path == "-" && stream == &csv)) continue;
      stream->open(*path, std::ios::binary | std::ios::trunc);
      if (!*stream) {
        err << fmt::format("rigor: {} cannot be written\n", *path);
        return kFailure;
      }
    }

    std::vector<ModelReport> reports = resolveWithAll(models, file, options, arguments);
    int status = kDone;
    const auto draw = [&](int code) -> int {
      if (!picture.is_open() || code == kInterrupted) return code;
      picture << plotImpact(file, reportsToPlot(std::move(reports), file, options, arguments), axes).svg();
      picture.flush();
      if (picture) return code;
      err << fmt::format("rigor: {} cannot be written\n", arguments.plot);
      return kFailure;
    };
    if (arguments.model == "all") {
      for (const ModelReport& report : reports) {
        // A model that does not apply, or does not end, is a row of the table.
        if (report.failed > 0) status = kFailure;
        if (report.interrupted) status = kInterrupted;
      }
      if (arguments.json) {
        nlohmann::ordered_json all{{"problem", file.name}, {"models", nlohmann::ordered_json::array()}};
        for (const ModelReport& report : reports) all["models"].push_back(toJson(file, report));
        out << all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
      } else {
        printComparison(file, reports, out);
      }
      return draw(status);
    }
    const ModelReport& report = reports[0];
    status = judge(report, arguments, file, err);
    if (status == kBadInput) return status;
    if (!arguments.output.empty()) {
      std::ostream& target = csv.is_open() ? static_cast<std::ostream&>(csv) : out;
      writeCsv(file.problem, report, target);
      target.flush();
      if (!target) {
        err << fmt::format("rigor: {} cannot be written\n", arguments.output);
        return kFailure;
      }
    }
    if (arguments.json) {
      out << toJson(file, report).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    } else {
      printReport(file, report, arguments.output == "-" ? err : out);
    }
    return draw(status);
  } catch (...) {
    return reportInputError({}, err);
  }
}

}  // namespace rigor::cli
