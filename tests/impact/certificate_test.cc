// SPDX-License-Identifier: MIT
// Proved: the checker, which knows no polyhedra, accepts the certificates of exact sets, from inside and from outside,
// and its bounds are those of the sets; it accepts no certificate in which anything was altered.
#include "impact/sets/certify.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

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

TEST(Certificate, OfAnUnfinishedSearchHasNoOuterPart) {
  const ImpactProblem problem = test::compassGait();
  const ExactSet set(problem, {8000, 20'000});
  ASSERT_FALSE(set.complete());
  ASSERT_FALSE(set.final().empty());
  const CertificateVerdict verdict = checkCertificate(certify(set, problem));
  EXPECT_TRUE(verdict.inner) << verdict.failure;
  EXPECT_FALSE(verdict.outer);
}

using Random = std::mt19937_64;

template <typename List>
auto& anyOf(List& list, Random& random) {
  return list[std::uniform_int_distribution<size_t>(0, list.size() - 1)(random)];
}

/// Changes a number by a little, relative to its size.
void nudge(mpq_class& value, Random& random) {
  const mpq_class little(random() % 2 ? 1 : -1, 1'000'000'000);
  if (sgn(value) == 0) {
    value = little;
  } else {
    value *= 1 + little;
  }
}

/// Changes a factor of a reason: a little, or to one of the other sign.
bool alterReason(std::vector<SetCertificate::Reason>& reasons, Random& random) {
  if (reasons.empty()) return false;
  SetCertificate::Reason& reason = anyOf(reasons, random);
  std::vector<SetCertificate::Term>& terms = reason.target.empty() || random() % 2 ? reason.source : reason.target;
  if (terms.empty()) return false;
  mpq_class& factor = anyOf(terms, random).factor;
  if (random() % 2) nudge(factor, random);
  else factor = -abs(factor) - 1;
  return true;
}

/// Alters one thing that the proof needs; false where the certificate has none of its kind.
using Alteration = std::pair<const char*, std::function<bool(SetCertificate&, Random&)>>;

std::vector<Alteration> alterationsOfChainsAndBounds() {
  return {
      {"force",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Chain& chain = anyOf(c.chains, random);
         if (chain.segments.empty() || chain.segments.back().forces.empty()) return false;
         nudge(anyOf(chain.segments.back().forces, random).weight, random);
         return true;
       }},
      {"pulling force",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Chain& chain = anyOf(c.chains, random);
         if (chain.segments.empty() || chain.segments[0].forces.empty()) return false;
         mpq_class& weight = anyOf(chain.segments[0].forces, random).weight;
         weight = -weight;
         return true;
       }},
      {"end",
       [](SetCertificate& c, Random& random) {
         nudge(anyOf(anyOf(c.chains, random).end, random), random);
         return true;
       }},
      {"segment left out",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Chain& chain = anyOf(c.chains, random);
         if (chain.segments.empty() || chain.segments.back().forces.empty() || !chain.beside.empty()) return false;
         chain.segments.pop_back();
         return true;
       }},
      {"wider inner bound",
       [](SetCertificate& c, Random& random) {
         anyOf(c.bounds, random).inner_high += mpq_class(1, 1'000'000'000);
         return true;
       }},
      {"narrower outer bound",
       [](SetCertificate& c, Random& random) {
         anyOf(c.bounds, random).outer_low += mpq_class(1, 1'000'000'000);
         return true;
       }},
      {"smaller element",
       [](SetCertificate& c, Random& random) {
         for (SetCertificate::Rationals& halfspace : anyOf(c.elements, random).halfspaces) {
           bool plane = false;
           for (size_t i = 1; i < halfspace.size(); ++i) plane = plane || sgn(halfspace[i]) != 0;
           if (!plane) continue;
           mpq_class size = abs(halfspace[0]);
           for (const mpq_class& entry : halfspace) size = std::max<mpq_class>(size, abs(entry));
           halfspace[0] -= size / 1'000'000;
           return true;
         }
         return false;
       }}};
}

std::vector<Alteration> alterationsOfReasons() {
  return {
      {"reason of a step",
       [](SetCertificate& c, Random& random) { return alterReason(anyOf(c.steps, random).reasons, random); }},
      {"reason of a zero",
       [](SetCertificate& c, Random& random) { return alterReason(anyOf(c.steps, random).zeros, random); }},
      {"reason of an outer bound",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Bound& bound = anyOf(c.bounds, random);
         return alterReason(random() % 2 ? bound.low : bound.high, random);
       }},
      {"reason why nothing ends",
       [](SetCertificate& c, Random& random) { return alterReason(c.why_unfinished, random); }},
      {"reason of a barrier",
       [](SetCertificate& c, Random& random) {
         if (c.barriers.empty()) return false;
         SetCertificate::Barrier& barrier = anyOf(c.barriers, random);
         // A barrier is an inequality: other factors may prove it too, a negative one nothing.
         for (SetCertificate::Term& term : barrier.reason.target) {
           if (barrier.target[static_cast<size_t>(term.index)] == 0) continue;
           term.factor = -abs(term.factor) - 1;
           return true;
         }
         return false;
       }},
      {"reason for what needs none",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Step& step = anyOf(c.steps, random);
         step.reasons.push_back(step.reasons.empty() ? SetCertificate::Reason{} : step.reasons[0]);
         return true;
       }}};
}

