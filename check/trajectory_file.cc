// SPDX-License-Identifier: MIT
#include "check/trajectory_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace rigor::check {

std::vector<Trajectory> readTrajectories(const std::string& path, const sim::Scene& scene) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw TrajectoryError(path + ": there is no such file; a trajectory (.csv, .npz, .h5)");
  if (!fs::is_regular_file(status)) throw TrajectoryError(path + ": this is no regular file; a trajectory (.csv, .npz, .h5)");
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  std::vector<Trajectory> found;
  if (ending == ".csv") found = readCsv(path, scene);
  else if (ending == ".npz") found = readNpz(path, scene);
  else if (ending == ".h5" || ending == ".hdf5") found = readHdf5(path, scene);
  else throw TrajectoryError(fmt::format("{}: unknown ending '{}'; .csv, .npz, .h5 or .hdf5", path, ending));
  if (found.empty()) throw TrajectoryError(path + ": it holds no samples");
  for (Trajectory& trajectory : found) matchScene(trajectory, scene, path);
  return found;
}

}  // namespace rigor::check
