// SPDX-License-Identifier: MIT
#include "tests/geom/polytope_pairs.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <stdexcept>

namespace rigor::geom::oracle {
namespace {

using Eigen::Vector3d;
using Points = std::vector<Vector3d>;

constexpr const char* kNames[] = {
    "random",    "boxes",      "separated",      "face-face",  "vertex-face", "edge-edge",   "edge-face",
    "vertex-vertex", "vertex-edge", "parallel-edges", "parallel",   "duplicates",  "coplanar",    "collinear",
    "needles",   "plates",     "far",            "far-local",  "tiny",        "huge",        "mixed-scale",
    "touching",  "overlapping", "identical",     "flat",       "straight",    "point"};
static_assert(std::size(kNames) == kNumPairCategories);

/// Own conversions: those of <random> differ from library to library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  int integer(int low, int high) { return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1)); }
  bool chance(double p) { return uniform(0, 1) < p; }
  double logUniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  double normal() {
    return std::sqrt(-2 * std::log(uniform(1e-300, 1))) * std::cos(uniform(0, 2 * std::numbers::pi));
  }
  /// The order in which arguments are drawn is the compiler's: here the last is always first.
  Vector3d box(double low, double high) {
    const double z = uniform(low, high), y = uniform(low, high);
    return {uniform(low, high), y, z};
  }
  Vector3d direction() {
    for (;;) {
      const Vector3d v = box(-1, 1);
      if (const double n = v.norm(); n > 0.1 && n < 1) return v / n;
    }
  }
  Eigen::Vector4d quaternion() {
    Eigen::Vector4d q;
    for (int i = 3; i >= 0; --i) q[i] = normal();
    return q / q.norm() * logUniform(1e-3, 1e3);
  }
  int vertexCount() {
    static constexpr int kCounts[] = {4, 5, 6, 8, 8, 10, 12, 16, 20, 20, 30, 50, 100};
    if (chance(0.01)) return chance(0.5) ? 1000 : 300;
    return kCounts[integer(0, std::size(kCounts) - 1)];
  }

 private:
  std::mt19937_64 engine_;
};

using Matrix3l = Eigen::Matrix<long double, 3, 3>;
using Vector3l = Eigen::Matrix<long double, 3, 1>;
Matrix3l rotationOf(const Eigen::Vector4d& q) {
  const long double w = q[0], x = q[1], y = q[2], z = q[3], n = w * w + x * x + y * y + z * z;
  Matrix3l R;
  R << w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),
       2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
       2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z;
  return R / n;
}

Points boxPoints(const Vector3d& size) {
  Points points;
  for (int i = 0; i < 8; ++i)
    points.emplace_back((i & 1 ? .5 : -.5) * size[0], (i & 2 ? .5 : -.5) * size[1], (i & 4 ? .5 : -.5) * size[2]);
  return points;
}
Points spherePoints(Random& random, int count) {
  Points points;
  for (int i = 0; i < count; ++i) points.push_back(random.direction());
  return points;
}
Points cloud(Random& random, int count) {
  if (random.chance(0.7)) return spherePoints(random, count);
  Points points;  // Many of these are not extreme.
  for (int i = 0; i < count; ++i)
    points.push_back(random.box(-1, 1));
  return points;
}

/// A body of about unit size that lies below z = 0 and touches it by just one vertex, edge (along x) or face.
enum class Top { kVertex, kEdge, kFace };
Points bodyBelow(Random& random, Top top, int count) {
  Points points;
  if (top == Top::kVertex) points.emplace_back(0, 0, 0);
  if (top == Top::kEdge) {
    const double half = random.uniform(.2, .8);
    points.emplace_back(-half, 0, 0);
    points.emplace_back(half, 0, 0);
  }
  if (top == Top::kFace) {
    const int corners = random.integer(3, 8);
    const double radius = random.uniform(.3, .8), phase = random.uniform(0, 6);
    for (int i = 0; i < corners; ++i) {
      const double angle = phase + 2 * std::numbers::pi * i / corners;
      points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0);
    }
  }
  // The clearance of the other vertices: small ones make the faces next to the top nearly parallel to z = 0.
  const double clearance = random.logUniform(1e-3, .3);
  const int others = std::max(count - static_cast<int>(points.size()), top == Top::kVertex ? 3 : 2);
  for (int i = 0; i < others; ++i) {
    Vector3d v = random.direction();
    v[2] = std::min(v[2] - 1, 0.0) - clearance;
    points.push_back(v);
  }
  return points;
}

