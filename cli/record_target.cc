// SPDX-License-Identifier: MIT
#include "cli/record_target.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cli/places.h"
#include "verify/record/query.h"

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
  // Its writer ended before the first commit: there is nothing to go on with, and it starts anew.
  if (target.resumed && verify::recorded::neverCommitted(target.path)) {
    std::filesystem::remove(target.path, ignored);
    target.resumed = false;
  }
  if (target.path.empty() || target.resumed) return target;
  const std::filesystem::file_status status = std::filesystem::status(target.path, ignored);
  if (force && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status))
    throw UsageError(target.path + " is no regular file; --force replaces a record");
  if (const std::string wrong = refuseOutput(target.path, force); !wrong.empty())
    throw UsageError(wrong + (!force && std::filesystem::is_regular_file(status) ? ", --resume goes on with it" : ""));
  return target;
}

void requireScene(record::Reader& reader, const sim::Scene& scene) {
  if (reader.header().scene_text != scene.text)
    throw UsageError(
        fmt::format("{} is of another scene or of an earlier text of it; --force starts anew", reader.path()));
  // Names depend on the folder from which the scene was asked for; contents do not.
  std::vector<std::string> recorded, loaded;
  for (const auto& file : reader.files())
    if (file.role == "named" || file.role == "expanded") recorded.push_back(file.content);
  for (const sim::SceneFile& file : scene.files)
    if (file.role == "named" || file.role == "expanded") loaded.push_back(*file.content);
  std::sort(recorded.begin(), recorded.end());
  std::sort(loaded.begin(), loaded.end());
  if (recorded != loaded)
    throw UsageError(
        fmt::format("{}: a file that the scene names has changed since; --force starts anew", reader.path()));
}

}  // namespace rigor::cli
