// SPDX-License-Identifier: MIT
#include "check/trajectory_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "formats/file_error.h"

namespace rigor::check {
namespace {

std::vector<Trajectory> readAs(const std::string& ending, const std::string& path, const sim::Scene& scene) {
  try {
    if (ending == ".csv") return readCsv(path, scene);
    if (ending == ".npz") return readNpz(path, scene);
    if (ending == ".h5" || ending == ".hdf5") return readHdf5(path, scene);
  } catch (const formats::FileError& error) {
    throw TrajectoryError(error.what());
  }
  throw TrajectoryError(fmt::format("{}: unknown ending '{}'; .csv, .npz, .h5 or .hdf5", path, ending));
}

}  // namespace

std::vector<Trajectory> readTrajectories(const std::string& path, const sim::Scene& scene) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw TrajectoryError(path + ": there is no such file; a trajectory (.csv, .npz, .h5)");
  if (!fs::is_regular_file(status))
    throw TrajectoryError(path + ": this is no regular file; a trajectory (.csv, .npz, .h5)");
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  std::vector<Trajectory> found = readAs(ending, path, scene);
  if (found.empty()) throw TrajectoryError(path + ": it holds no samples");
  for (Trajectory& trajectory : found) matchScene(trajectory, scene, path);
  return found;
}

}  // namespace rigor::check
