// SPDX-License-Identifier: MIT
//
// Proves: separation() errs by at most 1e-14 (sizes + distance of the origins) on every category of pairs, degenerate
// ones included; normals are unit and belong to the answer; the points lie on the sets and realise the distance.
// Oracle: exactSeparation / exactDepth (GMP rationals), whose optimality condition is checked at every vertex.
// Invariants, which need no oracle: swapping A and B negates the normal; a half turn changes nothing; a warm, a stale
// or a foreign cache changes nothing.
// Cases that once failed are rows of tests/corpus/distance.jsonl and run for ever. With RIGOR_CORPUS_OUT=FILE every
// failing pair is appended to FILE in that form.
#include "geom/separation.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "geom/point_set.h"
#include "geom/polytope.h"
#include "tests/geom/exact_distance.h"
#include "tests/geom/polytope_pairs.h"
#include "tests/geom/separation_check.h"

namespace rigor::geom {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;
using oracle::exactSeparation;
using oracle::faultOf;
using oracle::PairCategory;
using oracle::PolytopePair;

void report(const PolytopePair& pair, const std::string& what) {
  ADD_FAILURE() << pair.id << ": " << what;
  if (const char* path = std::getenv("RIGOR_CORPUS_OUT")) std::ofstream(path, std::ios::app) << toLine(pair) << '\n';
}

/// q -> k q, p -> R(k) p: a half turn about z, exact in doubles.
Pose halfTurned(const Pose& X) {
  return {Vector4d(-X.q[3], -X.q[2], X.q[1], X.q[0]), Vector3d(-X.p[0], -X.p[1], X.p[2])};
}
Separation turnBack(Separation s) {
  for (Vector3d* v : {&s.point_a, &s.point_b, &s.normal}) *v = Vector3d(-(*v)[0], -(*v)[1], (*v)[2]);
  return s;
}
Separation swapBack(Separation s) {
  std::swap(s.point_a, s.point_b);
  std::swap(s.feature_a, s.feature_b);
  s.normal = -s.normal;
  return s;
}

/// Everything that must hold of one pair of solids; `checks` counts the answers that were held against the oracle.
void checkSolids(const PolytopePair& pair, const Polytope& A, const Polytope& B, int& checks) {
  const auto exact = exactSeparation(pair.a, pair.X_WA, pair.b, pair.X_WB);
  const auto check = [&](const Separation& s, const char* which) {
    ++checks;
    if (const std::string fault = faultOf(pair, s, exact); !fault.empty())
      report(pair, std::string(which) + ": " + fault);
  };
  SeparationCache cache;
  const Separation cold = separation(A, pair.X_WA, B, pair.X_WB, cache);
  check(cold, "cold");
  const Separation warm = separation(A, pair.X_WA, B, pair.X_WB, cache);
  if (warm.distance != cold.distance || warm.point_a != cold.point_a || warm.point_b != cold.point_b ||
      warm.normal != cold.normal)
    check(warm, "warm");  // Not the same bits: then it must hold by itself.

  // A stale cache: any features of these bodies, chosen without regard to the pose.
  SeparationCache stale;
  const auto salt = static_cast<unsigned>(pair.a.size() * 7 + pair.b.size());
  stale.warm = true;
  stale.feature_a = {Feature::Kind::kFace, static_cast<int>(salt % static_cast<unsigned>(A.numFaces()))};
  stale.feature_b = {Feature::Kind::kEdge, static_cast<int>(salt * 31 % static_cast<unsigned>(B.numEdges()))};
  stale.support_a = A.numVertices() - 1;
  stale.support_b = B.numVertices() - 1;
  check(separation(A, pair.X_WA, B, pair.X_WB, stale), "stale cache");

  // The cache of some other pair of bodies, out of range here.
  SeparationCache foreign;
  foreign.warm = true;
  foreign.feature_a = {Feature::Kind::kEdge, 1 << 20};
  foreign.feature_b = {Feature::Kind::kVertex, -1};
  foreign.support_a = 1 << 20;
  foreign.support_b = -5;
  check(separation(A, pair.X_WA, B, pair.X_WB, foreign), "foreign cache");

  SeparationCache swapped_cache;
  check(swapBack(separation(B, pair.X_WB, A, pair.X_WA, swapped_cache)), "swapped");
  SeparationCache turned_cache;
  check(turnBack(separation(A, halfTurned(pair.X_WA), B, halfTurned(pair.X_WB), turned_cache)), "turned");
}

/// The same of any pair, solid or not, by the separation of point sets.
void checkSets(const PolytopePair& pair, int& checks) {
  const PointSet A(pair.a), B(pair.b);
  const auto exact = exactSeparation(pair.a, pair.X_WA, pair.b, pair.X_WB);
  const auto check = [&](const Separation& s, const char* which) {
    ++checks;
    if (const std::string fault = faultOf(pair, s, exact); !fault.empty())
      report(pair, std::string("point set, ") + which + ": " + fault);
  };
  check(separation(A, pair.X_WA, B, pair.X_WB), "plain");
  check(swapBack(separation(B, pair.X_WB, A, pair.X_WA)), "swapped");
  check(turnBack(separation(A, halfTurned(pair.X_WA), B, halfTurned(pair.X_WB))), "turned");
}

/// A flat, straight or single-point set is no polytope, which is said by an exception.
std::optional<Polytope> polytopeOf(const std::vector<Vector3d>& points) {
  try {
    return Polytope::fromPoints(points);
  } catch (const GeometryError&) {
    return std::nullopt;
  }
}

/// @returns whether both sets were solid.
bool checkPair(const PolytopePair& pair, int& checks) {
  const auto A = polytopeOf(pair.a), B = polytopeOf(pair.b);
  if (!A || !B) {
    checkSets(pair, checks);
    return false;
  }
  checkSolids(pair, *A, *B, checks);
  return true;
}

bool isThin(PairCategory category) {
  return category == PairCategory::kFlat || category == PairCategory::kStraight || category == PairCategory::kPoint;
}

class SeparationOracle : public testing::TestWithParam<int> {};
class SlowSeparationOracle : public testing::TestWithParam<int> {};

void checkCategory(PairCategory category, std::uint64_t first, std::uint64_t count) {
  int checks = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const PolytopePair pair = makePair(category, seed);
    const bool solid = checkPair(pair, checks);
    EXPECT_TRUE(solid || isThin(category)) << pair.id << ": refused as a polytope";
    // Point sets take solids, too; they are slow, so not all of them.
    if (solid && seed % 20 == 0) checkSets(pair, checks);
    if (testing::Test::HasFailure() && std::getenv("RIGOR_CORPUS_OUT") == nullptr) break;  // One is enough to read.
  }
  EXPECT_GE(checks, static_cast<int>(3 * count)) << "pairs were left out";
}

