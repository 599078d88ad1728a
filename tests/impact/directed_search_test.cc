// SPDX-License-Identifier: MIT
// Proved: walks of the directed search end where bodies lie on each other, their chains are ones of the inclusion (the
// checker, which shares no code with the search, accepts them), and they reach as far as other methods do.
#include "impact/sets/directed_search.h"

#include <gtest/gtest.h>

#include "block_column.h"
#include "impact/sets/certify.h"
#include "impact/sets/check_certificate.h"
#include "published_problems.h"

namespace rigor::impact {
namespace {

/// A certificate of the chains alone, accepted or not.
CertificateVerdict check(const ImpactProblem& problem, const ExactProblem& exact,
                         const std::vector<SetCertificate::Chain>& chains) {
  SetCertificate certificate;
  certificate.problem = certifiedProblem(problem, exact.toldApart());
  certificate.coordinates = exact.coordinates();
  certificate.chains = chains;
  for (const ExactQuantity& quantity : quantitiesOf(exact)) {
    SetCertificate::Bound& bound = certificate.bounds.emplace_back();
    bound.name = quantity.name;
    bound.low_chain = bound.high_chain = 0;
    bound.inner_low = bound.inner_high = quantity.at(chains.at(0).end);
  }
  return checkCertificate(certificate);
}

// Walks that push at single contacts alternate between the blocks and hardly slow them in 120 moves.
TEST(SlowDirectedSearch, WalksEndForTowersOfBlocks) {
  for (const int blocks : {2, 3, 4}) {
    const ImpactProblem problem = test::columnOfBlocks(blocks, 0.3);
    const ExactProblem exact(problem);
    const std::vector<SetCertificate::Chain> chains = searchExtremes(exact, {.walks = 150, .improvements = 0});
    ASSERT_FALSE(chains.empty()) << blocks;
    const CertificateVerdict verdict = check(problem, exact, chains);
    EXPECT_TRUE(verdict.inner) << blocks << ": " << verdict.failure;
  }
}

// 100,000 random orders of single contacts, each followed by Routh's law to its end, reach .207 m/s for the contact of
// the upper disk and the left one, and .109 m/s for the upper disk itself.
TEST(SlowDirectedSearch, DisksFlyFartherApartThanInAnyOrderOfContacts) {
  const ImpactProblem problem = test::diskStack();
  const ExactProblem exact(problem);
  const std::vector<SetCertificate::Chain> chains = searchExtremes(exact, {.walks = 1'000, .improvements = 50});
  ASSERT_FALSE(chains.empty());
  const CertificateVerdict verdict = check(problem, exact, chains);
  EXPECT_TRUE(verdict.inner) << verdict.failure;
  mpq_class apart = 0, lift = 0;
  for (const ExactQuantity& quantity : quantitiesOf(exact)) {
    for (const SetCertificate::Chain& chain : chains) {
      if (quantity.name == "vn2") apart = std::max(apart, quantity.at(chain.end));
      if (quantity.name == "v1") lift = std::max(lift, quantity.at(chain.end));
    }
  }
  EXPECT_GT(apart, 0.207);
  EXPECT_GT(lift, 0.109);
}

}  // namespace
}  // namespace rigor::impact
