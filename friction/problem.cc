// SPDX-License-Identifier: MIT
#include "friction/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "friction/contact_rows.h"

namespace rigor::friction {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

/// Data above this, or NaN, make a problem invalid.
constexpr double kLargest = 1e150;

/// L of A = L L^T in place (lower triangle, column-major, zeros above). @returns false where A is not positive
/// definite.
bool factorMass(double* a, int n) {
  for (int k = 0; k < n; ++k) {
    double* column = a + static_cast<std::ptrdiff_t>(k) * n;
    if (!(column[k] > 0 && column[k] < kLargest)) return false;
    const double root = std::sqrt(column[k]);
    column[k] = root;
    for (int i = k + 1; i < n; ++i) column[i] /= root;
    for (int i = 0; i < k; ++i) column[i] = 0;
    for (int j = k + 1; j < n; ++j) {
      double* target = a + static_cast<std::ptrdiff_t>(j) * n;
      for (int i = j; i < n; ++i) target[i] -= column[i] * column[j];
    }
  }
  return true;
}

}  // namespace

Vector3d project(const Problem::Contact& c, const Vector3d& z) { return projected(c, z); }

void Problem::clear() {
  bodies_.clear(), contacts_.clear(), mass_.clear(), free_.clear(), rows_.clear(), guess_.clear();
  valid_ = true;
}

int Problem::addBody(const Eigen::Ref<const Eigen::MatrixXd>& mass,
                     const Eigen::Ref<const Eigen::VectorXd>& free_velocity) {
  const int n = static_cast<int>(mass.rows());
  const Body body{n, static_cast<int>(free_.size()), static_cast<int>(mass_.size())};
  bodies_.push_back(body);
  mass_.resize(mass_.size() + static_cast<std::size_t>(n) * n);
  double* L = mass_.data() + body.mass;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) L[i + j * n] = mass(i, j);
  if (!factorMass(L, n)) valid_ = false;
  for (int i = 0; i < n; ++i) {  // L^T u
    double sum = 0;
    for (int k = i; k < n; ++k) sum += L[k + i * n] * free_velocity[k];
    free_.push_back(sum);
    if (!(std::abs(sum) < kLargest)) valid_ = false;
  }
  return numBodies() - 1;
}

int Problem::addFreeBody(double mass, const Matrix3d& inertia, const Eigen::Matrix<double, 6, 1>& free_velocity) {
  Eigen::Matrix<double, 6, 6> M = Eigen::Matrix<double, 6, 6>::Zero();
  M(0, 0) = M(1, 1) = M(2, 2) = mass;
  M.bottomRightCorner<3, 3>() = inertia;
  return addBody(M, free_velocity);
}

/// Stores J L^-T.
void Problem::scaleSide(Side& side, const Eigen::Ref<const Eigen::Matrix3Xd>& rows, double& trace) {
  const Body& body = bodies_[side.body];
  const int n = body.size;
  side.rows = static_cast<int>(rows_.size());
  rows_.resize(rows_.size() + 3 * static_cast<std::size_t>(n));
  double* x = rows_.data() + side.rows;
  const double* L = mass_.data() + body.mass;
  for (int k = 0; k < n; ++k)
    for (int r = 0; r < 3; ++r) {
      double sum = rows(r, k);
      for (int i = 0; i < k; ++i) sum -= L[k + i * n] * x[r * n + i];
      x[r * n + k] = sum / L[k + k * n];
      trace += x[r * n + k] * x[r * n + k];
    }
}

int Problem::addContact(int body_a, const Eigen::Ref<const Eigen::Matrix3Xd>& rows_a, int body_b,
                        const Eigen::Ref<const Eigen::Matrix3Xd>& rows_b, const Vector3d& offset, double mu,
                        const Vector3d& guess) {
  Contact c;
  c.side[0].body = body_a, c.side[1].body = body_b;
  double trace = 0;
  if (body_a >= 0) scaleSide(c.side[0], rows_a, trace);
  if (body_b >= 0) scaleSide(c.side[1], rows_b, trace);
  c.mu = mu;
  c.law = mu == 0 ? ContactLaw::kFrictionless : std::isinf(mu) ? ContactLaw::kSticks : ContactLaw::kCoulomb;
  if (!(mu >= 0) || !(trace < kLargest) || !(offset.cwiseAbs().maxCoeff() < kLargest)) valid_ = false;
  c.unit = std::sqrt(trace / 3);
  const double inverse = c.unit > 0 ? 1 / c.unit : 0;
  for (int s = 0; s < 2; ++s) {
    if (c.side[s].body < 0) continue;
    double* x = rows_.data() + c.side[s].rows;
    for (int k = 0; k < 3 * bodies_[c.side[s].body].size; ++k) x[k] *= inverse;
  }
  c.offset = inverse > 0 ? Vector3d(inverse * offset) : offset;
  contacts_.push_back(c);
  const Vector3d scaled = c.unit * guess;
  guess_.push_back(scaled.allFinite() ? project(c, scaled) : Vector3d(0, 0, 0));
  return numContacts() - 1;
}

void Problem::setSliding(const Eigen::Vector2d& direction) {
  Contact& c = contacts_.back();
  if (c.law == ContactLaw::kFrictionless) return;
  if (c.law == ContactLaw::kSticks || !direction.allFinite()) valid_ = false;
  c.law = ContactLaw::kSliding;
  c.direction = direction;
  guess_.back() = project(c, guess_.back());
}

Vector3d Problem::impulse(int contact, const Vector3d& scaled) const {
  const Contact& c = contacts_[contact];
  return c.unit > 0 ? Vector3d(scaled / c.unit) : Vector3d(0, 0, 0);
}

void Problem::velocity(int i, const double* scaled, double* out) const {
  const Body& b = bodies_[i];
  const int n = b.size;
  const double* L = mass_.data() + b.mass;
  for (int k = n - 1; k >= 0; --k) {  // L^T u = v
    double sum = scaled[b.first + k];
    for (int j = k + 1; j < n; ++j) sum -= L[j + k * n] * out[j];
    out[k] = sum / L[k + k * n];
  }
}

RIGOR_WIDE double Problem::residual(std::span<const Vector3d> f, double* v) const {
  std::copy(free_.begin(), free_.end(), v);
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    if (f[c][0] > 0) addRows(*this, contacts_[c], f[c], v);
  double worst = 0;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Contact& contact = contacts_[c];
    if (!(contact.unit > 0)) {  // Nothing moves: there is nothing to choose.
      worst = std::max(worst, -contact.offset[0]);
      continue;
    }
    const Vector3d error = f[c] - projected(contact, backward(*this, contact, f[c], 1, v));
    const double rounding = std::numeric_limits<double>::epsilon() * f[c].lpNorm<Eigen::Infinity>();
    const double size = contact.unit * std::max(std::sqrt(error.squaredNorm()), rounding);
    if (!(size <= worst)) worst = std::isnan(size) ? HUGE_VAL : size;
  }
  return worst;
}

}  // namespace rigor::friction
