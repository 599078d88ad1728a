// SPDX-License-Identifier: MIT
#pragma once

namespace rigor::advance::scaled {

/// Kernels on polynomials in SCALED Bernstein form, f(s) = sum_k a_k s^k (1-s)^(n-k), a_k = C(n,k) c_k with c_k the
/// Bernstein coefficients. A product is a plain convolution and a degree elevation a convolution with (1, 1), without
/// binomial weights; the signs of a_k and c_k agree. Errors are stated for c_k: |error of a_k| <= C(n,k) err.
/// With |c_k| <= mag, a convolution with at most T terms a sum adds T u mag_a mag_b, u = 2^-53: the weights of the
/// Bernstein product are convex.

inline constexpr int kMaxDegree = 15;
inline constexpr double kUnitRoundoff = 0x1p-53;
/// Covers underflow of products: data so small that this matters is decided by exact arithmetic.
inline constexpr double kUnderflow = 1e-200;
/// Input data beyond this is left to exact arithmetic: no product here overflows, and kUnderflow covers what it
/// multiplies.
inline constexpr double kHuge = 1e15;
/// Second-order terms and the rounding of the error bound itself.
inline constexpr double kBoundInflation = 1.01;

template <int N>
inline constexpr auto kBinomials = [] {
  struct {
    double c[N + 1];
  } row{};
  row.c[0] = 1;
  for (int k = 1; k <= N; ++k) row.c[k] = row.c[k - 1] * (N - k + 1) / k;
  return row;
}();

/// C(n, k) for n <= 15, at run time.
inline constexpr auto kBinomial = [] {
  struct {
    double c[kMaxDegree + 1][kMaxDegree + 1];
  } table{};
  for (int n = 0; n <= kMaxDegree; ++n) {
    table.c[n][0] = 1;
    for (int k = 1; k <= n; ++k) table.c[n][k] = table.c[n][k - 1] * (n - k + 1) / k;
  }
  return table;
}();

/// c += a b; degrees N, M, N + M. At most min(N, M) + 1 terms a sum, beside c.
template <int N, int M>
inline void multiplyAdd(const double* a, const double* b, double* c) {
  double t[N + M + 1] = {};
  for (int i = 0; i <= N; ++i)
    for (int j = 0; j <= M; ++j) t[i + j] += a[i] * b[j];
  for (int k = 0; k <= N + M; ++k) c[k] += t[k];
}

/// c = a b.
template <int N, int M>
inline void multiply(const double* a, const double* b, double* c) {
  double t[N + M + 1] = {};
  for (int i = 0; i <= N; ++i)
    for (int j = 0; j <= M; ++j) t[i + j] += a[i] * b[j];
  for (int k = 0; k <= N + M; ++k) c[k] = t[k];
}

/// c = a, written with degree N + 3. Adds at most 4 u mag.
template <int N>
inline void elevate3(const double* a, double* c) {
  double t[N + 4] = {};
  for (int i = 0; i <= N; ++i) {
    t[i] += a[i];
    t[i + 1] += 3 * a[i];
    t[i + 2] += 3 * a[i];
    t[i + 3] += a[i];
  }
  for (int k = 0; k <= N + 3; ++k) c[k] = t[k];
}

}  // namespace rigor::advance::scaled
