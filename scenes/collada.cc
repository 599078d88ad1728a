// SPDX-License-Identifier: MIT
#include "scenes/collada.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "elementary/elementary.h"
#include "scenes/text_encoding.h"
#include "scenes/xml.h"

namespace rigor::scenes {
namespace {

using Transform = Eigen::Matrix<double, 3, 4>;

constexpr size_t kColladaHead = 1u << 16;  // Bytes in which the root element begins.
constexpr double kMostCount = 1u << 24;    // Of anything in a file.
constexpr int kMostOffset = 64;            // Of an input in a list of indices.
constexpr int kDeepestNode = 100;          // Of nodes in each other.
constexpr int kMostNodes = 10000;          // All that the scene shows, instances counted each.
constexpr size_t kMostTriangles = 1u << 22;
constexpr size_t kMostListed = 1u << 26;  // That are read, those of instances each time.

/// Whole numbers >= 0 of an attribute. @throws LoadError.
size_t countOf(const XmlElement& element, std::string_view attribute, double otherwise) {
  const double count = element.numberOr(attribute, otherwise);
  if (!(count >= 0 && count <= kMostCount && count == std::floor(count)))
    element.refuse(attribute, fmt::format("a whole number from 0 to {}", kMostCount));
  return static_cast<size_t>(count);
}

Transform chained(const Transform& outer, const Transform& inner) {
  Transform both;
  both.leftCols<3>() = outer.leftCols<3>() * inner.leftCols<3>();
  both.col(3) = outer.leftCols<3>() * inner.col(3) + outer.col(3);
  return both;
}

/// What a child of a node does to what is inside; nothing where it is no transformation.
std::optional<Transform> transformOf(const XmlElement& element) {
  const std::string kind = element.name();
  if (kind == "lookat" || kind == "skew") element.fail("a <" + kind + ">", "matrix, translate, rotate or scale");
  Transform X = Transform::Identity();
  if (kind == "matrix") {
    X = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(element.contentNumbers(16).data()).topRows<3>();
  } else if (kind == "translate") {
    X.col(3) = Eigen::Map<const Eigen::Vector3d>(element.contentNumbers(3).data());
  } else if (kind == "scale") {
    X.leftCols<3>().diagonal() = Eigen::Map<const Eigen::Vector3d>(element.contentNumbers(3).data());
  } else if (kind == "rotate") {
    const std::vector<double> n = element.contentNumbers(4);
    const Eigen::Vector3d axis(n[0], n[1], n[2]);
    const double length = axis.stableNorm();
    if (n[3] != 0 && !(length > 0)) element.fail("a rotation about an axis of length zero", "any other length");
    const auto [sine, cosine] = elementary::sineCosine(n[3] * std::numbers::pi / 360);
    if (n[3] != 0) {
      const Eigen::Vector3d v = sine / length * axis;
      X.leftCols<3>() = Eigen::Quaterniond(cosine, v[0], v[1], v[2]).toRotationMatrix();
    }
  } else {
    return {};
  }
  return X;
}

class ColladaReader {
 public:
  ColladaReader(const std::string& path, const std::string& bytes) : document_(path, bytes), root_(document_.root()) {
    if (root_.name() != "COLLADA") root_.fail("no <COLLADA> element but <" + root_.name() + ">", "a Collada file");
    collectIds(root_);
  }

  std::vector<Mesh> read() {
    Transform X = Transform::Identity();
    const auto asset = root_.child("asset"), unit = asset ? asset->child("unit") : std::nullopt;
    if (const double metres = unit ? unit->numberOr("meter", 1) : 1; metres > 0) X.leftCols<3>() *= metres;
    else unit->refuse("meter", "a number > 0");
    if (const auto scene = shown()) showNode(*scene, X, 0);
    else
      for (const XmlElement& library : root_.children("library_geometries"))
        for (const XmlElement& geometry : library.children("geometry")) showGeometry(geometry, X);
    return std::move(meshes_);
  }

 private:
  void collectIds(const XmlElement& element) {
    for (const XmlElement& child : element.children()) {
      if (const auto id = child.text("id")) by_id_.emplace(*id, child);
      collectIds(child);
    }
  }

  /// The visual scene that the file shows, or its first.
  std::optional<XmlElement> shown() const {
    const auto scene = root_.child("scene"), instance = scene ? scene->child("instance_visual_scene") : std::nullopt;
    if (instance) return meant(*instance, "url", "visual_scene");
    const auto library = root_.child("library_visual_scenes");
    return library ? library->child("visual_scene") : std::nullopt;
  }

  /// The element of that name which an attribute means.
  XmlElement meant(const XmlElement& from, const char* attribute, std::string_view kind) const {
    const std::string url = from.textOr(attribute, "");
    const auto found = url.starts_with('#') ? by_id_.find(url.substr(1)) : by_id_.end();
    if (found == by_id_.end() || found->second.name() != kind)
      from.refuse(attribute, fmt::format("#ID of a <{}> of this file", kind));
    return found->second;
  }

