// SPDX-License-Identifier: MIT
#include "cli/impact_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/certificate_file.h"
#include "cli/exit_code.h"
#include "cli/impact_plot.h"
#include "cli/impact_shape.h"
#include "cli/input_error.h"
#include "cli/interrupt.h"
#include "cli/progress_bar.h"
#include "impact/problem/matrix_factors.h"
#include "impact/sets/certify.h"
#include "impact/sets/check_certificate.h"
#include "impact/sets/directed_search.h"
#include "impact/sets/relaxed_bounds.h"

namespace rigor::cli {
namespace {

using impact::SetCertificate;

struct SetReport {
  SetCertificate certificate;
  impact::CertificateVerdict verdict;
  impact::PolytopeUnion outcomes;
  std::vector<double> volumes;   // of the pieces, in the kinetic metric, relative to |v-|
  std::vector<impact::ExactQuantity> quantities;
  int rank = 0, faces = 0, dimension = -1;
  bool complete = false;
  std::vector<impact::EnergyBound> energy;  // of the quantities, where the set is not known whole
  impact::OuterProofs outer;                // of these
  std::string limit;
};

// Contacts up to which the whole set is tried with all the work allowed; beyond, with a part of it.
constexpr int kExactContacts = 3, kSmallerWork = 100;
// Work that one walk of a directed search is counted for.
constexpr std::int64_t kWorkOfAWalk = 2000;

/// Shows how far a stage is, and ends it where the user does.
class Watch {
 public:
  impact::GoesOn stage(const std::string& name) {
    return [this, name](std::int64_t done, std::int64_t of) {
      const double part = static_cast<double>(done) / static_cast<double>(of);
      bar_.showPart(part, fmt::format("{}: at most {:.0f} % left", name, 100 * (1 - part)));
      return !interrupt_.interrupted();
    };
  }
  bool interrupted() const { return interrupt_.interrupted(); }

 private:
  InterruptGuard interrupt_;
  ProgressBar bar_{true};
};

/// Coordinates to velocities, scaled so that |v|_M is Euclidean and 1 before the impact.
Eigen::MatrixXd kineticMap(const impact::ImpactProblem& problem, const impact::ExactProblem& exact) {
  const int n = problem.numVelocities();
  Eigen::MatrixXd map(n, exact.rank()), L = problem.mass_matrix;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < exact.rank(); ++k)
      map(i, k) = exact.velocityMap()[static_cast<size_t>(i)][static_cast<size_t>(k)].get_d();
  }
  if (!impact::choleskyInPlace(L)) return map;
  const double before = std::sqrt(problem.velocity.dot(problem.mass_matrix * problem.velocity));
  return Eigen::MatrixXd(L.triangularView<Eigen::Lower>()).transpose() * map / (before > 0 ? before : 1);
}

/// Dimension of the smallest plane that holds the ends of all chains.
int spanOf(const SetCertificate& certificate) {
  std::vector<impact::ExactVector> differences;
  for (const SetCertificate::Chain& chain : certificate.chains) {
    std::vector<mpq_class> difference = chain.end;
    for (size_t i = 0; i < difference.size(); ++i) difference[i] -= certificate.chains[0].end[i];
    differences.push_back(impact::ExactVector::ofRationals(difference));
  }
  return certificate.chains.empty() ? -1 : impact::exactRank(differences);
}

/// Chains to extreme outcomes beside those that are known, and what the energy bounds.
void searchOutcomes(const impact::ExactSet& set, std::int64_t work, Watch& watch, SetReport& report) {
  SetCertificate& certificate = report.certificate;
  impact::SearchOptions options;
  options.walks = std::max<long>(100, work / kWorkOfAWalk / 4);
  options.improvements = std::max<long>(10, options.walks / static_cast<long>(report.quantities.size()));
  options.goes_on = watch.stage("a search for outcomes");
  for (SetCertificate::Chain& chain : searchExtremes(set.problem(), options)) {
    certificate.chains.push_back(std::move(chain));
  }
  for (size_t q = 0; q < report.quantities.size(); ++q) {
    SetCertificate::Bound& bound = certificate.bounds[q];
    for (size_t k = 0; k < certificate.chains.size(); ++k) {
      const mpq_class value = report.quantities[q].at(certificate.chains[k].end);
      if (bound.low_chain < 0 || value < bound.inner_low)
        bound.inner_low = value, bound.low_chain = static_cast<int>(k);
      if (bound.high_chain < 0 || value > bound.inner_high)
        bound.inner_high = value, bound.high_chain = static_cast<int>(k);
    }
  }
}

