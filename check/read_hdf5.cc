// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <map>
#include <utility>

#include "check/trajectory_file.h"
#include "formats/hdf5.h"

namespace rigor::check {
namespace {

/// A file of branches and bodies. Every failure names the data set.
class TrajectoryReader {
 public:
  TrajectoryReader(const std::string& path, const sim::Scene& scene)
      : path_(path), scene_(scene), file_(path) {}

  std::vector<Trajectory> read() {
    if (!file_.has("branches"))
      throw TrajectoryError(path_ +
                            ": there is no group 'branches'; branches/ID/bodies/BODY, as `rigor export` writes them");
    // Whatever has a data set 'orientation' below .../bodies/ is a body.
    constexpr std::string_view kMark = "/orientation";
    std::map<std::string, std::size_t> places;
    for (const std::string& name : file_.below("branches"))
      if (name.ends_with(kMark)) readBody(name.substr(0, name.size() - kMark.size()), places);
    return std::move(found_);
  }

 private:
  void readBody(const std::string& name, std::map<std::string, std::size_t>& places) {
    const std::size_t split = name.find("/bodies/");
    if (split == name.npos) return;
    const std::string branch = name.substr(0, split), body = name.substr(split + 8);
    std::size_t index = 0;
    while (index < scene_.bodies.size() && scene_.bodies[index].name != body) ++index;
    if (index == scene_.bodies.size())
      throw TrajectoryError(fmt::format("{}: branches/{}: the scene has no body '{}'", path_, name, body));
    const auto [place, fresh] = places.emplace(branch, found_.size());
    if (fresh) found_.push_back({branch, std::vector<Track>(scene_.bodies.size())});
    Track& track = found_[place->second].tracks[index];

    const std::string group = "branches/" + name + "/";
    track.time = file_.numbers(group + "time", 1);
    const std::size_t n = track.time.size();
    const std::vector<double> p = file_.numbers(group + "position", 3, n),
                              q = file_.numbers(group + "orientation", 4, n);
    track.pose.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      track.pose[i].p = Eigen::Map<const Eigen::Vector3d>(&p[3 * i]);
      track.pose[i].q = Eigen::Map<const Eigen::Vector4d>(&q[4 * i]);
    }
    if (!file_.has(group + "velocity") || !file_.has(group + "angular_velocity")) return;
    const std::vector<double> v = file_.numbers(group + "velocity", 3, n),
                              w = file_.numbers(group + "angular_velocity", 3, n);
    track.velocity.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      track.velocity[i] << Eigen::Map<const Eigen::Vector3d>(&v[3 * i]), Eigen::Map<const Eigen::Vector3d>(&w[3 * i]);
  }

  const std::string& path_;
  const sim::Scene& scene_;
  formats::Hdf5Reader file_;
  std::vector<Trajectory> found_;
};

}  // namespace

std::vector<Trajectory> readHdf5(const std::string& path, const sim::Scene& scene) {
  return TrajectoryReader(path, scene).read();
}

}  // namespace rigor::check