TEST_P(SeparationOracle, IsExactToItsPromise) { checkCategory(static_cast<PairCategory>(GetParam()), 0, 100); }
TEST_P(SlowSeparationOracle, IsExactToItsPromise) { checkCategory(static_cast<PairCategory>(GetParam()), 1000, 1000); }

std::string testName(const testing::TestParamInfo<int>& info) {
  std::string name = nameOf(static_cast<PairCategory>(info.param));
  for (auto& c : name)
    if (c == '-') c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(, SeparationOracle, testing::Range(0, oracle::kNumPairCategories), testName);
INSTANTIATE_TEST_SUITE_P(, SlowSeparationOracle, testing::Range(0, oracle::kNumPairCategories), testName);

/// A pair that drifts past each other with its cache kept, from well apart to kissing and apart again.
void checkPath(int vertices, double step, int queries) {
  PolytopePair pair;
  pair.id = "path";
  pair.a = oracle::spherePoints(vertices, 11);
  pair.b = oracle::spherePoints(vertices, 12);
  const Polytope A = Polytope::fromPoints(pair.a), B = Polytope::fromPoints(pair.b);
  SeparationCache cache;
  for (int i = 0; i < queries; ++i) {
    const double t = step * i;
    pair.X_WA.q = Vector4d(std::cos(t), .3 * std::sin(t), .5 * std::sin(2 * t), .8 * std::sin(t));
    pair.X_WA.p = Vector3d(.2 * t, -.1, 2.2 + .4 * std::cos(3 * t));
    pair.X_WB.q = Vector4d(2, std::sin(t), 0, -std::cos(t));
    const Separation s = separation(A, pair.X_WA, B, pair.X_WB, cache);
    const auto exact = exactSeparation(pair.a, pair.X_WA, pair.b, pair.X_WB);
    if (const std::string fault = faultOf(pair, s, exact); !fault.empty()) {
      report(pair, "step " + std::to_string(i) + ": " + fault);
      return;
    }
  }
}
TEST(SeparationPath, KeptCacheIsExactAtEveryStep) {
  for (int vertices : {4, 8, 20, 100}) checkPath(vertices, 1e-2, 300);
  checkPath(1000, 1e-2, 20);
  checkPath(20, .7, 100);  // Jumps: the cache is of no use, and does no harm.
}

TEST(SeparationCorpus, CasesThatOnceFailed) {
  std::ifstream file(RIGOR_SOURCE_DIR "/tests/corpus/distance.jsonl");
  ASSERT_TRUE(file) << "no corpus";
  std::string line;
  int rows = 0, checks = 0;
  while (std::getline(file, line)) {
    ++rows;
    checkPair(oracle::fromLine(line), checks);
  }
  EXPECT_GT(rows, 0);
  EXPECT_GE(checks, rows);
}

// ---- The oracle itself: closed forms, and a certificate that is checked by other means. ----

TEST(ExactDistance, BoxesHaveTheirClosedForm) {
  std::vector<Vector3d> cube;
  for (int i = 0; i < 8; ++i) cube.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  Pose far;
  far.p = {5, 6, -14};  // Corner to corner: (3, 4, 12).
  const auto corner = exactSeparation(cube, far, cube, {});
  EXPECT_TRUE(corner.disjoint);
  EXPECT_EQ(corner.distance_sq, 169);
  Pose turned;
  turned.q = {1, 2, 2, 4};  // |q|^2 = 25: a rational rotation.
  turned.p = {0, 0, 9};
  // A = R cube: its lowest point is -(sum of |row 3 of R|) = -(|12| + |20| + |9|...)/25 from the matrix below.
  const Eigen::Matrix3d M = quaternionMatrix(turned.q);  // Small integers: exact.
  const mpq_class low = mpq_class(9) - mpq_class(M.row(2).cwiseAbs().sum()) / 25;
  const auto vertex = exactSeparation(cube, turned, cube, {});
  EXPECT_EQ(vertex.point_a[2], low);
}

TEST(ExactDistance, TouchingIsTouchingExactly) {
  std::vector<Vector3d> cube;
  for (int i = 0; i < 8; ++i) cube.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  Pose at;
  for (const Vector3d& p : {Vector3d(2, 0, 0), Vector3d(2, 2, 0), Vector3d(2, 2, 2), Vector3d(2, .5, -.25)}) {
    at.p = p;
    EXPECT_FALSE(exactSeparation(cube, at, cube, {}).disjoint);
    EXPECT_EQ(oracle::exactDepth(cube, at, cube, {}), 0);
    at.p[0] = std::nextafter(2., 3.);
    const auto apart = exactSeparation(cube, at, cube, {});
    EXPECT_TRUE(apart.disjoint);
    EXPECT_EQ(apart.distance(), 0x1p-51);
  }
  at.p = {1.5, .25, 0};
  EXPECT_EQ(oracle::exactDepth(cube, at, cube, {}), .5);
}

TEST(ExactDistance, AnswersAreFeasibleAndOptimalByASecondRoute) {
  // Weak duality, evaluated by other functions: |point_a - point_b| >= d* >= gap of the support planes along n.
  for (int category = 0; category < oracle::kNumPairCategories; ++category)
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const PolytopePair pair = makePair(static_cast<PairCategory>(category), seed);
      const auto exact = exactSeparation(pair.a, pair.X_WA, pair.b, pair.X_WB);
      mpq_class gap_sq = 0;
      for (size_t i = 0; i < 3; ++i) {
        const mpq_class d = exact.point_a[i] - exact.point_b[i];
        gap_sq += d * d;
      }
      EXPECT_EQ(gap_sq, exact.distance_sq) << pair.id;
      if (!exact.disjoint) continue;
      const Vector3d n = oracle::unitVector(exact.direction);
      const double gap = oracle::exactSupportGap(pair.a, pair.X_WA, pair.b, pair.X_WB, n).get_d();
      const double d = exact.distance().get_d();
      double reach = 0;
      for (const auto* set : {&pair.a, &pair.b})
        for (const auto& v : *set) reach = std::max(reach, v.norm());
      // n is rounded, so the gap falls short by at most its error times the extent of the sets.
      EXPECT_NEAR(gap, d, 1e-15 * (oracle::scaleOf(pair) + reach + d)) << pair.id;
    }
}

TEST(PolytopePairs, EveryCategoryIsWhatItSays) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto disjoint = [&](PairCategory category) {
      const PolytopePair pair = makePair(category, seed);
      return exactSeparation(pair.a, pair.X_WA, pair.b, pair.X_WB).disjoint;
    };
    EXPECT_FALSE(disjoint(PairCategory::kTouching)) << seed;
    EXPECT_FALSE(disjoint(PairCategory::kIdentical)) << seed;
    EXPECT_FALSE(disjoint(PairCategory::kOverlapping)) << seed;
    EXPECT_TRUE(disjoint(PairCategory::kFaceFace)) << seed;
    EXPECT_TRUE(disjoint(PairCategory::kParallel)) << seed;
    const PolytopePair pair = makePair(PairCategory::kEdgeEdge, seed);
    const PolytopePair copy = oracle::fromLine(toLine(pair));
    EXPECT_EQ(copy.a, pair.a);
    EXPECT_EQ(copy.X_WB.q, pair.X_WB.q);
    EXPECT_EQ(copy.X_WB.p, pair.X_WB.p);
  }
}

}  // namespace
}  // namespace rigor::geom
