// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>
#include <cstddef>
#include <utility>

namespace rigor::friction {

/// Factorisations of small dense systems in a caller's buffer: column-major, leading dimension = n, no allocation.
/// Inner loops run down columns so that they vectorise without reassociation. Both leave the factors in `g`.
/// Small systems are worked through without loops: the same operations in the same order, the same bits. The functions
/// of any size choose among those, and are compiled once.

/// LU with threshold pivoting: the diagonal stays where it is at least a tenth of its column's largest entry, so that
/// banded matrices stay nearly banded; zeros below and right of the band cost no arithmetic. @returns false at a zero
/// or NaN pivot; `g` is then unusable.
template <int kSize>
[[nodiscard]] inline bool factorLu(double* __restrict g, int size, int* __restrict pivot) {
  const int n = kSize > 0 ? kSize : size;
#pragma GCC unroll 6
  for (int k = 0; k < n; ++k) {
    double* col = g + static_cast<std::size_t>(k) * n;
    int end = n;
    while (kSize == 0 && end > k + 1 && col[end - 1] == 0) --end;
    int p = k;
    double best = 10 * std::abs(col[k]);
    for (int i = k + 1; i < end; ++i) {
      const double v = std::abs(col[i]);
      if (v > best) best = v, p = i;
    }
    if (!(best > 0)) return false;  // NaN too
    pivot[k] = p;
    if (p != k) {
      for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) std::swap(g[k + j * n], g[p + j * n]);
    }
    const double inverse = 1 / col[k];
    col[k] = inverse;  // The diagonal of U is kept inverted.
    for (int i = k + 1; i < end; ++i) col[i] *= inverse;
    for (int j = k + 1; j < n; ++j) {
      double* target = g + static_cast<std::size_t>(j) * n;
      const double u = target[k];
      if (kSize == 0 && u == 0) continue;
      for (int i = k + 1; i < end; ++i) target[i] -= col[i] * u;
    }
  }
  return true;
}

[[nodiscard]] bool factorLu(double* g, int n, int* pivot);

/// x <- G^-1 x with the factors of factorLu.
template <int kSize>
inline void solveLu(const double* __restrict g, int size, const int* __restrict pivot, double* __restrict x) {
  const int n = kSize > 0 ? kSize : size;
#pragma GCC unroll 6
  for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot[k]]);
#pragma GCC unroll 6
  for (int k = 0; k < n; ++k) {
    const double* col = g + static_cast<std::size_t>(k) * n;
    const double xk = x[k];
    for (int i = k + 1; i < n; ++i) x[i] -= col[i] * xk;
  }
#pragma GCC unroll 6
  for (int k = n - 1; k >= 0; --k) {
    const double* col = g + static_cast<std::size_t>(k) * n;
    const double xk = x[k] *= col[k];
    for (int i = 0; i < k; ++i) x[i] -= col[i] * xk;
  }
}

void solveLu(const double* g, int n, const int* pivot, double* x);

/// L D L' of a symmetric positive definite matrix; only the lower triangle of `g` is read. L' is left in the upper
/// triangle as well, so that both substitutions run down columns. Zeros beyond a column's last entry cost nothing.
/// @returns false unless every pivot is positive.
template <int kSize>
[[nodiscard]] inline bool factorLdlt(double* __restrict g, int size) {
  const int n = kSize > 0 ? kSize : size;
#pragma GCC unroll 6
  for (int k = 0; k < n; ++k) {
    double* col = g + static_cast<std::size_t>(k) * n;
    const double pivot = col[k];
    if (!(pivot > 0)) return false;
    const double inverse = 1 / pivot;
    int end = n;
    while (kSize == 0 && end > k + 1 && col[end - 1] == 0) --end;
    for (int j = end; j < n; ++j) g[k + static_cast<std::size_t>(j) * n] = 0;
    for (int j = k + 1; j < end; ++j) {
      double* target = g + static_cast<std::size_t>(j) * n;
      const double l = col[j] * inverse;
      for (int i = j; i < end; ++i) target[i] -= col[i] * l;
      target[k] = l;
    }
    col[k] = inverse;
    for (int i = k + 1; i < end; ++i) col[i] *= inverse;
  }
  return true;
}

[[nodiscard]] bool factorLdlt(double* g, int n);

/// x <- G^-1 x with the factors of factorLdlt.
template <int kSize>
inline void solveLdlt(const double* __restrict g, int size, double* __restrict x) {
  const int n = kSize > 0 ? kSize : size;
#pragma GCC unroll 6
  for (int k = 0; k < n; ++k) {
    const double* col = g + static_cast<std::size_t>(k) * n;
    const double xk = x[k];
    for (int i = k + 1; i < n; ++i) x[i] -= col[i] * xk;
    x[k] = xk * col[k];
  }
#pragma GCC unroll 6
  for (int k = n - 1; k >= 0; --k) {
    const double* col = g + static_cast<std::size_t>(k) * n;
    const double xk = x[k];
    for (int i = 0; i < k; ++i) x[i] -= col[i] * xk;
  }
}

void solveLdlt(const double* g, int n, double* x);

}  // namespace rigor::friction
