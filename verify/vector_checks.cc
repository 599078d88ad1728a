// SPDX-License-Identifier: MIT
#include "verify/vector_checks.h"

#include <algorithm>
#include <cmath>

namespace rigor::verify {

bool allFinite(const double* values, int count) {
  return std::all_of(values, values + count, [](double x) { return std::isfinite(x); });
}

double largest(const double* values, int count) {
  double size = 0;
  for (int i = 0; i < count; ++i) size = std::max(size, std::abs(values[i]));
  return size;
}

bool agree(const double* a, const double* b, double tolerance, double absolute) {
  const double size = std::max(largest(a, 3), largest(b, 3));
  for (int k = 0; k < 3; ++k)
    if (!(std::abs(a[k] - b[k]) <= tolerance * size + absolute)) return false;  // NaN disagrees.
  return true;
}

}  // namespace rigor::verify
