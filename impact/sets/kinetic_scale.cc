// SPDX-License-Identifier: MIT
#include "impact/sets/kinetic_scale.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "impact/problem/matrix_factors.h"
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
  if (!choleskyInPlace(delassus)) return;
  root_ = delassus.triangularView<Eigen::Lower>();
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

VectorXd KineticScale::changeBack(const VectorXd& change) const {
  return root_.triangularView<Eigen::Lower>() * change;
}

std::vector<ScaledForce> KineticScale::forces(bool once) const {
  const auto same = [&](int i, int j) {
    const std::vector<ExactForce>&a = exact_.forces(i), &b = exact_.forces(j);
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ExactForce& one, const ExactForce& other) {
      return one.slip == other.slip && one.effect == other.effect;
    });
  };
  std::vector<ScaledForce> out;
  for (int i = 0; i < exact_.numContacts(); ++i) {
    int like = 0;
    while (once && like < i && !same(i, like)) ++like;
    if (once && like < i) {
      for (ScaledForce& force : out) {
        if (force.contact == like) force.again.push_back(i);
      }
      continue;
    }
    for (const ExactForce& force : exact_.forces(i)) {
      const VectorXd effect = change(force.effect);
      const double length = effect.norm();
      ScaledForce& one = out.emplace_back(ScaledForce{force.contact, force.slip, effect / length, length, {}, {}, {}});
      one.borders.resize(static_cast<Index>(force.against.size()), exact_.rank());
      for (size_t b = 0; b < force.against.size(); ++b) {
        const VectorXd border = form(exact_.rows()[static_cast<size_t>(force.against[b].row)].of);
        one.border_lengths.push_back(border.norm() > 0 ? border.norm() : 1);
        one.borders.row(static_cast<Index>(b)) = border.transpose() * force.against[b].sign / one.border_lengths[b];
      }
    }
  }
  return out;
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
  const std::vector<ScaledForce> all = forces();
  const Index r = exact_.rank(), count = static_cast<Index>(all.size());
  MatrixXd A = MatrixXd::Zero(count, 2 * r + count);
  VectorXd c = VectorXd::Zero(2 * r + count), x;
  c.head(2 * r).setOnes();
  for (Index k = 0; k < count; ++k) {
    A.row(k).head(r) = all[static_cast<size_t>(k)].effect.transpose();
    A.row(k).segment(r, r) = -A.row(k).head(r);
    A(k, 2 * r + k) = 1;
  }
  if (!solveRounded(A, VectorXd::Constant(count, -1), c, x)) return false;
  const VectorXd direction = x.head(r) - x.segment(r, r);
  double least = HUGE_VAL;
  for (const ScaledForce& force : all) least = std::min(least, -direction.dot(force.effect) * force.effect_length);
  if (!(least > 0)) return false;
  // A little more than needed, so that rounding does not matter.
  proof.pointing = asRationals(formBack(direction) * (1 + 1e-9) / least);
  // |direction.c| <= |direction| times the root of the energy, all velocities' counted.
  const double start = direction.dot(start_) * size_;
  proof.weights = (start + direction.norm() * energy_) / least * (1 + 1e-8) + 1e-12;
  return true;
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
