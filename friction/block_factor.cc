// SPDX-License-Identifier: MIT
#include "friction/block_factor.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "friction/wide.h"

namespace rigor::friction {
namespace {

/// c -= a b, all 6 x 6.
RIGOR_WIDE void subtractBlock6(const double* __restrict a, const double* __restrict b, double* __restrict c) {
  Four top[kFreeBody];
  Two bottom[kFreeBody];
  for (int j = 0; j < kFreeBody; ++j) top[j] = load<Four>(c + 6 * j), bottom[j] = load<Two>(c + 6 * j + 4);
  for (int k = 0; k < kFreeBody; ++k) {
    const Four x = load<Four>(a + 6 * k);
    const Two y = load<Two>(a + 6 * k + 4);
    for (int j = 0; j < kFreeBody; ++j) top[j] -= x * b[k + 6 * j], bottom[j] -= y * b[k + 6 * j];
  }
  for (int j = 0; j < kFreeBody; ++j) store(top[j], c + 6 * j), store(bottom[j], c + 6 * j + 4);
}

/// x := x g^-1, both 6 x 6, with the factors of factorDense() but for the order of its columns.
RIGOR_WIDE void divideBlock6(const double* __restrict g, double* __restrict x) {
  Four top[kFreeBody];
  Two bottom[kFreeBody];
  for (int j = 0; j < kFreeBody; ++j) top[j] = load<Four>(x + 6 * j), bottom[j] = load<Two>(x + 6 * j + 4);
  for (int k = 0; k < kFreeBody; ++k) {
    for (int l = 0; l < k; ++l) top[k] -= top[l] * g[l + 6 * k], bottom[k] -= bottom[l] * g[l + 6 * k];
    top[k] *= g[7 * k], bottom[k] *= g[7 * k];
  }
  for (int k = kFreeBody - 1; k >= 0; --k)
    for (int l = k + 1; l < kFreeBody; ++l) top[k] -= top[l] * g[l + 6 * k], bottom[k] -= bottom[l] * g[l + 6 * k];
  for (int j = 0; j < kFreeBody; ++j) store(top[j], x + 6 * j), store(bottom[j], x + 6 * j + 4);
}

/// Masks of what lies below row k, and of row k alone, of a column of six.
struct Below {
  long long below[kFreeBody], at[kFreeBody];
};
constexpr Below belowRow(int k) {
  Below masks{};
  for (int i = 0; i < kFreeBody; ++i) masks.below[i] = i > k ? -1 : 0, masks.at[i] = i == k ? -1 : 0;
  return masks;
}
constexpr Below kBelow[] = {belowRow(0), belowRow(1), belowRow(2), belowRow(3), belowRow(4), belowRow(5)};

/// x where the mask is 0, y elsewhere.
template <typename Register>
inline __attribute__((always_inline)) Register blend(const long long* mask, const Register& x, const Register& y) {
  typedef long long Mask __attribute__((vector_size(sizeof(Register))));
  Mask m;
  std::memcpy(&m, mask, sizeof m);
  return reinterpret_cast<Register>((reinterpret_cast<Mask>(x) & ~m) | (reinterpret_cast<Mask>(y) & m));
}

/// x, and the number y where the mask is not 0.
template <typename Register>
inline __attribute__((always_inline)) Register replace(const long long* mask, const Register& x, double y) {
  return blend(mask, x, y - Register{});  // Minus zero stays what it is.
}

/// Of a column of n numbers: the row from k on of the largest, to divide by. n: there is none.
inline __attribute__((always_inline)) int pivotOf(const double* column, int k, int n) {
  int p = k;
  for (int i = k + 1; i < n; ++i)
    if (std::abs(column[i]) > std::abs(column[p])) p = i;
  return std::abs(column[p]) > 0 && std::abs(column[p]) < HUGE_VAL ? p : n;
}

/// factorDense() of a 6 x 6 block, in registers: columns that are written number by number and read as a whole wait for
/// memory.
RIGOR_WIDE bool factor6(double* __restrict g, int* __restrict pivot) {
  Four top[kFreeBody];
  Two bottom[kFreeBody];
  for (int j = 0; j < kFreeBody; ++j) top[j] = load<Four>(g + 6 * j), bottom[j] = load<Two>(g + 6 * j + 4);
#pragma GCC unroll 6
  for (int k = 0; k < kFreeBody; ++k) {
    double column[kFreeBody];
    store(top[k], column), store(bottom[k], column + 4);
    const int p = pivot[k] = pivotOf(column, k, kFreeBody);
    if (p == kFreeBody) return false;
    if (p != k)
      for (int j = 0; j < kFreeBody; ++j) {
        double x[kFreeBody];
        store(top[j], x), store(bottom[j], x + 4);
        top[j] = replace(kBelow[k].at, replace(kBelow[p].at, top[j], x[k]), x[p]);
        bottom[j] = replace(kBelow[k].at + 4, replace(kBelow[p].at + 4, bottom[j], x[k]), x[p]);
      }
    const double inverse = 1 / column[p];
    const Below& mask = kBelow[k];
    const Four top_below = blend(mask.below, Four{}, top[k] * inverse);
    const Two bottom_below = blend(mask.below + 4, Two{}, bottom[k] * inverse);
    for (int j = k + 1; j < kFreeBody; ++j) {
      const double y = k < 4 ? top[j][k & 3] : bottom[j][k & 1];
      top[j] -= top_below * y, bottom[j] -= bottom_below * y;
    }
    top[k] = blend(mask.below, replace(mask.at, top[k], inverse), top_below);
    bottom[k] = blend(mask.below + 4, replace(mask.at + 4, bottom[k], inverse), bottom_below);
  }
  for (int j = 0; j < kFreeBody; ++j) store(top[j], g + 6 * j), store(bottom[j], g + 6 * j + 4);
  return true;
}

RIGOR_WIDE void subtractProduct(const double* __restrict a, const double* __restrict b, double* __restrict c, int rows,
                                int inner, int columns) {
  for (int j = 0; j < columns; ++j)
    for (int k = 0; k < inner; ++k) {
      const double y = b[k + j * inner];
      const double* __restrict x = a + static_cast<std::ptrdiff_t>(k) * rows;
      double* __restrict z = c + static_cast<std::ptrdiff_t>(j) * rows;
      for (int i = 0; i < rows; ++i) z[i] -= x[i] * y;
    }
}

/// y -= a x.
inline __attribute__((always_inline)) void subtractVector(const double* a, const double* x, double* y, int rows,
                                                          int inner) {
  if (rows == kFreeBody && inner == kFreeBody) subtractProduct6(a, x, y);
  else subtractProduct(a, x, y, rows, inner, 1);
}

/// LU with partial pivoting of a block in place; pivots inverted.
RIGOR_WIDE bool factorDense(double* g, int n, int* pivot) {
  for (int k = 0; k < n; ++k) {
    double* column = g + static_cast<std::ptrdiff_t>(k) * n;
    const int p = pivot[k] = pivotOf(column, k, n);
    if (p == n) return false;
    if (p != k)
      for (int j = 0; j < n; ++j) std::swap(g[k + j * n], g[p + j * n]);
    const double inverse = 1 / column[k];
    column[k] = inverse;
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    for (int j = k + 1; j < n; ++j) {
      double* target = g + static_cast<std::ptrdiff_t>(j) * n;
      const double y = target[k];
      if (y == 0) continue;
      for (int i = k + 1; i < n; ++i) target[i] -= column[i] * y;
    }
  }
  return true;
}

/// x := g^-1 x with the factors of factorDense().
template <int kSize>
inline __attribute__((always_inline)) void solveDense(const double* g, int size, const int* pivot, double* x) {
  const int n = kSize > 0 ? kSize : size;
  for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot[k]]);
#pragma GCC unroll 6
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) x[i] -= g[i + k * n] * x[k];
#pragma GCC unroll 6
  for (int k = n - 1; k >= 0; --k) {
    x[k] *= g[k + k * n];
    for (int i = 0; i < k; ++i) x[i] -= g[i + k * n] * x[k];
  }
}

