// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "record/export.h"
#include "record/export_mesh.h"
#include "record/page.h"

namespace rigor::record {
namespace {

using PageJson = nlohmann::ordered_json;

template <class Number>
std::string packed(const std::vector<Number>& values) {
  const auto* raw = reinterpret_cast<const char*>(values.data());
  return base64({raw, raw + values.size() * sizeof(Number)});
}

PageJson bodyJson(const BodyRow& body, const verify::kernel::Body& model, double plate) {
  PageJson json{
      {"name", body.name}, {"fixed", body.fixed}, {"centre", {body.centre[0], body.centre[1], body.centre[2]}}};
  if (body.fixed) json["position"] = model.position, json["orientation"] = model.orientation;
  json["parts"] = PageJson::array();
  for (const PartRow& part : body.parts) {
    std::vector<float> corners;
    for (const Triangle& triangle : partTriangles(part, plate))
      for (const Eigen::Vector3d& corner : triangle)
        for (const double x : corner) corners.push_back(static_cast<float>(x));
    json["parts"].push_back({{"plane", part.half_space}, {"triangles", packed(corners)}});
  }
  return json;
}

/// A body's pieces in a branch, as page.html reads them: n + 1 times, n degrees (of p, and 16 times that of q), control
/// points.
struct TrackColumns {
  std::vector<double> times;
  std::vector<unsigned char> degrees;
  std::vector<float> points;
  Eigen::Vector4d still_q{0, 0, 0, 0};
  Eigen::Vector3d still_p{0, 0, 0};
  bool still = false;  ///< The last piece does not move.

  void add(const advance::MotionPiece& piece) {
    if (piece.p_degree == 0 && piece.q_degree == 0) {
      if (still && still_p == piece.p[0] && still_q == piece.q[0]) {  // It goes on resting.
        times.back() = piece.t1;
        return;
      }
      still = true, still_p = piece.p[0], still_q = piece.q[0];
    } else {
      still = false;
    }
    if (times.empty()) times.push_back(piece.t0);
    times.push_back(piece.t1);
    degrees.push_back(static_cast<unsigned char>(piece.p_degree | piece.q_degree << 4));
    for (int i = 0; i <= piece.p_degree; ++i)
      for (const double x : piece.p[i]) points.push_back(static_cast<float>(x));
    for (int i = 0; i <= piece.q_degree; ++i)
      for (const double x : piece.q[i]) points.push_back(static_cast<float>(x));
  }
};

PageJson tracksJson(Reader& reader, const std::string& branch) {
  std::map<int, TrackColumns> tracks;
  reader.forEachPiece(branch, -INFINITY, INFINITY,
                      [&](const sim::PieceRecord& piece) { tracks[piece.body].add(piece.piece); });
  PageJson list = PageJson::array();
  for (const auto& [body, track] : tracks)
    list.push_back({{"body", body},
                    {"times", packed(track.times)},
                    {"degrees", packed(track.degrees)},
                    {"points", packed(track.points)}});
  return list;
}

PageJson eventsJson(Reader& reader, const std::string& branch) {
  PageJson list = PageJson::array();
  for (const EventRow& event : reader.events(branch, -INFINITY, INFINITY)) {
    std::string text = event.kind;
    for (const int body : {event.body_a, event.body_b})
      if (body >= 0) text += "  " + bodyName(reader, body);
    list.push_back({{"t", event.time}, {"text", text}});
  }
  return list;
}

PageJson impactsJson(Reader& reader, const std::string& branch) {
  PageJson list = PageJson::array();
  for (const ImpactRow& impact : reader.impacts(branch, -INFINITY, INFINITY))
    for (const ImpactContactRow& c : impact.contacts) {
      if (c.pair.part_a < 0) continue;  // A joint's limit has no point.
      const Eigen::Vector3d P =
          c.impulse[0] * c.normal + c.impulse[1] * c.tangent + c.impulse[2] * c.normal.cross(c.tangent);
      list.push_back({{"t", impact.time}, {"at", {c.point[0], c.point[1], c.point[2]}}, {"P", {P[0], P[1], P[2]}}});
    }
  return list;
}

/// What was chosen at the fork: how each contact ends.
std::string choiceText(const std::string& choice) {
  const auto json = nlohmann::json::parse(choice, nullptr, false);
  if (!json.is_object() || !json.contains("contacts") || !json["contacts"].is_string()) return {};
  return json["contacts"];
}

std::string runJson(Reader& reader, const std::string& branch) {
  const RunHeader& header = reader.header();
  const std::vector<BranchRow> branches = branch.empty() ? reader.branches() : reader.ancestry(branch);
  double end = 0;
  for (const BranchRow& row : branches) end = std::max(end, row.end_time);
  PageJson run{{"name", header.scene_name},
           {"facts", fmt::format("{:.6g} s, {}, seed {}, rigor {}", end, header.status, header.seed, header.build)},
           {"end", end},
           {"bodies", PageJson::array()},
           {"branches", PageJson::array()}};
  const double plate = plateSize(reader.bodies());
  for (std::size_t b = 0; b < reader.bodies().size(); ++b)
    run["bodies"].push_back(bodyJson(reader.bodies()[b], reader.file().model().bodies[b], plate));
  for (const BranchRow& row : branches)
    run["branches"].push_back({{"id", row.id},
                               {"parent", row.parent},
                               {"fork_time", row.fork_time},
                               {"end_time", row.end_time},
                               {"weight", row.weight},
                               {"status", row.status},
                               {"text", choiceText(row.choice)},
                               {"bodies", tracksJson(reader, row.id)},
                               {"events", eventsJson(reader, row.id)},
                               {"impacts", impactsJson(reader, row.id)}});
  std::string text = run.dump(-1, ' ', false, PageJson::error_handler_t::replace);
  // Names come from files: none may end the page's element.
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos;) text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

void exportHtml(Reader& reader, const std::string& path, const std::string& branch) {
  constexpr std::string_view page = kPage, mark = "@RUN@";
  const std::size_t at = page.find(mark);
  const std::string run = runJson(reader, branch);
  std::ofstream file(path, std::ios::binary);
  file << page.substr(0, at) << run << page.substr(at + mark.size());
  file.close();
  if (!file) throw ExportError("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace rigor::record
