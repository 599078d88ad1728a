// SPDX-License-Identifier: MIT
#pragma once
#include <fmt/format.h>

#include <optional>
#include <string>

#include "cli/input_error.h"
#include "record/reader.h"
#include "sim/world.h"

namespace rigor::cli {

/// The record that `run` or `explore` writes to.
struct RecordTarget {
  std::string path;      ///< Empty: the next free runs/NAME-0001.rigor.
  bool resumed = false;  ///< It exists, and is gone on with.
};

/// What -o, --force and --resume mean. --resume of a record that does not exist starts it. @throws UsageError.
RecordTarget chooseRecord(const std::string& output, bool force, bool resume);

/// A record that is gone on with is of this scene: of its text and of the files that it names. @throws UsageError;
/// record::RecordError.
void requireScene(record::Reader& reader, const sim::Scene& scene);

/// An option that a resumed record has fixed: left out, or the same. @throws UsageError.
template <typename Value>
void requireSame(const std::string& path, const char* option, const std::optional<Value>& wanted,
                 const Value& recorded) {
  if (wanted && *wanted != recorded)
    throw UsageError(fmt::format("{} was made with {} {}, not {}; leave the option out, or --force", path, option,
                                 recorded, *wanted));
}

}  // namespace rigor::cli
