// SPDX-License-Identifier: MIT
#include "impact/problem/projection.h"

#include <cmath>

namespace rigor::impact {
namespace {

// A row whose squared metric norm fell to this fraction of its own start is dependent on those before it.
constexpr double kDependent = 1e-20;

}  // namespace

int VelocityProjection::project(const Eigen::Ref<const Eigen::MatrixXd>& inverse_mass,
                                const Eigen::Ref<const Eigen::MatrixXd>& J, Eigen::Ref<Eigen::VectorXd> v) {
  const int k = static_cast<int>(J.rows()), n = static_cast<int>(J.cols());
  const std::size_t size = static_cast<std::size_t>(k) * n;
  if (lambda_.size() < size) lambda_.resize(size), dual_.resize(size);
  if (norm_.size() < static_cast<std::size_t>(k)) norm_.resize(k), done_.resize(k);
  const auto dual = [&](const double* p, double* w) {
    for (int i = 0; i < n; ++i) w[i] = 0;
    for (int j = 0; j < n; ++j) {
      const double* column = inverse_mass.data() + j * inverse_mass.outerStride();
      const double pj = p[j];
      if (pj == 0) continue;
      for (int i = 0; i < n; ++i) w[i] += column[i] * pj;
    }
  };
  const auto dot = [n](const double* x, const double* y) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
  };
  for (int r = 0; r < k; ++r) {
    double* p = &lambda_[static_cast<std::size_t>(r) * n];
    for (int j = 0; j < n; ++j) p[j] = J(r, j);
    dual(p, &dual_[static_cast<std::size_t>(r) * n]);
    norm_[r] = done_[r] = dot(p, &dual_[static_cast<std::size_t>(r) * n]);
  }
  // Pivoted modified Gram-Schmidt: the row with the largest remaining fraction next, slots 0..rank-1 hold the basis.
  int rank = 0;
  for (; rank < k && rank < n; ++rank) {
    int best = -1;
    double fraction = kDependent;
    for (int r = rank; r < k; ++r) {
      if (norm_[r] > fraction * done_[r]) fraction = norm_[r] / done_[r], best = r;
    }
    if (best < 0) break;
    double* p = &lambda_[static_cast<std::size_t>(rank) * n];
    double* w = &dual_[static_cast<std::size_t>(rank) * n];
    if (best != rank) {
      double* q = &lambda_[static_cast<std::size_t>(best) * n];
      double* u = &dual_[static_cast<std::size_t>(best) * n];
      for (int j = 0; j < n; ++j) std::swap(p[j], q[j]), std::swap(w[j], u[j]);
      std::swap(norm_[rank], norm_[best]);
      std::swap(done_[rank], done_[best]);
    }
    // Once more against the basis: what cancellation left in p.
    if (rank > 0 && norm_[rank] < 0.01 * done_[rank]) {
      for (int b = 0; b < rank; ++b) {
        const double* pb = &lambda_[static_cast<std::size_t>(b) * n];
        const double* wb = &dual_[static_cast<std::size_t>(b) * n];
        const double c = dot(p, wb) / norm_[b];
        for (int j = 0; j < n; ++j) p[j] -= c * pb[j];
      }
      dual(p, w);
    }
    norm_[rank] = dot(p, w);
    if (!(norm_[rank] > kDependent * done_[rank])) break;
    for (int r = rank + 1; r < k; ++r) {
      double* q = &lambda_[static_cast<std::size_t>(r) * n];
      double* u = &dual_[static_cast<std::size_t>(r) * n];
      const double c = dot(q, w) / norm_[rank];
      for (int j = 0; j < n; ++j) q[j] -= c * p[j], u[j] -= c * w[j];
      norm_[r] = dot(q, u);
    }
  }
  // Twice: the second pass removes the rounding of the first.
  for (int pass = 0; pass < 2; ++pass) {
    for (int b = 0; b < rank; ++b) {
      const double* p = &lambda_[static_cast<std::size_t>(b) * n];
      const double* w = &dual_[static_cast<std::size_t>(b) * n];
      const double c = dot(p, v.data()) / norm_[b];
      for (int j = 0; j < n; ++j) v[j] -= c * w[j];
    }
  }
  return rank;
}

int projectVelocity(const Eigen::Ref<const Eigen::MatrixXd>& inverse_mass, const Eigen::Ref<const Eigen::MatrixXd>& J,
                    Eigen::Ref<Eigen::VectorXd> v) {
  thread_local VelocityProjection projection;
  return projection.project(inverse_mass, J, v);
}

}  // namespace rigor::impact
