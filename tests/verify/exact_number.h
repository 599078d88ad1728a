// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <cmath>

#include "verify/kernel/number.h"

namespace rigor::verify::kernel {

/// A number of the kernel as one of GMP's: its leading digits are taken off until nothing is left.
inline mpq_class exactOf(Number x) {
  const auto scaled = [](auto one, long exponent, auto two, auto half) {
    for (; exponent > 0; --exponent) one = one * two;
    for (; exponent < 0; ++exponent) one = one * half;
    return one;
  };
  mpq_class sum;
  while (sgn(x) != 0) {
    long exponent;
    const double leading = x.fraction(exponent);
    sum += scaled(mpq_class(leading), exponent, mpq_class(2), mpq_class(1, 2));
    x.addProduct(leading, scaled(Number(1), exponent, Number(2), Number(0.5)), -1);
  }
  return sum;
}

}  // namespace rigor::verify::kernel
