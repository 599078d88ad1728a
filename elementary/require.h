// SPDX-License-Identifier: MIT
#pragma once
#ifdef RIGOR_CONTRACTS
#include <cstdio>
#include <cstdlib>

namespace rigor {

[[noreturn]] inline void contractIsBroken(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: a contract is broken: %s\n", file, line, condition);
  std::abort();
}

}  // namespace rigor

/// What a caller has promised (`@pre`), or what the code around promises itself: checked in debug, sanitizer and fuzz
/// builds, where it ends the program with place and condition; nothing in others, where the condition is not evaluated.
/// It is for mistakes in this code, never for input. Numbers that are not finite are the business of each function's
/// safe branch: write conditions so that NaN passes.
#define RIGOR_REQUIRE(condition) \
  ((condition) ? static_cast<void>(0) : ::rigor::contractIsBroken(#condition, __FILE__, __LINE__))
#else
#define RIGOR_REQUIRE(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
