// SPDX-License-Identifier: MIT
#include "scenes/parts_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

namespace rigor::scenes {
namespace {

namespace fs = std::filesystem;

/// Another one whenever the same mesh gets other parts.
constexpr std::string_view kPartsVersion = "rigor-parts 2";

/// 128 bits that tell contents apart; no secret depends on them.
std::string contentHash(std::string_view bytes) {
  std::array<std::uint64_t, 2> hash{0x6A09E667F3BCC908u, 0xBB67AE8584CAA73Bu};
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hash[0] = (hash[0] ^ byte) * 0x100000001B3u;                       // FNV-1a.
    hash[1] = std::rotl(hash[1] ^ (byte * 0x9E3779B97F4A7C15u), 23) * 0xD6E8FEB86659FD93u;
  }
  return fmt::format("{:016x}{:016x}", hash[0], hash[1]);
}

std::string keyOf(const Mesh& mesh, double error) {
  std::string bytes = fmt::format("{} {} {} {} ", kPartsVersion, geom::kMostConvexParts, mesh.vertices.size(),
                                  mesh.triangles.size());
  const auto add = [&](const void* data, size_t size) { bytes.append(static_cast<const char*>(data), size); };
  add(&error, sizeof error);
  for (const Eigen::Vector3d& v : mesh.vertices) add(v.data(), 3 * sizeof(double));
  for (const auto& triangle : mesh.triangles) add(triangle.data(), sizeof triangle);
  return contentHash(bytes);
}

std::string bits(double x) { return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(x)); }

std::string asText(const std::string& key, const geom::ConvexParts& parts) {
  std::string text = fmt::format("{}\n{}\n{} {}\n", kPartsVersion, key, bits(parts.error), parts.parts.size());
  for (const geom::Polytope& part : parts.parts) {
    text += fmt::format("{}\n", part.numVertices());
    for (int v = 0; v < part.numVertices(); ++v) {
      const Eigen::Vector3d p = part.vertex(v);
      text += fmt::format("{} {} {}\n", bits(p[0]), bits(p[1]), bits(p[2]));
    }
  }
  return text + contentHash(text) + '\n';
}

std::optional<geom::ConvexParts> fromText(const std::string& key, const std::string& text) {
  constexpr size_t kHash = 33;  // With its newline.
  if (text.size() < kHash) return std::nullopt;
  const std::string content = text.substr(0, text.size() - kHash);
  if (text.substr(content.size()) != contentHash(content) + '\n') return std::nullopt;
  if (!content.starts_with(fmt::format("{}\n{}\n", kPartsVersion, key))) return std::nullopt;
  std::istringstream in(content.substr(kPartsVersion.size() + key.size() + 2));
  in >> std::hex;
  const auto number = [&] {
    std::uint64_t value = 0;
    in >> value;
    return std::bit_cast<double>(value);
  };
  geom::ConvexParts parts;
  parts.error = number();
  size_t count = 0;
  in >> std::dec >> count;
  for (size_t i = 0; i < count && in; ++i) {
    size_t vertices = 0;
    in >> std::dec >> vertices >> std::hex;
    std::vector<Eigen::Vector3d> points;
    for (size_t v = 0; v < vertices && in; ++v) {
      const double x = number(), y = number(), z = number();
      points.emplace_back(x, y, z);
    }
    if (in) parts.parts.push_back(geom::Polytope::fromPoints(points));
  }
  if (!in) return std::nullopt;
  return parts;
}

/// Beside the mesh, then the user's.
std::vector<fs::path> foldersFor(const std::string& path) {
  std::vector<fs::path> folders{path + ".rigor-parts"};
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache && *cache) folders.push_back(fs::path(cache) / "rigor" / "parts");
  else if (home && *home) folders.push_back(fs::path(home) / ".cache" / "rigor" / "parts");
  return folders;
}

std::optional<geom::ConvexParts> readKept(const fs::path& file, const std::string& key) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  try {
    return fromText(key, text);
  } catch (const geom::GeometryError&) {
    return std::nullopt;
  }
}

/// Whole or not at all: another process may read at any time. @returns whether it is there.
bool writeKept(const fs::path& folder, const std::string& key, const std::string& text) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return false;
  const fs::path own = folder / fmt::format("{}.{}", key, ::getpid());
  std::ofstream out(own, std::ios::binary);
  out << text;
  out.close();
  if (out) fs::rename(own, folder / key, error);
  if (out && !error) return true;
  fs::remove(own, error);
  return false;
}

}  // namespace

geom::ConvexParts keptConvexParts(const std::string& path, const Mesh& mesh, double error, const Progress& progress) {
  const std::string key = path.empty() ? "" : keyOf(mesh, error);
  const std::vector<fs::path> folders = path.empty() ? std::vector<fs::path>() : foldersFor(path);
  for (const fs::path& folder : folders)
    if (std::optional<geom::ConvexParts> kept = readKept(folder / key, key)) return std::move(*kept);
  const geom::TriangleSolid solid(mesh.vertices, mesh.triangles);
  const auto tell = [&](int parts) {
    if (progress)
      progress(parts / static_cast<double>(geom::kMostConvexParts),
               fmt::format("cutting a mesh of {} triangles: {} convex parts", mesh.triangles.size(), parts));
  };
  geom::ConvexParts parts = geom::convexParts(solid, error, geom::kMostConvexParts, tell);
  if (parts.parts.size() > 1) {  // One is found fast.
    const std::string text = asText(key, parts);
    for (const fs::path& folder : folders)
      if (writeKept(folder, key, text)) break;
  }
  return parts;
}

}  // namespace rigor::scenes
