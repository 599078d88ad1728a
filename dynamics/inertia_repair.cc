// SPDX-License-Identifier: MIT
#include "dynamics/inertia_repair.h"

#include <Eigen/Eigenvalues>
#include <cstdio>

namespace rigor::dynamics {
namespace {

/// Share of the largest entry below which a violation is rounding: of numbers printed with six digits or more.
constexpr double kInertiaRounding = 1e-6;

/// The nearest point of the cone { I_k <= I_i + I_j } to ascending moments.
Eigen::Vector3d projectMoments(const Eigen::Vector3d& m) {
  const double excess = m[2] - m[0] - m[1];
  if (excess <= 0) return m;  // The other two inequalities hold where this one does: the moments ascend.
  const Eigen::Vector3d face = m + excess / 3 * Eigen::Vector3d(1, 1, -1);
  if (face[0] >= 0) return face;
  const double edge = 0.5 * (m[1] + m[2]);  // A rod's; its tip is zero.
  return edge > 0 ? Eigen::Vector3d(0, edge, edge) : Eigen::Vector3d::Zero();
}

}  // namespace

InertiaRepair nearestInertia(const Eigen::Matrix3d& given) {
  const double scale = given.cwiseAbs().maxCoeff();
  if (!(scale > 0)) return {given, 0};
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(0.5 / scale * (given + given.transpose()));
  const Eigen::Vector3d moments = axes.eigenvalues();
  if (moments[0] + moments[1] >= moments[2] - kInertiaRounding && moments[0] >= -kInertiaRounding) return {given, 0};
  const Eigen::Vector3d nearest = projectMoments(moments);
  const Eigen::Matrix3d& R = axes.eigenvectors();
  const Eigen::Matrix3d repaired = scale * (R * nearest.asDiagonal() * R.transpose());
  return {0.5 * (repaired + repaired.transpose()), (nearest - moments).norm() / moments.norm()};
}

std::string impossibleInertia(const Eigen::Matrix3d& inertia) {
  if (!inertia.allFinite()) return "the inertia is not finite";
  const double scale = inertia.cwiseAbs().maxCoeff();
  if (!(scale > 0)) return {};
  if (!((inertia - inertia.transpose()).cwiseAbs().maxCoeff() <= kInertiaRounding * scale))
    return "the inertia is not symmetric";
  const Eigen::Vector3d m =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia / scale, Eigen::EigenvaluesOnly).eigenvalues();
  const bool negative = !(m[0] >= -kInertiaRounding), wide = !(m[0] + m[1] >= m[2] - kInertiaRounding);
  if (!negative && !wide) return {};
  char text[160];
  std::snprintf(text, sizeof text,
                negative ? "the inertia is not positive definite (principal moments %.6g, %.6g, %.6g)"
                         : "principal moments %.6g, %.6g, %.6g violate the triangle inequality (each is at most the "
                           "sum of the others)",
                m[0] * scale, m[1] * scale, m[2] * scale);
  return text;
}

}  // namespace rigor::dynamics