  void showNode(const XmlElement& node, Transform X, int depth) {
    if (depth > kDeepestNode) node.fail(fmt::format("nodes more than {} deep", kDeepestNode), "nodes that end");
    if (++nodes_ > kMostNodes) node.fail(fmt::format("more than {} nodes", kMostNodes), "fewer");
    for (const XmlElement& child : node.children())
      if (const auto step = transformOf(child)) X = chained(X, *step);
    for (const XmlElement& child : node.children()) {
      const std::string kind = child.name();
      if (kind == "node") showNode(child, X, depth + 1);
      else if (kind == "instance_node") showNode(meant(child, "url", "node"), X, depth + 1);
      else if (kind == "instance_geometry") showGeometry(meant(child, "url", "geometry"), X);
      else if (kind == "instance_controller") showSkinned(meant(child, "url", "controller"), X);
    }
  }

  void showSkinned(const XmlElement& controller, const Transform& X) {
    for (const char* kind : {"skin", "morph"})
      if (const auto body = controller.child(kind)) showGeometry(meant(*body, "source", "geometry"), X);
  }

  void showGeometry(const XmlElement& geometry, const Transform& X) {
    const auto mesh = geometry.child("mesh");
    if (!mesh) return;  // A spline.
    for (const XmlElement& list : mesh->children()) {
      const std::string kind = list.name();
      if (kind != "triangles" && kind != "polylist" && kind != "polygons" && kind != "trifans" && kind != "tristrips")
        continue;
      Mesh part = readList(list, X);
      triangles_ += part.triangles.size();
      if (triangles_ > kMostTriangles) list.fail(fmt::format("more than {} triangles", kMostTriangles), "fewer");
      if (!part.triangles.empty()) meshes_.push_back(std::move(part));
    }
  }

  /// Points of a <source>, read once.
  const std::vector<Eigen::Vector3d>& readPoints(const XmlElement& source) {
    const auto [known, is_new] = points_.try_emplace(source.textOr("id", ""));
    if (!is_new) return known->second;
    const auto common = source.child("technique_common"), accessor = common ? common->child("accessor") : std::nullopt;
    if (!accessor) source.fail("a <source> without <accessor>", "how its numbers make points");
    const XmlElement list = meant(*accessor, "source", "float_array");
    const std::vector<double> numbers = numbersIn(list);
    if (list.has("count") && countOf(list, "count", 0) != numbers.size())
      list.refuse("count", fmt::format("{}, what is there", numbers.size()));
    const size_t count = countOf(*accessor, "count", 0), stride = countOf(*accessor, "stride", 1),
                 offset = countOf(*accessor, "offset", 0);
    std::array<size_t, 3> at{0, 1, 2};
    const std::vector<XmlElement> params = accessor->children("param");
    for (size_t k = 0; k < params.size(); ++k)
      for (const auto& [name, axis] : {std::pair{"X", 0}, {"Y", 1}, {"Z", 2}})
        if (params[k].textOr("name", "") == name) at[axis] = k;
    if (stride <= *std::max_element(at.begin(), at.end())) accessor->refuse("stride", "three numbers a point");
    if (offset + count * stride > numbers.size())
      accessor->fail(fmt::format("accessor of {} numbers from {} on, {} times, where there are {}", stride, offset,
                                 count, numbers.size()),
                     "numbers that are there");
    std::vector<Eigen::Vector3d>& points = known->second;
    points.resize(count);
    for (size_t p = 0; p < count; ++p)
      for (int k = 0; k < 3; ++k) points[p][k] = numbers[offset + p * stride + at[k]];
    return points;
  }

  /// Bounds the work that instances of instances ask for.
  std::vector<double> numbersIn(const XmlElement& list) {
    std::vector<double> numbers = list.contentNumbers(-1);
    numbers_ += numbers.size();
    if (numbers_ > kMostListed) list.fail(fmt::format("more than {} numbers to read", kMostListed), "fewer");
    return numbers;
  }

  /// A list of indices or counts.
  std::vector<size_t> wholeNumbers(const XmlElement& list) {
    std::vector<size_t> whole;
    for (const double number : numbersIn(list)) {
      if (!(number >= 0 && number <= kMostCount && number == std::floor(number)))
        list.fail(fmt::format("{}: number {} is {}", list.name(), whole.size() + 1, number),
                  fmt::format("whole numbers from 0 to {}", kMostCount));
      whole.push_back(static_cast<size_t>(number));
    }
    return whole;
  }

