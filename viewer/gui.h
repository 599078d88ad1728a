// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "viewer/draw_list.h"

struct ImDrawList;
struct ImFont;
struct ImGuiContext;

namespace rigor::viewer {

/// Dear ImGui's state with rigor's fonts and colours. Draws nothing by itself: a window's renderer takes ImGui's draw
/// data, a test throws it away. One at a time.
class Gui {
 public:
  /// @param scale  Pixels per point: 1 on an ordinary screen, 2 on a dense one.
  explicit Gui(float scale = 1, bool dark = false);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  void setTheme(bool dark);
  float scale() const { return scale_; }
  ImFont* large() const { return large_; }
  /// The font file that was found; empty: the built-in one.

 private:
  ImGuiContext* context_;
  ImFont* large_ = nullptr;
  float scale_;
  std::string font_path_;
};

/// Writes a draw list's labels, and the grid's scale in the lower left corner if there is a grid. Sizes in pixels.
void drawLabels(const DrawList& list, ImDrawList* target, float x, float y, float width, float height, float scale);

}  // namespace rigor::viewer