/// Turns a body below z = 0 into one above z = gap, at a yaw and a sideways shift.
Points above(const Points& below, double gap, double yaw, double shift_x, double shift_y) {
  Points points;
  const double c = std::cos(yaw), s = std::sin(yaw);
  for (const auto& v : below)
    points.emplace_back(c * v[0] + s * v[1] + shift_x, s * v[0] - c * v[1] + shift_y, gap - v[2]);
  return points;
}

/// How the pair goes from the contact frame into the two local frames.
struct Placing {
  double scale_a = 1, scale_b = 1;      ///< Already in the points; where the bodies are about that large.
  double world_offset = 0;              ///< Distance of the pair from the world's origin.
  double local_offset = 0;              ///< Distance of the vertices from their own origin.
  bool exact = false;                   ///< Equal poses for both, points on a dyadic grid: their relation stays exact.
  bool identity = false;                ///< With `exact`: that pose is the identity.
};

Points onGrid(Points points) {
  for (auto& v : points)
    for (int i = 0; i < 3; ++i) v[i] = std::nearbyint(v[i] * 0x1p20) * 0x1p-20;
  return points;
}

void place(Random& random, const Points& a, const Points& b, const Placing& placing, PolytopePair& pair) {
  if (placing.exact) {
    pair.a = a;
    pair.b = b;
    if (placing.identity) return;
    pair.X_WA.q = pair.X_WB.q = random.quaternion();
    pair.X_WA.p = pair.X_WB.p = random.direction() * random.uniform(0, 10);
    return;
  }
  const Matrix3l R_world = rotationOf(random.quaternion());
  const Vector3l p_world = (random.direction() * placing.world_offset).cast<long double>();
  const auto localise = [&](const Points& points, double scale, Pose& X, Points& local) {
    X.q = random.quaternion();
    const Matrix3l R = rotationOf(X.q);
    Vector3l mean = Vector3l::Zero();
    for (const auto& v : points) mean += v.cast<long double>() / static_cast<long double>(points.size());
    const Vector3l origin =
        R_world * mean + p_world +
        (random.direction() * (placing.local_offset + scale * random.uniform(0, .5))).cast<long double>();
    X.p = origin.cast<double>();
    for (const auto& v : points) {
      const Vector3l world = R_world * v.cast<long double>() + p_world;
      local.push_back((R.transpose() * (world - X.p.cast<long double>())).cast<double>());
    }
  };
  localise(a, placing.scale_a, pair.X_WA, pair.a);
  localise(b, placing.scale_b, pair.X_WB, pair.b);
}

void scaleBy(Points& points, const Vector3d& scale) {
  for (auto& v : points) v = v.cwiseProduct(scale);
}

Top anyTop(Random& random) { return static_cast<Top>(random.integer(0, 2)); }
double anyYaw(Random& random) { return random.uniform(0, 2 * std::numbers::pi); }

/// Two bodies with features facing each other over a gap.
void facing(Random& random, Top top_a, Top top_b, double gap, double yaw, double shift, Points& a, Points& b) {
  a = bodyBelow(random, top_a, random.vertexCount());
  b = above(bodyBelow(random, top_b, random.vertexCount()), gap, yaw, random.uniform(-shift, shift),
            random.uniform(-shift, shift));
}

double anyGap(Random& random) { return random.logUniform(1e-10, 10); }
double kissingGap(Random& random) { return random.logUniform(1e-10, 1e-6); }

/// A set of affine dimension 0, 1 or 2 around the origin, and possibly with duplicates.
Points thinSet(Random& random, int dimension) {
  if (dimension == 0) return Points(static_cast<size_t>(random.integer(1, 3)), random.direction());
  const Vector3d centre = random.direction() * .1;
  // Integer coordinates in an integer basis: exactly flat or straight.
  const auto integers = [&] { return Vector3d(random.integer(-8, 8), random.integer(-8, 8), random.integer(-8, 8)); };
  Vector3d u, v;
  do u = integers();
  while (u.isZero());
  do v = integers();
  while (v.cross(u).isZero());
  Points points;
  const int count = random.integer(dimension + 1, 12);
  for (int i = 0; i < count; ++i) {
    const double s = random.integer(-16, 16), t = dimension == 2 ? random.integer(-16, 16) : 0;
    points.push_back((s * u + t * v) * 0x1p-8);
  }
  if (random.chance(0.5))
    for (auto& x : points) x += onGrid({centre})[0];
  if (random.chance(0.3)) points.push_back(points[0]);
  return points;
}

