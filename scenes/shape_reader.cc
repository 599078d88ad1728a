// SPDX-License-Identifier: MIT
#include "scenes/shape_reader.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numbers>
#include <set>

#include "elementary/elementary.h"
#include "scenes/facets.h"
#include "scenes/mesh_hull.h"
#include "scenes/mesh_parts.h"
#include "scenes/shape_kinds.h"
#include "scenes/terrain.h"

namespace rigor::scenes {

geom::Shape hullOf(const Value& at, const std::vector<Eigen::Vector3d>& points) {
  try {
    return geom::Polytope::fromPoints(points);
  } catch (const geom::GeometryError& error) {
    at.fail(at.name() + ": " + error.what(), "points that span a solid");
  }
}

namespace {

/// What a vector that somebody normalised is off by in length.
constexpr double kUnitRounding = 0x1p-50;

geom::Shape readBox(const Value& box) {
  const Value size = box.fields({"size"}).at("size");
  const std::vector<Value> edges = size.items("3 edge lengths [m]");
  if (edges.size() != 3) size.refuse("a list of 3 edge lengths [m]");
  try {
    return geom::Polytope::box({edges[0].positive("m"), edges[1].positive("m"), edges[2].positive("m")});
  } catch (const geom::GeometryError& error) {
    size.fail(size.name() + ": " + error.what(), "edge lengths of a solid box");
  }
}

geom::Shape readHull(const Value& hull) {
  const Value vertices = hull.fields({"vertices"}).at("vertices");
  std::vector<Eigen::Vector3d> points;
  for (const Value& vertex : vertices.items("points [x, y, z]")) points.push_back(vertex.vector3());
  return hullOf(vertices, points);
}

std::vector<geom::Shape> readMeshHulls(const Value& value, const ShapeContext& context) {
  value.fields({"file", "scale", "decompose"});
  const Value file = value.at("file");
  const std::filesystem::path path = std::filesystem::path(context.folder) / file.text();
  if (!context.files.contains(path)) {
    file.fail("mesh file " + path.string() + " does not exist", "an OBJ or STL file, relative to the scene file");
  }
  Eigen::Vector3d scale(1, 1, 1);
  if (const auto field = value.find("scale")) {
    scale = field->isList() ? field->vector3() : Eigen::Vector3d::Constant(field->number());
    if ((scale.array() == 0).any()) field->refuse("a number that is not zero (a negative one mirrors), or a list of 3");
  }
  PartsRequest request;
  if (const auto error = value.find("decompose"))
    request = PartsRequest::ofFile(path, error->positive("m"), context.files);
  const auto warn = [&](const std::string& what) {
    context.warnings->push_back(
        fmt::format("{}:{}:{}: mesh {}", file.path(), file.position().line, file.position().column, file.text()) +
        what);
  };
  std::vector<geom::Shape> parts;
  std::set<std::string> warnings;  // Each once.
  std::string flat;
  try {
    for (const Mesh& part : readMeshParts(path, context.files)) {
      try {
        MeshParts made = convexPartsOf(part, scale, {}, request);
        if (!made.warning.empty()) warnings.insert(std::move(made.warning));
        if (made.solid && context.solids) context.solids->push_back({parts.size(), made.parts.size(), *made.solid});
        std::move(made.parts.begin(), made.parts.end(), std::back_inserter(parts));
      } catch (const geom::GeometryError& error) {
        flat = error.what();
      }
    }
  } catch (const LoadError& broken) {
    // The reader's message names the place in the mesh; the scene line that wants it comes first.
    file.fail(fmt::format("mesh: {}", broken.what()), "");
  }
  if (parts.empty()) file.fail(file.name() + ": " + flat, "points that span a solid");
  if (!flat.empty()) warn(": a part is left out: " + flat);
  for (const std::string& warning : warnings) warn(warning);
  return parts;
}

/// The facets of a round shape; with `round: true` they only stand for it.
geom::Shape roundOrFacets(const Value& at, const std::vector<Eigen::Vector3d>& points, const geom::Round& solid) {
  const auto round = at.find("round");
  if (!round || !round->boolean()) return hullOf(at, points);
  try {
    return geom::Polytope::inscribed(pulledInside(points), solid);
  } catch (const geom::GeometryError& error) {
    at.fail(at.name() + ": " + error.what(), "points that span a solid");
  }
}

geom::Shape readSphere(const Value& sphere) {
  sphere.fields({"radius", "vertices", "tolerance", "round"});
  const double radius = sphere.at("radius").positive("m");
  return roundOrFacets(sphere, spherePoints(radius, readCount(sphere, "vertices", 4, &Facets::verticesOf, radius)),
                       roundSphere(radius));
}

geom::Shape readCylinder(const Value& cylinder) {
  cylinder.fields({"radius", "length", "sides", "tolerance", "round"});
  const double radius = cylinder.at("radius").positive("m"), length = cylinder.at("length").positive("m");
  return roundOrFacets(cylinder,
                       cylinderPoints(radius, length, readCount(cylinder, "sides", 3, &Facets::sidesOf, radius)),
                       roundCylinder(radius, length));
}

geom::Shape readCapsule(const Value& capsule) {
  capsule.fields({"radius", "length", "sides", "vertices", "tolerance", "round"});
  const double radius = capsule.at("radius").positive("m"), length = capsule.at("length").positive("m");
  return roundOrFacets(capsule,
                       capsulePoints(radius, length, readCount(capsule, "sides", 3, &Facets::sidesOf, radius),
                                     readCount(capsule, "vertices", 4, &Facets::verticesOf, radius)),
                       roundCapsule(radius, length));
}

geom::Shape readHalfSpace(const Value& halfspace, bool fixed) {
  if (!fixed) halfspace.fail(halfspace.name() + " on a body that moves", "half-spaces on fixed bodies only");
  halfspace.fields({"normal", "offset"});
  geom::HalfSpace result;
  if (const auto normal = halfspace.find("normal")) {
    result.normal = normal->vector3();
    if (!(result.normal.norm() > 0)) normal->fail(normal->name() + " has length zero", "a vector that is not zero");
  }
  if (const auto offset = halfspace.find("offset")) result.offset = offset->number();
  // The same plane of unit length: places of contacts name it. One that is a unit vector but for rounding stays.
  const double length = result.normal.stableNorm();
  if (std::abs(length - 1) > kUnitRounding) result.normal /= length, result.offset /= length;
  return result;
}

/// A part at `pose` in its body.
geom::Shape place(const Value& at, const geom::Shape& shape, const geom::Pose& pose) {
  try {
    return placed(shape, pose);
  } catch (const geom::GeometryError& error) {
    at.fail(at.name() + ": " + error.what(), "points that span a solid");
  }
}

/// The map's one member. @param more  A name that is allowed besides those of kinds.
std::string onlyKey(const Value& shape, const char* more) {
  std::vector<std::string> names = shapeNames();
  if (more) names.emplace_back(more);
  shape.fieldsOf({names.begin(), names.end()});
  const std::vector<std::string> kinds = shape.keys();
  if (kinds.size() != 1)
    shape.fail(fmt::format("{} has {} shapes", shape.name(), kinds.size()),
               fmt::format("one of {}", fmt::join(names, ", ")));
  return kinds[0];
}

std::vector<geom::Shape> readConvex(const Value& shape, const std::string& name, const ShapeContext& context) {
  const ShapeKind& kind = *findShapeKind(name);
  if (kind.own && context.own) context.own->push_back(name);
  return kind.read(shape.at(name), context);
}

}  // namespace

geom::Shape placed(const geom::Shape& shape, const geom::Pose& pose) {
  if (pose.p.isZero(0) && pose.q.tail<3>().isZero(0)) return shape;
  const Eigen::Matrix3d R = pose.rotation();
  if (const auto* halfspace = std::get_if<geom::HalfSpace>(&shape)) {
    const Eigen::Vector3d normal = R * halfspace->normal;
    return geom::HalfSpace{normal, halfspace->offset + normal.dot(pose.p)};
  }
  const auto& polytope = std::get<geom::Polytope>(shape);
  std::vector<Eigen::Vector3d> points;
  for (int v = 0; v < polytope.numVertices(); ++v) points.push_back(pose.p + R * polytope.vertex(v));
  return polytope.round() ? geom::Polytope::inscribed(points, placed(*polytope.round(), pose))
                          : geom::Polytope::fromPoints(points);
}

geom::Round placed(geom::Round round, const geom::Pose& pose) {
  const Eigen::Matrix3d R = pose.rotation();
  round.core = (R * round.core).colwise() + pose.p;
  round.axis = R * round.axis;
  return round;
}

geom::Round roundSphere(double radius) { return {Eigen::Matrix3Xd::Zero(3, 1), radius}; }

geom::Round roundCapsule(double radius, double length) {
  geom::Round round{Eigen::Matrix3Xd::Zero(3, 2), radius};
  round.core(2, 0) = -length / 2, round.core(2, 1) = length / 2;
  return round;
}

geom::Round roundCylinder(double radius, double length) {
  geom::Round round = roundCapsule(radius, length);
  round.axis = {0, 0, 1};
  return round;
}

std::vector<Eigen::Vector3d> pulledInside(std::vector<Eigen::Vector3d> points) {
  constexpr double kInside = 1 - 0x1p-40;  // More than what placing them rounds.
  for (Eigen::Vector3d& point : points) point *= kInside;
  return points;
}

std::vector<Eigen::Vector3d> spherePoints(double radius, int count) {
  const double golden_angle = std::numbers::pi * (3 - std::sqrt(5.0));
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2.0 * i + 1) / count, r = std::sqrt(1 - z * z), angle = golden_angle * i;
    points.push_back(radius * Eigen::Vector3d(r * elementary::cos(angle), r * elementary::sin(angle), z));
  }
  return points;
}

