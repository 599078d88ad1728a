// SPDX-License-Identifier: MIT
//
// Distance queries of two polytopes of 8, 20, 100 and 1000 vertices, all of them on ellipsoids of half axes .4 to 1.
//   coherent  the pair turns by 1e-3 rad (fast: 1e-2) and moves by half of that a query, on 8 paths, caches kept;
//   cold      every query is another relative pose with an empty cache;
//   touching  the same, A moved to where it touches B up to rounding;
//   overlap   the same, A moved .1 further: a depth has to be found.
// The same poses for every engine; gaps of up to 2 radii. rigor is given quaternions and makes the
// rotation itself; the others are given their own ready-made transforms.
//   rigor   separation(): distance, points, normal, features, to 1e-14
//   fcl     fcl::distance with the libccd solver, nearest points, tolerance 1e-6; it keeps nothing between queries
//   bullet  btGjkPairDetector (btVoronoiSimplexSolver, btGjkEpaPenetrationDepthSolver), doubles; coherent: keeps axis
//   ode     dCollide of two dGeomConvex: answers only whether they touch, so it does less
#include <benchmark/benchmark.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "geom/polytope.h"
#include "geom/pose.h"
#include "geom/separation.h"
#include "tests/geom/polytope_pairs.h"

#ifdef RIGOR_BENCH_FCL
#include <fcl/fcl.h>
#endif
#ifdef RIGOR_BENCH_BULLET
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#endif
#ifdef RIGOR_BENCH_ODE
#include <ode/ode.h>
#endif

namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;
using rigor::geom::Polytope;
using rigor::geom::Pose;

constexpr int kPoses = 1024;  ///< A power of two.

struct PosePair {
  Pose A, B;
};

/// Two different bodies with random vertices on ellipsoids.
struct Bodies {
  std::vector<Vector3d> points_a, points_b;
  Polytope A, B;
};
const Bodies& bodies(int vertices) {
  static std::map<int, std::unique_ptr<Bodies>> made;
  auto& entry = made[vertices];
  if (!entry) {
    auto a = rigor::geom::oracle::spherePoints(vertices, 1), b = rigor::geom::oracle::spherePoints(vertices, 2);
    // Ellipsoids: on spheres the line of the centres would nearly be the answer. All points stay extreme.
    for (auto& v : a) v = v.cwiseProduct(Vector3d(1, .7, .4));
    for (auto& v : b) v = v.cwiseProduct(Vector3d(.5, 1, .8));
    Polytope A = Polytope::fromPoints(a), B = Polytope::fromPoints(b);
    entry = std::make_unique<Bodies>(Bodies{std::move(a), std::move(b), std::move(A), std::move(B)});
  }
  return *entry;
}

Vector4d turn(const Vector3d& axis, double angle) {
  const Eigen::Quaterniond q(Eigen::AngleAxisd(angle, axis.normalized()));
  return {q.w(), q.x(), q.y(), q.z()};
}

/// Eight smooth paths of a body A past a body B, each run forth and back, so that all may be run through for ever. One
/// query to the next turns A by `step` rad and shifts it by about half of that.
constexpr int kPaths = 8;
constexpr int kPathPoses = kPoses / kPaths;
const std::vector<PosePair>& coherentPoses(double step) {
  static std::map<double, std::vector<PosePair>> made;
  auto& poses = made[step];
  if (poses.empty()) {
    const auto directions = rigor::geom::oracle::spherePoints(3 * kPaths, 4);
    for (int i = 0; i < kPoses; ++i) {
      const int path = i / kPathPoses, j = i % kPathPoses;
      const double t = step * (j < kPathPoses / 2 ? j : kPathPoses - j);
      const Vector3d &axis = directions[static_cast<size_t>(3 * path)],
                     &towards = directions[static_cast<size_t>(3 * path + 1)],
                     &drift = directions[static_cast<size_t>(3 * path + 2)];
      PosePair pair;
      pair.A.q = turn(axis, path + t);
      pair.A.p = 2.1 * towards + .5 * t * drift;
      pair.B.q = turn({3, -1, .5}, .7);
      pair.B.p = Vector3d(.1, 0, 0);
      poses.push_back(pair);
    }
  }
  return poses;
}
const std::vector<PosePair>& coldPoses() {
  static std::vector<PosePair> poses;
  if (poses.empty()) {
    const auto turns = rigor::geom::oracle::spherePoints(4 * kPoses, 3);
    for (int i = 0; i < kPoses; ++i) {
      PosePair pair;
      const auto at = [&](int k) { return turns[static_cast<size_t>(4 * i + k)]; };
      pair.A.q = turn(at(0), 3 * at(3)[0]);
      pair.B.q = turn(at(1), 3 * at(3)[1]);
      pair.A.p = at(2) * (3.02 + at(3)[2]);  // 2.02 .. 4.02 from centre to centre.
      pair.B.p.setZero();
      poses.push_back(pair);
    }
  }
  return poses;
}

