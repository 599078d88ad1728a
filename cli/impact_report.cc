// SPDX-License-Identifier: MIT
#include "cli/impact_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace rigor::cli {
namespace {

using impact::ImpactProblem;
using nlohmann::ordered_json;

constexpr size_t kShownModes = 10;
constexpr size_t kComparedOutcomes = 6;  // Of a random model beside others.

ordered_json list(const Eigen::Ref<const Eigen::VectorXd>& v) {
  ordered_json all = ordered_json::array();
  for (double x : v) all.push_back(x + 0.0);  // No -0.
  return all;
}

Eigen::VectorXd tangentVelocity(const ImpactProblem& problem, int contact, const Eigen::VectorXd& v) {
  return problem.tangent[contact] * v;
}

ordered_json fateList(const std::vector<impact::ContactFate>& fates) {
  ordered_json all = ordered_json::array();
  for (impact::ContactFate fate : fates) all.push_back(fateName(fate));
  return all;
}

ordered_json toJson(const ImpactProblem& problem, const ShownOutcome& shown) {
  const impact::ImpactOutcome& outcome = shown.outcome;
  ordered_json tangents = ordered_json::array(), impulses = ordered_json::array();
  for (int i = 0; i < problem.numContacts(); ++i) {
    tangents.push_back(list(tangentVelocity(problem, i, outcome.velocity)));
    impulses.push_back(list(outcome.impulses[i]));
  }
  ordered_json json{{"velocity", list(outcome.velocity)},
                    {"contact_normal_velocity", list(problem.normal * outcome.velocity)},
                    {"contact_tangent_velocity", tangents},
                    {"impulses", impulses},
                    {"weight", shown.weight},
                    {"fates", fateList(shown.fates)},
                    {"energy_lost", energyLost(problem, outcome.velocity)},
                    {"lcps", outcome.lcps}};
  if (!shown.order.empty()) json["order"] = shown.order;
  if (shown.outside) json["outside_exact_set"] = *shown.outside;
  if (!outcome.note.empty()) json["note"] = outcome.note;
  return json;
}

/// Smallest and largest value of every row.
std::vector<std::pair<double, double>> bounds(const Eigen::MatrixXd& values) {
  std::vector<std::pair<double, double>> all;
  for (long i = 0; i < values.rows(); ++i) all.emplace_back(values.row(i).minCoeff(), values.row(i).maxCoeff());
  return all;
}

std::string numbers(const Eigen::Ref<const Eigen::VectorXd>& v) {
  std::string text;
  for (double x : v) text += fmt::format(" {:>12.6g}", std::abs(x) < 1e-12 ? 0.0 : x);
  return text;
}

std::string fateWords(const std::vector<impact::ContactFate>& fates) {
  std::string text;
  for (size_t i = 0; i < fates.size(); ++i) text += fmt::format("{}{} {}", i ? ", " : "", i, fateName(fates[i]));
  return text;
}

void printOutcome(const ImpactProblem& problem, const ShownOutcome& shown, std::ostream& out) {
  const impact::ImpactOutcome& outcome = shown.outcome;
  out << "    velocity  " << numbers(outcome.velocity) << '\n';
  out << "    contact               normal [m/s]  tangential [m/s]          impulse [N s]\n";
  for (int i = 0; i < problem.numContacts(); ++i) {
    const Eigen::VectorXd normal = problem.normal.row(i) * outcome.velocity;
    out << fmt::format("    {:>7}  {:<9}", i, fateName(shown.fates[i])) << numbers(normal)
        << numbers(tangentVelocity(problem, i, outcome.velocity))
        << std::string(problem.tangent[i].rows() == 2 ? 0 : problem.tangent[i].rows() == 1 ? 13 : 26, ' ')
        << numbers(outcome.impulses[i]) << '\n';
  }
  if (!outcome.note.empty()) out << "    note: " << outcome.note << '\n';
  if (shown.outside && *shown.outside > impact::ExactGauge::kInside) {
    out << fmt::format("    outside the exact set of the inclusion by {:.2g} of the largest contact speed\n",
                       *shown.outside);
  }
}

std::string summaryOf(const ModelReport& report) {
  if (!report.refusal.empty()) return "does not apply: " + report.refusal;
  if (report.random) {
    std::string text = fmt::format("{} samples", report.drawn);
    if (report.unfinished) text += fmt::format(", {} UNFINISHED (left out below)", report.unfinished);
    if (report.failed) text += fmt::format(", {} FAILED (left out below)", report.failed);
    return text;
  }
  if (report.status == impact::ImpactStatus::kFailed) return "FAILED: the solver found no valid answer";
  std::string text = fmt::format("{} outcome{}", report.outcomes.size(), report.outcomes.size() == 1 ? "" : "s");
  if (report.unfinished) text += fmt::format(", {} UNFINISHED", report.unfinished);
  return text;
}

}  // namespace

const char* fateName(impact::ContactFate fate) {
  switch (fate) {
    case impact::ContactFate::kSeparates: return "separates";
    case impact::ContactFate::kSticks: return "sticks";
    case impact::ContactFate::kSlides: return "slides";
  }
  return "";
}

