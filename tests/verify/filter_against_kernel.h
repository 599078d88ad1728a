#pragma once

#include <gtest/gtest.h>

#include <string>

#include "hand_made_run.h"
#include "verify/filter/law_filter.h"

namespace rigor::verify {

// What the kernel rounds what it tells people by; that of the cone by 1e-12 of friction.
inline constexpr double kPrinted = 1e-8, kConeRounding = 1e-11;

/// Each law of a duty that the filter proves is at most what the filter says of it. @returns how many duties the filter
/// has proved.
inline int compareWithKernel(const kernel::made::Made& made, const std::string& what) {
  const kernel::BranchProof proof(made.run, made.run.branches[0], made.rows[0], kernel::Origin());
  const kernel::Laws laws(proof);
  if (!proof.malformed().empty() || !laws.malformed().empty()) return 0;
  const filter::LawFilter filter(proof, laws);
  int proved = 0;
  for (const kernel::Laws::Duty& duty : laws.duties()) {
    kernel::Residuals fast{}, exact{};
    kernel::Laws::Instants known;
    if (!filter.proves(duty, fast)) continue;
    ++proved;
    EXPECT_TRUE(laws.discharge(duty, exact, known).empty()) << what;
    for (std::size_t i = 0; i < kernel::kLaws; ++i)
      EXPECT_GE(fast[i].value * (1 + kPrinted) + kConeRounding, exact[i].value)
          << what << ' ' << kernel::kLawNames[i];
  }
  return proved;
}

}  // namespace rigor::verify
