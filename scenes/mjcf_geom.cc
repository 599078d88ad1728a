// SPDX-License-Identifier: MIT
#include "scenes/mjcf_geom.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <numbers>

#include "elementary/elementary.h"
#include "geom/shortest_turn.h"
#include "scenes/mesh_hull.h"
#include "scenes/mesh_path.h"

namespace rigor::scenes {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

Eigen::Vector4d asVector(const Eigen::Quaterniond& q) { return {q.w(), q.x(), q.y(), q.z()}; }
Eigen::Quaterniond asQuaternion(const Eigen::Vector4d& q) { return {q[0], q[1], q[2], q[3]}; }

Eigen::Quaterniond turned(double angle, const Vector3d& axis) {
  const auto [sine, cosine] = elementary::sineCosine(0.5 * angle);
  return {cosine, sine * axis[0], sine * axis[1], sine * axis[2]};
}

/// Turns z to a direction, the shortest way.
Eigen::Vector4d fromZ(const Vector3d& direction) {
  return geom::shortestTurn(Vector3d::UnitZ(), direction);
}

geom::MassProperties solid(double volume, const Vector3d& moments) {
  geom::MassProperties result;
  result.mass = volume, result.inertia = (volume * moments).asDiagonal();
  return result;
}

}  // namespace

std::optional<geom::MassProperties> primitive(const std::string& type, const Vector3d& s) {
  const Vector3d square = s.cwiseProduct(s);
  const auto around = [](double x, double y, double z) { return Vector3d(y + z, x + z, x + y); };
  if (type == "sphere") return solid(4.0 / 3 * pi * s[0] * square[0], Vector3d::Constant(0.4 * square[0]));
  if (type == "ellipsoid") return solid(4.0 / 3 * pi * s.prod(), around(square[0] / 5, square[1] / 5, square[2] / 5));
  if (type == "box") return solid(8 * s.prod(), around(square[0] / 3, square[1] / 3, square[2] / 3));
  if (type == "cylinder") return solid(2 * pi * square[0] * s[1], around(square[0] / 4, square[0] / 4, square[1] / 3));
  if (type != "capsule") return {};
  const double r = s[0], h = s[1], tube = 2 * pi * r * r * h, ball = 4.0 / 3 * pi * r * r * r;
  // Second moments about the centre: half balls at +-h, their own centroids 3 r / 8 further out.
  const double across = tube * r * r / 4 + ball * r * r / 5;
  const double along = tube * h * h / 3 + ball * (r * r / 5 + h * h + 0.75 * h * r);
  geom::MassProperties result;
  result.mass = tube + ball;
  result.inertia = around(across, across, along).asDiagonal();
  return result;
}

geom::Pose composed(const geom::Pose& X_AB, const geom::Pose& X_BC) {
  return {asVector(asQuaternion(X_AB.q) * asQuaternion(X_BC.q)), X_AB * X_BC.p};
}

geom::Pose inverted(const geom::Pose& X) {
  const geom::Pose turn{{X.q[0], -X.q[1], -X.q[2], -X.q[3]}, {0, 0, 0}};
  return {turn.q, -(turn * X.p)};
}

std::optional<dynamics::CollisionMask> maskOf(const MjcfAttributes& geom) {
  const auto bits = [&](const char* attribute) {
    const double value = geom.numberOr(attribute, 1);
    if (value != std::floor(value) || !(std::abs(value) < 4294967296.0))
      geom.stating(attribute)->refuse(attribute, "a whole number of 32 bits");
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));  // -1: all bits.
  };
  const dynamics::CollisionMask mask{bits("contype"), bits("conaffinity")};
  if (mask.kinds == 0 && mask.meets == 0) return {};
  return mask;
}

