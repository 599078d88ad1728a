// SPDX-License-Identifier: MIT
#include "friction/interior_point.h"

#include <algorithm>
#include <cmath>

#include "friction/contact_rows.h"

namespace rigor::friction {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

constexpr double kLeastFriction = 1e-6;  // Below it a cone is treated as a half-line.
constexpr double kToBoundary = 0.99;     // Share of the way to the boundary that a step may take.
constexpr double kAlike = 4;             // Units of contacts differ by no more where bodies are alike:
constexpr double kStartShare = 0.5;      // impulses start from what balances this share of the fastest approach then.

double determinant(const Vector3d& x) { return x[0] * x[0] - x[1] * x[1] - x[2] * x[2]; }

/// Jordan product of the cone.
Vector3d product(const Vector3d& x, const Vector3d& y) {
  return {x.dot(y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]};
}

/// y with product(x, y) = r.
Vector3d quotient(const Vector3d& x, const Vector3d& r) {
  const double d = determinant(x), y = (x[0] * r[0] - x[1] * r[1] - x[2] * r[2]) / d;
  return {y, (r[1] - y * x[1]) / x[0], (r[2] - y * x[2]) / x[0]};
}

/// The largest t <= 1 with x + t d in the cone.
double toBoundary(const Vector3d& x, const Vector3d& d, bool line) {
  if (line) return d[0] < 0 ? std::min(1.0, -x[0] / d[0]) : 1;
  double t = 1;
  // det(x + t d) = a t^2 + 2 b t + c.
  const double a = determinant(d), b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2], c = determinant(x);
  const double disc = b * b - a * c;
  if (a < 0 || (b < 0 && disc >= 0)) {
    // The smallest positive root.
    const double root = std::sqrt(std::max(disc, 0.0));
    const double q = b < 0 ? -b + root : -b - root;
    for (const double r : {q / a, c / q})
      if (r > 0 && r < t) t = r;
  }
  if (d[0] < 0) t = std::min(t, -x[0] / d[0]);
  return t;
}

/// Rows of a contact velocity in the scaled cone: (w_n / mu, w_t), or w_n alone.
Vector3d toDual(const Vector3d& w, double mu, bool line) {
  return line ? Vector3d(w[0], 0, 0) : Vector3d(w[0] / mu, w[1], w[2]);
}

}  // namespace

void InteriorPoint::start(const Problem& problem) {
  const std::size_t n = problem.numVelocities(), m = problem.numContacts();
  v_.assign(problem.freeVelocity().begin(), problem.freeVelocity().end());
  dv_.resize(n), dual_.resize(n), room_.resize(n);
  cones_.resize(m), primal_.resize(m), f_.resize(m), best_.resize(m), S_.resize(m);
  double approach = 0, fastest = 0, least = HUGE_VAL, largest = 0;
  for (std::size_t k = 0; k < m; ++k) {
    const Problem::Contact& c = problem.contacts()[k];
    Cone& cone = cones_[k];
    cone.mu = c.mu;
    cone.line = cone.mu < kLeastFriction;
    cone.z.setZero();
    if (!(c.unit > 0)) continue;
    cone.z = contactVelocity(problem, c, v_.data());
    approach = std::max(approach, -cone.z[0]), fastest = std::max(fastest, cone.z.norm());
    least = std::min(least, c.unit), largest = std::max(largest, c.unit);
  }
  for (Cone& cone : cones_)
    if (largest <= kAlike * least) startCone(cone, kStartShare * approach);
    else cone.x = cone.z = Vector3d(fastest, 0, 0);  // Under heavy bodies what is not approached carries as much.
}

/// x and z with a product of size^2, z near the contact's velocity, which is in z: what is not approached starts from
/// hardly any impulse.
void InteriorPoint::startCone(Cone& c, double size) {
  if (c.line) {
    c.z = Vector3d(std::max(c.z[0], size), 0, 0);
    c.x = Vector3d(size * size / c.z[0], 0, 0);
    return;
  }
  const double slip = std::sqrt(c.z[1] * c.z[1] + c.z[2] * c.z[2]);
  const double beyond = std::max(c.z[0] / c.mu, size);
  c.z[0] = slip + beyond;
  c.x = size * size / (beyond * (2 * slip + beyond)) * Vector3d(c.z[0], -c.z[1], -c.z[2]);
}

/// Nesterov and Todd's scaling at x, z.
bool InteriorPoint::scale(Cone& c) const {
  c.W.setZero(), c.inverse_W.setZero();
  if (c.line) {
    if (!(c.x[0] > 0 && c.z[0] > 0)) return false;
    c.W(0, 0) = std::sqrt(c.x[0] / c.z[0]), c.inverse_W(0, 0) = 1 / c.W(0, 0);
    c.scaled = Vector3d(std::sqrt(c.x[0] * c.z[0]), 0, 0);
    return true;
  }
  const double dx = determinant(c.x), dz = determinant(c.z);
  if (!(dx > 0 && dz > 0 && c.x[0] > 0 && c.z[0] > 0)) return false;
  const double rx = std::sqrt(dx), rz = std::sqrt(dz);
  const Vector3d x = c.x / rx, z = c.z / rz;
  const double gamma = std::sqrt(0.5 * (1 + x.dot(z)));
  const Vector3d w(0.5 / gamma * (x[0] + z[0]), 0.5 / gamma * (x[1] - z[1]), 0.5 / gamma * (x[2] - z[2]));
  const double eta = std::sqrt(rx / rz);
  const Eigen::Vector2d t = w.tail<2>();
  c.W(0, 0) = w[0];
  c.W.block<1, 2>(0, 1) = t.transpose();
  c.W.block<2, 1>(1, 0) = t;
  c.W.block<2, 2>(1, 1) = Eigen::Matrix2d::Identity() + t * t.transpose() / (1 + w[0]);
  c.inverse_W = c.W;
  c.inverse_W.block<1, 2>(0, 1) *= -1, c.inverse_W.block<2, 1>(1, 0) *= -1;
  c.W *= eta, c.inverse_W /= eta;
  c.scaled = c.W * c.z;
  return true;
}

