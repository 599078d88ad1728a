// SPDX-License-Identifier: MIT
#include "cli/potential_json.h"

#include "cli/rational_json.h"

namespace rigor::cli {
namespace {

using Json = nlohmann::ordered_json;
using impact::BoundProof;
using impact::FanProof;
using impact::PotentialProof;

Json boundProofToJson(const BoundProof& proof) {
  return Json{{"quantity", proof.quantity},
              {"side", proof.side},
              {"bound", rationalJson(proof.bound)},
              {"pointing", rationalJson(proof.pointing)},
              {"weights", rationalJson(proof.weights)},
              {"growth", rationalJson(proof.growth)}};
}

void readBoundProof(const Json& json, const impact::SetCertificate& certificate, BoundProof& out) {
  out.problem = certificate.problem;
  out.coordinates = certificate.coordinates;
  out.quantity = json.at("quantity").get<std::string>();
  out.side = json.at("side").get<int>();
  out.bound = rational(json.at("bound"));
  out.pointing = rationals(json.at("pointing"));
  out.weights = rational(json.at("weights"));
  out.growth = rational(json.at("growth"));
}

Json planesToJson(const PotentialProof& proof) {
  Json json = boundProofToJson(proof), parts = Json::array();
  for (const PotentialProof::Part& part : proof.parts) {
    Json slopes = Json::array();
    for (const PotentialProof::Slope& slope : part.slopes)
      slopes.push_back({{"contact", slope.contact},
                        {"slip", slope.slip},
                        {"planes", rationalJson(slope.planes)},
                        {"borders", rationalJson(slope.borders)}});
    parts.push_back({{"signs", part.signs},
                     {"needless", rationalJson(part.needless)},
                     {"slopes", std::move(slopes)},
                     {"products", rationalJson(part.products)}});
  }
  json["features"] = rationalJson(proof.features);
  json["square"] = rationalJson(proof.square);
  json["linear"] = rationalJson(proof.linear);
  json["cross"] = rationalJson(proof.cross);
  json["parts"] = std::move(parts);
  return json;
}

PotentialProof readPlanes(const Json& json, const impact::SetCertificate& certificate) {
  PotentialProof out;
  readBoundProof(json, certificate, out);
  out.features = rationalRows(json.at("features"));
  out.square = rationalRows(json.at("square"));
  out.linear = rationalRows(json.at("linear"));
  out.cross = rationalRows(json.at("cross"));
  for (const Json& entry : json.at("parts")) {
    PotentialProof::Part& part = out.parts.emplace_back();
    part.signs = entry.at("signs").get<std::vector<int>>();
    part.needless = rationals(entry.at("needless"));
    for (const Json& slope : entry.at("slopes"))
      part.slopes.push_back({slope.at("contact").get<int>(), slope.at("slip").get<int>(),
                             rationals(slope.at("planes")), rationals(slope.at("borders"))});
    part.products = rationalRows(entry.at("products"));
  }
  return out;
}

Json fanToJson(const FanProof& proof) {
  Json json = boundProofToJson(proof), values = Json::array(), shares = Json::array();
  for (const FanProof::Value& value : proof.values)
    values.push_back({value.first, value.second, rationalJson(value.value)});
  for (const FanProof::Share& share : proof.shares)
    shares.push_back({{"cone", share.cone},
                      {"contact", share.contact},
                      {"slip", share.slip},
                      {"borders", rationalJson(share.borders)}});
  json["rays"] = rationalJson(proof.rays);
  json["cones"] = proof.cones;
  json["values"] = std::move(values);
  json["shares"] = std::move(shares);
  return json;
}

FanProof readFan(const Json& json, const impact::SetCertificate& certificate) {
  FanProof out;
  readBoundProof(json, certificate, out);
  out.rays = rationalRows(json.at("rays"));
  out.cones = json.at("cones").get<std::vector<std::vector<int>>>();
  for (const Json& value : json.at("values"))
    out.values.push_back({value.at(0).get<int>(), value.at(1).get<int>(), rational(value.at(2))});
  for (const Json& share : json.at("shares"))
    out.shares.push_back({share.at("cone").get<std::vector<int>>(), share.at("contact").get<int>(),
                          share.at("slip").get<int>(), rationals(share.at("borders"))});
  return out;
}

}  // namespace

Json potentialsToJson(const impact::PotentialProofs& proofs) {
  Json planes = Json::array(), fans = Json::array();
  for (const PotentialProof& proof : proofs.planes) planes.push_back(planesToJson(proof));
  for (const FanProof& proof : proofs.fans) fans.push_back(fanToJson(proof));
  return Json{{"planes", std::move(planes)}, {"fans", std::move(fans)}};
}

impact::PotentialProofs readPotentials(const Json& json, const impact::SetCertificate& certificate) {
  impact::PotentialProofs out;
  for (const Json& proof : json.at("planes")) out.planes.push_back(readPlanes(proof, certificate));
  for (const Json& proof : json.at("fans")) out.fans.push_back(readFan(proof, certificate));
  return out;
}

}  // namespace rigor::cli
