// SPDX-License-Identifier: MIT
#pragma once
#include <cstring>

/// Kernels for the six velocities of a free body, in registers of two and four doubles. Products and sums stay apart
/// and keep their order, so every processor gives the same bits.
namespace rigor::friction {

using Two = double __attribute__((vector_size(16)));
using Four = double __attribute__((vector_size(32)));

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
// Registers of four where the processor has them.
#define RIGOR_WIDE __attribute__((target_clones("avx", "default")))
#else
#define RIGOR_WIDE
#endif

template <typename Register>
inline __attribute__((always_inline)) Register load(const double* x) {
  Register y;
  std::memcpy(&y, x, sizeof y);
  return y;
}

template <typename Register>
inline __attribute__((always_inline)) void store(const Register& y, double* x) {
  std::memcpy(x, &y, sizeof y);
}

/// out += rows^T f, rows 3 x 6 row by row.
inline void addTransposed6(const double* rows, const double* f, double* out) {
  for (int k = 0; k < 6; k += 2)
    store(load<Two>(out + k) + ((load<Two>(rows + k) * f[0] + load<Two>(rows + 6 + k) * f[1]) +
                                load<Two>(rows + 12 + k) * f[2]), out + k);
}

/// w += rows v, rows 3 x 6 row by row.
inline void addProduct6(const double* rows, const double* v, double* w) {
  const Two v0 = load<Two>(v), v1 = load<Two>(v + 2), v2 = load<Two>(v + 4);
  for (int r = 0; r < 3; ++r) {
    const double* row = rows + 6 * r;
    const Two sum = (load<Two>(row) * v0 + load<Two>(row + 2) * v1) + load<Two>(row + 4) * v2;
    w[r] += sum[0] + sum[1];
  }
}

/// y -= a x, a 6 x 6 column by column.
inline void subtractProduct6(const double* a, const double* x, double* y) {
  Two y0 = load<Two>(y), y1 = load<Two>(y + 2), y2 = load<Two>(y + 4);
  for (int k = 0; k < 6; ++k) {
    y0 -= load<Two>(a + 6 * k) * x[k];
    y1 -= load<Two>(a + 6 * k + 2) * x[k];
    y2 -= load<Two>(a + 6 * k + 4) * x[k];
  }
  store(y0, y), store(y1, y + 2), store(y2, y + 4);
}

}  // namespace rigor::friction