/// Solves for dv_, dx, dz with the right-hand sides `rhs` of complementarity; the matrix is factored already.
RIGOR_WIDE bool InteriorPoint::direction(const Problem& problem, BodyGraph& graph) {
  const auto contacts = problem.contacts();
  for (std::size_t i = 0; i < dv_.size(); ++i) dv_[i] = -dual_[i];
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (!(contacts[k].unit > 0)) continue;
    Cone& c = cones_[k];
    // dx without dv: W (lambda \ rhs) + W^2 r_p, with r_p in primal_.
    const Vector3d q = c.line ? Vector3d(c.rhs[0] / c.scaled[0], 0, 0) : quotient(c.scaled, c.rhs);
    c.dx = c.W * (q + c.W * primal_[k]);
    addRows(problem, contacts[k], toDual(c.dx, c.mu, c.line), dv_.data());
  }
  graph.solve(dv_.data());
  bool finite = true;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (!(contacts[k].unit > 0)) continue;
    Cone& c = cones_[k];
    const Vector3d Jdv = toDual(timesRows(problem, contacts[k], dv_.data()), c.mu, c.line);
    c.dz = Jdv - primal_[k];
    c.dx -= c.W * (c.W * Jdv);
    finite = finite && c.dx.allFinite() && c.dz.allFinite();
  }
  return finite;
}

double InteriorPoint::longestStep() const {
  double t = 1;
  for (const Cone& c : cones_) t = std::min({t, toBoundary(c.x, c.dx, c.line), toBoundary(c.z, c.dz, c.line)});
  return t;
}

/// De Saxce's shift, from the velocities at hand; and the residuals of both linear equations.
RIGOR_WIDE void InteriorPoint::shift(const Problem& problem) {
  const auto contacts = problem.contacts();
  const auto free = problem.freeVelocity();
  for (std::size_t i = 0; i < dual_.size(); ++i) dual_[i] = free[i];
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (!(contacts[k].unit > 0)) continue;
    Cone& c = cones_[k];
    Vector3d w = contacts[k].offset + timesRows(problem, contacts[k], v_.data());
    if (!c.line) w[0] += c.mu * std::sqrt(w[1] * w[1] + w[2] * w[2]);
    primal_[k] = c.z - toDual(w, c.mu, c.line);
    addRows(problem, contacts[k], toDual(c.x, c.mu, c.line), dual_.data());
  }
  for (std::size_t i = 0; i < dual_.size(); ++i) dual_[i] = v_[i] - dual_[i];
}

double InteriorPoint::candidate(const Problem& problem) {
  for (std::size_t k = 0; k < cones_.size(); ++k) {
    const Cone& c = cones_[k];
    f_[k] = problem.contacts()[k].unit > 0 ? toDual(c.x, c.mu, c.line) : Vector3d(0, 0, 0);
    f_[k] = projected(problem.contacts()[k], f_[k]);
  }
  return problem.residual(f_, room_.data());
}

InteriorPoint::Result InteriorPoint::solve(const Problem& problem, BodyGraph& graph, std::span<Vector3d> f,
                                           const InteriorOptions& options) {
  start(problem);
  const auto contacts = problem.contacts();
  double best = HUGE_VAL;
  int k = 0;
  const auto keep = [&] {
    const double now = candidate(problem);
    if (now < best) best = now, best_ = f_;
  };
  for (; k < options.iterations && best > options.tolerance; ++k) {
    shift(problem);
    double gap = 0, degree = 0;
    bool inside = true;
    for (std::size_t i = 0; i < cones_.size(); ++i) {
      Cone& c = cones_[i];
      S_[i].setZero();
      if (!(contacts[i].unit > 0)) continue;
      inside = inside && scale(c);
      const Matrix3d W2 = c.W * c.W;
      const Vector3d to = c.line ? Vector3d(1, 0, 0) : Vector3d(1 / c.mu, 1, 1);
      S_[i] = to.asDiagonal() * W2 * to.asDiagonal();
      c.rhs = c.line ? Vector3d(-c.scaled[0] * c.scaled[0], 0, 0) : Vector3d(-product(c.scaled, c.scaled));
      gap += c.scaled.squaredNorm(), degree += 1;
    }
    if (!inside || !graph.factor(S_) || !direction(problem, graph)) break;
    const double affine = longestStep(), centre = std::pow(1 - affine, 3) * gap / degree;
    for (Cone& c : cones_) {
      const Vector3d dx = c.inverse_W * c.dx, dz = c.W * c.dz;
      c.rhs[0] += centre;
      c.rhs -= c.line ? Vector3d(dx[0] * dz[0], 0, 0) : product(dx, dz);
    }
    if (!direction(problem, graph)) break;
    const double t = std::min(1.0, kToBoundary * longestStep());
    for (std::size_t i = 0; i < v_.size(); ++i) v_[i] += t * dv_[i];
    for (Cone& c : cones_) c.x += t * c.dx, c.z += t * c.dz;
    keep();
  }
  if (best < HUGE_VAL) std::copy(best_.begin(), best_.end(), f.begin());
  return {best, k};
}

}  // namespace rigor::friction