std::vector<Alteration> alterationsOfStepsAndProblem() {
  return {
      {"step left out",
       [](SetCertificate& c, Random& random) {
         const size_t k = random() % c.steps.size();
         c.steps.erase(c.steps.begin() + static_cast<std::ptrdiff_t>(k));
         return true;
       }},
      {"barrier left out",
       [](SetCertificate& c, Random& random) {
         if (c.barriers.empty()) return false;
         c.barriers.erase(c.barriers.begin() + static_cast<std::ptrdiff_t>(random() % c.barriers.size()));
         return true;
       }},
      {"step elsewhere",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Step& step = anyOf(c.steps, random);
         if (step.into < 0 || c.elements.size() < 2) return false;
         step.into = (step.into + 1) % static_cast<int>(c.elements.size());
         return true;
       }},
      {"velocity",
       [](SetCertificate& c, Random& random) {
         nudge(anyOf(c.problem.velocity, random), random);
         return true;
       }},
      {"mass",
       [](SetCertificate& c, Random& random) {
         const size_t i = random() % c.problem.mass_matrix.size();
         nudge(c.problem.mass_matrix[i][i], random);
         return true;
       }},
      {"bounds left out",
       [](SetCertificate& c, Random&) {
         c.bounds.pop_back();
         return true;
       }},
      {"element called unfinished", [](SetCertificate& c, Random&) {
         if (c.unfinished.size() == c.elements.size()) return false;
         for (int e = 0; e < static_cast<int>(c.elements.size()); ++e) {
           if (std::find(c.unfinished.begin(), c.unfinished.end(), e) != c.unfinished.end()) continue;
           c.unfinished.push_back(e);
           c.why_unfinished.emplace_back();
           for (SetCertificate::Bound& bound : c.bounds) bound.low.clear(), bound.high.clear();
           return true;
         }
         return false;
       }}};
}

const std::vector<Alteration>& alterations() {
  static const std::vector<Alteration> all = [] {
    std::vector<Alteration> found;
    for (const auto& some : {alterationsOfChainsAndBounds(), alterationsOfReasons(), alterationsOfStepsAndProblem()})
      found.insert(found.end(), some.begin(), some.end());
    return found;
  }();
  return all;
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
    Random random(static_cast<std::uint64_t>(k) + 77);
    for (int a = 0; a < alterations_each; ++a) {
      SetCertificate altered = certificate;
      const auto& [name, alter] = anyOf(alterations(), random);
      if (!alter(altered, random)) continue;
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