/// Where friction has no limit: what the energy bounds, and nothing from inside.
SetReport boundAnySet(const impact::ImpactProblem& problem) {
  const impact::ExactProblem exact(problem, impact::ExactProblem::Contacts::kAny);
  SetReport report;
  report.rank = exact.rank();
  report.quantities = quantitiesOf(exact);
  report.limit = "exact sets and searches are for finite friction";
  report.energy = boundOutside(problem, exact, report.quantities, false, 0).of;
  for (const impact::ExactQuantity& quantity : report.quantities)
    report.certificate.bounds.emplace_back().name = quantity.name;
  return report;
}

SetReport findSet(const impact::ImpactProblem& problem, int cone_edges, std::int64_t work, int threads, Watch& watch) {
  if (!std::all_of(problem.friction.begin(), problem.friction.end(), [](double mu) { return std::isfinite(mu); }))
    return boundAnySet(problem);
  impact::ExactSetLimits limits;
  limits.work = problem.numContacts() <= kExactContacts ? work : work / kSmallerWork;
  limits.goes_on = watch.stage("the exact set");
  const impact::ExactSet set(problem, limits, {cone_edges, {}});
  SetReport report;
  report.complete = set.complete();
  report.limit = set.limit();
  report.rank = set.problem().rank();
  report.faces = set.facesVisited();
  report.quantities = quantitiesOf(set.problem());
  report.outcomes = impact::PolytopeUnion(set);
  const Eigen::MatrixXd map = kineticMap(problem, set.problem());
  for (size_t p = 0; p < report.outcomes.pieces().size(); ++p) {
    report.volumes.push_back(report.outcomes.volume(static_cast<int>(p), map));
  }
  report.certificate = impact::certify(set, problem);
  report.dimension = report.outcomes.dimension();
  if (!report.complete) {
    searchOutcomes(set, work, watch, report);
    report.dimension = spanOf(report.certificate);
    const impact::GoesOn goes_on = watch.stage("bounds from outside");
    impact::OuterBounds bounds =
        boundOutside(problem, set.problem(), report.quantities, true, work, goes_on, threads);
    for (size_t q = 0; q < report.quantities.size(); ++q) {
      report.certificate.bounds[q].outer_low = bounds.of[q].low;
      report.certificate.bounds[q].outer_high = bounds.of[q].high;
    }
    report.energy = std::move(bounds.of);
    report.outer = std::move(bounds);
  }
  report.verdict = impact::checkCertificate(report.certificate);
  return report;
}

/// The largest double that is not above the value.
double roundedDown(const mpq_class& value) {
  const double near = value.get_d();
  return mpq_class(near) <= value ? near : std::nextafter(near, -HUGE_VAL);
}

nlohmann::ordered_json boundsOf(const SetCertificate& certificate, bool inner, bool outer,
                                const std::vector<impact::EnergyBound>& energy = {}) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SetCertificate::Bound& bound : certificate.bounds) {
    const size_t q = list.size();
    nlohmann::ordered_json one{{"name", bound.name}, {"inner", nullptr}, {"outer", nullptr}};
    if (inner) one["inner"] = {bound.inner_low.get_d(), bound.inner_high.get_d()};
    if (outer) one["outer"] = {bound.outer_low.get_d(), bound.outer_high.get_d()};
    if (!outer && !energy.empty()) one["outer"] = {roundedDown(energy[q].low), -roundedDown(-energy[q].high)};
    list.push_back(std::move(one));
  }
  return list;
}

bool isExact(const SetCertificate& certificate) {
  return std::all_of(certificate.bounds.begin(), certificate.bounds.end(), [](const SetCertificate::Bound& bound) {
    return bound.inner_low == bound.outer_low && bound.inner_high == bound.outer_high;
  });
}

void printJson(const SetReport& report, std::ostream& out) {
  const bool exact = report.verdict.inner && report.verdict.outer && isExact(report.certificate);
  nlohmann::ordered_json json{
      {"dimension", report.dimension},
      {"cells", report.faces},
      {"exact", exact},
      {"coordinates", boundsOf(report.certificate, report.verdict.inner, report.verdict.outer, report.energy)},
      {"volume_ratio", exact ? nlohmann::ordered_json(1.0) : nlohmann::ordered_json(nullptr)},
      {"proved", report.verdict.inner && (report.verdict.outer || !report.energy.empty())},
      {"rank", report.rank},
      {"limit", report.limit},
      {"pieces", nlohmann::ordered_json::array()}};
  for (size_t p = 0; p < report.outcomes.pieces().size(); ++p) {
    const impact::PolytopeUnion::Piece& piece = report.outcomes.pieces()[p];
    nlohmann::ordered_json vertices = nlohmann::ordered_json::array();
    for (const auto& vertex : piece.vertices) {
      nlohmann::ordered_json values;
      for (const impact::ExactQuantity& quantity : report.quantities)
        values[quantity.name] = quantity.at(vertex).get_d();
      vertices.push_back(std::move(values));
    }
    json["pieces"].push_back(
        {{"dimension", piece.dimension}, {"volume", report.volumes[p]}, {"vertices", std::move(vertices)}});
  }
  out << json.dump() << '\n';
}

