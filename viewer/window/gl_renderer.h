// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "viewer/draw_list.h"
#include "viewer/image.h"

namespace rigor::viewer {

/// Draws lists with OpenGL 3.3 into a picture of its own, four samples a pixel, whatever the window is: what a window
/// shows and what a screenshot holds are the same pixels. Labels are text and drawn by the caller (viewer/gui.h).
class GlRenderer : public Renderer {
 public:
  /// @pre a context is current, and stays so. @throws std::runtime_error if the driver lacks something.
  GlRenderer();
  ~GlRenderer() override;

  void setMeshes(const std::vector<Mesh>& meshes) override;
  void draw(const DrawList& list, int width, int height) override;

  /// Copies the last picture into a rectangle of the window, pixels from the lower left.
  void present(int x, int y, int width, int height) const;
  /// Binds the last picture (one sample) as the target of further drawing, as labels are.
  void bindPicture() const;
  Image readPicture() const;
  /// Pixels that a driver allows along an edge.
  static int largestPicture();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor::viewer
