// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <hdf5.h>

#include <map>
#include <utility>

#include "check/trajectory_file.h"

namespace rigor::check {
namespace {

/// An HDF5 handle that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// A file of branches and bodies. Every failure names the data set.
class TrajectoryReader {
 public:
  TrajectoryReader(const std::string& path, const sim::Scene& scene)
      : path_(path), scene_(scene), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (file_ < 0) throw TrajectoryError(path + ": this is no HDF5 file, or it cannot be read");
  }

  std::vector<Trajectory> read() {
    if (H5Lexists(file_, "branches", H5P_DEFAULT) <= 0)
      throw TrajectoryError(path_ + ": there is no group 'branches'; branches/ID/bodies/BODY, as `rigor export` writes them");
    // Whatever has a data set 'orientation' below .../bodies/ is a body.
    std::vector<std::string> names;
    H5Lvisit_by_name(file_, "branches", H5_INDEX_NAME, H5_ITER_INC, &noteLink, &names, H5P_DEFAULT);
    std::map<std::string, std::size_t> places;
    for (const std::string& name : names) readBody(name, places);
    return std::move(found_);
  }

 private:
  static herr_t noteLink(hid_t, const char* name, const H5L_info_t*, void* names) {
    const std::string_view path(name);
    if (path.ends_with("/orientation"))
      static_cast<std::vector<std::string>*>(names)->push_back(std::string(path.substr(0, path.size() - 12)));
    return 0;
  }

  void readBody(const std::string& name, std::map<std::string, std::size_t>& places) {
    const std::size_t split = name.find("/bodies/");
    if (split == name.npos) return;
    const std::string branch = name.substr(0, split), body = name.substr(split + 8);
    std::size_t index = 0;
    while (index < scene_.bodies.size() && scene_.bodies[index].name != body) ++index;
    if (index == scene_.bodies.size()) throw TrajectoryError(fmt::format("{}: branches/{}: the scene has no body '{}'", path_, name, body));
    const auto [place, fresh] = places.emplace(branch, found_.size());
    if (fresh) found_.push_back({branch, std::vector<Track>(scene_.bodies.size())});
    Track& track = found_[place->second].tracks[index];

    const std::string group = "branches/" + name + "/";
    track.time = numbers(group + "time", 1, 0);
    const std::size_t n = track.time.size();
    const std::vector<double> p = numbers(group + "position", 3, n), q = numbers(group + "orientation", 4, n);
    track.pose.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      track.pose[i].p = Eigen::Map<const Eigen::Vector3d>(&p[3 * i]);
      track.pose[i].q = Eigen::Map<const Eigen::Vector4d>(&q[4 * i]);
    }
    if (H5Lexists(file_, (group + "velocity").c_str(), H5P_DEFAULT) <= 0 ||
        H5Lexists(file_, (group + "angular_velocity").c_str(), H5P_DEFAULT) <= 0)
      return;
    const std::vector<double> v = numbers(group + "velocity", 3, n), w = numbers(group + "angular_velocity", 3, n);
    track.velocity.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      track.velocity[i] << Eigen::Map<const Eigen::Vector3d>(&v[3 * i]), Eigen::Map<const Eigen::Vector3d>(&w[3 * i]);
  }

  /// A data set of `rows` (0: any number) times `columns` numbers.
  std::vector<double> numbers(const std::string& name, hsize_t columns, std::size_t rows) {
    const Handle set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (set < 0) throw TrajectoryError(fmt::format("{}: {}: there is no such data set", path_, name));
    const Handle space(H5Dget_space(set), H5Sclose);
    hsize_t size[2] = {0, 1};
    const int rank = H5Sget_simple_extent_ndims(space);
    const bool shaped = rank == (columns == 1 ? 1 : 2) && H5Sget_simple_extent_dims(space, size, nullptr) == rank &&
                        size[1] == columns && (rows == 0 || size[0] == rows);
    if (!shaped || size[0] > kMostRows)
      throw TrajectoryError(fmt::format("{}: {}: wrong shape; {} x {} numbers", path_, name, rows == 0 ? "n" : std::to_string(rows), columns));
    std::vector<double> values(size[0] * columns);
    if (!values.empty() && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
      throw TrajectoryError(fmt::format("{}: {}: it cannot be read as numbers", path_, name));
    return values;
  }

  static constexpr hsize_t kMostRows = 1ull << 31;
  const std::string& path_;
  const sim::Scene& scene_;
  Handle file_;
  std::vector<Trajectory> found_;
};

}  // namespace

std::vector<Trajectory> readHdf5(const std::string& path, const sim::Scene& scene) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // Failures are reported by exceptions, not on stderr.
  return TrajectoryReader(path, scene).read();
}

}  // namespace rigor::check
