// SPDX-License-Identifier: MIT
#include "advance/far_parts.h"

#include <algorithm>
#include <limits>
#include <variant>

namespace rigor::advance {
namespace {

using Eigen::Vector3d;
using geom::Polytope;

constexpr int kManyFaces = 32;
/// Of the diagonal of a part's box: the radius about its centre of most parts, of boxes exactly.
constexpr double kUsualRadius = 0.5;

const Polytope* solidOf(const geom::Shape& shape) {
  const auto* part = std::get_if<Polytope>(&shape);
  return part && !part->round() ? part : nullptr;
}

/// The largest height of a point over the planes of P's faces.
double heightOver(const Polytope& P, const Vector3d& point, int& face) {
  double best = -std::numeric_limits<double>::infinity();
  for (int f = 0; f < P.numFaces(); ++f)
    if (const double height = P.face(f).normal.dot(point) - P.face(f).offset; height > best) best = height, face = f;
  return best;
}

}  // namespace

double ballsApart(const geom::Shape& shape_a, const geom::Pose& X_WA, const geom::Shape& shape_b,
                  const geom::Pose& X_WB) {
  const Polytope *A = solidOf(shape_a), *B = solidOf(shape_b);
  if (!A || !B) return -std::numeric_limits<double>::infinity();
  const Vector3d between =
      X_WB.p - X_WA.p + X_WB.rotation() * B->centre() - X_WA.rotation() * A->centre();
  return between.norm() - A->size() - B->size();
}

bool farFace(const geom::Shape& shape_a, const geom::Pose& X_WA, const geom::Shape& shape_b, const geom::Pose& X_WB,
             SeparatingAxis& axis) {
  const Polytope *A = solidOf(shape_a), *B = solidOf(shape_b);
  if (!A || !B || A->numFaces() > kManyFaces || B->numFaces() > kManyFaces) return false;
  const Eigen::Matrix3d R_WA = X_WA.rotation(), R_WB = X_WB.rotation();
  const Vector3d centre_a = R_WA * A->centre() + X_WA.p, centre_b = R_WB * B->centre() + X_WB.p;
  int of_a = 0, of_b = 0;
  const double over_a = heightOver(*A, R_WA.transpose() * (centre_b - X_WA.p), of_a) - kUsualRadius * B->size(),
               over_b = heightOver(*B, R_WB.transpose() * (centre_a - X_WB.p), of_b) - kUsualRadius * A->size();
  if (!(std::max(over_a, over_b) > 0)) return false;
  if (over_a >= over_b) axis.kind = AxisKind::kFixedInA, axis.axis = A->face(of_a).normal;
  else axis.kind = AxisKind::kFixedInB, axis.axis = -B->face(of_b).normal;
  return true;
}

}  // namespace rigor::advance
