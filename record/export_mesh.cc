// SPDX-License-Identifier: MIT
#include "record/export_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdint>

#include "geom/polytope.h"

namespace rigor::record {

constexpr double kPlateSize = 20;  ///< Of the plate that stands for a half-space, in sizes of the largest body.

std::vector<Triangle> partTriangles(const PartRow& part, double plate) {
  std::vector<Triangle> triangles;
  if (part.half_space) {
    const Eigen::Vector3d n = part.normal.normalized(), centre = part.offset / part.normal.norm() * n;
    const Eigen::Vector3d u = n.unitOrthogonal() * plate, v = n.cross(u);
    triangles.push_back({centre - u - v, centre + u - v, centre + u + v});
    triangles.push_back({centre - u - v, centre + u + v, centre - u + v});
    return triangles;
  }
  const geom::Polytope polytope = geom::Polytope::fromPoints(part.vertices);
  for (int f = 0; f < polytope.numFaces(); ++f) {
    const auto loop = polytope.faceVertices(f);
    for (std::size_t i = 2; i < loop.size(); ++i)
      triangles.push_back({polytope.vertex(loop[0]), polytope.vertex(loop[i - 1]), polytope.vertex(loop[i])});
  }
  return triangles;
}

double plateSize(const std::vector<BodyRow>& bodies) {
  double size = 0;
  for (const BodyRow& body : bodies)
    for (const PartRow& part : body.parts)
      for (const Eigen::Vector3d& v : part.vertices) size = std::max(size, v.norm());
  return (size > 0 ? size : 1) * kPlateSize;
}

std::string base64(const std::vector<char>& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += k <= bytes.size() - i ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace rigor::record
