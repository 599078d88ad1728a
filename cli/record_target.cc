// SPDX-License-Identifier: MIT
#include "cli/record_target.h"

#include <filesystem>

#include "cli/places.h"

namespace rigor::cli {

RecordTarget chooseRecord(const std::string& output, bool force, bool resume) {
  if (resume && force) throw UsageError("--resume goes on with a record, --force replaces it; not both");
  RecordTarget target{output, false};
  if (resume && output.empty()) {
    target.path = findNewestRecord();
    if (target.path.empty()) throw UsageError("--resume: no record was named with -o, and runs/ has none");
  }
  std::error_code ignored;
  target.resumed = resume && std::filesystem::is_regular_file(target.path, ignored);
  if (target.path.empty() || target.resumed) return target;
  if (const std::string wrong = refuseOutput(target.path, force); !wrong.empty())
    throw UsageError(wrong + (std::filesystem::is_regular_file(target.path, ignored) ? ", --resume goes on with it" : ""));
  return target;
}

void requireScene(const std::string& path, const std::string& recorded, const std::string& text) {
  if (recorded != text) throw UsageError(fmt::format("{} is of another scene or of an earlier text of it; --force starts anew", path));
}

}  // namespace rigor::cli
