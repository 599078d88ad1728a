// SPDX-License-Identifier: MIT
#include "verify/scene_geometry.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "verify/yaml_tree.h"

namespace rigor::verify {
namespace {

/// Placed and generated vertices against the scene's, relative to their size: a few roundings of a rotation.
constexpr double kGeometryTolerance = 1e-12;
/// Points that the hull dropped may lie outside it by this, relative to its size: coplanar up to rounding.
constexpr double kHullTolerance = 1e-9;
/// The largest distance that a pair may be pushed apart at the start [m], plus overlaps of this share of its size, which are rounding. A
/// body in a stack is pushed by that for each body below it.
/// One in a corner is pushed along each wall.
constexpr double kPushTolerance = 1e-7, kTouchingTolerance = 1e-8, kPushDirections = 2;
/// Start velocities, relative to the speed or to 1 m/s: contacts at the start may project them.
constexpr double kStartVelocityTolerance = 1e-6;

using Matrix3 = std::array<Vector3, 3>;
using Points = std::vector<Vector3>;

Vector3 operator+(const Vector3& a, const Vector3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vector3 operator-(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector3 operator*(double s, const Vector3& a) { return {s * a[0], s * a[1], s * a[2]}; }
double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double norm(const Vector3& a) { return std::sqrt(dot(a, a)); }
Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector3 operator*(const Matrix3& M, const Vector3& v) { return {dot(M[0], v), dot(M[1], v), dot(M[2], v)}; }

Matrix3 rotation(double w, double x, double y, double z) {
  const double n = w * w + x * x + y * y + z * z;
  return {{{(w * w + x * x - y * y - z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n},
           {2 * (x * y + w * z) / n, (w * w - x * x + y * y - z * z) / n, 2 * (y * z - w * x) / n},
           {2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, (w * w - x * x - y * y + z * z) / n}}};
}

struct Placement {
  Matrix3 R{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Vector3 p{};
};

Vector3 vectorOf(const YamlTree& node) { return {node[0].number(), node[1].number(), node[2].number()}; }
Vector3 vectorOr(const YamlTree& node, const Vector3& otherwise) { return node ? vectorOf(node) : otherwise; }

Placement readPlacement(const YamlTree& map) {
  Placement placement;
  placement.p = vectorOr(map["position"], {0, 0, 0});
  if (const YamlTree& q = map["orientation"]) {
    placement.R = rotation(q[0].number(), q[1].number(), q[2].number(), q[3].number());
  } else if (const YamlTree& rpy = map["rpy"]) {
    const Vector3 a = vectorOf(rpy);
    const double cr = std::cos(a[0]), sr = std::sin(a[0]), cp = std::cos(a[1]), sp = std::sin(a[1]),
                 cy = std::cos(a[2]), sy = std::sin(a[2]);
    placement.R = {{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                    {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                    {-sp, cp * sr, cp * cr}}};
  }
  return placement;
}

// Closest point to the origin of the hull of up to four points; keeps those that carry it.
Vector3 closestOfSimplex(Points& simplex) {
  Vector3 best{};
  double best_sq = INFINITY;
  unsigned best_set = 0;
  for (unsigned set = 1; set < (1u << simplex.size()); ++set) {
    Points s;
    for (std::size_t i = 0; i < simplex.size(); ++i)
      if (set >> i & 1) s.push_back(simplex[i]);
    // Normal equations of min |s0 + sum x_i (s_i - s0)|, by elimination.
    const int n = static_cast<int>(s.size()) - 1;
    double G[3][4] = {}, x[3] = {};
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) G[i][j] = dot(s[i + 1] - s[0], s[j + 1] - s[0]);
      G[i][n] = -dot(s[i + 1] - s[0], s[0]);
    }
    for (int c = 0; c < n; ++c)
      for (int r = c + 1; r < n; ++r)
        for (int k = n; k >= c; --k) G[r][k] -= G[r][c] / G[c][c] * G[c][k];
    double rest = 1;
    bool inside = true;
    Vector3 point = s[0];
    for (int i = n - 1; i >= 0; --i) {
      x[i] = G[i][n];
      for (int j = i + 1; j < n; ++j) x[i] -= G[i][j] * x[j];
      x[i] /= G[i][i];
      inside &= x[i] >= 0;
      rest -= x[i];
      point = point + x[i] * (s[i + 1] - s[0]);
    }
    if (inside && rest >= 0 && dot(point, point) < best_sq) best = point, best_sq = dot(point, point), best_set = set;
  }
  Points kept;
  for (std::size_t i = 0; i < simplex.size(); ++i)
    if (best_set >> i & 1) kept.push_back(simplex[i]);
  simplex = kept;
  return best;
}

// Is `x` within `tolerance` of the hull of `points`? (Gilbert-Johnson-Keerthi)
bool inHull(const Vector3& x, const Points& points, double tolerance) {
  Points simplex{points[0] - x};
  for (int i = 0; i < 100; ++i) {
    const Vector3 closest = closestOfSimplex(simplex);
    const double distance = norm(closest);
    if (distance <= tolerance) return true;
    const auto lowest = *std::min_element(points.begin(), points.end(), [&](const Vector3& a, const Vector3& b) {
      return dot(a, closest) < dot(b, closest);
    });
    if (dot(lowest - x, closest) / distance > tolerance || simplex.size() == 4) return false;
    simplex.push_back(lowest - x);
  }
  return false;
}

// `what` is empty if the recorded vertices are those of the hull of `expected`.
std::string comparePoints(const Points& recorded, const Points& expected) {
  double size = 0;
  for (const Vector3& v : expected) size = std::max(size, norm(v));
  std::vector<bool> used(expected.size(), false);
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    bool found = false;
    for (std::size_t j = 0; j < expected.size(); ++j)
      if (norm(recorded[i] - expected[j]) <= kGeometryTolerance * size) found = used[j] = true;
    if (!found) return fmt::format("vertex {} is not one of the scene's", i);
  }
  for (std::size_t j = 0; j < expected.size(); ++j)
    if (!used[j] && !inHull(expected[j], recorded, kHullTolerance * size))
      return fmt::format("the scene's point {} is outside the recorded shape", j);
  return {};
}

// A round shape's vertices: on their surface, and as many as the scene says.
std::string compareRound(const Points& recorded, const YamlTree& count, int factor,
                         const std::function<double(const Vector3&)>& error) {
  if (count && recorded.size() != factor * count.count())
    return fmt::format("{} vertices, the scene says {}", recorded.size(), factor * count.count());
  for (std::size_t i = 0; i < recorded.size(); ++i)
    if (!(error(recorded[i]) <= kGeometryTolerance)) return fmt::format("vertex {} is not on the surface", i);
  return {};
}

std::string compareHalfSpace(const Part& part, const YamlTree& shape, const Placement& placement) {
  const Vector3 normal = placement.R * vectorOr(shape["normal"], {0, 0, 1});
  const double offset = (shape["offset"] ? shape["offset"].number() : 0.0) + dot(normal, placement.p);
  const double expected = norm(normal), recorded = norm(part.normal),
               size = std::abs(offset) / expected + norm(placement.p);
  if (!(norm((1 / expected) * normal - (1 / recorded) * part.normal) <= 4 * kGeometryTolerance))
    return "the half-space's normal is not the scene's";
  if (!(std::abs(offset / expected - part.offset / recorded) <= 4 * kGeometryTolerance * size))
    return "the half-space's offset is not the scene's";
  return {};
}

// Compares one recorded part with `shape`, a map of one kind. Empty if it is the same.
std::string comparePart(const Part& part, const YamlTree& shape, const Placement& placement, const std::string& name,
                        const std::function<void(const std::string&)>& note) {
  if (shape["halfspace"])
    return part.half_space ? compareHalfSpace(part, shape["halfspace"], placement)
                           : "a polytope in place of a half-space";
  if (part.half_space) return "a half-space in place of a polytope";
  if (shape["mesh"]) {
    note(fmt::format("geometry of mesh {} ({}) not checked: only its recorded vertices were used",
                     shape["mesh"]["file"].text(), name));
    return {};
  }
  const Matrix3& R = placement.R;
  const Matrix3 back{{{R[0][0], R[1][0], R[2][0]}, {R[0][1], R[1][1], R[2][1]}, {R[0][2], R[1][2], R[2][2]}}};
  Points local;  // The recorded vertices in the shape's own frame.
  for (const Vector3& v : part.vertices) local.push_back(back * (v - placement.p));
  const double far = norm(placement.p);
  Points expected;
  if (const YamlTree& box = shape["box"]) {
    const Vector3 half = 0.5 * vectorOf(box["size"]);
    for (int i = 0; i < 8; ++i)
      expected.push_back({i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]});
  } else if (const YamlTree& hull = shape["hull"]) {
    for (const YamlTree& v : hull["vertices"].elements()) expected.push_back(vectorOf(v));
  } else if (const YamlTree& sphere = shape["sphere"]) {
    const double r = sphere["radius"].number();
    return compareRound(local, sphere["vertices"], 1,
                        [&](const Vector3& v) { return std::abs(norm(v) - r) / (r + far); });
  } else if (const YamlTree& cylinder = shape["cylinder"]) {
    const double r = cylinder["radius"].number(), half = cylinder["length"].number() / 2;
    return compareRound(local, cylinder["sides"], 2, [&](const Vector3& v) {
      return std::max(std::abs(std::hypot(v[0], v[1]) - r), std::abs(std::abs(v[2]) - half)) / (r + half + far);
    });
  } else {
    note(fmt::format("geometry of body '{}' not checked: unknown shape", name));
    return {};
  }
  if (far == 0) return comparePoints(local, expected);
  // Compared where they were rounded, in the body frame.
  for (Vector3& v : expected) v = placement.p + R * v;
  return comparePoints(part.vertices, expected);
}

std::string compareParts(const Body& body, const YamlTree& shape,
                         const std::function<void(const std::string&)>& note) {
  const YamlTree& compound = shape["compound"];
  if (body.parts.size() != (compound ? compound.elements().size() : 1))
    return fmt::format("{} parts, the scene has {}", body.parts.size(), compound ? compound.elements().size() : 1);
  for (std::size_t i = 0; i < body.parts.size(); ++i) {
    const std::string what =
        compound ? comparePart(body.parts[i], compound[i]["shape"], readPlacement(compound[i]), body.name, note)
                 : comparePart(body.parts[i], shape, {}, body.name, note);
    if (!what.empty()) return fmt::format("part {}: {}", i, what);
  }
  return {};
}

/// How far a stack of all moving bodies may have been pushed apart [m].
double largestPush(const std::vector<Body>& bodies) {
  double moving = 0, size = 0;
  for (const Body& body : bodies) {
    if (!body.fixed) ++moving;
    for (const Part& part : body.parts)
      for (const Vector3& v : part.vertices) size = std::max(size, norm(v - body.centre));
  }
  return kPushDirections * moving * (kPushTolerance + kTouchingTolerance * size);
}

std::string compareStart(const Body& body, const Start& start, const YamlTree& map, double push) {
  const Placement expected = readPlacement(map);
  const Vector3 arm = expected.R * body.centre, p{start.p[0], start.p[1], start.p[2]};
  const double size = norm(expected.p) + norm(body.centre);
  if (!(norm(p - expected.p - arm) <= push + kGeometryTolerance * size))
    return "it does not start where the scene puts it";
  const Matrix3 R = rotation(start.q[0], start.q[1], start.q[2], start.q[3]);
  for (int i = 0; i < 3; ++i)
    if (!(norm(R[i] - expected.R[i]) <= 4 * kGeometryTolerance)) return "it does not start in the scene's orientation";
  if (body.fixed) return {};
  const Vector3 w = vectorOr(map["angular_velocity"], {0, 0, 0}),
                v = vectorOr(map["velocity"], {0, 0, 0}) + cross(w, arm);
  const Vector3 dv = v - Vector3{start.v[0], start.v[1], start.v[2]},
                dw = w - Vector3{start.w[0], start.w[1], start.w[2]};
  if (!(norm(dv) <= kStartVelocityTolerance * std::max(1.0, norm(v))) ||
      !(norm(dw) <= kStartVelocityTolerance * std::max(1.0, norm(w))))
    return "it does not start with the scene's velocity";
  return {};
}

}  // namespace

struct SceneText::Parsed {
  bool empty = false;
  YamlTree scene;
  std::string error;  ///< Why there is none.
};

SceneText::SceneText(const std::string& text) {
  auto parsed = std::make_unique<Parsed>();
  parsed->empty = text.empty();
  try {
    parsed->scene = YamlTree::parse(text);
  } catch (const YamlError& error) {
    parsed->error = error.what();
  }
  parsed_ = std::move(parsed);
  if (!parsed_->error.empty()) return;
  try {
    for (const YamlTree& map : parsed_->scene["robots"].elements()) robots_.insert(map["name"].text());
  } catch (const YamlError&) {
    robots_.clear();
  }
}

SceneText::~SceneText() = default;

std::string SceneText::robotOf(const std::string& body) const {
  const std::string name = body.substr(0, body.find('/'));
  return body.find('/') != std::string::npos && robots_.contains(name) ? name : std::string();
}

void SceneText::check(const std::vector<Body>& bodies, const std::vector<Start>& starts,
                      const std::function<void(int, const std::string&)>& fail,
                      const std::function<void(const std::string&)>& note) const {
  if (parsed_->empty)
    return note("the record holds no scene text: shapes and starts were not checked against a scene");
  std::vector<bool> described(bodies.size(), false);
  const double push = largestPush(bodies);
  try {
    if (!parsed_->error.empty()) return fail(-1, "the scene text cannot be read: " + parsed_->error);
    for (const YamlTree& map : parsed_->scene["bodies"].elements()) {
      const std::string name = map["name"].text();
      const auto found = std::find_if(bodies.begin(), bodies.end(), [&](const Body& b) { return b.name == name; });
      if (found == bodies.end()) {
        fail(-1, fmt::format("the scene's body '{}' is not in the record", name));
        continue;
      }
      const auto index = found - bodies.begin();
      if (described[index]) fail(static_cast<int>(index), "two of the scene's bodies have this name");
      described[index] = true;
      std::string what;
      if (found->fixed != (map["fixed"] && map["fixed"].boolean()))
        what = "it is fixed in the scene or in the record alone";
      if (what.empty() && found->fixed && norm(found->centre) != 0)
        what = "it is fixed, and its pose is not that of its origin";
      if (what.empty() && !found->fixed && map["com"] &&
          norm(vectorOf(map["com"]) - found->centre) > kGeometryTolerance * norm(found->centre))
        what = "its centre of mass is not the scene's";
      if (what.empty()) what = compareParts(*found, map["shape"], note);
      if (what.empty() && starts[index].known) what = compareStart(*found, starts[index], map, push);
      if (!what.empty()) fail(static_cast<int>(index), what);
    }
  } catch (const YamlError& error) {
    return fail(-1, fmt::format("the scene text cannot be read: {}", error.what()));
  }
  for (const std::string& robot : robots_)
    note(fmt::format("robot '{}': shapes and starts of its links were not checked against its URDF", robot));
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (!described[b] && robotOf(bodies[b].name).empty()) fail(static_cast<int>(b), "the scene has no such body");
}

}  // namespace rigor::verify
