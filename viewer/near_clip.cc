// SPDX-License-Identifier: MIT
#include "viewer/near_clip.h"

#include <Eigen/Geometry>

namespace rigor::viewer {
namespace {

using Polygon = std::vector<Eigen::Vector3d>;

/// Sutherland and Hodgman: the part of a convex polygon with sign * x[axis] <= reach.
void clip(Polygon& polygon, Polygon& scratch, int axis, double sign, double reach) {
  scratch.clear();
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Eigen::Vector3d &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double da = reach - sign * a[axis], db = reach - sign * b[axis];
    if (da >= 0) scratch.push_back(a);
    if ((da > 0 && db < 0) || (da < 0 && db > 0)) scratch.push_back(a + da / (da - db) * (b - a));
  }
  polygon.swap(scratch);
}

}  // namespace

void appendNear(const ModelBody& body, const Placement& place, const Eigen::Vector3d& origin, double reach,
                NearMesh& out) {
  Polygon polygon, scratch;
  const auto clipAll = [&] {
    for (int axis = 0; axis < 3 && polygon.size() > 1; ++axis)
      for (const double sign : {1.0, -1.0}) clip(polygon, scratch, axis, sign, reach);
  };
  for (const geom::Shape& part : body.parts) {
    const auto* polytope = std::get_if<geom::Polytope>(&part);
    if (!polytope) continue;
    // The difference first: it is small where the vertex is near.
    const auto local = [&](int v) -> Eigen::Vector3d {
      return (place.pose.p - origin) + place.R * (polytope->vertex(v) - body.centre);
    };
    for (int f = 0; f < polytope->numFaces(); ++f) {
      polygon.clear();
      for (const int v : polytope->faceVertices(f)) polygon.push_back(local(v));
      clipAll();
      const Eigen::Vector3f normal = (place.R * polytope->face(f).normal).cast<float>();
      for (std::size_t i = 2; i < polygon.size(); ++i)
        for (const std::size_t corner : {std::size_t{0}, i - 1, i})
          out.vertices.push_back({polygon[corner].cast<float>(), normal});
    }
    for (const auto& edge : polytope->edges()) {
      polygon = {local(edge.tail), local(edge.head)};
      clipAll();
      if (polygon.size() < 2) continue;
      out.edges.push_back(polygon[0].cast<float>());
      out.edges.push_back(polygon[1].cast<float>());
    }
  }
}

}  // namespace rigor::viewer
