// SPDX-License-Identifier: MIT
#include "rigor/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/scene_impl.h"
#include "check/check.h"
#include "check/trajectory_file.h"

namespace rigor {
namespace {

check::Interpolation choose(const std::string& asked, const std::vector<check::Trajectory>& trajectories) {
  if (asked == "linear") return check::Interpolation::kLinear;
  if (asked == "hermite") return check::Interpolation::kHermite;
  if (!asked.empty()) throw InputError(fmt::format("interpolation '{}'; allowed: linear, hermite", asked));
  for (const check::Trajectory& trajectory : trajectories)
    for (const check::Track& track : trajectory.tracks)
      if (!track.empty() && track.velocity.empty()) return check::Interpolation::kLinear;
  return check::Interpolation::kHermite;
}

CheckedPair toPublic(const check::PairReport& p, const sim::Scene& scene) {
  CheckedPair out;
  out.body_a = scene.bodies[p.body_a].name, out.body_b = scene.bodies[p.body_b].name;
  out.overlapping = p.overlapping, out.tunnelling = p.tunnelling, out.undecided = p.undecided;
  out.first = p.first, out.last = p.last, out.deepest_time = p.deepest.time, out.deepest_depth = p.deepest.depth;
  for (const check::DepthPoint& point : p.curve) out.curve.push_back({point.time, point.depth});
  return out;
}

CheckReport checkAll(const sim::Scene& scene, const std::vector<check::Trajectory>& trajectories,
                     const CheckOptions& options, const Watch& watch) {
  if (!(options.allow >= 0)) throw InputError(fmt::format("allow is {} m; allowed: 0 or more", options.allow));
  check::CheckOptions o;
  o.allow = options.allow, o.interpolation = choose(options.interpolation, trajectories), o.curves = options.curves;
  o.interrupt = watch.interrupt;
  if (watch.progress) o.progress = [&](double share) { watch.progress(share, 1); };
  const check::Report r = check::checkTrajectories(scene, trajectories, o);
  CheckReport out;
  out.status = r.status(), out.interpolation = o.interpolation == check::Interpolation::kHermite ? "hermite" : "linear";
  out.intervals = r.intervals, out.apart = r.apart, out.overlapping = r.overlapping, out.tunnelling = r.tunnelling,
  out.undecided = r.undecided;
  out.wall_seconds = r.wall_seconds;
  for (const check::PairReport& p : r.pairs) {
    if (&p == r.deepest()) out.deepest = static_cast<int>(out.pairs.size());
    out.pairs.push_back(toPublic(p, scene));
  }
  return out;
}

/// A trajectory of one branch, not yet held against the scene.
check::Trajectory trajectoryOf(const Scene& scene, const std::vector<double>& times,
                               const std::map<std::string, Samples>& bodies) {
  check::Trajectory trajectory;
  trajectory.tracks.resize(scene.bodies().size());
  for (const auto& [name, samples] : bodies) {
    const std::size_t n = times.size();
    if (samples.position.size() != n || samples.orientation.size() != n ||
        (!samples.velocity.empty() && samples.velocity.size() != n))
      throw InputError(
          fmt::format("'{}' has {} samples for {} times; allowed: one each", name, samples.position.size(), n));
    check::Track& track = trajectory.tracks[static_cast<std::size_t>(scene.body(name))];
    track.time = times;
    for (std::size_t i = 0; i < n; ++i) {
      const Quaternion& q = samples.orientation[i];
      track.pose.push_back({{q[0], q[1], q[2], q[3]}, toEigen(samples.position[i])});
      if (!samples.velocity.empty()) track.velocity.emplace_back(samples.velocity[i].data());
    }
  }
  return trajectory;
}

}  // namespace

CheckReport checkMotion(const Scene& scene, const std::vector<double>& times,
                        const std::map<std::string, Samples>& bodies, const CheckOptions& options, const Watch& watch) {
  return withUserErrors([&] {
    std::vector<check::Trajectory> trajectories{trajectoryOf(scene, times, bodies)};
    check::matchScene(trajectories[0], scene.impl().scene, "poses");
    return checkAll(scene.impl().scene, trajectories, options, watch);
  });
}

CheckReport checkFile(const Scene& scene, const std::string& path, const CheckOptions& options, const Watch& watch) {
  return withUserErrors(
      [&] { return checkAll(scene.impl().scene, check::readTrajectories(path, scene.impl().scene), options, watch); });
}

}  // namespace rigor