Points anySet(Random& random, int dimension) {
  return dimension == 3 ? onGrid(cloud(random, random.vertexCount())) : thinSet(random, dimension);
}

/// Applies the degenerate decoration of a category to the vertices of a box-like body.
void decorate(Random& random, PairCategory category, Points& points) {
  const Points original = points;
  const auto pick = [&] {
    return original[static_cast<size_t>(random.integer(0, static_cast<int>(original.size()) - 1))];
  };
  if (category == PairCategory::kDuplicates) {
    const int copies = random.integer(1, static_cast<int>(original.size()));
    for (int i = 0; i < copies; ++i) {
      Vector3d v = pick();
      if (random.chance(0.5))
        for (int k = 0; k < 3; ++k)
          if (random.chance(0.5)) v[k] = std::nextafter(v[k], random.chance(0.5) ? 10. : -10.);
      points.push_back(v);
    }
  } else {
    // The first 8 points are a box in the order of boxPoints: bit k of the index is the side along axis k.
    for (int i = 0; i < 30; ++i) {
      const int axis = random.integer(0, 2), side = random.integer(0, 7);
      const Vector3d low = original[static_cast<size_t>(side & ~(1 << axis))],
                     high = original[static_cast<size_t>(side | (1 << axis))];
      Vector3d v = low + random.uniform(0, 1) * (high - low);
      if (category == PairCategory::kCoplanar) {
        const int other = (axis + 1) % 3;
        const Vector3d step = original[static_cast<size_t>(side | (1 << other))] -
                              original[static_cast<size_t>(side & ~(1 << other))];
        v += random.uniform(0, 1) * step * (side >> other & 1 ? -1 : 1);
      }
      points.push_back(v);
    }
  }
  // The order must not matter.
  for (size_t i = points.size(); i > 1; --i)
    std::swap(points[i - 1], points[static_cast<size_t>(random.integer(0, static_cast<int>(i) - 1))]);
}

Vector3d anyBox(Random& random) { return random.box(.2, 2); }

Vector3d meanOf(const Points& points) {
  Vector3d sum = Vector3d::Zero();
  for (const auto& v : points) sum += v;
  return sum / static_cast<double>(points.size());
}

Points shifted(Points points, const Vector3d& by) {
  for (auto& v : points) v += by;
  return points;
}

void makeRandom(Random& random, Points& a, Points& b) {
  a = cloud(random, random.vertexCount());
  b = cloud(random, random.vertexCount());
  const Vector3d n = random.direction();
  double reach = 0;
  for (const auto& v : a) reach = std::max(reach, n.dot(v));
  double depth = 0;
  for (const auto& v : b) depth = std::min(depth, n.dot(v));
  b = shifted(b, n * (reach - depth + anyGap(random)));
}

void makeBoxes(Random& random, Points& a, Points& b) {
  a = boxPoints(anyBox(random));
  b = boxPoints(anyBox(random));
  const Matrix3l R = rotationOf(random.quaternion());
  for (auto& v : b) v = (R * v.cast<long double>()).cast<double>();
  const Vector3d n = random.direction();
  double reach = 0, depth = 0;
  for (const auto& v : a) reach = std::max(reach, n.dot(v));
  for (const auto& v : b) depth = std::min(depth, n.dot(v));
  b = shifted(b, n * (reach - depth + anyGap(random)));
}

void makeParallel(Random& random, Points& a, Points& b, Placing& placing) {
  a = boxPoints(anyBox(random));
  b = boxPoints(anyBox(random));
  if (random.chance(.5)) b = a;
  Vector3d shift(random.uniform(-2, 2), random.uniform(-2, 2),
                 2.1 + (random.chance(.5) ? random.uniform(0, 1) : 0));
  for (int i = 0; i < 2; ++i)
    if (random.chance(.3)) shift[i] = 0;
  if (random.chance(.5)) {
    // Quarter turns keep everything parallel.
    const double yaw = std::numbers::pi / 2 * random.integer(0, 3);
    for (auto& v : b)
      v = Vector3d(std::cos(yaw) * v[0] - std::sin(yaw) * v[1], std::sin(yaw) * v[0] + std::cos(yaw) * v[1], v[2]);
  }
  b = shifted(b, shift);
  placing.exact = random.chance(.5);
  placing.identity = random.chance(.5);
}

