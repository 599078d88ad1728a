// SPDX-License-Identifier: MIT
#pragma once
#include "viewer/gui.h"
#include "viewer/window/gl_context.h"
#include "viewer/window/picture_renderer.h"

namespace rigor::viewer {

/// Renders frames of a run without a window: screenshots and video.
class PictureMaker {
 public:
  explicit PictureMaker(RunModel& model);  ///< @throws DisplayError.

  /// One frame of exactly width x height pixels. @throws record::RecordError; ImageError for a size that the driver
  /// cannot do.
  Image render(const View& view, const Annotations& annotations, int width, int height);
  /// The camera for a picture of what moves at the view's time, if it has not been placed.
  void frame(View& view, int width, int height);
  const OffscreenContext& context() const { return context_; }

 private:
  RunModel* model_;
  OffscreenContext context_;
  PictureRenderer renderer_;
  std::unique_ptr<Gui> gui_;
  std::unique_ptr<GlGui> gl_gui_;
};

}  // namespace rigor::viewer
