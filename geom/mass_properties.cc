// SPDX-License-Identifier: MIT
#include "geom/mass_properties.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>

namespace rigor::geom {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Asymmetry and triangle inequality of an inertia are tested up to this, relative to its largest entry: text files
/// carry inertias with few digits, and a flat body meets the triangle inequality with equality.
constexpr double kInertiaTolerance = 1e-6;

/// I = tr(S) 1 - S for the second moments S = ∫ x xᵀ dm.
Matrix3d inertiaOf(const Matrix3d& second) { return second.trace() * Matrix3d::Identity() - second; }

}  // namespace

MassProperties massProperties(const Polytope& polytope, double density) {
  // In units of the size about an interior point: no cancellation far from the origin, no under- or overflow.
  const Vector3d origin = polytope.centre();
  const double unit = polytope.size();
  const auto local = [&](int v) -> Vector3d { return (polytope.vertex(v) - origin) / unit; };
  double six_volume = 0;
  Vector3d first = Vector3d::Zero();    // 24 times the first moment.
  Matrix3d second = Matrix3d::Zero();   // 120 times the second moment.
  for (int f = 0; f < polytope.numFaces(); ++f) {
    const auto loop = polytope.faceVertices(f);
    const Vector3d a = local(loop[0]);
    for (size_t i = 1; i + 1 < loop.size(); ++i) {
      const Vector3d b = local(loop[i]), c = local(loop[i + 1]);
      const double det = a.dot((b - a).cross(c - a));
      const Vector3d s = a + b + c;
      six_volume += det;
      first += det * s;
      second += det * (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
    }
  }
  MassProperties result;
  const double volume = six_volume / 6;
  const Vector3d mean = first / (4 * six_volume);
  const Matrix3d central = second / 120 - volume * mean * mean.transpose();
  result.mass = density * volume * unit * unit * unit;
  result.centre = origin + unit * mean;
  result.inertia = density * std::pow(unit, 5) * inertiaOf(central);
  return result;
}

MassProperties transformed(const MassProperties& body, const Pose& X_GF) {
  const Matrix3d R = X_GF.rotation();
  const Matrix3d rotated = R * body.inertia * R.transpose();
  return {body.mass, X_GF.p + R * body.centre, 0.5 * (rotated + rotated.transpose())};
}

Matrix3d inertiaAbout(const MassProperties& body, const Vector3d& point) {
  const Vector3d d = body.centre - point;
  return body.inertia + body.mass * inertiaOf(d * d.transpose());
}

MassProperties composed(std::span<const MassProperties> parts) {
  MassProperties whole;
  if (parts.empty()) return whole;
  const Vector3d origin = parts[0].centre;
  Vector3d moment = Vector3d::Zero();
  for (const MassProperties& part : parts) {
    whole.mass += part.mass;
    moment += part.mass * (part.centre - origin);
  }
  whole.centre = origin;
  if (whole.mass > 0) whole.centre += moment / whole.mass;
  for (const MassProperties& part : parts) whole.inertia += inertiaAbout(part, whole.centre);
  return whole;
}

std::string impossibleBecause(const MassProperties& body) {
  if (!std::isfinite(body.mass) || !body.centre.allFinite() || !body.inertia.allFinite()) return "it is not finite";
  if (!(body.mass > 0)) return "the mass is not positive";
  const Matrix3d& I = body.inertia;
  const double scale = I.cwiseAbs().maxCoeff();
  if (!(scale > 0)) return "the inertia is zero";
  if (!((I - I.transpose()).cwiseAbs().maxCoeff() <= kInertiaTolerance * scale)) return "the inertia is not symmetric";
  const Vector3d moments = Eigen::SelfAdjointEigenSolver<Matrix3d>(I / scale, Eigen::EigenvaluesOnly).eigenvalues();
  char text[160];
  if (!(moments[0] > 0)) {
    std::snprintf(text, sizeof text, "the inertia is not positive definite (smallest principal moment %.6g)",
                  moments[0] * scale);
    return text;
  }
  if (!(moments[0] + moments[1] >= (1 - kInertiaTolerance) * moments[2])) {
    std::snprintf(text, sizeof text,
                  "principal moments %.6g, %.6g, %.6g violate the triangle inequality (each is at most the sum of the others)",
                  moments[0] * scale, moments[1] * scale, moments[2] * scale);
    return text;
  }
  return {};
}

}  // namespace rigor::geom