std::string takes(const SetCertificate::Bound& bound) {
  return fmt::format("; takes {:.9g} to {:.9g}, proved", bound.inner_low.get_d(), bound.inner_high.get_d());
}

void printText(const scenes::LoadedProblem& file, const SetReport& report, std::ostream& out) {
  out << fmt::format("{}{}{}\n", file.name, file.description.empty() ? "" : ": ", file.description);
  if (report.complete) {
    std::map<int, int> dimensions;
    for (const impact::PolytopeUnion::Piece& piece : report.outcomes.pieces()) ++dimensions[piece.dimension];
    std::string pieces;
    for (const auto& [dimension, count] : dimensions) {
      pieces += fmt::format("{}{} of dimension {}", pieces.empty() ? "" : ", ", count, dimension);
    }
    out << fmt::format("the whole set of outcomes: {} polytope{} ({}); {} faces of rank {}\n",
                       report.outcomes.pieces().size(), report.outcomes.pieces().size() == 1 ? "" : "s", pieces,
                       report.faces, report.rank);
  } else {
    out << fmt::format(
        "bounds from both sides of the set of outcomes (rank {}): what is reached, and what cannot be left\n",
        report.rank);
  }
  for (size_t q = 0; q < report.certificate.bounds.size(); ++q) {
    const SetCertificate::Bound& bound = report.certificate.bounds[q];
    if (report.verdict.inner && report.verdict.outer) {
      out << fmt::format("  {} in [{:.9g}, {:.9g}], proved\n", bound.name, bound.outer_low.get_d(),
                         bound.outer_high.get_d());
    } else {
      std::string line = "  " + bound.name;
      if (!report.energy.empty()) {
        line +=
            fmt::format(" in [{:.9g}, {:.9g}], proved", report.energy[q].low.get_d(), report.energy[q].high.get_d());
      }
      if (report.verdict.inner) line += takes(bound);
      out << line << '\n';
    }
  }
}

/// The bounds of one side in two axes as a frame.
void addFrame(const SetReport& report, const std::vector<PlotAxis>& axes, bool outer, record::SvgPlot& plot) {
  std::vector<double> ends;  // low, high of x, then of y
  for (const PlotAxis& axis : axes) {
    for (size_t q = 0; q < report.quantities.size(); ++q) {
      if (report.quantities[q].name != axis.name()) continue;
      const SetCertificate::Bound& bound = report.certificate.bounds[q];
      ends.push_back(outer ? report.energy[q].low.get_d() : bound.inner_low.get_d());
      ends.push_back(outer ? report.energy[q].high.get_d() : bound.inner_high.get_d());
    }
  }
  if (ends.size() != 4) return;
  plot.addLine({{ends[0], ends[2]}, {ends[1], ends[2]}, {ends[1], ends[3]}, {ends[0], ends[3]}, {ends[0], ends[2]}},
               outer ? "proved from outside" : "reached, proved",
               {.colour = outer ? record::PlotColour::kBlack : record::PlotColour::kVermillion, .dashed = outer});
}