void makeDecorated(Random& random, PairCategory category, Points& a, Points& b) {
  a = boxPoints(anyBox(random));
  b = boxPoints(anyBox(random));
  decorate(random, category, a);
  decorate(random, category, b);
  const bool kissing = random.chance(.5);
  double reach = -10, depth = 10;
  const Matrix3l R = kissing ? Matrix3l(Matrix3l::Identity()) : rotationOf(random.quaternion());
  for (auto& v : b) v = (R * v.cast<long double>()).cast<double>();
  for (const auto& v : a) reach = std::max(reach, v[2]);
  for (const auto& v : b) depth = std::min(depth, v[2]);
  b = shifted(b, {random.uniform(-.5, .5), random.uniform(-.5, .5),
                  reach - depth + (kissing ? kissingGap(random) : anyGap(random))});
}

void makeStretched(Random& random, PairCategory category, Points& a, Points& b) {
  // Along z the stretch would move the gap's features apart, so bodies are stretched sideways or thinned.
  const auto stretch = [&] {
    const double ratio = random.logUniform(1e2, 1e4);
    if (category == PairCategory::kNeedles)
      return random.chance(.5) ? Vector3d(1, 1 / ratio, 1 / ratio) : Vector3d(1 / ratio, 1 / ratio, 1);
    return random.chance(.7) ? Vector3d(1, 1, 1 / ratio) : Vector3d(1 / ratio, 1, 1);
  };
  a = bodyBelow(random, anyTop(random), random.vertexCount());
  b = bodyBelow(random, anyTop(random), random.vertexCount());
  scaleBy(a, stretch());
  if (random.chance(.7)) scaleBy(b, stretch());
  b = above(b, anyGap(random), anyYaw(random), random.uniform(-.2, .2), random.uniform(-.2, .2));
}

void makeFarLocal(Random& random, Points& a, Points& b, Placing& placing) {
  facing(random, anyTop(random), anyTop(random), anyGap(random), anyYaw(random), .3, a, b);
  placing.local_offset = 1e3;
  if (random.chance(.4)) {  // Both origins in one place, 1e3 away from both bodies.
    const Vector3d shift = random.direction() * 1e3;
    a = shifted(a, shift);
    b = shifted(b, shift);
    placing.exact = true;
    placing.identity = random.chance(.3);
  }
}

void makeScaled(Random& random, PairCategory category, Points& a, Points& b, Placing& placing) {
  placing.scale_a = category == PairCategory::kTiny ? 1e-3 : 1e3;
  placing.scale_b = category == PairCategory::kHuge ? 1e3 : 1e-3;
  a = bodyBelow(random, anyTop(random), random.vertexCount());
  b = bodyBelow(random, anyTop(random), random.vertexCount());
  scaleBy(a, Vector3d::Constant(placing.scale_a));
  scaleBy(b, Vector3d::Constant(placing.scale_b));
  const double size = std::max(placing.scale_a, placing.scale_b);
  b = above(b, anyGap(random) * size, anyYaw(random), random.uniform(-.3, .3) * size,
            random.uniform(-.3, .3) * size);
  if (random.chance(.5)) {
    std::swap(a, b);
    std::swap(placing.scale_a, placing.scale_b);
  }
}

void makeTouching(Random& random, Points& a, Points& b, Placing& placing) {
  // On a dyadic grid, in equal poses: the contact is exact in exact arithmetic.
  const Top top_a = anyTop(random), top_b = anyTop(random);
  a = onGrid(bodyBelow(random, top_a, random.vertexCount()));
  const double aside = top_a == Top::kFace || top_b == Top::kFace ? random.uniform(-.3, .3) : 0;
  const double yaw = anyYaw(random);
  b = onGrid(above(bodyBelow(random, top_b, random.vertexCount()), 0, yaw, aside, 0));
  if (random.chance(.2)) {  // Corner on corner, edge on edge of boxes.
    a = onGrid(boxPoints(anyBox(random)));
    b = onGrid(boxPoints(anyBox(random)));
    Vector3d shift = a[7] - b[0];
    for (int i = 0; i < 2; ++i)
      if (random.chance(.5)) shift[i] = random.uniform(-.5, .5);
    b = shifted(b, onGrid({shift})[0]);
  }
  placing.exact = true;
  placing.identity = random.chance(.3);
}