MjcfFrames::MjcfFrames(MjcfDocument& document) {
  const std::string unit = document.option("compiler", "angle").value_or("degree");
  if (unit != "degree" && unit != "radian") document.root().fail("compiler angle is " + unit, "degree or radian");
  angle_ = unit == "degree" ? pi / 180 : 1;
  limits_by_range_ = document.option("compiler", "autolimits").value_or("true") != "false";
  const std::string frame = document.option("compiler", "coordinate").value_or("local");
  if (frame != "local" && frame != "global")
    document.root().fail("compiler coordinate is " + frame, "local or global");
  global_ = frame == "global";
  euler_ = document.option("compiler", "eulerseq").value_or("xyz");
  if (euler_.size() != 3 || euler_.find_first_not_of("xyzXYZ") != std::string::npos)
    document.root().fail("compiler eulerseq is " + euler_, "three of xyzXYZ");
}

Eigen::Vector4d MjcfFrames::orientation(const MjcfAttributes& element) const {
  const auto sized = [&](const char* attribute, size_t count) -> std::optional<std::vector<double>> {
    auto numbers = element.numbers(attribute);
    if (numbers && numbers->size() != count)
      element.stating(attribute)->refuse(attribute, fmt::format("{} numbers", count));
    return numbers;
  };
  const auto axisOf = [&](const Vector3d& v, const char* attribute) {
    if (!std::isnormal(v.squaredNorm())) element.stating(attribute)->refuse(attribute, "axes that are not zero");
    return Vector3d(v.normalized());
  };
  if (const auto q = sized("quat", 4)) {
    const Eigen::Vector4d quaternion((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    if (!std::isnormal(quaternion.squaredNorm()))
      element.stating("quat")->refuse("quat", "a quaternion that is not zero");
    return quaternion.normalized();
  }
  if (const auto a = sized("axisangle", 4))
    return asVector(turned(angle_ * (*a)[3], axisOf({(*a)[0], (*a)[1], (*a)[2]}, "axisangle")));
  if (const auto e = sized("euler", 3)) {
    Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
    for (int k = 0; k < 3; ++k) {
      const char letter = euler_[k];
      const Eigen::Quaterniond turn = turned(angle_ * (*e)[k], Vector3d::Unit((letter | 0x20) - 'x'));
      q = letter >= 'a' ? q * turn : turn * q;  // Small letters turn about axes that turn along.
    }
    return asVector(q);
  }
  if (const auto z = sized("zaxis", 3)) return fromZ(axisOf({(*z)[0], (*z)[1], (*z)[2]}, "zaxis"));
  if (const auto xy = sized("xyaxes", 6)) {
    const Vector3d x = axisOf({(*xy)[0], (*xy)[1], (*xy)[2]}, "xyaxes");
    const Vector3d y0((*xy)[3], (*xy)[4], (*xy)[5]);
    const Vector3d y = axisOf(y0 - x.dot(y0) * x, "xyaxes");
    Eigen::Matrix3d R;
    R << x, y, x.cross(y);
    return asVector(Eigen::Quaterniond(R));
  }
  return {1, 0, 0, 0};
}

geom::Pose MjcfFrames::pose(const MjcfAttributes& element) const {
  return {orientation(element), element.vector3("pos").value_or(Vector3d(0, 0, 0))};
}

void MjcfGeoms::addMesh(const MjcfAttributes& asset, const std::string& directory) {
  MeshAsset mesh;
  auto file = asset.own().text("file");
  if (file && strips_paths_) file = std::filesystem::path(*file).filename().string();
  if (file) mesh.file = (std::filesystem::path(directory) / *file).string();
  std::string name = asset.own().textOr("name", "");
  if (name.empty() && file) name = std::filesystem::path(*file).stem().string();
  if (name.empty()) asset.own().fail("a mesh without name or file", "one of them");
  if (const auto scale = asset.vector3("scale")) mesh.scale = *scale;
  if (asset.text("inertia").value_or("") == "shell")
    file_.warn(asset.own().position(),
               fmt::format("mesh {}: inertia=\"shell\" is not read; geoms of it weigh as solids", name));
  if ((mesh.scale.array() == 0).any()) asset.stating("scale")->refuse("scale", "numbers that are not zero");
  if (const auto p = asset.vector3("refpos")) mesh.reference.p = *p;
  if (const auto q = asset.numbers("refquat"); q && q->size() == 4)
    mesh.reference.q = Eigen::Vector4d((*q)[0], (*q)[1], (*q)[2], (*q)[3]).normalized();
  if (const auto vertices = asset.own().numbers("vertex"); vertices && !file)
    for (size_t i = 0; i + 2 < vertices->size(); i += 3)
      mesh.vertices.emplace_back((*vertices)[i], (*vertices)[i + 1], (*vertices)[i + 2]);
  if (const auto faces = asset.own().numbers("face"); faces && !file) {
    if (faces->size() % 3 != 0) asset.own().refuse("face", "three vertices a face");
    for (const double corner : *faces)
      if (!(corner >= 0 && corner < static_cast<double>(mesh.vertices.size()) && corner == std::floor(corner)))
        asset.own().refuse("face", fmt::format("numbers of vertices, from 0 to {}", mesh.vertices.size() - 1));
    for (size_t i = 0; i < faces->size(); i += 3)
      mesh.faces.push_back({static_cast<int>((*faces)[i]), static_cast<int>((*faces)[i + 1]),
                            static_cast<int>((*faces)[i + 2])});
  }
  if (!file && mesh.vertices.empty())
    asset.own().fail(fmt::format("mesh {} has neither file nor vertex", name), "one of them");
  meshes_[name] = std::move(mesh);
}

namespace {

/// Heights, the row of least y first.
struct HeightGrid {
  long rows = 0, columns = 0;
  std::vector<double> heights;
};

/// Before anything of that size is made. @throws LoadError.
void checkGrid(const XmlElement& at, const std::string& name, double rows, double columns) {
  constexpr double kMostHeights = TerrainSurface::kMostTriangles / 2;
  if (!(rows >= 2 && columns >= 2 && rows * columns <= kMostHeights && rows == std::floor(rows) &&
        columns == std::floor(columns)))
    at.fail(fmt::format("height field {} of {} rows and {} columns", name, rows, columns),
            fmt::format("at least two of each, at most {} in all", kMostHeights));
}

/// Two integers of four bytes, rows and columns, and as many floats. @returns false where the size does not fit.
bool readBinaryGrid(const XmlElement& at, const std::string& name, const std::string& bytes, HeightGrid& grid) {
  std::int32_t count[2];
  if (bytes.size() < sizeof count) return false;
  std::memcpy(count, bytes.data(), sizeof count);
  grid.rows = count[0], grid.columns = count[1];
  const bool sane = grid.rows > 0 && grid.columns > 0 && grid.rows < 1 << 20 && grid.columns < 1 << 20;
  if (!sane || bytes.size() != sizeof count + sizeof(float) * static_cast<std::size_t>(grid.rows * grid.columns))
    return false;
  checkGrid(at, name, count[0], count[1]);
  for (std::size_t from = sizeof count; from < bytes.size(); from += sizeof(float)) {
    float height;
    std::memcpy(&height, bytes.data() + from, sizeof height);
    grid.heights.push_back(height);
  }
  return true;
}

/// Heights written in the model, from the top of the page down.
HeightGrid inlineGrid(const MjcfAttributes& asset, const std::string& name) {
  const double rows = asset.numberOr("nrow", 0), columns = asset.numberOr("ncol", 0);
  checkGrid(asset.own(), name, rows, columns);
  HeightGrid grid{static_cast<long>(rows), static_cast<long>(columns), {}};
  const auto given = asset.numbers("elevation");
  if (given && static_cast<long>(given->size()) != grid.rows * grid.columns)
    asset.stating("elevation")->refuse("elevation", fmt::format("{} numbers", grid.rows * grid.columns));
  grid.heights.assign(given ? 0 : static_cast<std::size_t>(grid.rows * grid.columns), 0.0);
  for (long row = grid.rows; given && row-- > 0;)
    grid.heights.insert(grid.heights.end(), given->begin() + row * grid.columns,
                        given->begin() + (row + 1) * grid.columns);
  return grid;
}

}  // namespace

void MjcfGeoms::addHeightField(const MjcfAttributes& asset, const std::string& directory) {
  const XmlElement& own = asset.own();
  const auto file = own.text("file");
  std::string name = own.textOr("name", "");
  if (name.empty() && file) name = std::filesystem::path(*file).stem().string();
  const auto size = asset.numbers("size");
  if (!size || size->size() != 4 || !(*std::min_element(size->begin(), size->end()) > 0))
    own.fail(fmt::format("height field {} without a size of four numbers > 0", name),
             "size: half lengths along x and y, height, depth below [m]");
  HeightField& field = height_fields_[name];
  HeightGrid grid;
  if (file) {
    const std::string path =
        (std::filesystem::path(document_.path()).parent_path() / directory / *file).lexically_normal().string();
    if (!readBinaryGrid(own, name, file_.files.read(path, "a height field's file"), grid)) {
      file_.warn(own.position(), fmt::format("height field {}: {} is no binary height field (pictures are not read); "
                                             "geoms that show it are left out", name, *file));
      return;
    }
  } else {
    grid = inlineGrid(asset, name);
  }
  const auto [low, high] = std::minmax_element(grid.heights.begin(), grid.heights.end());
  const double least = *low, range = *high - least;
  if (!std::isfinite(range)) own.fail(fmt::format("height field {} with heights that are not finite", name), "numbers");
  for (double& height : grid.heights) height = range > 0 ? (*size)[2] * ((height - least) / range) : 0;
  field.surface = gridSurface(grid.heights, static_cast<int>(grid.rows), static_cast<int>(grid.columns),
                              {2 * (*size)[0], 2 * (*size)[1]});
  field.base = -(*size)[3];
}

const MjcfGeoms::HeightField* MjcfGeoms::findHeightField(const std::string& name) const {
  const auto found = height_fields_.find(name);
  return found == height_fields_.end() ? nullptr : &found->second;
}

const MjcfGeoms::MeshAsset* MjcfGeoms::findMesh(const std::string& name) const {
  const auto found = meshes_.find(name);
  return found == meshes_.end() ? nullptr : &found->second;
}

MjcfShapes::MjcfShapes(MjcfGeoms& geoms, FileModel& file, std::string who, bool world)
    : geoms_(geoms),
      file_(file),
      who_(std::move(who)),
      world_(world),
      may_be_ground_(world),
      shapes_(file, geoms.cache(), who_) {}

void MjcfShapes::setInertial(const MjcfAttributes& inertial, const geom::Pose& X) {
  geom::MassProperties own;
  own.mass = inertial.numberOr("mass", 0);
  if (!(own.mass >= 0)) inertial.own().refuse("mass", "a mass >= 0");
  if (const auto d = inertial.vector3("diaginertia")) own.inertia = d->asDiagonal();
  if (const auto f = inertial.numbers("fullinertia")) {
    if (f->size() != 6) inertial.own().refuse("fullinertia", "six numbers: xx, yy, zz, xy, xz, yz");
    const auto& i = *f;
    own.inertia << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
  }
  inertial_ = geom::transformed(own, composed(X, geoms_.frames().pose(inertial)));
}

/// Of a mesh that is written in the model: what its faces enclose; without faces the convex hull of its vertices.
void MjcfShapes::weighWritten(const MjcfAttributes& geom, const MjcfGeoms::MeshAsset& mesh, const geom::Pose& X) {
  if (!mesh.faces.empty()) {
    if (const auto solid = enclosedSolid({mesh.vertices, mesh.faces, {}, {}}, mesh.scale))
      weigh(geom, geom::transformed(*solid, X));
    return;
  }
  try {
    weigh(geom, geom::transformed(geom::massProperties(geom::Polytope::fromPoints(mesh.points())), X));
  } catch (const geom::GeometryError& error) {
    geom.own().fail(fmt::format("{}: mesh: {}", who_, error.what()), "the vertices of a solid");
  }
}

void MjcfShapes::weigh(const MjcfAttributes& geom, const geom::MassProperties& unit) {
  const auto mass = geom.number("mass");
  const double density = geom.numberOr("density", 1000);
  if ((mass && !(*mass >= 0)) || !(density >= 0))
    geom.own().fail(who_ + ": a geom of negative mass", "mass and density >= 0");
  if (!geoms_.massRules().weighsGroup(geom.numberOr("group", 0))) return;
  if (unit.mass > 0) weights_.push_back(unit.scaled(mass ? *mass / unit.mass : density));
}

void MjcfShapes::add(const MjcfAttributes& geom, const geom::Pose& X) {
  any_ = true;
  const XmlElement& element = geom.own();
  std::string type = geom.text("type").value_or("sphere");
  if (geom.text("mesh")) {
    if (element.has("type") && type != "mesh")
      file_.warn(element.position(),
                 fmt::format("{}: a {} that is fitted to a mesh; the mesh itself is used", who_, type));
    type = "mesh";
  }
  if (geom.text("shellinertia").value_or("") == "true")
    file_.warn(element.position(), fmt::format("{}: shellinertia of a geom is not read; it weighs as a solid", who_));
  const auto sizes = geom.numbers("size");
  Vector3d size(0, 0, 0);
  for (size_t k = 0; sizes && k < std::min<size_t>(3, sizes->size()); ++k) size[static_cast<int>(k)] = (*sizes)[k];
  geom::Pose pose = geoms_.frames().pose(geom);
  if (const auto ends = geom.numbers("fromto")) {
    if (ends->size() != 6) geom.stating("fromto")->refuse("fromto", "six numbers: two points");
    const Vector3d a((*ends)[0], (*ends)[1], (*ends)[2]), b((*ends)[3], (*ends)[4], (*ends)[5]);
    if (!((b - a).norm() > 0)) geom.stating("fromto")->refuse("fromto", "two different points");
    pose = {fromZ(b - a), 0.5 * (a + b)};
    const double half = 0.5 * (b - a).norm();
    if (type == "capsule" || type == "cylinder") size[1] = half;
    else size = Vector3d(size[0], size[0], half);  // As MuJoCo: of the sizes the first alone counts.
  }
  const auto positive = [&](int count) {
    for (int k = 0; k < count; ++k)
      if (!(size[k] > 0))
        element.fail(fmt::format("{}: geom {} with a size of {}", who_, type, size[k]), "sizes > 0 [m]");
  };
  if (type == "sphere") positive(1);
  if (type == "capsule" || type == "cylinder") positive(2);
  if (type == "box" || type == "ellipsoid") positive(3);
  addShape(geom, type, composed(X, pose), size);
}

void MjcfShapes::addShape(const MjcfAttributes& geom, const std::string& type, const geom::Pose& pose,
                          const Vector3d& size) {
  const XmlElement& element = geom.own();
  const Position at = element.position();
  const auto mask = maskOf(geom);
  const bool collides = mask.has_value();
  if (const auto solid = primitive(type, size)) weigh(geom, geom::transformed(*solid, pose));
  visible_ = visible_ || !collides;
  const MjcfGeoms::MeshAsset* mesh = nullptr;
  if (type == "mesh") {
    mesh = geoms_.findMesh(geom.text("mesh").value_or(""));
    if (!mesh)
      element.fail(fmt::format("{}: no mesh is called {}", who_, geom.text("mesh").value_or("")),
                   "a mesh of the <asset> section");
  }
  // Where the mesh's own frame is: its reference is taken off.
  geom::Pose X = pose;
  if (mesh) {
    geom::Pose inverse{{mesh->reference.q[0], -mesh->reference.q[1], -mesh->reference.q[2], -mesh->reference.q[3]},
                       {0, 0, 0}};
    inverse.p = -(inverse.rotation() * mesh->reference.p);
    X = composed(pose, inverse);
    const bool weighs = !world_ && geoms_.massRules().weighsGeoms(inertial_.has_value());
    if (weighs && !mesh->file.empty() && geom.numberOr("mass", 1) != 0)
      for (const Mesh& part : shapes_.meshParts(mesh->file, at))
        if (const auto solid = enclosedSolid(part, mesh->scale)) weigh(geom, geom::transformed(*solid, X));
    if (weighs && mesh->file.empty()) weighWritten(geom, *mesh, X);
  }
  if (!collides) return;
  if (std::ranges::find(masks_, *mask) == masks_.end()) masks_.push_back(*mask);
  if (const auto friction = geom.numbers("friction"); friction && !friction->empty()) {
    if (!((*friction)[0] >= 0)) geom.stating("friction")->refuse("friction", "numbers >= 0");
    friction_ = std::max(friction_.value_or(0), (*friction)[0]);
  }
  if (type == "box") shapes_.addBox(2 * size, X, at);
  else if (type == "sphere") shapes_.addSphere(size[0], X, at);
  else if (type == "capsule") shapes_.addCapsule(size[0], 2 * size[1], X, at);
  else if (type == "cylinder") shapes_.addCylinder(size[0], 2 * size[1], X, at);
  else if (type == "ellipsoid") shapes_.addEllipsoid(size, X, at);
  else if (mesh && mesh->file.empty() && file_.shape_options.decompose && !mesh->faces.empty())
    shapes_.addMesh(Mesh{mesh->vertices, mesh->faces, {}, {}}, mesh->scale, X, at);
  else if (mesh && mesh->file.empty()) shapes_.addPoints(mesh->points(), X, at);
  else if (mesh) shapes_.addMesh(mesh->file, mesh->scale, X, at);
  else if (type == "plane" && may_be_ground_)
    ground_.emplace_back(geom::HalfSpace{X.rotation().col(2), X.rotation().col(2).dot(X.p)});
  else if (type == "plane") element.fail(who_ + ": a plane on a body that moves", "planes of the world alone");
  else if (type == "hfield") addHeightField(geom, X);
  else if (type == "sdf")
    file_.warn(at, fmt::format("{}: geom {} is not read; it is left out", who_, type));
  else
    element.fail(fmt::format("{}: unknown geom type {}", who_, type),
                 "plane, sphere, capsule, ellipsoid, cylinder, box or mesh");
}

void MjcfShapes::addHeightField(const MjcfAttributes& geom, const geom::Pose& pose) {
  const XmlElement& element = geom.own();
  const std::string name = geom.text("hfield").value_or("");
  const MjcfGeoms::HeightField* const field = geoms_.findHeightField(name);
  if (!field)
    element.fail(fmt::format("{}: no height field is called {}", who_, name),
                 "a height field of the <asset> section");
  if (!may_be_ground_) element.fail(who_ + ": a height field on a body that moves", "height fields of the world alone");
  if (field->surface.points.empty()) {
    file_.warn(element.position(), fmt::format("{}: height field {} is left out", who_, name));
    return;
  }
  try {
    for (geom::Shape& prism : prismsBelow(field->surface, field->base, pose)) ground_.push_back(std::move(prism));
  } catch (const geom::GeometryError& error) {
    element.fail(fmt::format("{}: height field {}: {}", who_, name, error.what()), "heights of a solid");
  }
}

void MjcfShapes::finish(FileLink& link, Position at) {
  const MjcfMassRules& rules = geoms_.massRules();
  if (!weights_.empty() && rules.weighsGeoms(inertial_.has_value())) inertial_ = geom::composed(weights_);
  if (!world_) inertial_ = rules.bounded(inertial_.value_or(geom::MassProperties()));
  if (inertial_ && inertial_->mass > 0)
    link.mass = inertial_->mass, link.centre = inertial_->centre, link.inertia = inertial_->inertia;
  shapes_.finish(link, at);
  for (geom::Shape& shape : ground_) {
    link.origins.push_back({std::holds_alternative<geom::HalfSpace>(shape) ? "plane" : "height field"});
    link.shapes.push_back(std::move(shape));
  }
  link.visible = visible_;
  link.friction = friction_;
  link.masks = masks_;
  link.of_world = !ground_.empty();
}

}  // namespace rigor::scenes
