// SPDX-License-Identifier: MIT
#include "scenes/collision_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "scenes/mesh_hull.h"
#include "scenes/mesh_parts.h"
#include "scenes/shape_reader.h"

namespace rigor::scenes {
void CollisionReader::addPoints(std::vector<Eigen::Vector3d> points, const geom::Pose& pose, Position at,
                                PartOrigin origin, const geom::Round* round) {
  if (round && !facets().areRound(*round)) round = nullptr;
  if (round) points = pulledInside(std::move(points));
  if (!pose.p.isZero(0) || !pose.q.tail<3>().isZero(0)) {
    const Eigen::Matrix3d R = pose.rotation();
    for (Eigen::Vector3d& point : points) point = pose.p + R * point;
  }
  try {
    parts_.emplace_back(round ? geom::Polytope::inscribed(points, placed(*round, pose))
                              : geom::Polytope::fromPoints(points));
    origins_.push_back(std::move(origin));
  } catch (const geom::GeometryError& error) {
    flat_.emplace_back(at, error.what());
  }
}

void CollisionReader::addBox(const Eigen::Vector3d& size, const geom::Pose& pose, Position at) {
  if (size.minCoeff() == 0) {
    flat_.emplace_back(at, "box size is 0");
    return;
  }
  try {
    parts_.push_back(placed(geom::Polytope::box(size), pose));
    origins_.push_back({"box"});
  } catch (const geom::GeometryError& error) {
    flat_.emplace_back(at, error.what());
  }
}

int CollisionReader::counted(long count, Position at) const {
  if (count > Facets::kMost)
    file_.fail(at, fmt::format("{}: a round collision shape needs more than {} facets", who_, Facets::kMost),
               "a larger tolerance in the scene's `facets`");
  return static_cast<int>(count);
}

void CollisionReader::addSphere(double radius, const geom::Pose& pose, Position at) {
  const geom::Round round = roundSphere(radius);
  addPoints(spherePoints(radius, counted(facets().verticesOf(radius), at)), pose, at, {"sphere"}, &round);
}

void CollisionReader::addCylinder(double radius, double length, const geom::Pose& pose, Position at) {
  const geom::Round round = roundCylinder(radius, length);
  const int sides = counted(facets().sidesOf(radius), at);
  addPoints(cylinderPoints(radius, length, sides), pose, at, {"cylinder", sides, pose.rotation().col(2)}, &round);
}

void CollisionReader::addCapsule(double radius, double length, const geom::Pose& pose, Position at) {
  const int sides = counted(facets().sidesOf(radius), at), vertices = counted(facets().verticesOf(radius), at);
  const geom::Round round = roundCapsule(radius, length);
  addPoints(capsulePoints(radius, length, sides, vertices), pose, at, {"capsule"}, &round);
}

void CollisionReader::addEllipsoid(const Eigen::Vector3d& radii, const geom::Pose& pose, Position at) {
  std::vector<Eigen::Vector3d> points = spherePoints(1, counted(facets().verticesOf(radii.maxCoeff()), at));
  for (Eigen::Vector3d& p : points) p = p.cwiseProduct(radii);
  addPoints(std::move(points), pose, at, {"ellipsoid"});
}

const std::vector<Mesh>& CollisionReader::meshParts(const std::string& name, Position at) {
  const std::string path = file_.files.find(file_.path, name);
  const auto found = meshes_.find(path);
  if (found != meshes_.end()) return found->second;
  try {
    return meshes_.emplace(path, readMeshParts(path, file_.files)).first->second;
  } catch (const LoadError& error) {
    file_.fail(at, fmt::format("{}: collision mesh {}: {}", who_, name, error.what()), "");
  }
}

geom::MassProperties CollisionReader::massOf(size_t part) const {
  if (origins_[part].weight) return *origins_[part].weight;
  const auto* solid = std::get_if<geom::Polytope>(&parts_[part]);
  return solid ? geom::massProperties(*solid) : geom::MassProperties{};
}

void CollisionReader::add(MeshParts made) {
  const size_t first = parts_.size();
  std::move(made.parts.begin(), made.parts.end(), std::back_inserter(parts_));
  origins_.resize(parts_.size(), {made.kind});
  for (size_t i = first; made.solid && i < parts_.size(); ++i)
    origins_[i].weight = i == first ? *made.solid : geom::MassProperties{};
}

void CollisionReader::addMesh(const std::string& name, const Eigen::Vector3d& scale, const geom::Pose& pose,
                              Position at) {
  const std::string path = file_.shape_options.decompose ? file_.files.find(file_.path, name) : "";
  const PartsRequest request = PartsRequest::ofFile(path, file_.shape_options.decompose, file_.files);
  std::set<std::string> warnings;  // Each once a mesh.
  for (const Mesh& part : meshParts(name, at)) {
    try {
      MeshParts made = convexPartsOf(part, scale, pose, request);
      if (!made.warning.empty()) warnings.insert(std::move(made.warning));
      add(std::move(made));
    } catch (const geom::GeometryError& error) {
      flat_.emplace_back(at, fmt::format("a part of mesh {}: {}", name, error.what()));
    }
  }
  for (const std::string& warning : warnings) file_.warnAlike(at, fmt::format("{}: mesh {}", who_, name), warning);
}

void CollisionReader::addMesh(const Mesh& mesh, const Eigen::Vector3d& scale, const geom::Pose& pose, Position at) {
  try {
    MeshParts made = convexPartsOf(mesh, scale, pose, {file_.shape_options.decompose, "", file_.files.progress()});
    if (!made.warning.empty()) file_.warnAlike(at, who_ + ": its mesh", made.warning);
    add(std::move(made));
  } catch (const geom::GeometryError& error) {
    flat_.emplace_back(at, error.what());
  }
}

void CollisionReader::finish(FileLink& link, Position at) {
  if (parts_.empty() && !flat_.empty())
    file_.fail(flat_[0].first.line > 0 ? flat_[0].first : at, fmt::format("{}: collision: {}", who_, flat_[0].second),
               "a solid");
  for (auto flat = flat_.begin(); flat != flat_.end();) {
    const auto next = std::find_if(flat, flat_.end(), [&](const auto& other) {  // Parts of another mesh.
      return other.first.line != flat->first.line || other.first.column != flat->first.column;
    });
    const auto more = next - flat - 1;
    file_.warn(flat->first,
               fmt::format("{}: collision: {}; {} left out, other shapes carry the link", who_, flat->second,
                           more == 0 ? "it is" : fmt::format("it and {} more that are flat are", more)));
    flat = next;
  }
  link.shapes = std::move(parts_), link.origins = std::move(origins_);
}

}  // namespace rigor::scenes
