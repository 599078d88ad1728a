// SPDX-License-Identifier: MIT
#pragma once
#include "elementary/wide.h"

/// Kernels for the six velocities of a free body, in registers of two and four doubles.
namespace rigor::friction {

using elementary::Four;
using elementary::load;
using elementary::store;
using elementary::Two;

/// out += rows^T f, rows 3 x 6 row by row.
inline __attribute__((always_inline)) void addTransposed6(const double* rows, const double* f, double* out) {
  const Four top = (load<Four>(rows) * f[0] + load<Four>(rows + 6) * f[1]) + load<Four>(rows + 12) * f[2];
  const Two bottom = (load<Two>(rows + 4) * f[0] + load<Two>(rows + 10) * f[1]) + load<Two>(rows + 16) * f[2];
  store(load<Four>(out) + top, out), store(load<Two>(out + 4) + bottom, out + 4);
}

/// w += rows v, rows 3 x 6 row by row.
inline __attribute__((always_inline)) void addProduct6(const double* rows, const double* v, double* w) {
  const Two v0 = load<Two>(v), v1 = load<Two>(v + 2), v2 = load<Two>(v + 4);
  for (int r = 0; r < 3; ++r) {
    const double* row = rows + 6 * r;
    const Two sum = (load<Two>(row) * v0 + load<Two>(row + 2) * v1) + load<Two>(row + 4) * v2;
    w[r] += sum[0] + sum[1];
  }
}

/// y -= a x, a 6 x 6 column by column.
inline __attribute__((always_inline)) void subtractProduct6(const double* a, const double* x, double* y) {
  Four top = load<Four>(y);
  Two bottom = load<Two>(y + 4);
  for (int k = 0; k < 6; ++k) top -= load<Four>(a + 6 * k) * x[k], bottom -= load<Two>(a + 6 * k + 4) * x[k];
  store(top, y), store(bottom, y + 4);
}

}  // namespace rigor::friction
