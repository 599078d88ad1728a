// SPDX-License-Identifier: MIT
#include "cli/export_command.h"

#include <algorithm>

#include "cli/exit_code.h"
#include "record/export.h"

namespace rigor::cli {

int exportCommand(const std::string& path, const std::string& format, const std::string& output,
                  const std::string& branch, std::ostream&, std::ostream& err) {
  try {
    record::Reader reader(path);
    const auto branches = reader.branches();
    if (!branch.empty() &&
        std::none_of(branches.begin(), branches.end(), [&](const auto& b) { return b.id == branch; })) {
      err << "rigor: --branch is " << branch << "; a branch of " << path << " (`rigor info` lists them)\n";
      return kUsage;
    }
    if (format == "csv") {
      record::exportCsv(reader, output, branch);
    } else if (format == "hdf5") {
      record::exportHdf5(reader, output, branch);
    } else if (format == "gltf") {
      record::exportGltf(reader, output, branch);
    } else {
      err << "rigor: --format is " << format << "; csv, hdf5 or gltf\n";
      return kUsage;
    }
    err << "rigor: wrote " << output << '\n';
    return kDone;
  } catch (const record::ExportError& error) {
    err << "rigor: " << error.what() << '\n';
    return kFailure;
  } catch (const record::RecordError& error) {
    err << "rigor: " << error.what() << '\n';
    return kBadInput;
  }
}

}  // namespace rigor::cli