/// The cold poses with A moved towards B until they touch, and `depth` further.
std::vector<PosePair> closedPoses(int vertices, double depth) {
  const Bodies& b = bodies(vertices);
  std::vector<PosePair> poses = coldPoses();
  for (PosePair& X : poses) {
    rigor::geom::SeparationCache cache;
    const auto s = rigor::geom::separation(b.A, X.A, b.B, X.B, cache);
    X.A.p -= (s.distance + depth) * s.normal;
  }
  return poses;
}

constexpr double kStep = 1e-3;     ///< 1 rad/s at 1 ms.
constexpr double kBigStep = 1e-2;  ///< 10 rad/s at 1 ms.
constexpr double kDepth = 0.1;     ///< Of half axes of .4 to 1.

void rigorCoherent(benchmark::State& state, double step) {
  const Bodies& b = bodies(static_cast<int>(state.range(0)));
  const auto& poses = coherentPoses(step);
  std::array<rigor::geom::SeparationCache, kPaths> caches;
  unsigned i = 0;
  for (auto _ : state) {
    const unsigned at = i++ % kPoses;
    const PosePair& X = poses[at];
    benchmark::DoNotOptimize(rigor::geom::separation(b.A, X.A, b.B, X.B, caches[at / kPathPoses]));
  }
}
void rigorUnrelated(benchmark::State& state, const std::vector<PosePair>& poses) {
  const Bodies& b = bodies(static_cast<int>(state.range(0)));
  unsigned i = 0;
  for (auto _ : state) {
    const PosePair& X = poses[i++ % kPoses];
    rigor::geom::SeparationCache cache;
    benchmark::DoNotOptimize(rigor::geom::separation(b.A, X.A, b.B, X.B, cache));
  }
}

void rigorCold(benchmark::State& state) { rigorUnrelated(state, coldPoses()); }
void rigorClosed(benchmark::State& state, double depth) {
  rigorUnrelated(state, closedPoses(static_cast<int>(state.range(0)), depth));
}

#define FEW_SIZES ->ArgName("vertices")->Arg(8)->Arg(20)->Arg(100)
#define SIZES ->ArgName("vertices")->Arg(8)->Arg(20)->Arg(100)->Arg(1000)
BENCHMARK_CAPTURE(rigorCoherent, step, kStep)->Name("distance/coherent/rigor") SIZES;
BENCHMARK_CAPTURE(rigorCoherent, big_step, kBigStep)->Name("distance/coherent-fast/rigor") SIZES;
BENCHMARK(rigorCold)->Name("distance/cold/rigor") SIZES;
BENCHMARK_CAPTURE(rigorClosed, touching, 0)->Name("distance/touching/rigor") FEW_SIZES;
BENCHMARK_CAPTURE(rigorClosed, overlap, kDepth)->Name("distance/overlap/rigor") FEW_SIZES;

#ifdef RIGOR_BENCH_FCL
fcl::Convexd fclShape(const std::vector<Vector3d>& points, const Polytope& polytope) {
  // FCL takes the faces as one array: count, indices, count, indices ... into its own vertices.
  auto vertices = std::make_shared<std::vector<Vector3d>>();
  for (int v = 0; v < polytope.numVertices(); ++v) vertices->push_back(polytope.vertex(v));
  auto faces = std::make_shared<std::vector<int>>();
  for (int f = 0; f < polytope.numFaces(); ++f) {
    faces->push_back(polytope.face(f).count);
    for (int v : polytope.faceVertices(f)) faces->push_back(v);
  }
  (void)points;
  return fcl::Convexd(vertices, polytope.numFaces(), faces, true);
}
void fclDistance(benchmark::State& state, const std::vector<PosePair>& poses) {
  const Bodies& b = bodies(static_cast<int>(state.range(0)));
  const fcl::Convexd A = fclShape(b.points_a, b.A), B = fclShape(b.points_b, b.B);
  std::vector<std::pair<fcl::Transform3d, fcl::Transform3d>> transforms;
  for (const auto& X : poses) {
    const auto transform = [](const Pose& pose) {
      fcl::Transform3d T = fcl::Transform3d::Identity();
      T.linear() = pose.rotation();
      T.translation() = pose.p;
      return T;
    };
    transforms.emplace_back(transform(X.A), transform(X.B));
  }
  const fcl::DistanceRequestd request(true, false, 0, 0, 1e-6, fcl::GST_LIBCCD);
  unsigned i = 0;
  for (auto _ : state) {
    const auto& [X_A, X_B] = transforms[i++ % kPoses];
    fcl::DistanceResultd result;
    benchmark::DoNotOptimize(fcl::distance(&A, X_A, &B, X_B, request, result));
  }
}
void fclCoherent(benchmark::State& state) { fclDistance(state, coherentPoses(kStep)); }
void fclCold(benchmark::State& state) { fclDistance(state, coldPoses()); }
BENCHMARK(fclCoherent)->Name("distance/coherent/fcl") SIZES;
BENCHMARK(fclCold)->Name("distance/cold/fcl") SIZES;
#endif