double energyLost(const ImpactProblem& problem, const Eigen::VectorXd& v) {
  const double before = problem.velocity.dot(problem.mass_matrix * problem.velocity);
  return before > 0 ? 1 - v.dot(problem.mass_matrix * v) / before : 0;
}

void compareWithExactSet(const impact::ExactGauge& gauge, ModelReport& report) {
  if (!gauge.known()) return;
  const auto note = [&](double outside) {
    report.outside += outside > impact::ExactGauge::kInside;
    report.worst_outside = std::max(report.worst_outside, outside);
  };
  for (ShownOutcome& shown : report.outcomes) {
    shown.outside = gauge.outside(shown.outcome.velocity);
    if (!report.random) note(*shown.outside);
  }
  if (!report.random) return;
  const Eigen::MatrixXd& drawn = report.samples.velocity;
  for (long k = 0; k < drawn.cols(); ++k) note(gauge.outside(drawn.col(k)));
  report.covered_share = gauge.coveredShare(drawn);
}

ordered_json toJson(const scenes::LoadedProblem& file, const ModelReport& report) {
  const ImpactProblem& problem = file.problem;
  ordered_json json{{"model", report.model}, {"problem", file.name}, {"assumption", report.assumption}};
  if (!report.refusal.empty()) {
    json["refused"] = report.refusal;
    return json;
  }
  json["samples"] = report.drawn;
  json["unfinished"] = report.unfinished;
  if (report.random) {
    json["ended_by_small_step"] = report.samples.ended_small;
    json["restitution_cut"] = report.samples.restitution_cut;
    json["returned_together"] = report.samples.returned_together;
    json["corners"] = report.samples.corners.size();
  }
  json["failed"] = report.failed;
  json["mean_lcps_per_sample"] = report.mean_lcps;
  json["worst_residual"] = report.worst_residual;
  json["worst_energy_increase"] = report.worst_energy_increase;
  json["min_normal_velocity"] = report.min_normal_velocity;
  ordered_json outcomes = ordered_json::array();
  for (const ShownOutcome& shown : report.outcomes) outcomes.push_back(toJson(problem, shown));
  json["outcomes"] = outcomes;
  if (!report.random) return json;

  json["finished"] = report.samples.velocity.cols();
  json["exact_set"] = nullptr;
  if (report.covered_share) {
    json["exact_set"] = {
        {"covered_share", *report.covered_share}, {"outside", report.outside}, {"worst_outside", report.worst_outside}};
  }
  json["covered"] = report.samples.covered;
  json["coverage_probability"] = report.samples.coverage_probability;
  ordered_json modes = ordered_json::array();
  for (const ModeCount& mode : report.modes) modes.push_back({{"fates", fateList(mode.fates)}, {"count", mode.count}});
  json["modes"] = modes;
  if (report.samples.velocity.cols() > 0) {
    ordered_json tangents = ordered_json::array();
    for (const Eigen::MatrixXd& T : problem.tangent) tangents.push_back(bounds(T * report.samples.velocity));
    json["bounds"] = {{"velocity", bounds(report.samples.velocity)},
                      {"contact_normal_velocity", bounds(problem.normal * report.samples.velocity)},
                      {"contact_tangent_velocity", tangents}};
  }
  return json;
}

void writeCsv(const ImpactProblem& problem, const ModelReport& report, std::ostream& out) {
  const int n = problem.numVelocities(), m = problem.numContacts();
  for (int k = 0; k < n; ++k) out << 'v' << k << ',';
  for (int i = 0; i < m; ++i) out << "vn" << i << ',';
  for (int i = 0; i < m; ++i) {
    for (long k = 0; k < problem.tangent[i].rows(); ++k) out << "vt" << i << '_' << k << ',';
  }
  out << "lcps\n";
  std::string line;
  const auto add = [&](const Eigen::Ref<const Eigen::VectorXd>& values) {
    for (double x : values) line += fmt::format("{},", x + 0.0);
  };
  const auto row = [&](const Eigen::VectorXd& v, int lcps) {
    line.clear();
    add(v);
    add(problem.normal * v);
    for (const Eigen::MatrixXd& T : problem.tangent) add(T * v);
    line += fmt::format("{}\n", lcps);
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
  };
  if (report.random) {
    for (long k = 0; k < report.samples.velocity.cols(); ++k)
      row(report.samples.velocity.col(k), report.samples.lcps[k]);
  } else {
    for (const ShownOutcome& shown : report.outcomes) row(shown.outcome.velocity, shown.outcome.lcps);
  }
}