/// x := x g^-1, rows x n, with the factors of factorDense().
void divideDense(const double* g, int n, const int* pivot, double* x, int rows) {
  const auto column = [&](int k) { return x + static_cast<std::ptrdiff_t>(k) * rows; };
  const auto subtract = [&](int k, int l) {
    const double y = g[l + k * n];
    const double* __restrict source = column(l);
    double* __restrict target = column(k);
    for (int i = 0; i < rows; ++i) target[i] -= source[i] * y;
  };
  if (n == kFreeBody && rows == kFreeBody) {
    divideBlock6(g, x);
  } else {
    for (int k = 0; k < n; ++k) {
      for (int l = 0; l < k; ++l) subtract(k, l);
      const double y = g[k + k * n];
      for (double* x_k = column(k); x_k < column(k) + rows; ++x_k) *x_k *= y;
    }
    for (int k = n - 1; k >= 0; --k)
      for (int l = k + 1; l < n; ++l) subtract(k, l);
  }
  for (int k = n - 1; k >= 0; --k)
    if (pivot[k] != k) std::swap_ranges(column(k), column(k) + rows, column(pivot[k]));
}

}  // namespace

void BlockFactor::setGraph(std::span<const int> sizes, std::span<const std::pair<int, int>> edges) {
  if (std::equal(sizes.begin(), sizes.end(), given_sizes_.begin(), given_sizes_.end()) &&
      std::equal(edges.begin(), edges.end(), given_.begin(), given_.end()))
    return;
  given_sizes_.assign(sizes.begin(), sizes.end());
  given_.assign(edges.begin(), edges.end());
  pairs_.clear();
  for (auto [i, j] : given_) pairs_.emplace_back(std::min(i, j), std::max(i, j));
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  order(pairs_);
  fill(pairs_);
  place();
}