#ifdef RIGOR_BENCH_BULLET
btConvexHullShape bulletShape(const std::vector<Vector3d>& points) {
  btConvexHullShape shape;
  for (const auto& v : points) shape.addPoint(btVector3(v[0], v[1], v[2]), false);
  shape.recalcLocalAabb();
  shape.setMargin(0);
  return shape;
}
void bulletDistance(benchmark::State& state, const std::vector<PosePair>& poses, bool cold) {
  const Bodies& b = bodies(static_cast<int>(state.range(0)));
  btConvexHullShape A = bulletShape(b.points_a), B = bulletShape(b.points_b);
  std::vector<btGjkPairDetector::ClosestPointInput> inputs;
  for (const auto& X : poses) {
    const auto transform = [](const Pose& pose) {
      const Vector4d q = pose.q.normalized();
      return btTransform(btQuaternion(q[1], q[2], q[3], q[0]), btVector3(pose.p[0], pose.p[1], pose.p[2]));
    };
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = transform(X.A);
    input.m_transformB = transform(X.B);
    inputs.push_back(input);
  }
  btVoronoiSimplexSolver simplex;
  btGjkEpaPenetrationDepthSolver penetration;
  std::vector<btGjkPairDetector> detectors(kPaths, btGjkPairDetector(&A, &B, &simplex, &penetration));
  unsigned i = 0;
  for (auto _ : state) {
    const unsigned at = i++ % kPoses;
    btGjkPairDetector& detector = detectors[at / kPathPoses];
    if (cold) detector.setCachedSeparatingAxis(btVector3(0, 1, 0));
    btPointCollector result;
    detector.getClosestPoints(inputs[at], result, nullptr);
    benchmark::DoNotOptimize(result.m_distance);
  }
}
void bulletCoherent(benchmark::State& state) { bulletDistance(state, coherentPoses(kStep), false); }
void bulletCold(benchmark::State& state) { bulletDistance(state, coldPoses(), true); }
void bulletClosed(benchmark::State& state, double depth) {
  bulletDistance(state, closedPoses(static_cast<int>(state.range(0)), depth), true);
}
BENCHMARK(bulletCoherent)->Name("distance/coherent/bullet") SIZES;
BENCHMARK(bulletCold)->Name("distance/cold/bullet") SIZES;
BENCHMARK_CAPTURE(bulletClosed, touching, 0)->Name("distance/touching/bullet") FEW_SIZES;
BENCHMARK_CAPTURE(bulletClosed, overlap, kDepth)->Name("distance/overlap/bullet") FEW_SIZES;
#endif

#ifdef RIGOR_BENCH_ODE
/// A convex geom and the arrays it points into.
struct OdeShape {
  std::vector<dReal> planes, points;
  std::vector<unsigned> polygons;
  dGeomID geom = nullptr;

  explicit OdeShape(const Polytope& polytope) {
    for (int f = 0; f < polytope.numFaces(); ++f) {
      const auto& face = polytope.face(f);
      planes.insert(planes.end(), {face.normal[0], face.normal[1], face.normal[2], face.offset});
      polygons.push_back(static_cast<unsigned>(face.count));
      for (int v : polytope.faceVertices(f)) polygons.push_back(static_cast<unsigned>(v));
    }
    for (int v = 0; v < polytope.numVertices(); ++v)
      for (int k = 0; k < 3; ++k) points.push_back(polytope.vertex(v)[k]);
    geom = dCreateConvex(nullptr, planes.data(), static_cast<unsigned>(polytope.numFaces()), points.data(),
                         static_cast<unsigned>(polytope.numVertices()), polygons.data());
  }
  ~OdeShape() { dGeomDestroy(geom); }
};
void odeTouch(benchmark::State& state, const std::vector<PosePair>& poses) {
  static const bool initialised = dInitODE2(0) != 0;
  if (!initialised) return state.SkipWithError("ODE does not start");
  const Bodies& b = bodies(static_cast<int>(state.range(0)));
  OdeShape A(b.A), B(b.B);
  const auto set = [](dGeomID geom, const Pose& X) {
    const dReal q[4] = {X.q[0], X.q[1], X.q[2], X.q[3]};
    dGeomSetQuaternion(geom, q);
    dGeomSetPosition(geom, X.p[0], X.p[1], X.p[2]);
  };
  unsigned i = 0;
  for (auto _ : state) {
    const PosePair& X = poses[i++ % kPoses];
    set(A.geom, X.A);
    set(B.geom, X.B);
    dContactGeom contacts[4];
    benchmark::DoNotOptimize(dCollide(A.geom, B.geom, 4, contacts, sizeof(dContactGeom)));
  }
}
void odeCoherent(benchmark::State& state) { odeTouch(state, coherentPoses(kStep)); }
void odeCold(benchmark::State& state) { odeTouch(state, coldPoses()); }
BENCHMARK(odeCoherent)->Name("distance/coherent/ode-touch-only") SIZES;
BENCHMARK(odeCold)->Name("distance/cold/ode-touch-only") SIZES;
#endif

}  // namespace
