// SPDX-License-Identifier: MIT
#include "impact/models/least_squares_impulse.h"

#include <cmath>

namespace rigor::impact {
namespace {

// Pivots below this fraction of the largest belong to redundant contacts.
constexpr double kLeastSquaresRank = 1e-11;

using Slip = ImpactPoint::Slip;

Eigen::Vector2d across(const Eigen::Vector2d& d) { return {-d.y(), d.x()}; }

bool turns(const PlusRows& rows, const ImpactPoint& point, int k) {
  return point.slip == Slip::kImpends && rows.numTangents(k) == 2 && point.turning >= 0 && std::isfinite(point.turning);
}

}  // namespace

double LeastSquaresImpulse::solve(const PlusRows& rows, const Eigen::VectorXd& u,
                                  std::span<const ImpactPoint> points, Eigen::VectorXd& p) {
  const int m = rows.numContacts(), size = 3 * m;
  if (columns_.rows() != size) columns_.resize(size, size);
  columns_.setZero();
  p.setZero(size);
  // The columns are orthonormal, so that the least x is the least impulse.
  int count = 0;
  for (int k = 0; k < m; ++k) {
    const ImpactPoint& point = points[k];
    if (!point.pushes()) continue;
    const double mu = rows.friction(k);
    const bool cone = point.slip == Slip::kSlides || point.slip == Slip::kImpends;
    const Eigen::Vector2d friction = cone ? Eigen::Vector2d(-mu * point.direction) : Eigen::Vector2d::Zero();
    if (point.role == ImpactPoint::Role::kExpanding) {
      p[3 * k] = point.expansion;
      p.segment<2>(3 * k + 1) = point.expansion * friction;
    } else {
      const double length = std::sqrt(1 + friction.squaredNorm());
      columns_(3 * k, count) = 1 / length;
      columns_.block<2, 1>(3 * k + 1, count++) = friction / length;
    }
    if (point.slip == Slip::kRolls) {
      for (int t = 1; t <= rows.numTangents(k); ++t) columns_(3 * k + t, count++) = 1;
    } else if (turns(rows, point, k)) {
      columns_.block<2, 1>(3 * k + 1, count++) = across(point.direction);
    }
  }
  velocity_.noalias() = u + rows.A() * p;
  if (count == 0) return velocity_.allFinite() ? 0 : std::nan("");
  image_.noalias() = rows.A() * columns_.leftCols(count);
  equations_.resize(count, count);
  right_.resize(count);
  const auto take = [&](int row, int r) {
    equations_.row(r) = image_.row(row);
    right_[r] = -velocity_[row];
  };
  int r = 0;
  for (int k = 0; k < m; ++k) {
    const ImpactPoint& point = points[k];
    if (!point.pushes()) continue;
    if (point.role == ImpactPoint::Role::kCompressing) take(3 * k, r++);
    if (point.slip == Slip::kRolls) {
      for (int t = 1; t <= rows.numTangents(k); ++t) take(3 * k + t, r++);
    } else if (turns(rows, point, k)) {
      const Eigen::Vector2d c = across(point.direction);
      // u_c + turning c = 0, divided by 1 + turning so that it stays of order one.
      const double weight = 1 / (1 + point.turning);
      equations_.row(r) = weight * (c.transpose() * image_.middleRows<2>(3 * k + 1));
      equations_.row(r) += weight * point.turning * (c.transpose() * columns_.block(3 * k + 1, 0, 2, count));
      right_[r++] = -weight * c.dot(velocity_.segment<2>(3 * k + 1));
    }
  }
  factor_.factor(equations_, kLeastSquaresRank);
  factor_.solve(right_, x_);
  // One step of refinement takes the residual to rounding.
  velocity_ = right_;
  velocity_.noalias() -= equations_ * x_;
  factor_.solve(velocity_, correction_);
  x_ += correction_;
  velocity_ = right_;
  velocity_.noalias() -= equations_ * x_;
  p.noalias() += columns_.leftCols(count) * x_;
  return p.allFinite() ? velocity_.cwiseAbs().maxCoeff() : std::nan("");
}

}  // namespace rigor::impact