void BlockFactor::order(std::span<const std::pair<int, int>> pairs) {
  const int n = static_cast<int>(given_sizes_.size());
  position_.resize(n), body_.resize(n), sizes_.resize(n), first_.resize(n);
  using Sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
  std::vector<Eigen::Triplet<double>> entries;
  for (auto [i, j] : pairs) entries.emplace_back(i, j, 1.0), entries.emplace_back(j, i, 1.0);
  for (int i = 0; i < n; ++i) entries.emplace_back(i, i, 1.0);
  Sparse pattern(n, n);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order(n);
  Eigen::AMDOrdering<int>()(pattern, order);
  for (int k = 0; k < n; ++k) body_[k] = order.indices()[k];
  for (int k = 0, at = 0; k < n; ++k) first_[k] = at, at += given_sizes_[k];
  for (int k = 0; k < n; ++k) position_[body_[k]] = k, sizes_[k] = given_sizes_[body_[k]];
}

/// Which blocks the factors have: a column's, and those of the columns that it is the first row of.
void BlockFactor::fill(std::span<const std::pair<int, int>> pairs) {
  const int n = static_cast<int>(sizes_.size());
  if (static_cast<int>(columns_.size()) < n) columns_.resize(n);
  for (int k = 0; k < n; ++k) columns_[k].clear();
  for (auto [i, j] : pairs) {
    const int a = std::max(position_[i], position_[j]), b = std::min(position_[i], position_[j]);
    columns_[b].push_back(a);
  }
  start_.assign(1, 0), row_.clear();
  for (int k = 0; k < n; ++k) {
    auto& column = columns_[k];
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    if (column.size() > 1) columns_[column[0]].insert(columns_[column[0]].end(), column.begin() + 1, column.end());
    row_.insert(row_.end(), column.begin(), column.end());
    start_.push_back(static_cast<int>(row_.size()));
  }
}

int BlockFactor::find(int i, int j) const {
  return static_cast<int>(std::lower_bound(row_.begin() + start_[j], row_.begin() + start_[j + 1], i) - row_.begin());
}

