// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "viewer/image.h"
#include "viewer/scene_painter.h"
#include "viewer/window/gl_gui.h"
#include "viewer/window/gl_renderer.h"

namespace rigor::viewer {

/// Draws instants of a run, labels included, into pictures in memory of any size, beside whatever else is drawn.
class PictureRenderer {
 public:
  /// @pre an OpenGL context is current, and stays so.
  explicit PictureRenderer(RunModel& model);
  void open(RunModel& model);  ///< Another run; what belongs to the driver stays.

  /// One frame of exactly width x height pixels; text is `scale` times its usual size.
  /// @pre ImGui has begun a first frame: it has its fonts.
  /// @throws record::RecordError; ImageError for a size that the driver cannot do.
  Image render(RunModel& model, const View& view, const Annotations& annotations, int width, int height, GlGui& text,
               float scale);
  ScenePainter& painter() { return *painter_; }

 private:
  std::unique_ptr<ScenePainter> painter_;
  GlRenderer renderer_;
  DrawList list_;
};

}  // namespace rigor::viewer
