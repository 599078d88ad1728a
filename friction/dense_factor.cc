// SPDX-License-Identifier: MIT
#include "friction/dense_factor.h"

#include <type_traits>

namespace rigor::friction {
namespace {

/// Calls work(std::integral_constant<int, n>) for small n, with 0 for all others.
template <typename Work>
decltype(auto) bySize(int n, Work&& work) {
  switch (n) {
    case 1: return work(std::integral_constant<int, 1>());
    case 2: return work(std::integral_constant<int, 2>());
    case 3: return work(std::integral_constant<int, 3>());
    case 4: return work(std::integral_constant<int, 4>());
    case 5: return work(std::integral_constant<int, 5>());
    case 6: return work(std::integral_constant<int, 6>());
    case 8: return work(std::integral_constant<int, 8>());
    case 9: return work(std::integral_constant<int, 9>());
    case 12: return work(std::integral_constant<int, 12>());
    default: return work(std::integral_constant<int, 0>());
  }
}

}  // namespace

bool factorLu(double* g, int n, int* pivot) {
  return bySize(n, [&](auto size) { return factorLu<size()>(g, n, pivot); });
}

void solveLu(const double* g, int n, const int* pivot, double* x) {
  bySize(n, [&](auto size) { solveLu<size()>(g, n, pivot, x); });
}

bool factorLdlt(double* g, int n) {
  return bySize(n, [&](auto size) { return factorLdlt<size()>(g, n); });
}

void solveLdlt(const double* g, int n, double* x) {
  bySize(n, [&](auto size) { solveLdlt<size()>(g, n, x); });
}

}  // namespace rigor::friction
