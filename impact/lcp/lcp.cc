// SPDX-License-Identifier: MIT
#include "impact/lcp/lcp.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "elementary/require.h"
#include "impact/problem/matrix_factors.h"

namespace rigor::impact {

double lcpResidual(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                   const Eigen::Ref<const Eigen::VectorXd>& z) {
  const int n = static_cast<int>(q.size());
  // Down the columns, a block of rows at a time, so that the loops vectorise; each row still adds in the order of j.
  constexpr int kBlock = 64;
  double w[kBlock], size[kBlock];
  double worst = 0, scale = 0;
  for (int first = 0; first < n; first += kBlock) {
    const int rows = std::min(kBlock, n - first);
    for (int i = 0; i < rows; ++i) w[i] = q[first + i], size[i] = std::abs(q[first + i]);
    for (int j = 0; j < n; ++j) {
      const double* column = &M.coeffRef(first, j);
      const double zj = z[j];
      for (int i = 0; i < rows; ++i) {
        const double term = column[i] * zj, magnitude = std::abs(term);
        w[i] += term;
        size[i] = magnitude > size[i] ? magnitude : size[i];
      }
    }
    for (int i = 0; i < rows; ++i) {
      if (std::isnan(w[i]) || std::isnan(z[first + i])) return HUGE_VAL;
      worst = std::max(worst, std::abs(std::min(z[first + i], w[i])));
      scale = std::max(scale, size[i]);
    }
  }
  return worst == 0 ? 0 : worst / scale;
}

int enumerateLcp(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                 double tolerance, const std::function<bool(const Eigen::VectorXd& z)>& visit) {
  const int n = static_cast<int>(q.size());
  RIGOR_REQUIRE(n <= 20);
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
      const FullLu lu(M(basis, basis));
      if (lu.rank() < static_cast<long>(basis.size())) continue;
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