void makeOverlapping(Random& random, Points& a, Points& b) {
  const int count_a = random.integer(4, 8), count_b = random.integer(4, 8);
  const double depth = random.logUniform(1e-10, 1);
  if (random.chance(.3)) {
    a = boxPoints(anyBox(random));
    b = shifted(boxPoints(anyBox(random)), {random.uniform(-.19, .19), random.uniform(-.19, .19), 0});
    const double lift = a[7][2] - b[0][2] - depth;
    b = shifted(b, {0, 0, lift});
  } else if (random.chance(.3)) {
    a = spherePoints(random, count_a);
    b = spherePoints(random, count_b);
    b = shifted(b, meanOf(a) - meanOf(b));  // Deep: one interior point in common.
  } else {
    // The axis runs through the inside of both, so they share a stretch of it of length `depth`.
    const auto around = [&](Points points, int count) {
      points.resize(static_cast<size_t>(count - 3));
      for (const auto& v : {Vector3d(.5, 0, -1), Vector3d(-.3, .4, -1), Vector3d(-.3, -.4, -1)})
        points.push_back(v);
      return points;
    };
    a = around(bodyBelow(random, Top::kVertex, count_a), count_a);
    const bool edge = count_b > 4 && random.chance(.5);
    b = around(bodyBelow(random, edge ? Top::kEdge : Top::kVertex, count_b), count_b);
    b = above(b, -depth, anyYaw(random), 0, 0);
  }
}

void makeLowDimensional(Random& random, PairCategory category, Points& a, Points& b, Placing& placing) {
  const int dimension = category == PairCategory::kFlat ? 2 : category == PairCategory::kStraight ? 1 : 0;
  a = anySet(random, dimension);
  b = anySet(random, random.integer(0, 3));
  if (random.chance(.7)) b = shifted(b, onGrid({random.direction() * random.logUniform(1e-4, 10)})[0]);
  if (random.chance(.2)) b = shifted(b, a[0] - b[0]);  // One common vertex.
  if (random.chance(.5)) std::swap(a, b);
  placing.exact = random.chance(.6);
  placing.identity = random.chance(.5);
}

}  // namespace

const char* nameOf(PairCategory category) { return kNames[static_cast<int>(category)]; }

std::vector<Vector3d> spherePoints(int count, std::uint64_t seed) {
  Random random(seed);
  return spherePoints(random, count);
}

double sizeOf(std::span<const Vector3d> points) {
  Vector3d low = points[0], high = points[0];
  for (const auto& v : points) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  return low == high ? low.norm() : (high - low).norm();
}

double scaleOf(const PolytopePair& pair) {
  return sizeOf(pair.a) + sizeOf(pair.b) + (pair.X_WA.p - pair.X_WB.p).norm();
}

