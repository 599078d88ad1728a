// SPDX-License-Identifier: MIT
#include "impact/models/plus_interval.h"

#include <algorithm>
#include <cmath>

namespace rigor::impact {
namespace {

// A sign is violated beyond this fraction of the data's scale ...
constexpr double kSignEpsilon = 1e-11;
// ... and an answer of the Coulomb solver that no search could improve is taken up to this.
constexpr double kLooseEpsilon = 5e-11;
// Violations within this fraction of the largest are equal.
constexpr double kTie = 1e-6;
constexpr int kSearchBase = 30, kSearchPerContact = 6;
constexpr double kCoulombTolerance = 1e-11;

using Role = ImpactPoint::Role;
using Slip = ImpactPoint::Slip;

// Changes every point whose violation is within kTie of the largest, or the first of those.
template <class Violation, class Change>
bool changeWorst(int m, double least, bool together, Violation&& violation, Change&& change) {
  double worst = least;
  for (int k = 0; k < m; ++k) worst = std::max(worst, violation(k));
  if (!(worst > least)) return false;
  for (int k = 0; k < m; ++k) {
    if (!(violation(k) > least && violation(k) >= (1 - kTie) * worst)) continue;
    change(k);
    if (!together) break;
  }
  return true;
}

}  // namespace

// Drops the largest violation of a cone or of the sign of a normal impulse. Impulses count by the velocity they give.
bool IntervalSolver::relax(const PlusRows& rows, std::span<ImpactPoint> points, const Eigen::VectorXd& p, Ties ties) {
  const auto excess = [&](int k) {
    if (!points[k].pushes()) return 0.0;
    const double a = rows.A()(3 * k, 3 * k), n = p[3 * k];
    if (points[k].slip == Slip::kRolls) {
      const double mu = rows.friction(k), t = p.segment<2>(3 * k + 1).norm();
      const double b = std::max(rows.A()(3 * k + 1, 3 * k + 1), rows.A()(3 * k + 2, 3 * k + 2));
      return std::max((t - mu * n) * b / std::max(1.0, mu), points[k].role == Role::kCompressing ? -n * a : 0.0);
    }
    return points[k].role == Role::kCompressing ? -n * a : 0.0;
  };
  return changeWorst(rows.numContacts(), kSignEpsilon * scale_, ties == Ties::kTogether, excess, [&](int k) {
    ImpactPoint& point = points[k];
    const Eigen::Vector2d t = p.segment<2>(3 * k + 1);
    if (point.slip == Slip::kRolls && t.norm() > 0) {
      point.slip = Slip::kImpends;
      point.direction = -t / t.norm();
      point.turning = -1;
    } else {
      point.active = false;
    }
  });
}

// Newton's step for the directions of contacts in impending slip. @returns how many have not converged.
int IntervalSolver::turn(const PlusRows& rows, std::span<ImpactPoint> points, const Eigen::VectorXd& p) {
  int moving = 0;
  for (int k = 0; k < rows.numContacts(); ++k) {
    ImpactPoint& point = points[k];
    if (!point.pushes() || point.slip != Slip::kImpends || rows.numTangents(k) != 2) continue;
    const Eigen::Vector2d slip = end_.segment<2>(3 * k + 1), t = p.segment<2>(3 * k + 1);
    const double off = point.direction.x() * slip.y() - point.direction.y() * slip.x();
    const double along = point.direction.dot(slip), limit = rows.friction(k) * p[3 * k];
    if (std::abs(off) > kSignEpsilon * scale_) ++moving;
    if (t.norm() > 0) point.direction = -t / t.norm();
    point.turning = limit > 0 ? (along > 0 ? along : slip.norm()) / limit : HUGE_VAL;
  }
  return moving;
}

// Brings back the worst of the dropped contacts that approach and of the slips that friction would push along.
bool IntervalSolver::restore(const PlusRows& rows, std::span<ImpactPoint> points, Ties ties) {
  const auto violation = [&](int k) {
    const ImpactPoint& point = points[k];
    if (point.role == Role::kCompressing && !point.active) return -end_[3 * k];
    if (!point.pushes() || point.slip != Slip::kImpends) return 0.0;
    return -point.direction.dot(end_.segment<2>(3 * k + 1));
  };
  return changeWorst(rows.numContacts(), kSignEpsilon * scale_, ties == Ties::kTogether, violation, [&](int k) {
    points[k].active = true;
    if (points[k].slip == Slip::kImpends) points[k].slip = Slip::kRolls;
  });
}

bool IntervalSolver::search(const PlusRows& rows, const Eigen::VectorXd& u, std::span<ImpactPoint> points,
                            Eigen::VectorXd& p, Ties ties, int limit) {
  for (int i = 0; i < limit; ++i) {
    residual_ = least_squares_.solve(rows, u, points, p);
    if (!(residual_ <= kLooseEpsilon * scale_)) return false;  // NaN too
    end_.noalias() = u + rows.A() * p;
    if (relax(rows, points, p, ties)) continue;
    if (turn(rows, points, p) > 0) continue;
    if (!restore(rows, points, ties)) return true;
  }
  return false;
}

// The roles of the contacts in a solution of the Coulomb problem; an expanding contact is one whose normal row is
// decoupled, a_n = p_n - expansion, so that the complementarity makes p_n = expansion.
bool IntervalSolver::startFromCoulomb(const PlusRows& rows, const Eigen::VectorXd& u, std::span<ImpactPoint> points,
                                      Eigen::VectorXd& p) {
  who_.clear();
  for (int k = 0; k < rows.numContacts(); ++k)
    if (points[k].role != Role::kObserving) who_.push_back(k);
  const int m = static_cast<int>(who_.size());
  matrix_.resize(3 * m, 3 * m);
  b_.resize(3 * m);
  f_.setZero(3 * m);
  mu_.assign(m, 0);
  slides_.assign(m, 0);
  direction_.assign(m, Eigen::Vector2d::UnitX());
  direction_out_ = direction_;
  modes_.assign(m, friction::ContactMode::kStick);
  for (int i = 0; i < m; ++i) {
    const int k = who_[i];
    mu_[i] = rows.friction(k);
    slides_[i] = slid_[k];
    if (slid_[k]) direction_[i] = direction_out_[i] = start_[k].direction, modes_[i] = friction::ContactMode::kSlip;
    b_.segment<3>(3 * i) = u.segment<3>(3 * k);
    for (int j = 0; j < m; ++j)
      matrix_.block<3, 3>(3 * i, 3 * j) = rows.A().block<3, 3>(3 * k, 3 * who_[j]);
  }
  for (int i = 0; i < m; ++i) {
    const ImpactPoint& point = points[who_[i]];
    if (point.role == Role::kExpanding) b_ += point.expansion * matrix_.col(3 * i);
  }
  for (int i = 0; i < m; ++i) {
    const ImpactPoint& point = points[who_[i]];
    if (point.role != Role::kExpanding) continue;
    matrix_.row(3 * i).setZero();
    matrix_.col(3 * i).setZero();
    matrix_(3 * i, 3 * i) = 1;
    b_[3 * i] = -point.expansion;
  }
  friction::CoulombOptions options;
  options.tolerance = kCoulombTolerance;
  options.loose_tolerance = kLooseEpsilon;
  const friction::CoulombProblem problem{matrix_, b_, mu_, slides_, direction_};
  if (coulomb_.solve(problem, modes_, direction_out_, f_, options) == friction::CoulombStatus::kFailed) return false;
  p.setZero(u.size());
  for (int i = 0; i < m; ++i) {
    const int k = who_[i];
    ImpactPoint& point = points[k];
    p.segment<3>(3 * k) = f_.segment<3>(3 * i);
    point.active = modes_[i] != friction::ContactMode::kFree;
    if (rows.numTangents(k) == 0 || slid_[k]) continue;
    const Eigen::Vector2d t = f_.segment<2>(3 * i + 1);
    const bool slips = modes_[i] == friction::ContactMode::kSlip && t.norm() > 0;
    point.slip = slips ? Slip::kImpends : Slip::kRolls;
    if (slips) point.direction = -t / t.norm(), point.turning = -1;
  }
  return p.allFinite();
}

// Table 1 as it stands, in units of u.
double IntervalSolver::violation(const PlusRows& rows, const Eigen::VectorXd& u, std::span<const ImpactPoint> points,
                                 const Eigen::VectorXd& p) {
  end_.noalias() = u + rows.A() * p;
  double worst = 0;
  for (int k = 0; k < rows.numContacts(); ++k) {
    const ImpactPoint& point = points[k];
    if (point.role == Role::kObserving) continue;
    const double a = rows.A()(3 * k, 3 * k), n = p[3 * k], limit = rows.friction(k) * n;
    const double b = std::max(rows.A()(3 * k + 1, 3 * k + 1), rows.A()(3 * k + 2, 3 * k + 2));
    const Eigen::Vector2d t = p.segment<2>(3 * k + 1), slip = end_.segment<2>(3 * k + 1);
    worst = std::max(worst, point.role == Role::kExpanding
                                ? a * std::abs(n - point.expansion)
                                : std::max({-a * n, -end_[3 * k], std::min(a * n, end_[3 * k])}));
    if (rows.numTangents(k) == 0) continue;
    if (slid_[k]) {
      worst = std::max(worst, b * (t + limit * point.direction).norm());
    } else {
      worst =
          std::max({worst, b * (t.norm() - limit), std::min(slip.norm(), b * (t + limit * slip.normalized()).norm())});
    }
    if (std::isnan(worst)) return worst;
  }
  return worst;
}

IntervalStatus IntervalSolver::solve(const PlusRows& rows, const Eigen::VectorXd& u, std::span<ImpactPoint> points,
                                     Eigen::VectorXd& p) {
  const int m = rows.numContacts();
  slid_.assign(m, 0);
  scale_ = 0;
  for (int k = 0; k < m; ++k) {
    ImpactPoint& point = points[k];
    slid_[k] = rows.numTangents(k) > 0 && point.slip == Slip::kSlides;
    point.active = point.role == Role::kCompressing;
    point.slip = rows.numTangents(k) == 0 ? Slip::kNone : slid_[k] ? Slip::kSlides : Slip::kRolls;
    if (point.role != Role::kObserving) scale_ = std::max(scale_, u.segment<3>(3 * k).cwiseAbs().maxCoeff());
    if (point.role == Role::kExpanding) scale_ = std::max(scale_, point.expansion * rows.A()(3 * k, 3 * k));
  }
  start_.assign(points.begin(), points.end());
  const int limit = kSearchBase + kSearchPerContact * m;
  for (const Ties ties : {Ties::kTogether, Ties::kOneByOne}) {
    std::copy(start_.begin(), start_.end(), points.begin());
    if (search(rows, u, points, p, ties, limit)) return IntervalStatus::kSolved;
  }
  std::copy(start_.begin(), start_.end(), points.begin());
  if (!startFromCoulomb(rows, u, points, p)) return IntervalStatus::kNone;
  std::vector<ImpactPoint>& found = start_;
  found.assign(points.begin(), points.end());
  f_ = p;
  if (search(rows, u, points, p, Ties::kOneByOne, limit)) return IntervalStatus::kSolved;
  std::copy(found.begin(), found.end(), points.begin());
  p = f_;
  residual_ = violation(rows, u, points, p);
  return residual_ <= kLooseEpsilon * scale_ ? IntervalStatus::kSolved : IntervalStatus::kNone;  // NaN: none
}

}  // namespace rigor::impact
