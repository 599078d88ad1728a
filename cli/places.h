// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

namespace rigor::cli {

/// Folder of the bundled scenes: $RIGOR_SCENES, else share/rigor/scenes beside an installed program, else the source
/// tree's. Empty if none exists.
std::string findBundledScenes();

/// Paths of the bundled scenes, sorted by name.
std::vector<std::string> listBundledScenes();

/// The file that a SCENE argument means: itself, or the bundled scene of that name. A name that is neither is returned
/// as it is, for the loader to complain about.
std::string resolveScene(const std::string& argument);

/// Paths of the bundled impact problems, sorted by name.
std::vector<std::string> listBundledProblems();

/// The file that a PROBLEM argument means, as resolveScene().
std::string resolveProblem(const std::string& argument);

/// With all that it lies in, where it is not there. @throws UsageError that says why not.
void createFolder(const std::string& folder);

/// runs/NAME-0001.rigor in the current folder, with the first number above all that are there. Creates `runs`.
/// @throws UsageError where no record can be written there.
std::string nextRecordPath(const std::string& name);

/// Empty if a record may be created at `path`, else what is wrong.
std::string refuseOutput(const std::string& path, bool force);

/// The record in runs/ that was written last; empty if there is none.
std::string findNewestRecord();

}  // namespace rigor::cli