PolytopePair makePair(PairCategory category, std::uint64_t seed) {
  Random random(seed * 64 + static_cast<std::uint64_t>(category));
  PolytopePair pair;
  pair.id = std::string(nameOf(category)) + "/" + std::to_string(seed);
  Points a, b;
  Placing placing;
  switch (category) {
    case PairCategory::kRandom: makeRandom(random, a, b); break;
    case PairCategory::kBoxes: makeBoxes(random, a, b); break;
    case PairCategory::kSeparated:
      facing(random, anyTop(random), anyTop(random), anyGap(random), anyYaw(random), .5, a, b);
      break;
    case PairCategory::kFaceFace:
      facing(random, Top::kFace, Top::kFace, kissingGap(random), random.chance(.3) ? 0 : anyYaw(random), .5, a, b);
      break;
    case PairCategory::kVertexFace:
      facing(random, Top::kVertex, Top::kFace, kissingGap(random), anyYaw(random), random.chance(.5) ? .1 : .7, a, b);
      break;
    case PairCategory::kEdgeEdge:
      facing(random, Top::kEdge, Top::kEdge, kissingGap(random),
             random.chance(.5) ? random.uniform(.3, 2.8) : random.logUniform(1e-9, .1), .2, a, b);
      break;
    case PairCategory::kEdgeFace:
      facing(random, Top::kEdge, Top::kFace, kissingGap(random), random.chance(.3) ? 0 : anyYaw(random), .5, a, b);
      break;
    case PairCategory::kVertexVertex:
      facing(random, Top::kVertex, Top::kVertex, kissingGap(random), anyYaw(random), random.chance(.5) ? 0 : 1e-9, a,
             b);
      break;
    case PairCategory::kVertexEdge:
      facing(random, Top::kVertex, Top::kEdge, kissingGap(random), anyYaw(random), random.chance(.5) ? 0 : 1e-9, a, b);
      break;
    case PairCategory::kParallelEdges:
      facing(random, Top::kEdge, Top::kEdge, kissingGap(random), random.chance(.5) ? 0 : std::numbers::pi,
             random.chance(.5) ? 1e-9 : .5, a, b);
      if (random.chance(.3)) {
        a = onGrid(a);
        placing.exact = true;
        placing.identity = random.chance(.5);
      }
      break;
    case PairCategory::kParallel: makeParallel(random, a, b, placing); break;
    case PairCategory::kDuplicates:
    case PairCategory::kCoplanar:
    case PairCategory::kCollinear: makeDecorated(random, category, a, b); break;
    case PairCategory::kNeedles:
    case PairCategory::kPlates: makeStretched(random, category, a, b); break;
    case PairCategory::kFar:
      facing(random, anyTop(random), anyTop(random), anyGap(random), anyYaw(random), .3, a, b);
      placing.world_offset = 1e3;
      break;
    case PairCategory::kFarLocal: makeFarLocal(random, a, b, placing); break;
    case PairCategory::kTiny:
    case PairCategory::kHuge:
    case PairCategory::kMixedScale: makeScaled(random, category, a, b, placing); break;
    case PairCategory::kTouching: makeTouching(random, a, b, placing); break;
    case PairCategory::kOverlapping: makeOverlapping(random, a, b); break;
    case PairCategory::kIdentical:
      a = random.chance(.5) ? boxPoints(anyBox(random)) : spherePoints(random, random.integer(4, 8));
      b = a;
      if (random.chance(.3)) b = shifted(a, random.direction() * random.logUniform(1e-16, 1e-3));
      placing.exact = random.chance(.7);
      placing.identity = random.chance(.5);
      break;
    case PairCategory::kFlat:
    case PairCategory::kStraight:
    case PairCategory::kPoint: makeLowDimensional(random, category, a, b, placing); break;
  }
  place(random, a, b, placing, pair);
  return pair;
}

std::string toLine(const PolytopePair& pair) {
  const auto body = [](const Points& points, const Pose& X) {
    nlohmann::ordered_json vertices = nlohmann::ordered_json::array();
    for (const auto& v : points) vertices.push_back({v[0], v[1], v[2]});
    return nlohmann::ordered_json{{"vertices", vertices},
                                  {"pose", {X.q[0], X.q[1], X.q[2], X.q[3], X.p[0], X.p[1], X.p[2]}}};
  };
  return nlohmann::ordered_json{{"id", pair.id}, {"a", body(pair.a, pair.X_WA)}, {"b", body(pair.b, pair.X_WB)}}.dump();
}

PolytopePair fromLine(const std::string& line) {
  PolytopePair pair;
  const auto body = [](const nlohmann::json& json, Points& points, Pose& X) {
    for (const auto& v : json.at("vertices")) points.emplace_back(v.at(0), v.at(1), v.at(2));
    const auto& pose = json.at("pose");
    for (size_t i = 0; i < 4; ++i) X.q[static_cast<Eigen::Index>(i)] = pose.at(i);
    for (size_t i = 0; i < 3; ++i) X.p[static_cast<Eigen::Index>(i)] = pose.at(4 + i);
  };
  try {
    const auto json = nlohmann::json::parse(line);
    pair.id = json.at("id").is_string() ? json.at("id").get<std::string>() : json.at("id").dump();
    body(json.at("a"), pair.a, pair.X_WA);
    body(json.at("b"), pair.b, pair.X_WB);
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(std::string("bad pair line: ") + error.what());
  }
  return pair;
}

}  // namespace rigor::geom::oracle
