// SPDX-License-Identifier: MIT
#include "impact/models/compliant.h"

#include <cmath>
#include <stdexcept>

#include "elementary/elementary.h"
#include "impact/models/entries.h"
#include "impact/models/rosenbrock.h"
#include "impact/models/shared_options.h"
#include "impact/problem/field_error.h"
#include "impact/problem/kinetic_metric.h"

namespace rigor::impact {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kStepTolerance =
    1e-10;  // Local error of an integration step, of impulses and compressions of order one.
constexpr double kStickingSpeed =
    1e-6;  // s: slip at which friction reaches 0.7 of mu f_n, of the largest contact speed.
constexpr double kCompliantNoSlip = 1e4;     // Friction coefficient that stands for no-slip.
constexpr double kFirstStep = 1e-6;          // Of the shortest period.
constexpr long kMaxSteps = 200'000;
constexpr double kResolvedSpeed = 1e-9;      // Approach that counts as none, of the largest contact speed.

/// The collision in units of order one: speeds by the largest |J v-|, inverse masses by the largest diagonal entry.
struct Collision {
  struct Element {
    int row = 0, tangents = 0;      // Normal row, then the tangential ones.
    double k = 0, c = 0, mu = 0, restitution = 0;
  };
  std::vector<Element> elements;
  MatrixXd A;   // J M^-1 J'.
  VectorXd u0;  // J v-.
  int rows = 0;

  int size() const { return rows + static_cast<int>(elements.size()); }

  VectorXd velocities(const VectorXd& x) const {
    return u0 + A * x.head(rows);
  }
  static bool loaded(const Element& e, double d, double un) { return d >= 0 && e.k * d - e.c * un > 0; }

  void operator()(const VectorXd& x, VectorXd& rate) const {
    const VectorXd u = velocities(x);
    for (size_t i = 0; i < elements.size(); ++i) {
      const Element& e = elements[i];
      const double d = x[rows + i], un = u[e.row];
      const double fn = loaded(e, d, un) ? e.k * d - e.c * un : 0;
      rate[e.row] = fn;
      rate[rows + i] = -un;
      const auto ut = u.segment(e.row + 1, e.tangents);
      const double slip = std::sqrt(ut.squaredNorm() + kStickingSpeed * kStickingSpeed);
      for (int k = 0; k < e.tangents; ++k) rate[e.row + 1 + k] = -e.mu * fn * ut[k] / slip;
    }
  }

  void jacobian(const VectorXd& x, MatrixXd& out) const {
    const VectorXd u = velocities(x);
    MatrixXd by_velocity = MatrixXd::Zero(rows, rows);  // d p' / d u
    out.setZero(size(), size());
    for (size_t i = 0; i < elements.size(); ++i) {
      const Element& e = elements[i];
      const double d = x[rows + i], un = u[e.row];
      out.row(rows + i).head(rows) = -A.row(e.row);
      if (!loaded(e, d, un)) continue;
      const double fn = e.k * d - e.c * un;
      const auto ut = u.segment(e.row + 1, e.tangents);
      const double slip = std::sqrt(ut.squaredNorm() + kStickingSpeed * kStickingSpeed);
      by_velocity(e.row, e.row) = -e.c;
      out(e.row, rows + i) = e.k;
      for (int k = 0; k < e.tangents; ++k) {
        const int row = e.row + 1 + k;
        by_velocity(row, e.row) = e.mu * e.c * ut[k] / slip;
        out(row, rows + i) = -e.mu * e.k * ut[k] / slip;
        for (int l = 0; l < e.tangents; ++l)
          by_velocity(row, e.row + 1 + l) = -e.mu * fn * ((k == l ? 1 : 0) - ut[k] * ut[l] / (slip * slip)) / slip;
      }
    }
    out.topLeftCorner(rows, rows) = by_velocity * A;
  }

  bool finished(const VectorXd& x) const {
    const VectorXd u = velocities(x);
    for (size_t i = 0; i < elements.size(); ++i) {
      const Element& e = elements[i];
      if (!(u[e.row] >= 0)) return false;
      if (e.restitution > 0 && loaded(e, x[rows + i], u[e.row])) return false;
    }
    return true;
  }
};

}  // namespace

double restitutionOfDamping(double zeta) {
  const double root = std::sqrt(std::abs(1 - zeta * zeta));
  if (root < 1e-8) return elementary::exp(-2.0);
  return elementary::exp(-2 * zeta * (zeta < 1 ? elementary::acos(zeta) : elementary::acosh(zeta)) / root);
}

