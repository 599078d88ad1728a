// SPDX-License-Identifier: MIT
#include "geom/box_face.h"

#include <Eigen/Geometry>

namespace rigor::geom {
namespace {

constexpr double kUpright = 0.9998477;    ///< Cosine of a degree.
constexpr double kAxisEpsilon = 1e-9;     ///< Of a face normal along an axis.

}  // namespace

int faceUp(const Eigen::Matrix3d& R, const Eigen::Vector3d& up) {
  const Eigen::Vector3d along = R.transpose() * up;
  constexpr int kPlus[] = {2, 3, 1};
  for (int axis = 0; axis < 3; ++axis) {
    if (along[axis] > kUpright) return kPlus[axis];
    if (along[axis] < -kUpright) return 7 - kPlus[axis];
  }
  return 0;
}

const char* faceAxis(int number) {
  constexpr const char* kAxes[] = {"", "+z", "+x", "+y", "-y", "-x", "-z"};
  return kAxes[number];
}

bool isAxisBox(const std::vector<Shape>& parts, Eigen::Vector3d* half) {
  if (parts.size() != 1) return false;
  const auto* box = std::get_if<Polytope>(&parts[0]);
  if (!box || box->numVertices() != 8 || box->numFaces() != 6) return false;
  for (const auto& face : box->faces())
    if (face.normal.cwiseAbs().maxCoeff() < 1 - kAxisEpsilon) return false;
  Eigen::AlignedBox3d bounds;
  for (int v = 0; v < 8; ++v) bounds.extend(box->vertex(v));
  if (half) *half = bounds.sizes() / 2;
  return true;
}

}  // namespace rigor::geom
