// SPDX-License-Identifier: MIT
#include "friction/body_graph.h"

#include <algorithm>

namespace rigor::friction {
namespace {

template <int kSize>
using Rows = Eigen::Map<const Eigen::Matrix<double, 3, kSize>>;

/// out += A^T S B.
template <int kSizeA, int kSizeB>
void addCongruence(const double* a, int size_a, const Eigen::Matrix3d& S, const double* b, int size_b, double* out) {
  const Rows<kSizeA> A(a, 3, size_a);
  const Rows<kSizeB> B(b, 3, size_b);
  Eigen::Map<Eigen::Matrix<double, kSizeA, kSizeB>> target(out, size_a, size_b);
  for (int j = 0; j < B.cols(); ++j) {
    const Eigen::Vector3d s = S * B.col(j);
    for (int i = 0; i < A.cols(); ++i) target(i, j) += A(0, i) * s[0] + A(1, i) * s[1] + A(2, i) * s[2];
  }
}

void add(const double* a, int size_a, const Eigen::Matrix3d& S, const double* b, int size_b, double* out) {
  if (size_a == kFreeBody && size_b == kFreeBody) addCongruence<kFreeBody, kFreeBody>(a, 6, S, b, 6, out);
  else addCongruence<Eigen::Dynamic, Eigen::Dynamic>(a, size_a, S, b, size_b, out);
}

}  // namespace

void BodyGraph::set(const Problem& problem) {
  problem_ = &problem;
  const int n = problem.numBodies();
  sizes_.clear(), edges_.clear(), edge_.clear(), next_edge_.clear();
  for (const auto& body : problem.bodies()) sizes_.push_back(body.size);
  first_edge_.assign(n, -1);
  for (const auto& c : problem.contacts()) {
    const int a = std::min(c.side[0].body, c.side[1].body), b = std::max(c.side[0].body, c.side[1].body);
    int e = -1;
    if (a >= 0) {
      for (e = first_edge_[a]; e >= 0 && edges_[e].second != b; e = next_edge_[e]) {}
      if (e < 0) {
        e = static_cast<int>(edges_.size());
        edges_.emplace_back(a, b);
        next_edge_.push_back(first_edge_[a]);
        first_edge_[a] = e;
      }
    }
    edge_.push_back(e);
  }
  factor_.setGraph(sizes_, edges_);
}

bool BodyGraph::factor(std::span<const Eigen::Matrix3d> S) {
  factor_.setZero();
  for (int i = 0; i < problem_->numBodies(); ++i) {
    double* d = factor_.diagonal(i);
    for (int k = 0; k < sizes_[i]; ++k) d[k * (sizes_[i] + 1)] = 1;
  }
  const auto contacts = problem_->contacts();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (S[k].isZero(0)) continue;
    const Problem::Contact& c = contacts[k];
    for (const auto& side : c.side) {
      if (side.body < 0) continue;
      const double* J = problem_->rows(side);
      add(J, sizes_[side.body], S[k], J, sizes_[side.body], factor_.diagonal(side.body));
    }
    if (edge_[k] < 0) continue;
    const auto &a = c.side[0].body < c.side[1].body ? c.side[0] : c.side[1],
               &b = &a == &c.side[0] ? c.side[1] : c.side[0];
    add(problem_->rows(a), sizes_[a.body], S[k], problem_->rows(b), sizes_[b.body], factor_.edge(edge_[k], true));
    add(problem_->rows(b), sizes_[b.body], S[k], problem_->rows(a), sizes_[a.body], factor_.edge(edge_[k], false));
  }
  return factor_.factor();
}

}  // namespace rigor::friction
