// SPDX-License-Identifier: MIT
#pragma once
#include "viewer/window/gl_program.h"

struct ImDrawData;

namespace rigor::viewer {

/// Draws ImGui's draw data onto the bound framebuffer. @pre a context is current and a Gui exists.
class GlGui {
 public:
  GlGui();
  ~GlGui();
  void draw(const ImDrawData& data);

 private:
  GlProgram program_;
  unsigned array_ = 0, vertices_ = 0, indices_ = 0, font_ = 0;
};

}  // namespace rigor::viewer
