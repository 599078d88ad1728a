// SPDX-License-Identifier: MIT
#include "scenes/mesh_parts.h"

#include <fmt/format.h>

#include "geom/sticking_out.h"
#include "geom/triangle_solid.h"
#include "scenes/parts_cache.h"

namespace rigor::scenes {

namespace {

/// What a mesh encloses; none where its surface crosses itself, so that some of it would count twice or against.
std::optional<geom::MassProperties> weighedOnce(const Mesh& mesh) {
  const std::optional<geom::MassProperties> solid = enclosedSolid(mesh, {1, 1, 1});
  if (!solid || !geom::impossibleBecause(*solid).empty()) return {};
  if (geom::TriangleSolid(mesh.vertices, mesh.triangles).crossesItself()) return {};
  return solid;
}

}  // namespace

MeshParts convexPartsOf(const Mesh& mesh, const Eigen::Vector3d& scale, const geom::Pose& pose,
                        const PartsRequest& request) {
  MeshHull hull = meshHull(mesh, scale, pose);
  std::optional<Mesh> closed;
  if (request.error) closed = closedMesh(mesh);
  MeshParts result;
  if (!closed) {
    if (!hull.convex && request.error)
      result.warning = " is not closed and cannot be decomposed; its convex hull is used";
    else if (!hull.convex)
      result.warning = " is not convex and closed; its convex hull is used (`decompose` cuts it into convex parts)";
    if (!hull.convex) result.kind = "hull";
    result.parts.emplace_back(std::move(hull.hull));
    return result;
  }
  for (Eigen::Vector3d& vertex : closed->vertices) vertex = scale.cwiseProduct(vertex);
  const geom::ConvexParts convex = keptConvexParts(request.cache, *closed, *request.error, request.progress);
  if (const auto solid = hull.convex ? std::nullopt : weighedOnce(*closed))
    result.solid = geom::transformed(*solid, pose);
  double size = 0;
  for (const Eigen::Vector3d& vertex : closed->vertices)
    size = std::max(size, (vertex - closed->vertices.front()).norm());
  if (convex.error > *request.error + 4 * geom::kCutRounding * size)
    result.warning =
        fmt::format(" needs more than {} convex parts; {} stick out of it by up to {:.3g} m where `decompose` is {} m",
                    geom::kMostConvexParts, convex.parts.size(), convex.error, *request.error);
  // From their points, whether they were kept or made: the same bits.
  const bool stays = pose.p.isZero(0) && pose.q.tail<3>().isZero(0);
  const Eigen::Matrix3d R = pose.rotation();
  for (const geom::Polytope& part : convex.parts) {
    std::vector<Eigen::Vector3d> points;
    for (int v = 0; v < part.numVertices(); ++v)
      points.push_back(stays ? Eigen::Vector3d(part.vertex(v)) : Eigen::Vector3d(pose.p + R * part.vertex(v)));
    result.parts.emplace_back(geom::Polytope::fromPoints(points));
  }
  return result;
}

}  // namespace rigor::scenes
