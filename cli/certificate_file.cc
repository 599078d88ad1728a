// SPDX-License-Identifier: MIT
#include "cli/certificate_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

#include "cli/potential_json.h"
#include "cli/rational_json.h"
#include "verify/record/sha256.h"

namespace rigor::cli {
namespace {

using Json = nlohmann::ordered_json;
using impact::SetCertificate;
using Rationals = SetCertificate::Rationals;

constexpr const char* kFormat = "rigor impact set certificate 3";
constexpr const char* kDigest = "digest";

Json toJson(const std::vector<SetCertificate::Force>& forces) {
  Json out = Json::array();
  for (const SetCertificate::Force& force : forces) {
    out.push_back({{"contact", force.contact}, {"slip", force.slip}, {"impulse", rationalJson(force.weight)}});
  }
  return out;
}
Json toJson(const std::vector<SetCertificate::Term>& terms) {
  Json out = Json::array();
  for (const SetCertificate::Term& term : terms) out.push_back({term.index, rationalJson(term.factor)});
  return out;
}
Json toJson(const SetCertificate::Reason& reason) {
  return {{"source", toJson(reason.source)}, {"target", toJson(reason.target)}};
}
Json toJson(const std::vector<SetCertificate::Reason>& reasons) {
  Json out = Json::array();
  for (const SetCertificate::Reason& reason : reasons) out.push_back(toJson(reason));
  return out;
}

std::vector<SetCertificate::Force> forces(const Json& json) {
  std::vector<SetCertificate::Force> out;
  for (const Json& force : json) {
    out.push_back({force.at("contact").get<int>(), force.at("slip").get<int>(), rational(force.at("impulse"))});
  }
  return out;
}
std::vector<SetCertificate::Term> terms(const Json& json) {
  std::vector<SetCertificate::Term> out;
  for (const Json& term : json) out.push_back({term.at(0).get<int>(), rational(term.at(1))});
  return out;
}
SetCertificate::Reason reason(const Json& json) { return {terms(json.at("source")), terms(json.at("target"))}; }
std::vector<SetCertificate::Reason> reasons(const Json& json) {
  std::vector<SetCertificate::Reason> out;
  for (const Json& entry : json) out.push_back(reason(entry));
  return out;
}

Json chainsToJson(const SetCertificate& certificate) {
  Json out = Json::array();
  for (const SetCertificate::Chain& chain : certificate.chains) {
    Json segments = Json::array();
    for (size_t k = 0; k < chain.segments.size(); ++k) {
      Json segment{{"face", chain.segments[k].face}, {"forces", toJson(chain.segments[k].forces)}};
      if (!chain.beside.empty()) segment["beside"] = toJson(chain.beside[k]);
      segments.push_back(std::move(segment));
    }
    out.push_back({{"segments", std::move(segments)}, {"end", rationalJson(chain.end)}});
  }
  return out;
}

void readChains(const Json& json, SetCertificate& certificate) {
  for (const Json& entry : json) {
    SetCertificate::Chain chain;
    for (const Json& segment : entry.at("segments")) {
      chain.segments.push_back({segment.at("face").get<std::vector<int>>(), forces(segment.at("forces"))});
      if (segment.contains("beside")) chain.beside.push_back(forces(segment.at("beside")));
    }
    chain.end = rationals(entry.at("end"));
    certificate.chains.push_back(std::move(chain));
  }
}

Json stepsToJson(const SetCertificate& certificate) {
  Json out = Json::array();
  for (const SetCertificate::Step& step : certificate.steps) {
    out.push_back({{"element", step.element}, {"row", step.row}, {"target", step.target}, {"zero_rows", step.zero_rows},
                   {"zeros", toJson(step.zeros)}, {"into", step.into}, {"reasons", toJson(step.reasons)}});
  }
  return out;
}

Json boundsToJson(const SetCertificate& certificate) {
  Json out = Json::array();
  for (const SetCertificate::Bound& bound : certificate.bounds) {
    out.push_back({{"name", bound.name},
                   {"inner", {rationalJson(bound.inner_low), rationalJson(bound.inner_high)}},
                   {"chains", {bound.low_chain, bound.high_chain}},
                   {"outer", {rationalJson(bound.outer_low), rationalJson(bound.outer_high)}},
                   {"low", toJson(bound.low)},
                   {"high", toJson(bound.high)}});
  }
  return out;
}

void readOuter(const Json& json, SetCertificate& out) {
  for (const Json& limit : json.at("limits"))
    out.limits.push_back({limit.at("row").get<int>(), rational(limit.at("value"))});
  for (const Json& element : json.at("elements")) {
    out.elements.push_back({element.at("face").get<std::vector<int>>(), rationalRows(element.at("halfspaces"))});
  }
  for (const Json& step : json.at("steps")) {
    out.steps.push_back({step.at("element").get<int>(), step.at("row").get<int>(),
                         step.at("target").get<std::vector<int>>(), reasons(step.at("zeros")),
                         step.at("zero_rows").get<std::vector<int>>(), step.at("into").get<int>(),
                         reasons(step.at("reasons"))});
  }
  for (const Json& barrier : json.at("barriers")) {
    out.barriers.push_back({barrier.at("face").get<std::vector<int>>(), barrier.at("target").get<std::vector<int>>(),
                            barrier.at("row").get<int>(), reason(barrier.at("reason"))});
  }
  out.unfinished = json.at("unfinished").get<std::vector<int>>();
  out.why_unfinished = reasons(json.at("why_unfinished"));
}

Json setToJson(const SetCertificate& certificate) {
  Json elements = Json::array(), barriers = Json::array();
  for (const SetCertificate::Element& element : certificate.elements) {
    elements.push_back({{"face", element.face}, {"halfspaces", rationalJson(element.halfspaces)}});
  }
  for (const SetCertificate::Barrier& barrier : certificate.barriers) {
    barriers.push_back(
        {{"face", barrier.face}, {"target", barrier.target}, {"row", barrier.row}, {"reason", toJson(barrier.reason)}});
  }
  Json limits = Json::array();
  for (const SetCertificate::Limit& limit : certificate.limits)
    limits.push_back({{"row", limit.row}, {"value", rationalJson(limit.value)}});
  const SetCertificate::Problem& problem = certificate.problem;
  Json tangents = Json::array();
  for (const std::vector<Rationals>& rows : problem.tangent) tangents.push_back(rationalJson(rows));
  return Json{{"complete", certificate.complete},
              {"problem",
               {{"mass_matrix", rationalJson(problem.mass_matrix)},
                {"normal", rationalJson(problem.normal)},
                {"tangent", std::move(tangents)},
                {"friction", rationalJson(problem.friction)},
                {"velocity", rationalJson(problem.velocity)},
                {"polygon", rationalJson(problem.polygon)},
                {"any_direction", problem.any_direction}}},
              {"coordinates", certificate.coordinates},
              {"pieces", certificate.pieces},
              {"bounds", boundsToJson(certificate)},
              {"chains", chainsToJson(certificate)},
              {"elements", std::move(elements)},
              {"limits", std::move(limits)},
              {"steps", stepsToJson(certificate)},
              {"barriers", std::move(barriers)},
              {"unfinished", certificate.unfinished},
              {"why_unfinished", toJson(certificate.why_unfinished)}};
}

SetCertificate readSet(const Json& json) {
  SetCertificate out;
  out.complete = json.at("complete").get<bool>();
  const Json& problem = json.at("problem");
  out.problem.mass_matrix = rationalRows(problem.at("mass_matrix"));
  out.problem.normal = rationalRows(problem.at("normal"));
  out.problem.friction = rationals(problem.at("friction"));
  out.problem.velocity = rationals(problem.at("velocity"));
  out.problem.polygon = rationalRows(problem.at("polygon"));
  out.problem.any_direction = problem.at("any_direction").get<std::vector<int>>();
  for (const Json& tangents : problem.at("tangent")) out.problem.tangent.push_back(rationalRows(tangents));
  out.coordinates = json.at("coordinates").get<std::vector<int>>();
  out.pieces = json.at("pieces").get<std::vector<std::vector<int>>>();
  readChains(json.at("chains"), out);
  for (const Json& bound : json.at("bounds")) {
    out.bounds.push_back({bound.at("name").get<std::string>(), rational(bound.at("inner").at(0)),
                          rational(bound.at("inner").at(1)), rational(bound.at("outer").at(0)),
                          rational(bound.at("outer").at(1)), bound.at("chains").at(0).get<int>(),
                          bound.at("chains").at(1).get<int>(), reasons(bound.at("low")), reasons(bound.at("high"))});
  }
  readOuter(json, out);
  return out;
}

/// Of everything else in the file, whatever the order of keys and the white space.
std::string digestOf(const Json& json) {
  nlohmann::json sorted = json;
  sorted.erase(kDigest);
  return verify::recorded::sha256(sorted.dump());
}

}  // namespace

void writeCertificate(const CertificateFile& file, std::ostream& out) {
  Json json{{"format", kFormat}};
  json.update(setToJson(file.certificate));
  if (!file.certificate.complete) {
    json["relaxed"] = Json::array();
    for (const SetCertificate& relaxed : file.outer.certificates) json["relaxed"].push_back(setToJson(relaxed));
    json["potentials"] = potentialsToJson(file.outer.potentials);
  }
  json[kDigest] = digestOf(json);
  out << json.dump() << '\n';
}

CertificateFile readCertificate(const std::string& path) {
  std::error_code kind;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, kind))
    file.open(path, std::ios::binary);  // Pipes and devices may never end.
  if (!file.is_open())
    throw std::runtime_error(fmt::format("{}: cannot be read; a certificate that --certificate wrote", path));
  try {
    const Json json = Json::parse(file);
    if (json.at("format") != kFormat) throw std::runtime_error(fmt::format("format is not \"{}\"", kFormat));
    CertificateFile out;
    out.certificate = readSet(json);
    if (!out.certificate.complete) {
      for (const Json& relaxed : json.at("relaxed")) out.outer.certificates.push_back(readSet(relaxed));
      out.outer.potentials = readPotentials(json.at("potentials"), out.certificate);
    }
    out.as_written = json.at(kDigest) == digestOf(json);
    return out;
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}; a certificate that --certificate wrote", path, error.what()));
  }
}

}  // namespace rigor::cli
