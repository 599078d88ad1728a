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
#include "impact/matrix_factors.h"
#include "impact/sets/certify.h"
#include "impact/sets/check_certificate.h"

namespace rigor::cli {
namespace {

using impact::SetCertificate;

struct SetReport {
  SetCertificate certificate;
  impact::CertificateVerdict verdict;
  impact::PolytopeUnion outcomes;
  std::vector<double> volumes;   // of the pieces, in the kinetic metric, relative to |v-|
  std::vector<impact::ExactQuantity> quantities;
  int rank = 0, faces = 0;
  bool complete = false;
  std::string limit;
};

/// Coordinates to velocities, scaled so that |v|_M is Euclidean and 1 before the impact.
Eigen::MatrixXd kineticMap(const impact::ImpactProblem& problem, const impact::ExactProblem& exact) {
  const int n = problem.numVelocities();
  Eigen::MatrixXd map(n, exact.rank()), L = problem.mass_matrix;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < exact.rank(); ++k) map(i, k) = exact.velocityMap()[static_cast<size_t>(i)][static_cast<size_t>(k)].get_d();
  }
  if (!impact::choleskyInPlace(L)) return map;
  const double before = std::sqrt(problem.velocity.dot(problem.mass_matrix * problem.velocity));
  return Eigen::MatrixXd(L.triangularView<Eigen::Lower>()).transpose() * map / (before > 0 ? before : 1);
}

SetReport findSet(const impact::ImpactProblem& problem, std::int64_t work) {
  impact::ExactSetLimits limits;
  limits.work = work;
  const impact::ExactSet set(problem, limits);
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
  report.verdict = impact::checkCertificate(report.certificate);
  return report;
}

nlohmann::ordered_json boundsOf(const SetCertificate& certificate, bool inner, bool outer) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SetCertificate::Bound& bound : certificate.bounds) {
    nlohmann::ordered_json one{{"name", bound.name}, {"inner", nullptr}, {"outer", nullptr}};
    if (inner) one["inner"] = {bound.inner_low.get_d(), bound.inner_high.get_d()};
    if (outer) one["outer"] = {bound.outer_low.get_d(), bound.outer_high.get_d()};
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
  nlohmann::ordered_json json{{"dimension", report.outcomes.dimension()},
                              {"cells", report.faces},
                              {"exact", exact},
                              {"coordinates", boundsOf(report.certificate, report.verdict.inner, report.verdict.outer)},
                              {"volume_ratio", exact ? nlohmann::ordered_json(1.0) : nlohmann::ordered_json(nullptr)},
                              {"proved", report.verdict.inner && report.verdict.outer},
                              {"rank", report.rank},
                              {"limit", report.limit},
                              {"pieces", nlohmann::ordered_json::array()}};
  for (size_t p = 0; p < report.outcomes.pieces().size(); ++p) {
    const impact::PolytopeUnion::Piece& piece = report.outcomes.pieces()[p];
    nlohmann::ordered_json vertices = nlohmann::ordered_json::array();
    for (const auto& vertex : piece.vertices) {
      nlohmann::ordered_json values;
      for (const impact::ExactQuantity& quantity : report.quantities) values[quantity.name] = quantity.at(vertex).get_d();
      vertices.push_back(std::move(values));
    }
    json["pieces"].push_back({{"dimension", piece.dimension}, {"volume", report.volumes[p]}, {"vertices", std::move(vertices)}});
  }
  out << json.dump() << '\n';
}

void printText(const scenes::LoadedProblem& file, const SetReport& report, std::ostream& out) {
  out << fmt::format("{}{}{}\n", file.name, file.description.empty() ? "" : ": ", file.description);
  std::map<int, int> dimensions;
  for (const impact::PolytopeUnion::Piece& piece : report.outcomes.pieces()) ++dimensions[piece.dimension];
  std::string pieces;
  for (const auto& [dimension, count] : dimensions) {
    pieces += fmt::format("{}{} of dimension {}", pieces.empty() ? "" : ", ", count, dimension);
  }
  out << fmt::format("{}: {} polytope{} ({}); {} faces of rank {}\n", report.complete ? "the whole set of outcomes" : "outcomes found",
                     report.outcomes.pieces().size(), report.outcomes.pieces().size() == 1 ? "" : "s", pieces, report.faces, report.rank);
  for (const SetCertificate::Bound& bound : report.certificate.bounds) {
    const double low = bound.inner_low.get_d(), high = bound.inner_high.get_d();
    if (report.verdict.inner && report.verdict.outer) {
      out << fmt::format("  {} in [{:.9g}, {:.9g}], proved\n", bound.name, bound.outer_low.get_d(), bound.outer_high.get_d());
    } else {
      out << fmt::format("  {} takes {:.9g} to {:.9g}{}; what else is open\n", bound.name, low, high,
                         report.verdict.inner ? ", proved" : "");
    }
  }
}

int checkFile(const scenes::LoadedProblem& file, const ImpactArguments& arguments, std::ostream& out, std::ostream& err) {
  SetCertificate certificate;
  try {
    certificate = readCertificate(arguments.check);
  } catch (const std::exception& error) {
    err << error.what() << '\n';
    return kBadInput;
  }
  if (!impact::isAbout(certificate, file.problem)) {
    err << fmt::format("{}: a certificate of another problem than {}\n", arguments.check, file.path);
    return kBadInput;
  }
  const impact::CertificateVerdict verdict = impact::checkCertificate(certificate);
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
      if (proved) out << fmt::format("  {} in [{:.9g}, {:.9g}], proved\n", bound.name, bound.outer_low.get_d(), bound.outer_high.get_d());
    }
  }
  if (!proved) err << fmt::format("rigor: {} does not prove its bounds: {}\n", arguments.check, verdict.failure);
  return proved ? kDone : kFailure;
}

}  // namespace

int boundsCommand(const scenes::LoadedProblem& file, const ImpactArguments& arguments, std::ostream& out, std::ostream& err) {
  if (!arguments.check.empty()) return checkFile(file, arguments, out, err);
  const auto& e = file.problem.restitution;
  if (std::any_of(e.begin(), e.end(), [](double value) { return value != 0; })) {
    err << fmt::format("rigor: {} has restitution; the bounds are those of its inelastic impact (e = 0)\n", file.name);
  }
  SetReport report;
  try {
    report = findSet(file.problem, arguments.work);
  } catch (const std::invalid_argument& error) {
    err << fmt::format("{}: {}\n", file.locate(error.what()), error.what());
    return kBadInput;
  }
  if (!arguments.certificate.empty()) {
    std::ofstream stream(arguments.certificate, std::ios::binary | std::ios::trunc);
    writeCertificate(report.certificate, stream);
    stream.flush();
    if (!stream) {
      err << fmt::format("rigor: {} cannot be written\n", arguments.certificate);
      return kFailure;
    }
  }
  if (arguments.json) {
    printJson(report, out);
  } else {
    printText(file, report, out);
  }
  if (!report.complete) {
    err << fmt::format("rigor: {} was met: these are some of the outcomes (inner bounds); --work raises it\n", report.limit);
    return kBudget;
  }
  if (!report.verdict.inner || !report.verdict.outer) {
    err << fmt::format("rigor: the bounds could not be proved: {}\n", report.verdict.failure);
    return kFailure;
  }
  return kDone;
}

}  // namespace rigor::cli
