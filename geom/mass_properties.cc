// SPDX-License-Identifier: MIT
#include "geom/mass_properties.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "elementary/elementary.h"
#include "geom/wide_real.h"

namespace rigor::geom {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Asymmetry and triangle inequality of an inertia are tested up to this, relative to its largest entry: text files
/// carry inertias with few digits, and a flat body meets the triangle inequality with equality.
constexpr double kInertiaTolerance = 1e-6;

/// I = tr(S) 1 - S for the second moments S = ∫ x xᵀ dm.
Matrix3d inertiaOf(const Matrix3d& second) { return second.trace() * Matrix3d::Identity() - second; }

/// A ball, capsule or cylinder: the cylinder between the points of the core, and a half ball beyond each.
MassProperties roundProperties(const Round& round, double density) {
  const double r2 = round.radius * round.radius;
  const Vector3d along = round.core.rightCols<1>() - round.core.col(0);
  const double length = along.norm();
  const Vector3d axis = length > 0 ? Vector3d(along / length) : Vector3d(0, 0, 1);
  const double shaft = std::numbers::pi * r2 * length,
               balls = round.isCylinder() ? 0 : 4 * std::numbers::pi / 3 * r2 * round.radius;
  // Second moments of the shaft and of both half balls together: those of a ball across the axis; along it their
  // centres are moved by l/2, whose first moment of a half ball is pi r^4 / 4.
  const double across = shaft * r2 / 4 + balls * r2 / 5,
               lengthways = shaft * length * length / 12 +
                            balls * (r2 / 5 + length * length / 4 + 3 * round.radius * length / 8);
  const Matrix3d along_axis = axis * axis.transpose();
  const Matrix3d second = across * (Matrix3d::Identity() - along_axis) + lengthways * along_axis;
  const Vector3d middle = 0.5 * (round.core.col(0) + round.core.rightCols<1>());
  return {density * (shaft + balls), middle, density * inertiaOf(second)};
}

}  // namespace

MassProperties massProperties(const Polytope& polytope, double density) {
  if (polytope.round()) return roundProperties(*polytope.round(), density);
  // In units of the size about an interior point: no cancellation far from the origin, no under- or overflow. Wide,
  // because the determinants of a needle are 1e-8 of their terms.
  const Vector3d origin = polytope.centre();
  const double unit = polytope.size();
  WideReal six_volume = 0, first[3] = {}, second[3][3] = {};  // 24 and 120 times the moments.
  for (int f = 0; f < polytope.numFaces(); ++f) {
    const auto loop = polytope.faceVertices(f);
    WideReal a[3], b[3], c[3];
    const auto local = [&](int v, WideReal* x) {
      for (int k = 0; k < 3; ++k) x[k] = (WideReal(polytope.vertex(v)[k]) - origin[k]) / unit;
    };
    local(loop[0], a);
    local(loop[1], b);
    for (size_t i = 2; i < loop.size(); ++i, std::copy(c, c + 3, b)) {
      local(loop[i], c);
      const WideReal det = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0]);
      six_volume += det;
      for (int j = 0; j < 3; ++j) {
        const WideReal s = a[j] + b[j] + c[j];
        first[j] += det * s;
        for (int k = 0; k <= j; ++k) {
          second[j][k] += det * (s * (a[k] + b[k] + c[k]) + a[j] * a[k] + b[j] * b[k] + c[j] * c[k]);
        }
      }
    }
  }
  MassProperties result;
  const WideReal volume = six_volume / 6;
  Vector3d mean;
  Matrix3d central;
  for (int j = 0; j < 3; ++j) {
    mean[j] = double(first[j] / (4 * six_volume));
    for (int k = 0; k <= j; ++k) {
      central(j, k) = central(k, j) = double(second[j][k] / 120 - first[j] * first[k] / (96 * six_volume));
    }
  }
  result.mass = density * double(volume) * unit * unit * unit;
  result.centre = origin + unit * mean;
  result.inertia = density * elementary::power(unit, 5) * inertiaOf(central);
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
    std::snprintf(
        text, sizeof text,
        "principal moments %.6g, %.6g, %.6g violate the triangle inequality (each is at most the sum of the others)",
        moments[0] * scale, moments[1] * scale, moments[2] * scale);
    return text;
  }
  return {};
}

}  // namespace rigor::geom