void BlockFactor::place() {
  const int n = static_cast<int>(sizes_.size());
  int at = 0, pivots = 0;
  diagonal_.resize(n), pivot_start_.resize(n);
  for (int k = 0; k < n; ++k) {
    diagonal_[k] = at, at += sizes_[k] * sizes_[k];
    pivot_start_[k] = pivots, pivots += sizes_[k];
  }
  lower_.resize(row_.size()), upper_.resize(row_.size());
  for (int k = 0; k < n; ++k)
    for (int e = start_[k]; e < start_[k + 1]; ++e) {
      lower_[e] = at, at += sizes_[row_[e]] * sizes_[k];
      upper_[e] = at, at += sizes_[row_[e]] * sizes_[k];
    }
  values_.assign(at, 0.0);
  pivots_.resize(pivots), x_.resize(pivots);
  updates_.clear(), update_start_.assign(1, 0);
  for (int k = 0; k < n; ++k) {
    for (int e = start_[k]; e < start_[k + 1]; ++e)
      for (int f = start_[k]; f < start_[k + 1]; ++f) {
        const int i = row_[e], j = row_[f];
        const int target = i == j ? diagonal_[i] : i > j ? lower_[find(i, j)] : upper_[find(j, i)];
        updates_.push_back({lower_[e], upper_[f], target, sizes_[i], sizes_[k], sizes_[j]});
      }
    update_start_.push_back(static_cast<int>(updates_.size()));
  }
  edge_.clear();
  for (auto [i, j] : given_) {
    const int a = position_[i], b = position_[j], e = find(std::max(a, b), std::min(a, b));
    edge_.emplace_back(a > b ? lower_[e] : upper_[e], a > b ? upper_[e] : lower_[e]);
  }
}

void BlockFactor::setZero() { std::fill(values_.begin(), values_.end(), 0.0); }

bool BlockFactor::factor() {
  const int n = static_cast<int>(sizes_.size());
  double* v = values_.data();
  for (int k = 0; k < n; ++k) {
    double* g = v + diagonal_[k];
    int* pivot = pivots_.data() + pivot_start_[k];
    if (!(sizes_[k] == kFreeBody ? factor6(g, pivot) : factorDense(g, sizes_[k], pivot))) return false;
    for (int e = start_[k]; e < start_[k + 1]; ++e)
      divideDense(g, sizes_[k], pivot, v + lower_[e], sizes_[row_[e]]);
    for (int u = update_start_[k]; u < update_start_[k + 1]; ++u) {
      const Update& up = updates_[u];
      if (up.rows == kFreeBody && up.inner == kFreeBody && up.columns == kFreeBody)
        subtractBlock6(v + up.a, v + up.b, v + up.target);
      else subtractProduct(v + up.a, v + up.b, v + up.target, up.rows, up.inner, up.columns);
    }
  }
  return true;
}

RIGOR_WIDE void BlockFactor::solve(double* x) {
  const int n = static_cast<int>(sizes_.size());
  const double* v = values_.data();
  for (int k = 0; k < n; ++k) std::copy_n(x + first_[body_[k]], sizes_[k], x_.data() + pivot_start_[k]);
  double* y = x_.data();
  const auto part = [&](int k) { return y + pivot_start_[k]; };
  for (int k = 0; k < n; ++k)
    for (int e = start_[k]; e < start_[k + 1]; ++e)
      subtractVector(v + lower_[e], part(k), part(row_[e]), sizes_[row_[e]], sizes_[k]);
  for (int k = n - 1; k >= 0; --k) {
    for (int e = start_[k]; e < start_[k + 1]; ++e)
      subtractVector(v + upper_[e], part(row_[e]), part(k), sizes_[k], sizes_[row_[e]]);
    const int* pivot = pivots_.data() + pivot_start_[k];
    if (sizes_[k] == kFreeBody) solveDense<kFreeBody>(v + diagonal_[k], 6, pivot, part(k));
    else solveDense<0>(v + diagonal_[k], sizes_[k], pivot, part(k));
  }
  for (int k = 0; k < n; ++k) std::copy_n(x_.data() + pivot_start_[k], sizes_[k], x + first_[body_[k]]);
}

}  // namespace rigor::friction
