// SPDX-License-Identifier: MIT
#include "friction/body_graph.h"

#include <algorithm>
#include <cstddef>

#include "friction/wide.h"

namespace rigor::friction {
namespace {

/// y = S x, x three rows of a free body's velocities, y the same with room for eight each.
inline __attribute__((always_inline)) void multiplyRows(const double* S, const double* x, double (&y)[3][8]) {
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < kFreeBody; k += 2)
      store((load<Two>(x + k) * S[r] + load<Two>(x + 6 + k) * S[3 + r]) + load<Two>(x + 12 + k) * S[6 + r], y[r] + k);
}

/// out += x^T y.
inline __attribute__((always_inline)) void addTransposedProduct(const double* x, const double (&y)[3][8], double* out) {
  const Four top0 = load<Four>(x), top1 = load<Four>(x + 6), top2 = load<Four>(x + 12);
  const Two bottom0 = load<Two>(x + 4), bottom1 = load<Two>(x + 10), bottom2 = load<Two>(x + 16);
  for (int j = 0; j < kFreeBody; ++j) {
    const double y0 = y[0][j], y1 = y[1][j], y2 = y[2][j];
    store(load<Four>(out + 6 * j) + ((top0 * y0 + top1 * y1) + top2 * y2), out + 6 * j);
    store(load<Two>(out + 6 * j + 4) + ((bottom0 * y0 + bottom1 * y1) + bottom2 * y2), out + 6 * j + 4);
  }
}

/// aa += a^T S a: of a contact with one free body.
RIGOR_WIDE void addSide6(const double* a, const double* S, double* aa) {
  double y[3][8];
  multiplyRows(S, a, y);
  addTransposedProduct(a, y, aa);
}

/// All four blocks of a contact of two free bodies.
RIGOR_WIDE void addSides6(const double* a, const double* b, const double* S, double* aa, double* bb, double* ab,
                          double* ba) {
  double y[3][8];
  multiplyRows(S, a, y);
  addTransposedProduct(a, y, aa);
  addTransposedProduct(b, y, ba);
  multiplyRows(S, b, y);
  addTransposedProduct(b, y, bb);
  addTransposedProduct(a, y, ab);
}

/// out += A^T S B. Columns without entries cost nothing: roots of a matrix and rows of robots have many.
RIGOR_WIDE __attribute__((flatten)) void addCongruence(const double* a, int size_a, const Eigen::Matrix3d& S,
                                                       const double* b, int size_b, double* out) {
  const double *a1 = a + size_a, *a2 = a1 + size_a;
  int first = 0, last = size_a;
  while (first < last && a[first] == 0 && a1[first] == 0 && a2[first] == 0) ++first;
  while (first < last && a[last - 1] == 0 && a1[last - 1] == 0 && a2[last - 1] == 0) --last;
  for (int j = 0; j < size_b; ++j) {
    const Eigen::Vector3d x(b[j], b[size_b + j], b[2 * size_b + j]);
    if (x.isZero(0)) continue;
    const Eigen::Vector3d s = S * x;
    const double s0 = s[0], s1 = s[1], s2 = s[2];
    double* __restrict column = out + static_cast<std::ptrdiff_t>(j) * size_a;
    for (int i = first; i < last; ++i) column[i] += a[i] * s0 + a1[i] * s1 + a2[i] * s2;
  }
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

/// Of a contact with one body that moves.
void BodyGraph::addOne(const Problem::Side& side, const Eigen::Matrix3d& S) {
  const double* J = problem_->rows(side);
  const int size = sizes_[side.body];
  if (size == kFreeBody) addSide6(J, S.data(), factor_.diagonal(side.body));
  else addCongruence(J, size, S, J, size, factor_.diagonal(side.body));
}

/// Of a contact of two, the body of `a` with the smaller number.
void BodyGraph::addPair(const Problem::Side& a, const Problem::Side& b, const Eigen::Matrix3d& S, int edge) {
  const double *A = problem_->rows(a), *B = problem_->rows(b);
  const int m = sizes_[a.body], n = sizes_[b.body];
  double *aa = factor_.diagonal(a.body), *bb = factor_.diagonal(b.body);
  double *ab = factor_.edge(edge, true), *ba = factor_.edge(edge, false);
  if (m == kFreeBody && n == kFreeBody) return addSides6(A, B, S.data(), aa, bb, ab, ba);
  addCongruence(A, m, S, A, m, aa);
  addCongruence(B, n, S, B, n, bb);
  addCongruence(A, m, S, B, n, ab);
  addCongruence(B, n, S, A, m, ba);
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
    const bool paired = edge_[k] >= 0, swapped = paired ? c.side[1].body < c.side[0].body : c.side[0].body < 0;
    const auto &a = c.side[swapped ? 1 : 0], &b = c.side[swapped ? 0 : 1];
    if (a.body < 0) continue;
    if (paired) addPair(a, b, S[k], edge_[k]);
    else addOne(a, S[k]);
  }
  return factor_.factor();
}

}  // namespace rigor::friction
