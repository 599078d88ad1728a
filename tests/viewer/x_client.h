// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>

/// What other programs of a desktop do to a window. Xlib's macros stay in the source file.
namespace rigor::viewer {

/// Drags `path` onto the one window that takes drops and lets it fall at (x, y); `serve` lets that window handle its
/// events.
/// @returns whether the window said that it took it.
bool dropFile(const std::string& path, int x, int y, const std::function<void()>& serve);

/// Sets the resolution that programs started from now on find on the display of DISPLAY.
void setDpi(int dpi);

}  // namespace rigor::viewer
