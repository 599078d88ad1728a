// SPDX-License-Identifier: MIT
#pragma once
#include <cmath>

namespace rigor::geom {

/// A real with at least twice the digits of double, for the rare evaluation that doubles cannot settle: 113 bits where
/// the compiler has binary128, else long double.
#if defined(__SIZEOF_FLOAT128__)
using WideReal = __float128;
#else
using WideReal = long double;
#endif

inline double squareRoot(double x) { return std::sqrt(x); }

/// √x to the precision of WideReal: two Newton steps from the double root. Also right beyond the range of double.
inline WideReal squareRoot(WideReal x) {
  if (!(x > 0)) return x == 0 ? x : (x - x) / (x - x);  // Negative or NaN: NaN.
  if (x - x != 0) return x;                               // Infinite.
  WideReal scale = 1;
  while (x < WideReal(0x1p-900)) x *= WideReal(0x1p200), scale *= WideReal(0x1p-100);
  while (x > WideReal(0x1p900)) x *= WideReal(0x1p-200), scale *= WideReal(0x1p100);
  WideReal root = std::sqrt(static_cast<double>(x));
  root = (root + x / root) / 2;
  root = (root + x / root) / 2;
  return scale * root;
}

}  // namespace rigor::geom
