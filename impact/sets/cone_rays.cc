// SPDX-License-Identifier: MIT
#include "impact/sets/cone_rays.h"

#include <algorithm>
#include <cmath>

#include "impact/problem/matrix_factors.h"

namespace rigor::impact {
namespace {

// Rows of length one: heights and pivots below are zero up to rounding.
constexpr double kZero = 1e-9;

/// The direction across k - 1 rows of length k; empty where it is not unique.
Eigen::VectorXd across(Eigen::MatrixXd rows) {
  const Eigen::Index count = rows.rows(), k = rows.cols();
  std::vector<Eigen::Index> pivots;
  for (Eigen::Index i = 0; i < count; ++i) {
    Eigen::Index p = 0, q = 0;
    if (!(rows.bottomRows(count - i).cwiseAbs().maxCoeff(&p, &q) > kZero)) return {};
    rows.row(i).swap(rows.row(i + p));
    rows.row(i) /= rows(i, q);
    for (Eigen::Index j = 0; j < count; ++j) {
      if (j != i) rows.row(j) -= rows(j, q) * rows.row(i);
    }
    pivots.push_back(q);
  }
  Eigen::Index free = 0;
  while (std::find(pivots.begin(), pivots.end(), free) != pivots.end()) ++free;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(k);
  x[free] = 1;
  for (Eigen::Index i = 0; i < count; ++i) x[pivots[static_cast<size_t>(i)]] = -rows(i, free);
  return x.normalized();
}

/// The next choice of as many numbers below `count`, in order.
bool nextChoice(std::vector<Eigen::Index>& choice, Eigen::Index count) {
  const auto size = static_cast<Eigen::Index>(choice.size());
  for (Eigen::Index i = size; i-- > 0;) {
    if (choice[static_cast<size_t>(i)] >= count - size + i) continue;
    Eigen::Index next = choice[static_cast<size_t>(i)];
    for (Eigen::Index j = i; j < size; ++j) choice[static_cast<size_t>(j)] = ++next;
    return true;
  }
  return false;
}

}  // namespace

ConeRays coneRays(const Eigen::MatrixXd& H) {
  ConeRays out;
  const auto [space, rank] = rowBasis(H, kZero);
  for (Eigen::Index i = rank; i < H.cols(); ++i) out.lines.emplace_back(space.col(i));
  if (rank == 0) return out;
  const Eigen::MatrixXd basis = space.leftCols(rank), rows = H * basis;
  std::vector<Eigen::Index> choice;
  for (Eigen::Index i = 0; i + 1 < rank; ++i) choice.push_back(i);
  Eigen::MatrixXd chosen(rank - 1, rank);
  do {
    for (size_t i = 0; i < choice.size(); ++i) chosen.row(static_cast<Eigen::Index>(i)) = rows.row(choice[i]);
    const Eigen::VectorXd x = across(chosen);
    if (x.size() == 0) continue;
    for (const double side : {1.0, -1.0}) {
      if ((side * rows * x).minCoeff() < -kZero) continue;
      const Eigen::VectorXd ray = basis * x * side;
      const bool known =
          std::any_of(out.rays.begin(), out.rays.end(), [&](const auto& r) { return (r - ray).norm() < 1e-7; });
      if (!known) out.rays.push_back(ray);
    }
  } while (nextChoice(choice, rows.rows()));
  return out;
}

}  // namespace rigor::impact
