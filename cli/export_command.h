// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <string>

namespace rigor::cli {

/// `rigor export`: writes the record at `path` to `output` (a folder for csv, a file otherwise), one branch or all.
/// @param format "csv", "hdf5" or "gltf".
/// @returns 0; 2 for a format or branch that does not exist; 3 for a file that is no record; 4 if `output` cannot be
/// written.
int exportCommand(const std::string& path, const std::string& format, const std::string& output,
                  const std::string& branch, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
