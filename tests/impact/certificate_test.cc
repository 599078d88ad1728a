// SPDX-License-Identifier: MIT
// Proved: the checker, which knows no polyhedra, accepts the certificates of exact sets, from inside and from outside,
// and its bounds are those of the sets; it accepts no certificate in which anything was altered.
#include "impact/sets/certify.h"

#include <gtest/gtest.h>

#include "altered_certificates.h"
#include "impact/sets/check_certificate.h"
#include "known_sets.h"
#include "random_planar.h"

namespace rigor::impact {
namespace {

TEST(Certificate, KnownSetsAreProved) {
  for (const test::KnownSet& known : test::knownSets()) {
    const ExactSet set(known.problem);
    const SetCertificate certificate = certify(set, known.problem);
    const CertificateVerdict verdict = checkCertificate(certificate);
    EXPECT_TRUE(verdict.inner && verdict.outer) << known.name << ": " << verdict.failure;
    size_t vertices = 0;
    for (const ExactSet::Final& final : set.final()) vertices += final.polytope.rays().size();
    EXPECT_EQ(certificate.chains.size(), vertices) << known.name;
    for (const SetCertificate::Bound& bound : certificate.bounds) {
      EXPECT_EQ(bound.inner_low, bound.outer_low) << known.name << ' ' << bound.name;
      EXPECT_EQ(bound.inner_high, bound.outer_high) << known.name << ' ' << bound.name;
    }
    EXPECT_TRUE(isAbout(certificate, known.problem));
    ImpactProblem other = known.problem;
    other.velocity[0] += 1e-12;
    EXPECT_FALSE(isAbout(certificate, other));
  }
}

TEST(Certificate, SetsWithSpiralsAreProved) {
  for (const std::uint64_t seed : {31, 111, 408}) {
    const ImpactProblem problem = test::randomPlanar(seed);
    const ExactSet set(problem, {1'000'000, 20'000});
    const SetCertificate certificate = certify(set, problem);
    const CertificateVerdict verdict = checkCertificate(certificate);
    EXPECT_TRUE(verdict.inner && verdict.outer) << seed << ": " << verdict.failure;
    for (const SetCertificate::Bound& bound : certificate.bounds) {
      EXPECT_EQ(bound.inner_low, bound.outer_low) << seed << ' ' << bound.name;
      EXPECT_EQ(bound.inner_high, bound.outer_high) << seed << ' ' << bound.name;
    }
  }
}

// Each half-space is what some motion needs: a little less of any element is no proof any more.
TEST(Certificate, NoElementIsLargerThanNeeded) {
  for (const auto& [seed, rank] : {std::pair{29, 3}, std::pair{192, 4}}) {
    const ImpactProblem problem = test::randomThreeContacts(static_cast<std::uint64_t>(seed), rank);
    const ExactSet set(problem);
    const SetCertificate certificate = certify(set, problem);
    const CertificateVerdict verdict = checkCertificate(certificate);
    ASSERT_TRUE(verdict.inner && verdict.outer) << seed << ": " << verdict.failure;
    for (size_t e = 0; e < certificate.elements.size(); ++e) {
      for (size_t h = 0; h < certificate.elements[e].halfspaces.size(); ++h) {
        SetCertificate smaller = certificate;
        smaller.elements[e].halfspaces[h][0] -= mpq_class(1, 1'000'000'000);
        EXPECT_FALSE(checkCertificate(smaller).outer) << seed << ", element " << e << ", half-space " << h;
      }
    }
  }
}

TEST(Certificate, OfAnUnfinishedSearchHasNoOuterPart) {
  const ImpactProblem problem = test::compassGait();
  const ExactSet set(problem, {8000, 20'000});
  ASSERT_FALSE(set.complete());
  ASSERT_FALSE(set.final().empty());
  const CertificateVerdict verdict = checkCertificate(certify(set, problem));
  EXPECT_TRUE(verdict.inner) << verdict.failure;
  EXPECT_FALSE(verdict.outer);
}

struct Count {
  int problems = 0, accepted = 0, altered = 0, altered_accepted = 0;
};

/// `work`: sets that take more are left out.
Count tryRandom(int problems, int alterations_each, std::int64_t work) {
  Count count;
  for (int k = 0; k < problems; ++k) {
    const ImpactProblem problem = test::randomPlanar(static_cast<std::uint64_t>(k));
    const ExactSet set(problem, {work, 20'000});
    if (!set.complete()) continue;
    ++count.problems;
    const SetCertificate certificate = certify(set, problem);
    const CertificateVerdict verdict = checkCertificate(certificate);
    count.accepted += verdict.inner && verdict.outer;
    EXPECT_TRUE(verdict.inner && verdict.outer) << k << ": " << verdict.failure;
    std::mt19937_64 random(static_cast<std::uint64_t>(k) + 77);
    for (int a = 0; a < alterations_each; ++a) {
      SetCertificate altered = certificate;
      const char* const name = test::alterOneThing(altered, random);
      if (!name) continue;
      ++count.altered;
      const CertificateVerdict after = checkCertificate(altered);
      const bool accepted = after.inner && after.outer;
      count.altered_accepted += accepted;
      EXPECT_FALSE(accepted) << k << ": accepted with altered " << name;
    }
  }
  return count;
}

TEST(Certificate, RandomProblemsAreProvedAndAlteredProofsRefused) {
  const Count count = tryRandom(40, 3, 200'000);
  EXPECT_GE(count.problems, 36);
  EXPECT_EQ(count.accepted, count.problems);
  EXPECT_GT(count.altered, 60);
  EXPECT_EQ(count.altered_accepted, 0);
}

TEST(SlowCertificate, AThousandProblemsAndAThousandAlterations) {
  const Count count = tryRandom(1000, 3, 200'000);
  EXPECT_GE(count.problems, 950);
  EXPECT_EQ(count.accepted, count.problems);
  EXPECT_GE(count.altered, 1000);
  EXPECT_EQ(count.altered_accepted, 0);
}

}  // namespace
}  // namespace rigor::impact
