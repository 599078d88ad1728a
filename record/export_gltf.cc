// SPDX-License-Identifier: MIT
#include <Eigen/Geometry>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "record/export.h"
#include "record/export_mesh.h"

namespace rigor::record {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kSampleInterval = 1.0 / 60;  ///< Longest time between two samples of the animation [s].
enum ComponentType { kFloat = 5126 };
enum BufferTarget { kNoTarget = 0, kVertices = 34962 };

/// The parts of a glTF file that grow together: one binary buffer, its views and accessors.
class Document {
 public:
  Json root = {{"asset", {{"version", "2.0"}, {"generator", "rigor"}}}, {"scene", 0}};

  /// Appends floats as an accessor of `components` each. @returns its number.
  int add(const std::vector<float>& values, int components, BufferTarget target) {
    Json view = {{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", values.size() * sizeof(float)}};
    if (target != kNoTarget) view["target"] = static_cast<int>(target);
    root["bufferViews"].push_back(view);
    const char* const types[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    Json accessor = {{"bufferView", root["bufferViews"].size() - 1},
                     {"componentType", static_cast<int>(kFloat)},
                     {"count", values.size() / components},
                     {"type", types[components]}};
    for (int c = 0; c < components; ++c) {
      float low = INFINITY, high = -INFINITY;
      for (std::size_t i = c; i < values.size(); i += components)
        low = std::min(low, values[i]), high = std::max(high, values[i]);
      accessor["min"].push_back(low);
      accessor["max"].push_back(high);
    }
    root["accessors"].push_back(accessor);
    const auto* raw = reinterpret_cast<const char*>(values.data());
    bytes_.insert(bytes_.end(), raw, raw + values.size() * sizeof(float));
    return static_cast<int>(root["accessors"].size()) - 1;
  }

  void save(const std::string& path) {
    const bool binary = path.size() >= 4 && path.compare(path.size() - 4, 4, ".glb") == 0;
    root["buffers"].push_back(Json::object({{"byteLength", bytes_.size()}}));
    if (!binary) root["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64(bytes_);
    std::string json = root.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::ofstream file(path, std::ios::binary);
    if (binary) {
      json.resize((json.size() + 3) / 4 * 4, ' ');
      bytes_.resize((bytes_.size() + 3) / 4 * 4, 0);
      const auto word = [&](std::size_t value) {
        const auto word32 = static_cast<std::uint32_t>(value);
        file.write(reinterpret_cast<const char*>(&word32), 4);
      };
      word(0x46546C67), word(2), word(12 + 8 + json.size() + 8 + bytes_.size());
      word(json.size()), word(0x4E4F534A);
      file << json;
      word(bytes_.size()), word(0x004E4942);
      file.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    } else {
      file << json << '\n';
    }
    file.close();
    if (!file) throw ExportError("cannot write " + path + ": " + std::strerror(errno));
  }

 private:
  std::vector<char> bytes_;
};

// One primitive a part, flat shaded.
Json makeMesh(Document& document, const BodyRow& body, int material, double plate) {
  Json mesh = {{"name", body.name}};
  for (const PartRow& part : body.parts) {
    std::vector<float> positions, normals;
    for (const Triangle& t : partTriangles(part, plate)) {
      const Eigen::Vector3d n = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
      for (const Eigen::Vector3d& corner : t)
        for (int k = 0; k < 3; ++k) {
          positions.push_back(static_cast<float>(corner[k]));
          normals.push_back(static_cast<float>(n[k]));
        }
    }
    const int position = document.add(positions, 3, kVertices), normal = document.add(normals, 3, kVertices);
    mesh["primitives"].push_back(
        {{"attributes", {{"POSITION", position}, {"NORMAL", normal}}}, {"material", material}});
  }
  return mesh;
}

// glTF's order x y z w, unit, on the same side as the one before.
std::array<float, 4> unitQuaternion(const Eigen::Vector4d& q, const std::array<float, 4>& previous) {
  const Eigen::Vector4d unit = q / q.norm();
  std::array<float, 4> out{static_cast<float>(unit[1]), static_cast<float>(unit[2]), static_cast<float>(unit[3]),
                           static_cast<float>(unit[0])};
  float side = 0;
  for (int k = 0; k < 4; ++k) side += out[k] * previous[k];
  if (side < 0)
    for (float& x : out) x = -x;
  return out;
}

struct Sample {
  double time;
  std::string branch;
};

// Every step on the path from the root to `leaf`, no two further apart than kSampleInterval.
std::vector<Sample> sampleTimes(Reader& reader, const std::string& leaf) {
  std::vector<Sample> samples;
  const auto add = [&](double time, const std::string& branch) {
    if (!samples.empty()) {
      const double last = samples.back().time;
      if (!(time > last)) return;
      const auto parts = static_cast<long>(std::ceil((time - last) / kSampleInterval));
      for (long i = 1; i < parts; ++i)
        samples.push_back({last + (time - last) * static_cast<double>(i) / static_cast<double>(parts), branch});
    }
    samples.push_back({time, branch});
  };
  const std::vector<BranchRow> chain = reader.ancestry(leaf);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const double to = i + 1 < chain.size() ? chain[i + 1].fork_time : chain[i].end_time;
    std::vector<double> ends(reader.bodies().size(), INFINITY);
    reader.forEachPiece(chain[i].id, -INFINITY, to, [&](const sim::PieceRecord& piece) {
      if (reader.bodies()[piece.body].fixed) return;
      add(piece.piece.t0, chain[i].id);
      ends[piece.body] = piece.piece.t1;
    });
    const double last = *std::min_element(ends.begin(), ends.end());
    if (std::isfinite(last)) add(std::min(last, to), chain[i].id);
  }
  return samples;
}

void addAnimation(Document& document, Reader& reader, const std::vector<Sample>& samples) {
  if (samples.size() < 2) return;
  std::vector<float> times;
  for (const Sample& sample : samples) times.push_back(static_cast<float>(sample.time));
  Json animation = {{"name", "run"}, {"samplers", Json::array()}, {"channels", Json::array()}};
  const int input = document.add(times, 1, kNoTarget);
  for (std::size_t b = 0; b < reader.bodies().size(); ++b) {
    if (reader.bodies()[b].fixed) continue;
    std::vector<float> translations, rotations;
    std::array<float, 4> previous{0, 0, 0, 1};
    for (const Sample& sample : samples) {
      const BodyState state = reader.stateAt(sample.branch, static_cast<int>(b), sample.time);
      for (int k = 0; k < 3; ++k) translations.push_back(static_cast<float>(state.position[k]));
      previous = unitQuaternion(state.orientation, previous);
      rotations.insert(rotations.end(), previous.begin(), previous.end());
    }
    for (const bool rotation : {false, true}) {
      const int output = document.add(rotation ? rotations : translations, rotation ? 4 : 3, kNoTarget);
      animation["samplers"].push_back({{"input", input}, {"output", output}, {"interpolation", "LINEAR"}});
      animation["channels"].push_back({{"sampler", animation["samplers"].size() - 1},
                                       {"target", {{"node", b + 1}, {"path", rotation ? "rotation" : "translation"}}}});
    }
  }
  if (!animation["channels"].empty()) document.root["animations"].push_back(animation);
}

}  // namespace

void exportGltf(Reader& reader, const std::string& path, const std::string& branch) {
  std::string leaf = branch;
  if (leaf.empty()) {
    const std::vector<BranchRow> all = reader.branches();
    for (const BranchRow& row : all)
      if (leaf.empty() &&
          std::none_of(all.begin(), all.end(), [&](const BranchRow& other) { return other.parent == row.id; }))
        leaf = row.id;
  }
  const std::vector<Sample> samples = sampleTimes(reader, leaf);
  const std::vector<BodyRow>& bodies = reader.bodies();
  const double plate = plateSize(bodies);
  Document document;
  // Node 0 turns z up into glTF's y up; node b + 1 is body b.
  Json nodes = Json::array();
  nodes.push_back(
      Json::object({{"name", reader.header().scene_name}, {"rotation", {-std::sqrt(0.5), 0, 0, std::sqrt(0.5)}}}));
  const double colours[][3] = {{.55, .55, .55}, {.85, .33, .10}, {.00, .45, .74},
                               {.93, .69, .13}, {.47, .67, .19}, {.49, .18, .56}};
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto& colour = colours[bodies[b].fixed ? 0 : 1 + b % 5];
    document.root["materials"].push_back(
        {{"pbrMetallicRoughness", {{"baseColorFactor", {colour[0], colour[1], colour[2], 1}}, {"metallicFactor", 0}}}});
    nodes[0]["children"].push_back(b + 1);
    Json node = {{"name", bodies[b].name}};
    if (!bodies[b].parts.empty()) {  // Links may have no shape, and glTF knows no empty mesh.
      // First: it adds members to the root, which moves them all.
      Json mesh = makeMesh(document, bodies[b], static_cast<int>(b), plate);
      Json& meshes = document.root["meshes"];
      node["mesh"] = meshes.size();
      meshes.push_back(std::move(mesh));
    }
    if (const auto piece = reader.pieceAt(leaf, static_cast<int>(b), samples.empty() ? 0 : samples.front().time)) {
      const BodyState state = originState(piece->piece.start(), {0, 0, 0}, {0, 0, 0}, bodies[b].centre);
      const auto q = unitQuaternion(state.orientation, {0, 0, 0, 1});
      node["translation"] = {state.position[0], state.position[1], state.position[2]};
      node["rotation"] = q;
    }
    nodes.push_back(node);
  }
  document.root["nodes"] = nodes;
  document.root["scenes"].push_back(Json::object({{"nodes", Json::array({0})}}));
  addAnimation(document, reader, samples);
  document.save(path);
}

}  // namespace rigor::record
