// SPDX-License-Identifier: MIT
#include "impact/sets/kinetic_scale.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "impact/sets/certify.h"
#include "impact/sets/linear_program.h"

namespace rigor::impact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Entries of order one that are zero to a linear program in doubles.
constexpr double kRoundedZero = 1e-9;

VectorXd rounded(const BoundProof::Rationals& row) {
  VectorXd out(static_cast<Index>(row.size()));
  for (size_t i = 0; i < row.size(); ++i) out[static_cast<Index>(i)] = row[i].get_d();
  return out;
}

}  // namespace

KineticScale::KineticScale(const ImpactProblem& problem, const ExactProblem& exact)
    : problem_(problem), exact_(exact) {
  const Index r = exact.rank();
  if (r == 0) return;
  MatrixXd delassus(r, r);
  for (Index i = 0; i < r; ++i) delassus.row(i) = rounded(exact.delassus()[static_cast<size_t>(i)]).transpose();
  const Eigen::LLT<MatrixXd> factor(delassus);
  if (factor.info() != Eigen::Success) return;
  root_ = factor.matrixL();
  start_ = root_.triangularView<Eigen::Lower>().solve(rounded(exact.start()));
  const double size = start_.norm();
  if (!(size > 0)) return;
  size_ = size;
  start_ /= size_;
  energy_ = std::sqrt(problem.velocity.dot(problem.mass_matrix * problem.velocity));
}

VectorXd KineticScale::form(const Rationals& form) const { return root_.transpose() * rounded(form) * size_; }

VectorXd KineticScale::formBack(const VectorXd& form) const {
  return root_.transpose().triangularView<Eigen::Upper>().solve(form);
}

VectorXd KineticScale::change(const Rationals& change) const {
  return root_.triangularView<Eigen::Lower>().solve(rounded(change));
}

bool KineticScale::begin(const ExactQuantity& quantity, int side, BoundProof& proof) const {
  proof.problem = certifiedProblem(problem_, exact_.toldApart());
  proof.coordinates = exact_.coordinates();
  proof.quantity = quantity.name;
  proof.side = side;
  return point(proof);
}

bool KineticScale::point(BoundProof& proof) const {
  // p = x - y: p.g_k + s_k = -1 with x, y, s >= 0 and little p.
  const std::vector<const ExactForce*> forces = allForces(exact_);
  const Index r = exact_.rank(), count = static_cast<Index>(forces.size());
  MatrixXd A = MatrixXd::Zero(count, 2 * r + count);
  VectorXd c = VectorXd::Zero(2 * r + count), x;
  c.head(2 * r).setOnes();
  for (Index k = 0; k < count; ++k) {
    const VectorXd effect = change(forces[static_cast<size_t>(k)]->effect);
    A.row(k).head(r) = effect.transpose() / effect.norm();
    A.row(k).segment(r, r) = -A.row(k).head(r);
    A(k, 2 * r + k) = 1;
  }
  if (!solveRounded(A, VectorXd::Constant(count, -1), c, x)) return false;
  const VectorXd direction = x.head(r) - x.segment(r, r);
  double least = HUGE_VAL;
  for (const ExactForce* force : forces) least = std::min(least, -direction.dot(change(force->effect)));
  if (!(least > 0)) return false;
  // A little more than needed, so that rounding does not matter.
  proof.pointing = asRationals(formBack(direction) * (1 + 1e-9) / least);
  // |direction.c| <= |direction| times the root of the energy, all velocities' counted.
  const double start = direction.dot(start_) * size_;
  proof.weights = (start + direction.norm() * energy_) / least * (1 + 1e-8) + 1e-12;
  return true;
}

std::vector<const ExactForce*> allForces(const ExactProblem& exact) {
  std::vector<const ExactForce*> out;
  for (int i = 0; i < exact.numContacts(); ++i) {
    for (const ExactForce& force : exact.forces(i)) out.push_back(&force);
  }
  return out;
}

BoundProof::Rationals asRationals(const VectorXd& row) { return {row.begin(), row.end()}; }

bool solveRounded(const MatrixXd& A, const VectorXd& b, const VectorXd& c, VectorXd& x) {
  std::vector<std::vector<double>> rows;
  for (Index i = 0; i < A.rows(); ++i) rows.emplace_back(A.row(i).begin(), A.row(i).end());
  LinearProgram<double> program(std::move(rows), {b.begin(), b.end()}, {c.begin(), c.end()}, kRoundedZero);
  if (program.solve() != ProgramStatus::kOptimal) return false;
  const std::vector<double> found = program.solution();
  x = Eigen::Map<const VectorXd>(found.data(), static_cast<Index>(found.size()));
  return true;
}

}  // namespace rigor::impact
