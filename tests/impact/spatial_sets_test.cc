// SPDX-License-Identifier: MIT
// Proved: exact sets of spatial contacts with polygonal cones are right where they can be known otherwise (closed forms
// of a particle; a planar set lifted into space), the checker accepts their proofs, and relaxed problems bound from
// outside what the sampler and directed searches reach, and exact sets.
#include <gtest/gtest.h>

#include "impact/model_registry.h"
#include "impact/sets/certify.h"
#include "impact/sets/check_certificate.h"
#include "impact/sets/relaxed_bounds.h"
#include "landed_box.h"
#include "particle.h"
#include "sets_inside.h"

namespace rigor::impact {
namespace {

/// A planar problem of n velocities with one more, across the plane, that every contact rubs against.
ImpactProblem lifted(const ImpactProblem& planar) {
  ImpactProblem problem = planar;
  const int n = planar.numVelocities();
  problem.mass_matrix = Eigen::MatrixXd::Identity(n + 1, n + 1);
  problem.mass_matrix.topLeftCorner(n, n) = planar.mass_matrix;
  problem.normal = Eigen::MatrixXd::Zero(planar.numContacts(), n + 1);
  problem.normal.leftCols(n) = planar.normal;
  for (size_t i = 0; i < problem.tangent.size(); ++i) {
    problem.tangent[i] = Eigen::MatrixXd::Zero(2, n + 1);
    problem.tangent[i].row(0).head(n) = planar.tangent[i].row(0);
    problem.tangent[i](1, n) = 1;
  }
  problem.velocity = Eigen::VectorXd::Zero(n + 1);
  problem.velocity.head(n) = planar.velocity;
  return problem;
}

SetCertificate::Bound boundOf(const SetCertificate& certificate, const std::string& name) {
  for (const SetCertificate::Bound& bound : certificate.bounds) {
    if (bound.name == name) return bound;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(SpatialSets, AParticleSlidesOnAgainstItsEdgeOrStops) {
  for (const int edges : {4, 8, 12}) {
    const ExactFriction friction{edges, {}};
    // Slip (2, 0): the edge against it is (-1, 0), and takes mu |vz| = .5 off.
    const ImpactProblem slides = test::particle(0.5, {2, 0, -1});
    const SetCertificate on = certify(ExactSet(slides, {}, friction), slides);
    CertificateVerdict verdict = checkCertificate(on);
    ASSERT_TRUE(verdict.inner && verdict.outer) << verdict.failure;
    EXPECT_EQ(boundOf(on, "v0").outer_low, mpq_class(3, 2));
    EXPECT_EQ(boundOf(on, "v0").outer_high, mpq_class(3, 2));
    EXPECT_EQ(boundOf(on, "v1").outer_high, 0);
    // Friction enough to hold it, whatever its direction.
    const ImpactProblem stops = test::particle(3, {1, 0.7, -1});
    const SetCertificate rest = certify(ExactSet(stops, {}, friction), stops);
    verdict = checkCertificate(rest);
    ASSERT_TRUE(verdict.inner && verdict.outer) << verdict.failure;
    for (const char* name : {"v0", "v1", "v2"}) {
      EXPECT_EQ(boundOf(rest, name).outer_low, 0) << name;
      EXPECT_EQ(boundOf(rest, name).outer_high, 0) << name;
    }
  }
}

// On the border of two edges the slip is held on it: both act, by the same rate, and take mu cos(45 deg) |vz| off.
TEST(SpatialSets, AParticleOnABorderOfItsConeSlidesAlongIt) {
  const ImpactProblem problem = test::particle(0.5, {2, 2, -1});
  const SetCertificate certificate = certify(ExactSet(problem, {}, {4, {}}), problem);
  const CertificateVerdict verdict = checkCertificate(certificate);
  ASSERT_TRUE(verdict.inner && verdict.outer) << verdict.failure;
  EXPECT_EQ(boundOf(certificate, "v0").outer_low, mpq_class(7, 4));
  EXPECT_EQ(boundOf(certificate, "v0").outer_high, mpq_class(7, 4));
  EXPECT_EQ(boundOf(certificate, "v1").outer_low, mpq_class(7, 4));
}

TEST(SpatialSets, ALiftedPlanarSetIsThePlanarOne) {
  for (const test::KnownSet& known : test::knownSets()) {
    if (known.name != "rocking-block" && known.name != "box-and-wall") continue;
    const ImpactProblem problem = lifted(known.problem);
    const ExactSet set(problem, {}, {4, {}});
    ASSERT_TRUE(set.complete()) << known.name << ": " << set.limit();
    const SetCertificate certificate = certify(set, problem);
    const CertificateVerdict verdict = checkCertificate(certificate);
    EXPECT_TRUE(verdict.inner && verdict.outer) << known.name << ": " << verdict.failure;
    for (const auto& [name, low, high] : known.bounds) {
      const SetCertificate::Bound bound = boundOf(certificate, name[1] == 't' ? name.substr(0, 3) + "_0" : name);
      EXPECT_NEAR(bound.inner_low.get_d(), low, 1e-9) << known.name << ' ' << name;
      EXPECT_NEAR(bound.inner_high.get_d(), high, 1e-9) << known.name << ' ' << name;
      EXPECT_EQ(bound.inner_high, bound.outer_high);
    }
  }
}

TEST(SpatialSets, AlteredPolygonsAndSlipsAreRefused) {
  const ImpactProblem problem = test::particle(0.5, {2, 0.3, -1});
  const SetCertificate certificate = certify(ExactSet(problem, {}, {8, {}}), problem);
  ASSERT_TRUE(checkCertificate(certificate).outer);
  EXPECT_TRUE(isAbout(certificate, problem));
  SetCertificate altered = certificate;
  std::swap(altered.problem.polygon[1], altered.problem.polygon[2]);
  EXPECT_FALSE(checkCertificate(altered).inner);
  altered = certificate;
  altered.problem.polygon.resize(7);
  EXPECT_FALSE(checkCertificate(altered).inner);
  altered = certificate;
  for (auto& corner : altered.problem.polygon) corner[0] *= 2, corner[1] *= 2;
  EXPECT_FALSE(isAbout(altered, problem));
  altered = certificate;
  int& slip = altered.chains.at(0).segments.at(0).forces.at(0).slip;
  slip = slip % 8 + 1;
  EXPECT_FALSE(checkCertificate(altered).inner);
  altered = certificate;
  altered.problem.any_direction = {1};
  EXPECT_FALSE(checkCertificate(altered).outer);
}

/// What relaxations bound, and whether the sampler keeps to it.
void expectSamplesInside(const ImpactProblem& problem, const OuterBounds& bounds,
                         const std::vector<ExactQuantity>& quantities) {
  std::unique_ptr<Resolver> routh = makeResolver("routh");
  ImpactOptions options;
  options.step = 0.03;
  for (std::uint64_t k = 0; k < 100; ++k) {
    ImpactOutcome outcome;
    if (routh->resolve(problem, options, {7, k}, outcome) != ImpactStatus::kResolved) continue;
    const Eigen::VectorXd normal = problem.normal * outcome.velocity;
    for (size_t q = 0; q < quantities.size(); ++q) {
      if (quantities[q].name.rfind("vn", 0) != 0) continue;
      const double value = normal[std::stoi(quantities[q].name.substr(2))];
      // The polygon's corners are rounded to 1e-15, and steps jump by their length.
      EXPECT_LE(value, bounds.of[q].high.get_d() + 1e-2 * problem.velocity.norm()) << quantities[q].name;
    }
  }
}

const OuterBounds& landedBoxBounds() {
  static const OuterBounds bounds = [] {
    const ExactProblem exact(test::landedBox(0.3));
    // A quarter for relaxations.
    return boundOutside(test::landedBox(0.3), exact, quantitiesOf(exact), true, 8'000'000);
  }();
  return bounds;
}

TEST(SlowSpatialSets, ALandedBoxIsBoundedFromBothSides) {
  const ImpactProblem problem = test::landedBox(0.3);
  const ExactProblem exact(problem);
  const std::vector<ExactQuantity> quantities = quantitiesOf(exact);
  const OuterBounds& bounds = landedBoxBounds();
  ASSERT_GE(bounds.closed, 1);
  for (const SetCertificate& certificate : bounds.certificates) {
    EXPECT_TRUE(checkCertificate(certificate).outer);
    EXPECT_TRUE(isAbout(certificate, problem));
    EXPECT_FALSE(checkCertificate(certificate).inner);
  }
  const std::vector<SetCertificate::Chain> chains = searchExtremes(exact, {.walks = 300, .improvements = 5});
  ASSERT_FALSE(chains.empty());
  for (size_t q = 0; q < quantities.size(); ++q) {
    for (const SetCertificate::Chain& chain : chains) {
      EXPECT_LE(quantities[q].at(chain.end), bounds.of[q].high) << quantities[q].name;
      EXPECT_GE(quantities[q].at(chain.end), bounds.of[q].low) << quantities[q].name;
    }
    if (quantities[q].name.rfind("vn", 0) != 0) continue;
    EXPECT_LT(bounds.of[q].high.get_d(), 0.25 * boundByEnergy(exact, quantities[q]).high.get_d());
  }
  expectSamplesInside(problem, bounds, quantities);
}

// The same physics: of a box each corner of which was listed three times all lifts had the bound .733, for .638 and
// less of the box, with the same work.
TEST(SlowSpatialSets, ContactsListedAgainHaveTheSameBounds) {
  const ImpactProblem once = test::landedBox(0.3);
  ImpactProblem thrice = once;
  thrice.normal = once.normal.replicate(3, 1);
  for (int k = 0; k < 2; ++k) thrice.tangent.insert(thrice.tangent.end(), once.tangent.begin(), once.tangent.end());
  thrice.friction.assign(12, 0.3);
  thrice.restitution.assign(12, 0.0);
  constexpr std::int64_t work = 6'000'000;
  const ExactProblem one(once), three(thrice);
  const std::vector<ExactQuantity> quantities = quantitiesOf(three);
  const OuterBounds a = boundOutside(once, one, quantitiesOf(one), true, work),
                    b = boundOutside(thrice, three, quantities, true, work);
  for (size_t q = 0; q < 12; ++q) {
    EXPECT_EQ(b.of[q + 12].high, b.of[q].high) << quantities[q].name;
    EXPECT_EQ(b.of[q + 24].low, b.of[q].low) << quantities[q].name;
    if (quantities[q].name.rfind("vn", 0) != 0) continue;
    EXPECT_LT(b.of[q].high.get_d(), 1.1 * a.of[q].high.get_d()) << quantities[q].name;
  }
  EXPECT_FALSE(b.potentials.fans.empty());
  for (const PotentialProof& proof : b.potentials.planes) {
    std::string failure;
    EXPECT_TRUE(checkPotential(proof, failure)) << failure;
  }
  for (const FanProof& proof : b.potentials.fans) {
    std::string failure;
    EXPECT_TRUE(checkFan(proof, failure)) << failure;
  }
}

// Whatever contacts' friction is relaxed, the set holds the exact one.
TEST(SpatialSets, RelaxedPlanarSetsHoldTheExactOnes) {
  int narrowed = 0;
  test::forEachExactPlanar(5, [&](std::uint64_t seed, const ImpactProblem& problem, const ExactSet& set,
                                   const PolytopeUnion& outcomes) {
    const std::vector<ExactQuantity> quantities = quantitiesOf(set.problem());
    const OuterBounds bounds = boundOutside(problem, set.problem(), quantities, true, 2'000'000);
    for (size_t q = 0; q < quantities.size(); ++q) {
      EXPECT_LE(bounds.of[q].low, outcomes.smallest(quantities[q]).value) << seed << ' ' << quantities[q].name;
      EXPECT_GE(bounds.of[q].high, outcomes.largest(quantities[q]).value) << seed << ' ' << quantities[q].name;
      if (bounds.of[q].high < boundByEnergy(set.problem(), quantities[q]).high) ++narrowed;
    }
  });
  EXPECT_GE(narrowed, 2);
}

// Who ends it keeps what was found: outcomes that are reached, bounds that hold.
TEST(SpatialSets, AnInterruptionLeavesWhatWasProved) {
  const ImpactProblem problem = test::landedBox(0.3);
  const auto until = [](std::int64_t most) { return [=](std::int64_t done, std::int64_t) { return done < most; }; };
  const ExactSet set(problem, {.work = 100'000'000, .goes_on = until(1'000'000)});
  EXPECT_FALSE(set.complete());
  EXPECT_EQ(set.limit(), "an interruption");
  EXPECT_LT(set.work(), 10'000'000);
  EXPECT_TRUE(checkCertificate(certify(set, problem)).inner);
  const ExactProblem exact(problem);
  const std::vector<ExactQuantity> quantities = quantitiesOf(exact);
  SearchOptions search{.walks = 1'000'000};
  search.goes_on = until(500);
  const std::vector<SetCertificate::Chain> chains = searchExtremes(exact, search);
  ASSERT_FALSE(chains.empty());
  const OuterBounds ended = boundOutside(problem, exact, quantities, true, 100'000'000, until(1'000'000));
  EXPECT_LT(ended.tried, 5);
  for (size_t q = 0; q < quantities.size(); ++q) {
    EXPECT_LE(ended.of[q].high, boundByEnergy(exact, quantities[q]).high);
    for (const SetCertificate::Chain& chain : chains) EXPECT_LE(quantities[q].at(chain.end), ended.of[q].high);
  }
}

// A limit that the energy does not give, and a bound that is smaller than the proof says, are refused.
TEST(SlowSpatialSets, AlteredRelaxationsAreRefused) {
  const OuterBounds& bounds = landedBoxBounds();
  ASSERT_FALSE(bounds.certificates.empty());
  SetCertificate altered = bounds.certificates[0];
  altered.limits.at(0).value /= 2;
  EXPECT_FALSE(checkCertificate(altered).outer);
  altered = bounds.certificates[0];
  altered.bounds.at(0).outer_high -= mpq_class(1, 1'000'000);
  EXPECT_FALSE(checkCertificate(altered).outer);
  altered = bounds.certificates[0];
  altered.problem.any_direction.assign(4, 0);
  EXPECT_FALSE(checkCertificate(altered).outer);
}

/// A certificate that says these outer bounds.
SetCertificate saying(const ImpactProblem& problem, const ExactProblem& exact, const OuterBounds& bounds) {
  SetCertificate certificate;
  certificate.problem = certifiedProblem(problem, exact.toldApart());
  certificate.coordinates = exact.coordinates();
  const std::vector<ExactQuantity> quantities = quantitiesOf(exact);
  for (size_t q = 0; q < quantities.size(); ++q) {
    SetCertificate::Bound& bound = certificate.bounds.emplace_back();
    bound.name = quantities[q].name;
    bound.outer_low = bounds.of[q].low;
    bound.outer_high = bounds.of[q].high;
  }
  return certificate;
}

// Every bound follows from the energy or from a proof; a narrower one from none, nor one whose proof is left out or is
// about another problem.
TEST(SlowSpatialSets, OuterBoundsFollowFromTheirProofs) {
  const ImpactProblem problem = test::landedBox(0.3);
  const ExactProblem exact(problem);
  const OuterBounds& bounds = landedBoxBounds();
  const SetCertificate certificate = saying(problem, exact, bounds);
  std::string failure;
  EXPECT_TRUE(checkOuterProofs(certificate, bounds, failure)) << failure;
  EXPECT_FALSE(checkOuterProofs(certificate, {}, failure));
  EXPECT_FALSE(bounds.potentials.planes.empty() && bounds.potentials.fans.empty());
  for (size_t q = 0; q < certificate.bounds.size(); ++q) {
    for (const bool high : {true, false}) {
      if (!high && certificate.bounds[q].name.rfind("vn", 0) == 0) continue;  // 0
      SetCertificate narrower = certificate;
      SetCertificate::Bound& bound = narrower.bounds[q];
      (high ? bound.outer_high : bound.outer_low) *= mpq_class(999'999, 1'000'000);
      EXPECT_FALSE(checkOuterProofs(narrower, {}, failure)) << bound.name;
      if (q > 0) continue;  // A check takes long.
      EXPECT_FALSE(checkOuterProofs(narrower, bounds, failure)) << bound.name;
    }
  }
  const ImpactProblem other = test::landedBox(0.25);
  EXPECT_FALSE(checkOuterProofs(saying(other, ExactProblem(other), bounds), bounds, failure));
  EXPECT_EQ(failure, "a proof about another problem");
  OuterProofs altered = bounds;
  if (!altered.potentials.fans.empty()) altered.potentials.fans[0].growth /= 2;
  else altered.potentials.planes[0].growth /= 2;
  EXPECT_FALSE(checkOuterProofs(certificate, altered, failure));
}

// Bounds of the energy alone need no proofs, and no less than the energy's does.
TEST(SpatialSets, TheEnergyNeedsNoProof) {
  const ImpactProblem problem = test::landedBox(0.3);
  const ExactProblem exact(problem);
  const OuterBounds bounds = boundOutside(problem, exact, quantitiesOf(exact), false, 0);
  std::string failure;
  EXPECT_TRUE(checkOuterProofs(saying(problem, exact, bounds), {}, failure)) << failure;
}

}  // namespace
}  // namespace rigor::impact
