// SPDX-License-Identifier: MIT
// Proved: exact sets of planar impacts have the extremes that another program found with another library's polyhedra
// (9 digits); they do not depend on the order of the contacts, on duplicates, on units, on the basis of the
// velocities; small steps of the sampler end inside; spirals lead turn by turn to the limits that sets take them to; a
// search that meets a limit gives a subset; cones have no other generators than those that a brute-force enumeration
// of their extreme rays finds; long numbers count as the work they take.
#include "impact/sets/exact_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "impact/samples/sampler.h"
#include "impact/sets/polytope_union.h"
#include "known_sets.h"
#include "published_problems.h"
#include "random_planar.h"

namespace rigor::impact {
namespace {

std::map<std::string, std::pair<mpq_class, mpq_class>> boundsOf(const ExactSet& set) {
  const PolytopeUnion outcomes(set);
  std::map<std::string, std::pair<mpq_class, mpq_class>> bounds;
  for (const ExactQuantity& quantity : quantitiesOf(set.problem())) {
    bounds[quantity.name] = {outcomes.smallest(quantity).value, outcomes.largest(quantity).value};
  }
  return bounds;
}

/// Half a unit of the ninth significant digit: what numbers that were printed with nine are known to (and rounding of
/// doubles).
double ninthDigit(double value) {
  return value == 0 ? 0 : 0.5001 * std::pow(10, std::floor(std::log10(std::abs(value))) - 8);
}

TEST(ExactSet, KnownExtremes) {
  for (const test::KnownSet& known : test::knownSets()) {
    const ExactSet set(known.problem);
    ASSERT_TRUE(set.complete()) << known.name;
    const auto bounds = boundsOf(set);
    for (const auto& [name, low, high] : known.bounds) {
      ASSERT_TRUE(bounds.contains(name)) << known.name << ' ' << name;
      EXPECT_NEAR(bounds.at(name).first.get_d(), low, ninthDigit(low)) << known.name << ' ' << name;
      EXPECT_NEAR(bounds.at(name).second.get_d(), high, ninthDigit(high)) << known.name << ' ' << name;
    }
    EXPECT_EQ(PolytopeUnion(set).dimension(), known.dimension) << known.name;
  }
}

// "Redundant" contacts count: what pushes between the corners of an edge changes the set.
TEST(ExactSet, AThirdContactOnTheEdgeOfTheRockingBlock) {
  for (const auto& [at, lift] : {std::pair{0.0, 0.112950896}, std::pair{0.25, 0.107336105}}) {
    ImpactProblem problem = test::rockingBlock();
    problem.normal.conservativeResize(3, Eigen::NoChange);
    problem.normal.row(2) << 0, 1, at;
    problem.tangent.push_back(problem.tangent[0]);
    problem.friction.push_back(1);
    problem.restitution.push_back(0);
    const ExactSet set(problem);
    ASSERT_TRUE(set.complete());
    const auto bounds = boundsOf(set);
    EXPECT_NEAR(std::max(bounds.at("vn0").second, bounds.at("vn1").second).get_d(), lift, 1e-9);
  }
}

TEST(ExactSet, IsFreeOfDuplicatesOrderUnitsAndBasis) {
  for (const ImpactProblem& problem : {test::rockingBlock(), test::boxAndWall(), test::compassGait()}) {
    const auto bounds = boundsOf(ExactSet(problem));
    ImpactProblem other = problem;
    other.normal.conservativeResize(3, Eigen::NoChange);
    other.normal.row(2) = problem.normal.row(0);
    other.tangent.push_back(problem.tangent[0]);
    other.friction.push_back(problem.friction[0]);
    other.restitution.push_back(0);
    const auto twice = boundsOf(ExactSet(other));
    other = problem;
    other.normal = problem.normal.colwise().reverse();
    std::swap(other.tangent[0], other.tangent[1]);
    const auto reversed = boundsOf(ExactSet(other));
    other = problem;
    other.mass_matrix *= 8;  // Exact in decimals too: powers of two only lengthen them.
    const auto heavy = boundsOf(ExactSet(other));
    other = problem;
    other.velocity *= 4;
    const auto fast = boundsOf(ExactSet(other));
    for (int i = 0; i < 2; ++i) {
      const std::string name = "vn" + std::to_string(i), swapped = "vn" + std::to_string(1 - i);
      EXPECT_EQ(bounds.at(name), twice.at(name));
      EXPECT_EQ(bounds.at(name), reversed.at(swapped));
      EXPECT_NEAR(bounds.at(name).second.get_d(), heavy.at(name).second.get_d(), 1e-14);
      EXPECT_NEAR(4 * bounds.at(name).second.get_d(), fast.at(name).second.get_d(), 1e-14);
    }
  }
}

// One step of the sampler may jump over a face by what its length allows: outcomes lie inside up to the order of the
// step.
TEST(ExactSet, HoldsTheSamplesOfSmallSteps) {
  for (const test::KnownSet& known : test::knownSets()) {
    const ExactSet set(known.problem);
    const PolytopeUnion outcomes(set);
    ImpactOptions options;
    options.step = 0.01;  // Of what stops the contacts: relative.
    options.max_steps = 4000;
    SamplerOptions sampler;
    sampler.samples = 60;
    sampler.threads = 1;
    const SampleSet samples = drawSamples("routh", known.problem, options, sampler);
    ASSERT_GT(samples.velocity.cols(), 50) << known.name;
    const std::vector<int>& coordinates = set.problem().coordinates();
    Eigen::MatrixXd J(static_cast<Eigen::Index>(coordinates.size()), known.problem.numVelocities());
    for (size_t k = 0; k < coordinates.size(); ++k) {
      const ExactProblem::Row& row = set.problem().rows()[static_cast<size_t>(coordinates[k])];
      J.row(static_cast<Eigen::Index>(k)) = row.normal ? known.problem.normal.row(row.contact)
                                                       : known.problem.tangent[static_cast<size_t>(row.contact)].row(0);
    }
    double worst = 0;
    for (Eigen::Index k = 0; k < samples.velocity.cols(); ++k) {
      worst = std::max(worst, outcomes.violation(J * samples.velocity.col(k)));
    }
    EXPECT_LE(worst, 0.01 * set.problem().speed()) << known.name;
  }
}

bool isIn(const PolytopeUnion::Piece& piece, const std::vector<mpq_class>& x) {
  const auto height = [&](const std::vector<mpq_class>& plane) {
    mpq_class sum = plane[0];
    for (size_t i = 0; i < x.size(); ++i) sum += plane[i + 1] * x[i];
    return sum;
  };
  return std::all_of(piece.equalities.begin(), piece.equalities.end(), [&](const auto& a) { return height(a) == 0; }) &&
         std::all_of(piece.halfspaces.begin(), piece.halfspaces.end(), [&](const auto& a) { return height(a) >= 0; });
}

bool isIn(const PolytopeUnion& outcomes, const std::vector<mpq_class>& x) {
  return std::any_of(outcomes.pieces().begin(), outcomes.pieces().end(),
                     [&](const PolytopeUnion::Piece& piece) { return isIn(piece, x); });
}

TEST(ExactSet, ALimitGivesASubset) {
  const ImpactProblem problem = test::compassGait();
  const ExactSet whole(problem);
  const PolytopeUnion all(whole);
  for (const std::int64_t work : {500, 1000, 2000, 4000, 8000}) {
    const ExactSet part(problem, {work, 20'000});
    ASSERT_FALSE(part.complete());
    const PolytopeUnion some(part);
    for (const PolytopeUnion::Piece& piece : some.pieces()) {
      for (const auto& vertex : piece.vertices) EXPECT_TRUE(isIn(all, vertex));
    }
  }
  EXPECT_EQ(ExactSet(problem, {1000, 20'000}).limit(), "the limit of work");
  EXPECT_EQ(ExactSet(problem, {0, 3}).limit(), "the limit of pieces");
}

/// Does a motion over the faces of one turn lead from a point to another?
bool turnLeads(const ExactFaces& faces, const ExactSpiral& spiral, const ExactVector& from, const ExactVector& to) {
  std::vector<ExactVector> reached{from};
  for (const ExactSpiral::Move& move : spiral.turn) {
    EXPECT_FALSE(faces.finished(move.face));
    std::erase_if(reached, [&](const ExactVector& x) {
      return move.plane >= 0 && faces.plane(move.plane).signOfDot(x) != 0;
    });
    if (reached.empty()) return false;
    reached = faces.post(reached, move.face).rays();
  }
  ExactBudget budget;
  return ExactCone::ofGenerators(from.size(), reached, &budget).contains(to);
}

/// Where a turn leads a point of the spiral: towards its limit, by its ratio.
ExactVector turned(const ExactSpiral& spiral, const ExactVector& from) {
  const std::vector<mpq_class> limit = spiral.limit.point(), b = from.point();
  std::vector<mpq_class> x{1};
  for (size_t i = 0; i < b.size(); ++i) x.push_back(limit[i] + spiral.ratio * (b[i] - limit[i]));
  return ExactVector::ofRationals(x);
}

// Two contacts take turns, each by the same part of the one before: without the limits these searches do not end.
TEST(ExactSet, SpiralsEndInTheirLimits) {
  for (const std::uint64_t seed : {31, 111, 408}) {
    const ExactSet set(test::randomPlanar(seed), {1'000'000, 20'000});
    EXPECT_TRUE(set.complete()) << seed;
    int turns = 0;
    for (const ExactSet::Step& step : set.steps()) {
      if (!step.spiral) continue;
      const ExactSpiral& spiral = *step.spiral;
      EXPECT_TRUE(step.reached.contains(spiral.limit));
      for (ExactVector from : spiral.turning) {
        EXPECT_TRUE(set.pieces()[static_cast<size_t>(step.source)].polytope.contains(from));
        for (int turn = 0; turn < 4; ++turn, ++turns) {
          const ExactVector to = turned(spiral, from);
          EXPECT_TRUE(turnLeads(set.faces(), spiral, from, to)) << seed << ' ' << turn;
          from = to;
        }
        EXPECT_TRUE(turnLeads(set.faces(), spiral, spiral.limit, spiral.limit));
      }
    }
    EXPECT_GT(turns, 0) << seed;
  }
}

TEST(ExactSet, WhatIsNoSpiralIsNotTakenForOne) {
  const ExactSet set(test::randomPlanar(31), {1'000'000, 20'000});
  const auto with = std::find_if(set.steps().begin(), set.steps().end(),
                                 [](const ExactSet::Step& step) { return step.spiral.has_value(); });
  ASSERT_NE(with, set.steps().end());
  const ExactSpiral& spiral = *with->spiral;
  const std::vector<mpq_class> limit = spiral.limit.point(), b = spiral.turning[0].point();
  ExactBudget budget;
  // b, and the turns before and after it, on the way to a limit.
  const auto found = [&](const mpq_class& ratio, const std::vector<mpq_class>& to) {
    std::vector<ExactVector> points;
    std::vector<ExactCone> hulls;
    mpq_class left = 1 / ratio;
    for (int turn = 0; turn < 3; ++turn, left *= ratio) {
      std::vector<mpq_class> x{1};
      for (size_t i = 0; i < to.size(); ++i) x.push_back(to[i] + left * (b[i] - to[i]));
      points.push_back(ExactVector::ofRationals(x));
      hulls.push_back(ExactCone::ofGenerators(static_cast<int>(x.size()), points, &budget));
    }
    return findSpiral(set.faces(), spiral.turn, hulls[0], hulls[1], hulls[2]);
  };
  EXPECT_TRUE(found(spiral.ratio, limit));
  // Contacts cannot slow down more in one turn.
  EXPECT_FALSE(found(spiral.ratio * mpq_class(999'999, 1'000'000), limit));
  // Other limits: only those that all faces of the turn hold and that the contacts do lead to.
  int refused = 0;
  for (size_t i = 0; i < limit.size(); ++i) {
    for (const int side : {-1, 1}) {
      std::vector<mpq_class> other = limit;
      other[i] += mpq_class(side, 1'000'000);
      const std::optional<ExactSpiral> another = found(spiral.ratio, other);
      refused += !another;
      if (!another) continue;
      EXPECT_TRUE(turnLeads(set.faces(), *another, another->limit, another->limit));
      EXPECT_TRUE(turnLeads(set.faces(), *another, another->turning[0], turned(*another, another->turning[0])));
    }
  }
  EXPECT_GE(refused, 4);
}

TEST(ExactSet, UnionHasMembersShadowsAndVolumes) {
  const ExactSet set(test::compassGait());
  const PolytopeUnion outcomes(set);
  ASSERT_EQ(outcomes.pieces().size(), 2u);  // Two triangles that share rest; the hull of both holds wrong outcomes.
  const auto quantities = quantitiesOf(set.problem());
  std::vector<std::vector<mpq_class>> tips;
  for (int p = 0; p < 2; ++p) {
    const PolytopeUnion::Piece& piece = outcomes.pieces()[static_cast<size_t>(p)];
    ASSERT_EQ(piece.vertices.size(), 3u);
    std::vector<mpq_class> middle(piece.vertices[0].size(), 0);
    for (const auto& vertex : piece.vertices) {
      for (size_t i = 0; i < middle.size(); ++i) middle[i] += vertex[i] / 3;
    }
    EXPECT_TRUE(isIn(outcomes, middle));
    tips.push_back(middle);
    // Area of a triangle from the lengths of its sides (Heron), in the plain metric of coordinates.
    Eigen::MatrixXd x(4, 3);
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 4; ++i) x(i, k) = piece.vertices[static_cast<size_t>(k)][static_cast<size_t>(i)].get_d();
    }
    const double a = (x.col(0) - x.col(1)).norm(), b = (x.col(1) - x.col(2)).norm(), c = (x.col(2) - x.col(0)).norm();
    const double s = (a + b + c) / 2;
    EXPECT_NEAR(outcomes.volume(p, Eigen::MatrixXd::Identity(4, 4)), std::sqrt(s * (s - a) * (s - b) * (s - c)), 1e-12);
    // Every shadow of a triangle has its extremes.
    const auto shadow = outcomes.project(p, quantities[0], quantities[2]);
    for (const auto& vertex : piece.vertices) {
      const mpq_class height = quantities[2].at(vertex);
      EXPECT_TRUE(std::any_of(shadow.begin(), shadow.end(), [&](const auto& q) { return q[1] >= height; }));
    }
  }
  std::vector<mpq_class> between(tips[0].size());
  for (size_t i = 0; i < between.size(); ++i) between[i] = (tips[0][i] + tips[1][i]) / 2;
  EXPECT_FALSE(isIn(outcomes, between));
}

/// All extreme rays of {x : a.x >= 0 for all a}, from every choice of d - 1 half-spaces.
std::set<ExactVector> bruteForceRays(const std::vector<ExactVector>& halfspaces, int d) {
  std::set<ExactVector> found;
  std::vector<bool> chosen(halfspaces.size(), false);
  std::fill(chosen.begin(), chosen.begin() + d - 1, true);
  do {
    std::vector<std::vector<mpq_class>> rows;
    for (size_t k = 0; k < halfspaces.size(); ++k) {
      if (!chosen[k]) continue;
      rows.emplace_back();
      for (int i = 0; i < d; ++i) rows.back().emplace_back(halfspaces[k][i]);
    }
    // Cofactors of the missing row are orthogonal to all the others.
    std::vector<mpz_class> ray;
    for (int skip = 0; skip < d; ++skip) {
      std::vector<std::vector<mpq_class>> minor;
      for (const auto& row : rows) {
        minor.emplace_back();
        for (int i = 0; i < d; ++i) if (i != skip) minor.back().push_back(row[static_cast<size_t>(i)]);
      }
      std::vector<int> order(static_cast<size_t>(d) - 1);
      for (int i = 0; i < d - 1; ++i) order[static_cast<size_t>(i)] = i;
      mpq_class determinant = 0;
      do {
        int inversions = 0;
        for (size_t i = 0; i < order.size(); ++i) {
          for (size_t j = i + 1; j < order.size(); ++j) inversions += order[i] > order[j];
        }
        mpq_class product = inversions % 2 ? -1 : 1;
        for (size_t i = 0; i < order.size(); ++i) product *= minor[i][static_cast<size_t>(order[i])];
        determinant += product;
      } while (std::next_permutation(order.begin(), order.end()));
      ray.push_back((skip % 2 ? mpq_class(-determinant) : determinant).get_num());
    }
    for (const ExactVector& candidate : {ExactVector(ray), ExactVector(ray).negated()}) {
      if (candidate.isZero()) continue;
      if (std::all_of(halfspaces.begin(), halfspaces.end(),
                      [&](const ExactVector& a) { return a.signOfDot(candidate) >= 0; })) {
        found.insert(candidate);
      }
    }
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return found;
}

TEST(ExactCone, GeneratorsAreTheExtremeRays) {
  std::mt19937_64 random(4);
  std::uniform_int_distribution<int> entry(-3, 3);  // Small: many coincidences and redundant half-spaces.
  int pointed = 0;
  for (int round = 0; round < 400; ++round) {
    const int d = 3 + round % 2;
    std::vector<ExactVector> halfspaces;
    for (int k = 0; k < d + round % 5; ++k) {
      std::vector<mpz_class> a;
      for (int i = 0; i < d; ++i) a.emplace_back(entry(random));
      halfspaces.emplace_back(std::move(a));
    }
    ExactBudget budget;
    ExactCone cone = ExactCone::whole(d, &budget);
    for (const ExactVector& a : halfspaces) cone.intersect(a, false);
    cone.minimise();
    if (!cone.lines().empty()) continue;
    ++pointed;
    EXPECT_EQ(std::set<ExactVector>(cone.rays().begin(), cone.rays().end()), bruteForceRays(halfspaces, d));
    // And back: the cone of these rays has the same half-spaces, none superfluous.
    const ExactCone again = ExactCone::ofGenerators(d, cone.rays(), &budget);
    EXPECT_EQ(again.dimension(), cone.dimension());
    if (again.equalities().empty()) {
      EXPECT_EQ(std::set<ExactVector>(again.halfspaces().begin(), again.halfspaces().end()),
                std::set<ExactVector>(cone.halfspaces().begin(), cone.halfspaces().end()));
    }
    EXPECT_TRUE(again.contains(cone) && cone.contains(again));
    // The same where some rays come later, from cones of fewer dimensions too.
    const auto half = cone.rays().begin() + static_cast<std::ptrdiff_t>(cone.rays().size() / 2);
    const ExactCone part = ExactCone::ofGenerators(d, {cone.rays().begin(), half}, &budget);
    const ExactCone joined = part.joined({half, cone.rays().end()});
    EXPECT_EQ(joined.dimension(), cone.dimension());
    EXPECT_EQ(joined.halfspaces().size(), again.halfspaces().size());
    EXPECT_TRUE(joined.contains(cone) && cone.contains(joined));
  }
  EXPECT_GT(pointed, 100);
}

/// The same cone in coordinates whose units have `digits` digits: all is as before but the length of the numbers.
std::int64_t workInUnitsOf(unsigned digits) {
  std::mt19937_64 random(5);
  std::uniform_int_distribution<int> entry(-9, 9);
  mpz_class unit;
  mpz_ui_pow_ui(unit.get_mpz_t(), 10, digits);
  std::vector<ExactVector> generators;
  for (int k = 0; k < 12; ++k) {
    std::vector<mpz_class> x{20};
    for (int axis = 1; axis < 4; ++axis) x.emplace_back(entry(random) * (unit + axis));
    generators.emplace_back(std::move(x));
  }
  ExactBudget budget;
  EXPECT_GT(ExactCone::ofGenerators(4, generators, &budget).rays().size(), 4u);
  return budget.work;
}

TEST(ExactCone, WorkWithLongNumbersCountsMore) {
  const std::int64_t shortest = workInUnitsOf(0);
  EXPECT_EQ(workInUnitsOf(20), shortest);
  // Words of 64 bits have 19 digits: products of 400 of them take some 50 times as long.
  EXPECT_GT(workInUnitsOf(400 * 19), 20 * shortest);
}

TEST(ExactCone, JoinsWhatIsConvexAndNothingElse) {
  ExactBudget budget;
  const auto box = [&](int x0, int x1, int y0, int y1) {
    std::vector<ExactVector> corners;
    for (int x : {x0, x1}) {
      for (int y : {y0, y1}) corners.emplace_back(std::vector<mpz_class>{1, x, y});
    }
    return ExactCone::ofGenerators(3, corners, &budget);
  };
  ExactCone hull;
  EXPECT_TRUE(joinIfConvex(box(0, 2, 0, 1), box(1, 4, 0, 1), &budget, hull));
  EXPECT_TRUE(hull.contains(box(0, 4, 0, 1)));
  EXPECT_EQ(hull.rays().size(), 4u);
  EXPECT_TRUE(joinIfConvex(box(0, 2, 0, 1), box(2, 4, 0, 1), &budget, hull));   // They share an edge.
  EXPECT_FALSE(joinIfConvex(box(0, 2, 0, 1), box(3, 4, 0, 1), &budget, hull));  // A gap.
  EXPECT_FALSE(joinIfConvex(box(0, 2, 0, 2), box(2, 4, 0, 1), &budget, hull));  // An L.
  EXPECT_FALSE(joinIfConvex(box(0, 3, 1, 2), box(1, 2, 0, 3), &budget, hull));  // A cross.
}

TEST(ExactProblem, NumbersAreTheDecimalsTheyPrintAs) {
  EXPECT_EQ(decimalOf(0.1), mpq_class(1, 10));
  EXPECT_EQ(decimalOf(-2.5e-7), mpq_class(-1, 4000000));
  EXPECT_EQ(decimalOf(1e22), mpq_class("10000000000000000000000"));
  EXPECT_EQ(decimalOf(0), 0);
}

// As typed, the trailing foot of the compass walker separates at 5e-13 m/s: without the snap the set would be one
// point.
TEST(ExactProblem, TheStartIsSnapped) {
  const ExactProblem problem(test::compassGait());
  int zero = 0;
  for (const ExactProblem::Row& row : problem.rows()) {
    mpq_class speed = 0;
    for (size_t i = 0; i < row.of.size(); ++i) speed += row.of[i] * problem.start()[i];
    zero += sgn(speed) == 0;
  }
  EXPECT_EQ(zero, 3);  // Neither foot slips, and the trailing one stands.
}

TEST(ExactProblem, RefusesWhatItCannotHold) {
  ImpactProblem no_slip = test::rockingBlock();
  no_slip.friction[0] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(ExactProblem{no_slip}, std::invalid_argument);
  EXPECT_EQ(ExactProblem(no_slip, ExactProblem::Contacts::kAny).rank(), 3);
}

}  // namespace
}  // namespace rigor::impact
