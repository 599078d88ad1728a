// SPDX-License-Identifier: MIT
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "impact/samples/outcome_set.h"
#include "impact/samples/sampler.h"
#include "impact/sets/exact_gauge.h"
#include "scenes/problem_loader.h"

namespace rigor::cli {

/// How often the contacts met a combination of fates.
struct ModeCount {
  std::vector<impact::ContactFate> fates;  ///< m.
  long count = 0;
};

/// One outcome that is shown.
struct ShownOutcome {
  impact::ImpactOutcome outcome;
  std::vector<impact::ContactFate> fates;
  double weight = 0;       ///< Share of the samples or orders; equal shares for solutions of which none is preferred.
  std::vector<int> order;  ///< sequential, all orders: the first order that leads here.
  std::optional<double> outside;  ///< Of the exact set, where that is known (ExactGauge::outside()).
};

/// What a model says of a problem: everything that is printed, written or drawn.
struct ModelReport {
  std::string model, assumption;
  impact::ImpactStatus status = impact::ImpactStatus::kResolved;
  std::string refusal;                 ///< Why the model does not apply to the problem; then nothing below is set.
  std::string refused_at;              ///< The same with its place in the file.
  bool random = false;
  std::string failure;                 ///< Why the solver failed, where the model says.
  std::vector<ShownOutcome> outcomes;  ///< All of a deterministic model; of a random one some that cover the set.
  impact::SampleSet samples;           ///< random only.
  std::vector<ModeCount> modes;        ///< random only, the most frequent first.
  long drawn = 0, unfinished = 0, failed = 0;
  double mean_lcps = 0;
  double worst_residual = 0;
  double worst_energy_increase = 0;    ///< Relative to the energy before [-].
  double min_normal_velocity = 0;      ///< [m/s]
  bool interrupted = false;
  // Where the exact set is known (ExactGauge): the part of it that the outcomes cover; outcomes outside and the worst
  // of them.
  std::optional<double> covered_share;
  long outside = 0;
  double worst_outside = 0;
};

/// Holds what the model found against the exact set.
void compareWithExactSet(const impact::ExactGauge& gauge, ModelReport& report);

/// Share of the kinetic energy before the impact that velocity v has not.
double energyLost(const impact::ImpactProblem& problem, const Eigen::VectorXd& v);

/// "separates", "sticks" or "slides".
const char* fateName(impact::ContactFate fate);

/// The object of `rigor impact --json` (docs/impact-problems.md).
nlohmann::ordered_json toJson(const scenes::LoadedProblem& problem, const ModelReport& report);

/// The samples of a random model, else the outcomes: a header, then a row each, doubles in shortest round-trip form.
void writeCsv(const impact::ImpactProblem& problem, const ModelReport& report, std::ostream& out);

/// For a person: one model with all it found, or many side by side.
void printReport(const scenes::LoadedProblem& problem, const ModelReport& report, std::ostream& out);
void printComparison(const scenes::LoadedProblem& problem, const std::vector<ModelReport>& reports, std::ostream& out);

}  // namespace rigor::cli