void printReport(const scenes::LoadedProblem& file, const ModelReport& report, std::ostream& out) {
  const ImpactProblem& problem = file.problem;
  out << fmt::format("{}{}{}\n", file.name, file.description.empty() ? "" : ": ", file.description);
  out << fmt::format("{} ({}): {}\n", report.model, report.assumption, summaryOf(report));
  if (!report.refusal.empty() || (report.outcomes.empty() && report.drawn == 0)) return;
  if (report.random) {
    const impact::SampleSet& set = report.samples;
    if (set.coverage_probability > 0) {
      out << fmt::format(
          "  coverage         of this sampler's law: a fresh outcome is near a known one with probability {:.4g} or "
          "more{}\n",
          set.coverage_probability, set.covered ? "" : " (NOT what was asked)");
    }
    if (report.covered_share) {
      out << fmt::format(
          "  of the exact set {:.4g} % or more of the range of every contact velocity are covered; {} samples "
          "outside{}\n",
          100 * *report.covered_share, report.outside,
          report.outside == 0
              ? ""
              : fmt::format(", by {:.2g} of the largest contact speed at most (steps of the sampler jump)",
                            report.worst_outside));
    }
    if (set.velocity.cols() == 0) return;
    out << "  contact velocities of the set [m/s]\n";
    const auto normals = bounds(problem.normal * set.velocity);
    for (int i = 0; i < problem.numContacts(); ++i) {
      out << fmt::format("    {:>3}  normal {:.6g} to {:.6g}", i, normals[i].first, normals[i].second);
      for (const auto& [low, high] : bounds(problem.tangent[i] * set.velocity)) {
        out << fmt::format(", tangential {:.6g} to {:.6g}", low, high);
      }
      out << '\n';
    }
    out << "  contact modes met\n";
    for (size_t k = 0; k < report.modes.size() && k < kShownModes; ++k) {
      const double share = static_cast<double>(report.modes[k].count) / static_cast<double>(set.velocity.cols());
      out << fmt::format("    {:>6.2f} %  {}\n", 100 * share, fateWords(report.modes[k].fates));
    }
    if (report.modes.size() > kShownModes) out << fmt::format("    and {} more\n", report.modes.size() - kShownModes);
    out << "  outcomes that cover the set, the most different first (weight: share of the samples nearest to it)\n";
  }
  int number = 0;
  for (const ShownOutcome& shown : report.outcomes) {
    out << fmt::format("  outcome {}: energy lost {:.4g} %, weight {:.4g}", ++number,
                       100 * std::max(0.0, energyLost(problem, shown.outcome.velocity)), shown.weight);
    if (!shown.order.empty()) out << fmt::format(", order {}", fmt::join(shown.order, ","));
    out << '\n';
    printOutcome(problem, shown, out);
  }
  out << fmt::format(
      "  {:.4g} LCPs a sample, worst residual {:.2g}, worst energy gain {:.2g}, smallest normal velocity {:.2g} m/s\n",
      report.mean_lcps, report.worst_residual, report.worst_energy_increase, report.min_normal_velocity);
}

void printComparison(const scenes::LoadedProblem& file, const std::vector<ModelReport>& reports, std::ostream& out) {
  const ImpactProblem& problem = file.problem;
  out << fmt::format("{}{}{}\n\n", file.name, file.description.empty() ? "" : ": ", file.description);
  out << fmt::format("{:<16} {:>7} {:>8} {:>7}  contact velocities [m/s]: normal, then tangential; velocities\n",
                     "model", "weight", "lost [%]", "LCPs");
  for (const ModelReport& report : reports) {
    if (report.outcomes.empty()) out << fmt::format("{:<16} {}\n", report.model, summaryOf(report));
    const size_t shown_count =
        report.random ? std::min(report.outcomes.size(), kComparedOutcomes) : report.outcomes.size();
    for (size_t k = 0; k < shown_count; ++k) {
      const ShownOutcome& shown = report.outcomes[k];
      const Eigen::VectorXd& v = shown.outcome.velocity;
      out << fmt::format("{:<16} {:>7.3g} {:>8.4g} {:>7.4g} ", k == 0 ? report.model : "", shown.weight,
                         100 * std::max(0.0, energyLost(problem, v)),
                         report.random ? report.mean_lcps : static_cast<double>(shown.outcome.lcps));
      out << numbers(problem.normal * v) << " |";
      for (const Eigen::MatrixXd& T : problem.tangent) out << numbers(T * v);
      out << " |" << numbers(v) << '\n';
    }
    if (!report.outcomes.empty() && (report.unfinished || report.failed)) {
      out << fmt::format("{:<16} {}\n", "", summaryOf(report));
    }
  }
  for (const ModelReport& report : reports) {
    if (!report.random && report.outside > 0) {
      out << fmt::format(
          "{}: {} of {} outcomes outside the exact set of the inclusion (Routh, Halm and Posa), by {:.2g} of the "
          "largest contact speed at most\n",
          report.model, report.outside, report.outcomes.size(), report.worst_outside);
    }
  }
  out << "\nwhat each assumes\n";
  for (const ModelReport& report : reports) {
    out << fmt::format("  {:<16} {}", report.model, report.assumption);
    if (report.random) out << fmt::format(" ({}; the most different outcomes of their set)", summaryOf(report));
    out << '\n';
  }
}

}  // namespace rigor::cli
