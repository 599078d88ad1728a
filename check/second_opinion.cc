// SPDX-License-Identifier: MIT
#include "check/second_opinion.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

#include "elementary/require.h"
#include "geom/second_opinion.h"
#include "geom/shape.h"

namespace rigor::check {
namespace {

using Eigen::Vector3d;
using geom::PlacedPoints;

/// The pose of a body at a time at which it has a sample; of one without samples, the scene's.
std::optional<geom::Pose> sampleAt(const Track& track, const sim::Body& body, double time) {
  if (track.empty()) return body.pose;
  const auto found = std::lower_bound(track.time.begin(), track.time.end(), time);
  if (found == track.time.end() || *found != time) return std::nullopt;
  return track.pose[static_cast<std::size_t>(found - track.time.begin())];
}

PlacedPoints placedPart(const geom::Polytope& part, const geom::Pose& pose) {
  PlacedPoints points{{}, pose};
  for (int v = 0; v < part.numVertices(); ++v) points.vertices.push_back(part.vertex(v));
  return points;
}

bool isRound(const geom::Shape& part) {
  const auto* polytope = std::get_if<geom::Polytope>(&part);
  return polytope && polytope->round();
}

/// What of a half-space can be near `other`: a box below its plane, much larger than that.
PlacedPoints boxOf(const geom::HalfSpace& part, const geom::Pose& pose, const PlacedPoints& other) {
  constexpr double kMuch = 4;
  const Eigen::Matrix3d R = pose.rotation();
  const Vector3d n = R * part.normal.normalized();
  const double offset = part.offset / part.normal.norm() + n.dot(pose.p);
  const Vector3d middle = other.pose * other.vertices.front();
  double size = std::abs(n.dot(middle) - offset);
  for (const Vector3d& vertex : other.vertices) size = std::max(size, (other.pose * vertex - middle).norm());
  size *= kMuch;
  const Vector3d foot = middle - (n.dot(middle) - offset) * n, u = n.unitOrthogonal(), v = n.cross(u);
  PlacedPoints box{{}, {}};
  for (const double a : {-size, size})
    for (const double b : {-size, size})
      for (const double depth : {0.0, size}) box.vertices.push_back(foot + a * u + b * v - depth * n);
  return box;
}

class Asker {
 public:
  Asker(const sim::Scene& scene, long most) : scene_(scene), most_(most) {}

  void ask(const Trajectory& trajectory) {
    const int count = static_cast<int>(scene_.bodies.size());
    for (int a = 0; a < count; ++a)
      for (int b = a + 1; b < count; ++b)
        if (mayCollide(trajectory, a, b)) askPair(trajectory, a, b);
  }
  SecondOpinions take() { return std::move(found_); }

 private:
  const Track& track(const Trajectory& trajectory, int body) const {
    return trajectory.tracks[static_cast<std::size_t>(body)];
  }
  const sim::Body& body(int number) const { return scene_.bodies[static_cast<std::size_t>(number)]; }

  bool mayCollide(const Trajectory& trajectory, int a, int b) const {
    if (track(trajectory, a).empty() && track(trajectory, b).empty()) return false;
    const auto ignores = [&](int x, int y) {
      return std::find(body(x).ignored.begin(), body(x).ignored.end(), y) != body(x).ignored.end();
    };
    return !ignores(a, b) && !ignores(b, a);
  }

  void askPair(const Trajectory& trajectory, int a, int b) {
    const Track& times = track(trajectory, a).empty() ? track(trajectory, b) : track(trajectory, a);
    const std::size_t step = times.time.size() / static_cast<std::size_t>(most_) + 1;
    for (std::size_t i = 0; i < times.time.size(); i += step) {
      const double time = times.time[i];
      const auto A = sampleAt(track(trajectory, a), body(a), time), B = sampleAt(track(trajectory, b), body(b), time);
      if (!A || !B) continue;
      for (const geom::Shape& first : body(a).parts)
        for (const geom::Shape& second : body(b).parts) askParts({a, b, time, 0, 0}, first, *A, second, *B);
    }
  }

  void askParts(Difference place, const geom::Shape& first, const geom::Pose& A, const geom::Shape& second,
                const geom::Pose& B) {
    if (isRound(first) || isRound(second)) return;  // It knows hulls of points.
    const auto *solid_a = std::get_if<geom::Polytope>(&first), *solid_b = std::get_if<geom::Polytope>(&second);
    if (!solid_a && !solid_b) return;
    PlacedPoints a, b;
    if (solid_a) a = placedPart(*solid_a, A);
    if (solid_b) b = placedPart(*solid_b, B);
    if (!solid_a) a = boxOf(std::get<geom::HalfSpace>(first), A, b);
    if (!solid_b) b = boxOf(std::get<geom::HalfSpace>(second), B, a);
    const geom::SecondOpinion opinion = geom::secondOpinion(a, b);
    ++found_.asked;
    if (!std::isfinite(opinion.distance)) return;
    place.ours = geom::namedSeparation(a, b).separation.distance, place.other = opinion.distance;
    if (opinion.agreesWith(place.ours)) ++found_.agree;
    else found_.differ.push_back(place);
  }

  const sim::Scene& scene_;
  long most_;
  SecondOpinions found_;
};

}  // namespace

SecondOpinions askSecondOpinion(const sim::Scene& scene, std::span<const Trajectory> trajectories, long most) {
  Asker asker(scene, most);
  for (const Trajectory& trajectory : trajectories) {
    RIGOR_REQUIRE(trajectory.tracks.size() == scene.bodies.size());
    asker.ask(trajectory);
  }
  return asker.take();
}

}  // namespace rigor::check
