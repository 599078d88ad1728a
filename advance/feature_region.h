// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "geom/polytope.h"

namespace rigor::advance {

/// How far x lies beyond the points that are nearest to a feature of a polytope, all in its frame [m]; negative: inside
/// by that much.

inline double beyondFace(const geom::Polytope& part, int face, const Eigen::Vector3d& x) {
  double beyond = -std::numeric_limits<double>::infinity();
  const auto loop = part.faceVertices(face);
  for (int i = 0; i < static_cast<int>(loop.size()); ++i)
    beyond = std::max(beyond, (part.vertex(loop[i]) - x).dot(part.faceInward(face, i)));
  return beyond;
}

/// The same of the point at the share s of an edge, beyond its ends.
inline double beyondEnds(double s, double length) { return std::max(-s, s - 1) * length; }

inline double beyondEdge(const geom::Polytope& part, int edge, const Eigen::Vector3d& x) {
  const geom::Polytope::Edge& e = part.edge(edge);
  const Eigen::Vector3d arm = x - part.vertex(e.tail), along = part.vertex(e.head) - part.vertex(e.tail);
  const double length = along.norm();
  return std::max({beyondEnds(arm.dot(along) / (length * length), length), arm.dot(part.edgeInward(edge, 0)),
                   arm.dot(part.edgeInward(edge, 1))});
}

inline double beyondVertex(const geom::Polytope& part, int vertex, const Eigen::Vector3d& x) {
  double beyond = -std::numeric_limits<double>::infinity();
  for (const int w : part.neighbours(vertex))
    beyond = std::max(beyond, (x - part.vertex(vertex)).dot((part.vertex(w) - part.vertex(vertex)).normalized()));
  return beyond;
}

/// How far x is from the nearest point of an edge from a to b, or of a face [m].
inline double distanceFromEdge(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& x) {
  const Eigen::Vector3d along = b - a;
  return (a + std::clamp((x - a).dot(along) / along.squaredNorm(), 0.0, 1.0) * along - x).norm();
}

inline double distanceFromFace(const geom::Polytope& part, int face, const Eigen::Vector3d& x) {
  if (beyondFace(part, face, x) <= 0) return std::abs(part.face(face).normal.dot(x) - part.face(face).offset);
  double nearest = std::numeric_limits<double>::infinity();
  const auto loop = part.faceVertices(face);
  for (size_t i = 0; i < loop.size(); ++i)
    nearest = std::min(nearest, distanceFromEdge(part.vertex(loop[i]), part.vertex(loop[(i + 1) % loop.size()]), x));
  return nearest;
}

/// The edge between two vertices; -1: there is none.
inline int edgeBetween(const geom::Polytope& part, int v, int w) {
  const auto ends = part.neighbours(v);
  const auto found = std::find(ends.begin(), ends.end(), w);
  return found == ends.end() ? -1 : part.vertexEdges(v)[found - ends.begin()];
}

}  // namespace rigor::advance
