// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <map>
#include <vector>

#include "tests/dense_algebra.h"

/// Minimal reflection sequences by brute force in momentum space, straight from the definitions of Seghete & Murphey:
/// momenta as row covectors, Gamma(u) as n x n matrices, every sequence up to a length, every subsequence by bit mask.
namespace rigor::impact::test {

struct BruteSequence {
  std::vector<int> contacts;
  Eigen::VectorXd velocity;
};

class BruteReflections {
 public:
  BruteReflections(const Eigen::MatrixXd& M, const Eigen::MatrixXd& normal, const Eigen::VectorXd& v)
      : M_(M), inverse_(algebra::inverse(M)), normal_(normal), p_(v.transpose() * M) {
    for (int i = 0; i < normal.rows(); ++i) {
      const Eigen::RowVectorXd u = normal.row(i);
      // Eq. (7b)
      gamma_.push_back(Eigen::MatrixXd::Identity(v.size(), v.size()) -
                       2 * inverse_ * u.transpose() * u / (u * inverse_ * u.transpose())(0));
    }
    scale_ = (normal * v).cwiseAbs().maxCoeff();
  }

  /// All minimal sequences of pushing reflections of at most `length`; complete_ is false if a longer one may exist.
  std::vector<BruteSequence> all(int length) {
    found_.clear();
    complete_ = true;
    std::vector<int> path;
    extend(path, p_, length);
    return found_;
  }
  bool complete() const { return complete_; }

 private:
  bool feasible(const Eigen::RowVectorXd& p) const {
    return (normal_ * inverse_ * p.transpose()).minCoeff() >= -1e-10 * scale_;
  }

  bool properSubsequenceIsFeasible(const std::vector<int>& path) const {
    const unsigned size = static_cast<unsigned>(path.size());
    for (unsigned mask = 0; mask + 1 < (1u << size); ++mask) {
      Eigen::RowVectorXd p = p_;
      for (unsigned k = 0; k < size; ++k) {
        if (mask >> k & 1) p = p * gamma_[path[k]];
      }
      if (feasible(p)) return true;
    }
    return false;
  }

  void extend(std::vector<int>& path, const Eigen::RowVectorXd& p, int length) {
    if (feasible(p)) {  // Anything longer has this one as a subsequence.
      if (!properSubsequenceIsFeasible(path)) found_.push_back({path, inverse_ * p.transpose()});
      return;
    }
    if (length == 0) {
      complete_ = false;
      return;
    }
    for (int i = 0; i < normal_.rows(); ++i) {
      if (!((normal_.row(i) * inverse_ * p.transpose())(0) < -1e-10 * scale_)) continue;
      path.push_back(i);
      extend(path, p * gamma_[i], length - 1);
      path.pop_back();
    }
  }

  Eigen::MatrixXd M_, inverse_, normal_;
  Eigen::RowVectorXd p_;
  std::vector<Eigen::MatrixXd> gamma_;
  std::vector<BruteSequence> found_;
  double scale_ = 0;
  bool complete_ = true;
};

}  // namespace rigor::impact::test