/// The axes that were asked for, or the two contact velocities that vary most.
std::vector<PlotAxis> boundsAxes(const scenes::LoadedProblem& file, const SetReport& report, const std::string& asked) {
  if (!asked.empty()) {
    try {
      return parsePlotAxes(asked, file.problem);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  }
  std::vector<std::pair<double, std::string>> ranked;
  for (const SetCertificate::Bound& bound : report.certificate.bounds) {
    const bool contact = bound.name.size() > 1 && (bound.name[1] == 'n' || bound.name[1] == 't');
    if (contact) ranked.emplace_back(-mpq_class(bound.inner_high - bound.inner_low).get_d(), bound.name);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::string second = ranked.size() > 1 ? ranked[1].second : std::string("v0");
  return parsePlotAxes(ranked[0].second + ',' + second, file.problem);
}

record::SvgPlot plotBounds(const scenes::LoadedProblem& file, const SetReport& report,
                           const std::vector<PlotAxis>& axes) {
  record::SvgPlot plot(file.name + ": the set of velocities after the impact", axes[0].label(), axes[1].label());
  if (!report.outcomes.empty()) addShadow(shadowOf(report.outcomes, report.quantities, axes), plot);
  if (!report.complete) {
    if (!report.energy.empty()) addFrame(report, axes, true, plot);
    if (report.verdict.inner) addFrame(report, axes, false, plot);
  }
  plot.includeX(0);
  plot.includeY(0);
  return plot;
}

/// Of all that a file says.
impact::CertificateVerdict verdictOf(const CertificateFile& file) {
  impact::CertificateVerdict verdict = impact::checkCertificate(file.certificate);
  if (verdict.inner && !file.certificate.complete)
    verdict.outer = impact::checkOuterProofs(file.certificate, file.outer, verdict.failure);
  if (verdict.inner && verdict.outer && !file.as_written) {
    verdict = {};
    verdict.failure = "the file was altered since it was written";
  }
  return verdict;
}

int checkFile(const scenes::LoadedProblem& file, const ImpactArguments& arguments, std::ostream& out,
              std::ostream& err) {
  CertificateFile proof;
  try {
    proof = readCertificate(arguments.check);
  } catch (const std::exception& error) {
    err << error.what() << '\n';
    return kBadInput;
  }
  const SetCertificate& certificate = proof.certificate;
  if (!impact::isAbout(certificate, file.problem)) {
    err << fmt::format("{}: a certificate of another problem than {}\n", arguments.check, file.path);
    return kBadInput;
  }
  const impact::CertificateVerdict verdict = verdictOf(proof);
  const bool proved = verdict.inner && verdict.outer;
  if (arguments.json) {
    const nlohmann::ordered_json json{{"inner", verdict.inner},
                                      {"outer", verdict.outer},
                                      {"proved", proved},
                                      {"failure", verdict.failure},
                                      {"coordinates", boundsOf(certificate, verdict.inner, verdict.outer)}};
    out << json.dump() << '\n';
  } else {
    for (const SetCertificate::Bound& bound : certificate.bounds) {
      if (!proved) break;
      out << fmt::format("  {} in [{:.9g}, {:.9g}], proved{}\n", bound.name, bound.outer_low.get_d(),
                         bound.outer_high.get_d(), certificate.complete ? "" : takes(bound));
    }
  }
  if (!proved) err << fmt::format("rigor: {} does not prove its bounds: {}\n", arguments.check, verdict.failure);
  return proved ? kDone : kFailure;
}

}  // namespace

int boundsCommand(const scenes::LoadedProblem& file, const ImpactArguments& arguments, std::ostream& out,
                  std::ostream& err) {
  if (!arguments.check.empty()) return checkFile(file, arguments, out, err);
  const auto& e = file.problem.restitution;
  if (std::any_of(e.begin(), e.end(), [](double value) { return value != 0; })) {
    err << fmt::format("rigor: {} has restitution; the bounds are those of its inelastic impact (e = 0)\n", file.name);
  }
  SetReport report;
  std::vector<PlotAxis> axes;
  bool interrupted = false;
  try {
    Watch watch;
    report = findSet(file.problem, file.options.cone_edges, arguments.work, arguments.threads, watch);
    interrupted = watch.interrupted();
    if (!arguments.plot.empty()) axes = boundsAxes(file, report, arguments.plot_axes);
  } catch (const std::invalid_argument& error) {
    err << file.located(error) << '\n';
    return kBadInput;
  }
  if (!arguments.certificate.empty()) {
    std::ofstream stream(arguments.certificate, std::ios::binary | std::ios::trunc);
    writeCertificate({report.certificate, report.outer}, stream);
    stream.flush();
    if (!stream) {
      err << fmt::format("rigor: {} cannot be written\n", arguments.certificate);
      return kFailure;
    }
  }
  if (!axes.empty()) {
    try {
      plotBounds(file, report, axes).write(arguments.plot);
    } catch (const std::runtime_error& error) {
      err << fmt::format("rigor: {}\n", error.what());
      return kFailure;
    }
  }
  if (arguments.json) {
    printJson(report, out);
  } else {
    printText(file, report, out);
  }
  if (!report.complete) {
    err << fmt::format("rigor: {}not the exact set ({}): inner and outer bounds differ{}\n",
                       interrupted ? "interrupted; " : "", report.limit,
                       report.energy.empty() || report.certificate.chains.empty() ? "" : "; more --work narrows them");
    return interrupted ? kInterrupted : kDone;
  }
  if (!report.verdict.inner || !report.verdict.outer) {
    err << fmt::format("rigor: the bounds could not be proved: {}\n", report.verdict.failure);
    return kFailure;
  }
  return kDone;
}

}  // namespace rigor::cli