  struct Inputs {
    const std::vector<Eigen::Vector3d>* points = nullptr;
    size_t stride = 1, offset = 0;  // Of the indices of points among those of a corner.
  };
  Inputs readInputs(const XmlElement& list) {
    Inputs inputs;
    for (const XmlElement& input : list.children("input")) {
      const size_t offset = countOf(input, "offset", 0);
      if (offset >= kMostOffset) input.refuse("offset", fmt::format("a number below {}", kMostOffset));
      inputs.stride = std::max(inputs.stride, offset + 1);
      if (input.textOr("semantic", "") != "VERTEX") continue;
      for (const XmlElement& of : meant(input, "source", "vertices").children("input"))
        if (of.textOr("semantic", "") == "POSITION") inputs.points = &readPoints(meant(of, "source", "source"));
      inputs.offset = offset;
    }
    if (!inputs.points) list.fail(fmt::format("<{}> without an input of positions", list.name()), "a VERTEX input");
    return inputs;
  }

  /// Indices of points of one <p>.
  std::vector<size_t> readCorners(const XmlElement& p, const Inputs& inputs) {
    const std::vector<size_t> all = wholeNumbers(p);
    if (all.size() % inputs.stride != 0)
      p.fail(fmt::format("p of {} numbers", all.size()), fmt::format("{} a corner", inputs.stride));
    std::vector<size_t> corners;
    for (size_t at = inputs.offset; at < all.size(); at += inputs.stride) {
      if (all[at] >= inputs.points->size())
        p.fail(fmt::format("p: number {} is {}, a vertex that is not there", at + 1, all[at]),
               fmt::format("numbers of {} vertices, from 0", inputs.points->size()));
      corners.push_back(all[at]);
    }
    return corners;
  }

  /// Corners of each polygon of a list. Strips are polygons of their own, each a triangle.
  std::vector<std::vector<size_t>> readPolygons(const XmlElement& list, const Inputs& inputs) {
    const std::string kind = list.name();
    std::vector<XmlElement> lists = list.children("p");
    for (const XmlElement& with_holes : list.children("ph"))
      if (const auto p = with_holes.child("p")) lists.push_back(*p);
    std::vector<std::vector<size_t>> polygons;
    const bool cut = kind == "triangles" || kind == "polylist";
    std::vector<size_t> sizes(cut ? countOf(list, "count", 0) : 0, 3);
    if (kind == "polylist") {
      const auto vcount = list.child("vcount");
      const std::vector<size_t> stated = vcount ? wholeNumbers(*vcount) : std::vector<size_t>{};
      if (stated.size() != sizes.size())
        list.refuse("count", fmt::format("{}, as many as <vcount> has numbers", stated.size()));
      sizes = stated;
    }
    std::vector<size_t> corners;
    for (const XmlElement& p : lists) {
      const std::vector<size_t> own = readCorners(p, inputs);
      if (cut) corners.insert(corners.end(), own.begin(), own.end());
      else if (kind != "tristrips") polygons.push_back(own);
      for (size_t k = 2; kind == "tristrips" && k < own.size(); ++k)
        polygons.push_back({own[k - 2], own[k - 1 + k % 2], own[k - k % 2]});
    }
    size_t sum = 0;
    for (const size_t size : sizes) sum += size;
    if (cut && sum != corners.size())
      list.fail(fmt::format("{} of {} corners, where <p> has {}", kind, sum, corners.size()), "counts that agree");
    auto from = corners.begin();
    for (const size_t size : sizes) polygons.emplace_back(from, from + static_cast<long>(size)), from += size;
    return polygons;
  }

  Mesh readList(const XmlElement& list, const Transform& X) {
    const Inputs inputs = readInputs(list);
    Mesh mesh;
    std::unordered_map<size_t, int> number_of;  // Of points that are used.
    const auto numbered = [&](size_t point) {
      const auto [at, is_new] = number_of.emplace(point, static_cast<int>(mesh.vertices.size()));
      if (is_new) mesh.vertices.emplace_back(X.leftCols<3>() * (*inputs.points)[point] + X.col(3));
      return at->second;
    };
    for (const std::vector<size_t>& polygon : readPolygons(list, inputs))
      for (size_t k = 2; k < polygon.size(); ++k)
        mesh.triangles.push_back({numbered(polygon[0]), numbered(polygon[k - 1]), numbered(polygon[k])});
    return mesh;
  }

  XmlDocument document_;
  XmlElement root_;
  std::unordered_map<std::string, XmlElement> by_id_;
  std::unordered_map<std::string, std::vector<Eigen::Vector3d>> points_;  // Of sources, by id.
  std::vector<Mesh> meshes_;
  int nodes_ = 0;
  size_t triangles_ = 0, numbers_ = 0;
};

}  // namespace

bool isCollada(const std::string& bytes) {
  constexpr std::string_view kRoot = "<collada";
  const std::string head = asUtf8(bytes.substr(0, kColladaHead));
  return std::search(head.begin(), head.end(), kRoot.begin(), kRoot.end(),
                     [](unsigned char a, char b) { return std::tolower(a) == b; }) != head.end();
}

std::vector<Mesh> readCollada(const std::string& path, const std::string& bytes) {
  std::vector<Mesh> meshes = ColladaReader(path, bytes).read();
  if (meshes.empty()) throw LoadError(path, {}, "no mesh in this file", "at least one");
  return meshes;
}

}  // namespace rigor::scenes
