// SPDX-License-Identifier: MIT
#pragma once
#include <utility>

#include "verify/kernel/run.h"

namespace rigor::verify::kernel {

/// A vector of numbers, of fractions or of polynomials.
template <typename T>
struct Triple {
  T x[3];
  Triple() = default;
  Triple(T a, T b, T c) : x{std::move(a), std::move(b), std::move(c)} {}
  Triple(const double* v) : Triple(T(v[0]), T(v[1]), T(v[2])) {}  ///< @pre finite.
  Triple(const Vector3& v) : Triple(v.data()) {}
  T& operator[](int i) { return x[i]; }
  const T& operator[](int i) const { return x[i]; }
  Triple& add(const Triple& b, int sign = 1) {
    for (int i = 0; i < 3; ++i) x[i].add(b[i], sign);
    return *this;
  }
  friend Triple operator+(Triple a, const Triple& b) { return std::move(a.add(b)); }
  friend Triple operator-(Triple a, const Triple& b) { return std::move(a.add(b, -1)); }
};
template <typename T, typename S>
auto operator*(const Triple<T>& a, const S& s) -> Triple<decltype(a[0] * s)> {
  return {a[0] * s, a[1] * s, a[2] * s};
}
template <typename T, typename S>
auto dot(const Triple<T>& a, const Triple<S>& b) {
  auto sum = a[0] * b[0];
  sum.addProduct(a[1], b[1]).addProduct(a[2], b[2]);
  return sum;
}
template <typename T, typename S>
auto cross(const Triple<T>& a, const Triple<S>& b) {
  const auto part = [&](int j, int k) { return std::move((a[j] * b[k]).addProduct(a[k], b[j], -1)); };
  return Triple<decltype(a[0] * b[0])>(part(1, 2), part(2, 0), part(0, 1));
}

}  // namespace rigor::verify::kernel
