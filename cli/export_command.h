// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <ostream>
#include <string>

namespace rigor::cli {

struct ExportArguments {
  std::string record;
  std::string format;  ///< csv, hdf5, gltf or html.
  std::string output;  ///< A folder for csv, a file otherwise.
  std::string branch;  ///< Empty: all.
  std::optional<double> rate;  ///< [1/s]
  std::string at;              ///< File of times.
};

/// `rigor export`. @returns 0; 2 for a format or branch that does not exist, or times where the format takes none; 3
/// for a file that is no record, or a file of times with something else in it; 4 if the output cannot be written.
int exportCommand(const ExportArguments& arguments, std::ostream& err);

}  // namespace rigor::cli
