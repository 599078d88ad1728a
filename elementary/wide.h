// SPDX-License-Identifier: MIT
#pragma once
#include <cstring>

/// Registers of two and four doubles. Products and sums stay apart and keep their order, so every processor gives the
/// same bits.
namespace rigor::elementary {

// Registers are passed only between functions that are compiled into each other: there is no call whose convention they
// could change.
#pragma GCC diagnostic ignored "-Wpsabi"

using Two = double __attribute__((vector_size(16)));
using Four = double __attribute__((vector_size(32)));

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
// Registers of four where the processor has them.
#define RIGOR_WIDE __attribute__((target_clones("avx2", "default")))
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

}  // namespace rigor::elementary
