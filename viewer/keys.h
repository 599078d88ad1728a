// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

namespace rigor::viewer {

/// Keys that are not characters; letters are their upper case.
enum Key {
  kLeft = 256,
  kRight,
  kUp,
  kDown,
  kHome,
  kEnd,
  kPageUp,
  kPageDown,
  kEscape,
  kF1,
  kF2,
  kF5,
  kF12,
  kTab,
  kDelete
};
struct KeyPress {
  int key = 0;
  bool shift = false, control = false;
};

struct Shortcut {
  const char* keys;
  const char* text;
  const char* group;
};
/// Everything that handleKey() and the mouse know, for the overlay of `?`.
const std::vector<Shortcut>& shortcuts();

}  // namespace rigor::viewer
