// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace rigor::viewer {

class Viewer;

/// Camera, overlays, theme, speed, loop, shown times, plots, names and muted branches, remembered per record file in
/// $XDG_STATE_HOME/rigor/view (by default ~/.local/state). A file that cannot be read or written is as none:
/// remembering is a comfort, never an error.
void saveSession(const Viewer& viewer);
void loadSession(Viewer& viewer);

/// Where a record's session is kept; empty if there is no place for it.
std::string sessionPath(const std::string& record);

}  // namespace rigor::viewer