std::vector<Eigen::Vector3d> cylinderPoints(double radius, double length, int sides) {
  std::vector<Eigen::Vector3d> points;
  for (double z : {-length / 2, length / 2}) {
    for (int i = 0; i < sides; ++i) {
      const double angle = 2 * std::numbers::pi * i / sides;
      points.emplace_back(radius * elementary::cos(angle), radius * elementary::sin(angle), z);
    }
  }
  return points;
}

std::vector<Eigen::Vector3d> capsulePoints(double radius, double length, int sides, int vertices) {
  std::vector<Eigen::Vector3d> points = cylinderPoints(radius, length, sides);
  for (Eigen::Vector3d p : spherePoints(radius, vertices)) {
    p[2] += std::copysign(0.5 * length, p[2]);
    points.push_back(p);
  }
  return points;
}

Eigen::Vector4d rollPitchYaw(const Eigen::Vector3d& angles) {
  const auto [sr, cr] = elementary::sineCosine(0.5 * angles[0]);
  const auto [sp, cp] = elementary::sineCosine(0.5 * angles[1]);
  const auto [sy, cy] = elementary::sineCosine(0.5 * angles[2]);
  return {cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
          cr * cp * sy - sr * sp * cy};
}

Eigen::Vector4d readOrientation(const Value& map) {
  const auto orientation = map.find("orientation");
  const auto rpy = map.find("rpy");
  if (orientation && rpy) rpy->fail(rpy->name() + " beside an orientation", "orientation or rpy, not both");
  if (orientation) {
    const std::vector<double> wxyz = orientation->numbers(4, "numbers [w, x, y, z]");
    const Eigen::Vector4d q(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
    if (!std::isnormal(q.squaredNorm())) {
      orientation->fail(orientation->name() + " has length zero", "a quaternion [w, x, y, z] of any other length");
    }
    return q;
  }
  if (!rpy) return {1, 0, 0, 0};
  const Eigen::Vector3d angles = rpy->vector3();
  return rollPitchYaw(angles);
}

geom::Pose readPose(const Value& map) {
  geom::Pose pose;
  if (const auto position = map.find("position")) pose.p = position->vector3();
  pose.q = readOrientation(map);
  return pose;
}

std::vector<ShapeKind> bundledShapeKinds() {
  const auto one = [](auto read) {
    return [read](const Value& value, const ShapeContext&) { return std::vector<geom::Shape>{read(value)}; };
  };
  return {{"box", one(readBox)},
          {"hull", one(readHull)},
          {"mesh", readMeshHulls},
          {"sphere", one(readSphere)},
          {"cylinder", one(readCylinder)},
          {"capsule", one(readCapsule)},
          {"heightfield", readHeightField},
          {"terrain", readTerrain},
          {"halfspace", [](const Value& value, const ShapeContext& context) {
             return std::vector<geom::Shape>{readHalfSpace(value, context.fixed)};
           }}};
}

std::vector<geom::Shape> readShape(const Value& shape, const ShapeContext& context) {
  const std::string kind = onlyKey(shape, "compound");
  if (kind != "compound") return readConvex(shape, kind, context);

  const Value compound = shape.at(kind);
  std::vector<geom::Shape> parts;
  for (const Value& item : compound.items("convex parts")) {
    item.fields({"shape", "position", "orientation", "rpy"});
    const Value inner = item.at("shape");
    if (inner.find("compound")) inner.fail(inner.name() + " is a compound in a compound", "convex parts");
    const std::string inner_kind = onlyKey(inner, nullptr);
    if (inner_kind == "heightfield" || inner_kind == "terrain")
      inner.fail(inner.name() + " is a surface in a compound", "convex parts; a surface is a body of its own");
    const size_t first = parts.size(), solids = context.solids ? context.solids->size() : 0;
    for (const geom::Shape& part : readConvex(inner, inner_kind, context))
      parts.push_back(place(item, part, readPose(item)));
    for (size_t i = solids; context.solids && i < context.solids->size(); ++i) {
      MeshSolid& mesh = (*context.solids)[i];
      mesh.first += first, mesh.solid = geom::transformed(mesh.solid, readPose(item));
    }
  }
  if (parts.empty()) compound.refuse("a list of at least one part");
  return parts;
}

}  // namespace rigor::scenes