double dampingOfRestitution(double restitution) {
  if (restitution <= restitutionOfDamping(kLargestDamping)) return kLargestDamping;
  double low = 0, high = kLargestDamping;
  while (high - low > 1e-15 * high) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (restitutionOfDamping(middle) > restitution ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

ImpactStatus Compliant::resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey,
                                ImpactOutcome& outcome) {
  checked_.prepare(problem, options.cone_edges);
  const int m = problem.numContacts(), n = problem.numVelocities();
  const std::vector<double>& stiffness = options.compliant.stiffness;
  if (!stiffness.empty() && static_cast<int>(stiffness.size()) != m)
    throw FieldError("compliant.stiffness", "stiffness must have an entry per contact");
  for (const double k : stiffness)
    if (!(k > 0 && std::isfinite(k))) throw FieldError("compliant.stiffness", "stiffness must be positive");
  outcome = {};
  outcome.velocity = problem.velocity;

  Collision collision;
  collision.elements.resize(m);
  for (int i = 0; i < m; ++i) {
    Collision::Element& e = collision.elements[i];
    e.row = collision.rows;
    e.mu = std::min(problem.friction[i], kCompliantNoSlip);
    e.tangents = i < static_cast<int>(problem.tangent.size()) ? static_cast<int>(problem.tangent[i].rows()) : 0;
    collision.rows += 1 + e.tangents;
  }
  MatrixXd J(collision.rows, n);
  for (int i = 0; i < m; ++i) {
    const Collision::Element& e = collision.elements[i];
    J.row(e.row) = problem.normal.row(i);
    if (e.tangents > 0) J.middleRows(e.row + 1, e.tangents) = problem.tangent[i];
  }
  const MatrixXd response = KineticMetric(problem.mass_matrix).solve(J.transpose());
  collision.A = J * response;
  collision.u0 = J * problem.velocity;
  const double speed = m > 0 ? collision.u0.cwiseAbs().maxCoeff() : 0;
  double approach = 0;
  for (const Collision::Element& e : collision.elements) approach = std::min(approach, collision.u0[e.row]);
  VectorXd impulse = VectorXd::Zero(collision.rows);
  if (approach < -kResolvedSpeed * speed) {
    const double inverse_mass = collision.A.diagonal().maxCoeff();
    collision.A /= inverse_mass;
    collision.u0 /= speed;
    double stiffest = 0;
    for (const double k : stiffness) stiffest = std::max(stiffest, k);
    for (int i = 0; i < m; ++i) {
      Collision::Element& e = collision.elements[i];
      e.k = stiffness.empty() ? 1 : stiffness[i] / stiffest;
      e.restitution = problem.restitution.empty() ? 0 : problem.restitution[i];
      e.c = 2 * dampingOfRestitution(e.restitution) * std::sqrt(e.k / collision.A(e.row, e.row));
    }
    VectorXd x = VectorXd::Zero(collision.size()), next, error;
    MatrixXd jacobian;
    RosenbrockStep integrator;
    double h = kFirstStep;
    bool finished = false, moved = true;
    for (long step = 0; step < kMaxSteps && !finished && h > 0; ++step) {
      if (moved) collision.jacobian(x, jacobian);
      integrator.step(collision, jacobian, x, h, next, error);
      const double size = error.cwiseQuotient((next.cwiseAbs().array() + 1).matrix()).norm() /
                          (kStepTolerance * std::sqrt(static_cast<double>(x.size())));
      moved = size <= 1;  // NaN does not.
      if (moved) x.swap(next), finished = collision.finished(x);
      h *= rosenbrockGrowth(size);
    }
    impulse = x.head(collision.rows) * (speed / inverse_mass);
    if (!impulse.allFinite()) return ImpactStatus::kFailed;
    outcome.velocity += response * impulse;
    if (!finished) outcome.note = "the collision did not end within the step budget";
  }
  for (int i = 0; i < m; ++i) {
    const Collision::Element& e = collision.elements[i];
    outcome.impulses.emplace_back(impulse.segment(e.row, 1 + e.tangents));
  }
  if (!outcome.note.empty()) return ImpactStatus::kUnfinished;
  const double before = problem.velocity.dot(problem.mass_matrix * problem.velocity);
  const double after = outcome.velocity.dot(problem.mass_matrix * outcome.velocity);
  return after <= before * (1 + kCompliantAccuracy) ? ImpactStatus::kResolved : ImpactStatus::kFailed;  // NaN fails.
}

Model compliantEntry() {
  ModelOption stiffness = keptIn(
      {.name = "stiffness",
       .kind = ModelOption::Kind::kNumberOfEach,
       .meaning = "stiffnesses of the contacts, relative to each other",
       .least = 0,
       .above_least = true,
       .standard_in_words = "all equal",
       .place = ModelOption::Place::kProblem},
      [](auto& o) -> auto& { return o.compliant.stiffness; });
  return {.name = "compliant", .gives = "one outcome for given stiffness ratios; a reference",
          .make = [] { return std::make_unique<Compliant>(); },
          .options = {std::move(stiffness)},
          .needs = {.problems_only = true}};
}

}  // namespace rigor::impact
