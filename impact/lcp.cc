// SPDX-License-Identifier: MIT
#include "impact/lcp.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

namespace rigor::impact {

double lcpResidual(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                   const Eigen::Ref<const Eigen::VectorXd>& z) {
  const int n = static_cast<int>(q.size());
  double worst = 0, scale = 0;
  for (int i = 0; i < n; ++i) {
    double w = q[i], size = std::abs(q[i]);
    for (int j = 0; j < n; ++j) {
      const double term = M(i, j) * z[j];
      w += term;
      size = std::max(size, std::abs(term));
    }
    worst = std::max(worst, std::abs(std::min(z[i], w)));
    scale = std::max(scale, size);
    if (std::isnan(w) || std::isnan(z[i])) return HUGE_VAL;
  }
  return worst == 0 ? 0 : worst / scale;
}

int enumerateLcp(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                 double tolerance, const std::function<bool(const Eigen::VectorXd& z)>& visit) {
  const int n = static_cast<int>(q.size());
  std::vector<int> basis;
  Eigen::VectorXd z(n);
  int found = 0;
  for (unsigned long mask = 0; mask < (1UL << n); ++mask) {
    basis.clear();
    for (int i = 0; i < n; ++i) {
      if (mask >> i & 1) basis.push_back(i);
    }
    z.setZero();
    if (!basis.empty()) {
      const Eigen::FullPivLU<Eigen::MatrixXd> lu(M(basis, basis));
      if (!lu.isInvertible()) continue;
      const Eigen::VectorXd solution = lu.solve(-q(basis));
      if (!(solution.minCoeff() >= -tolerance * (1 + q.cwiseAbs().maxCoeff()))) continue;
      for (std::size_t k = 0; k < basis.size(); ++k) z[basis[k]] = std::max(solution[k], 0.0);
    }
    if (!(lcpResidual(M, q, z) <= tolerance)) continue;
    ++found;
    if (!visit(z)) break;
  }
  return found;
}

}  // namespace rigor::impact
