// SPDX-License-Identifier: MIT
#include "viewer/window/video_recording.h"

#include <chrono>

namespace rigor::viewer {

VideoRecording::VideoRecording(Viewer& viewer, const std::string& path, int width, int height)
    : path_(path),
      times_(viewer.output.video),
      view_(viewer.view),
      width_(width),
      height_(height),
      generation_(viewer.generation()),
      writer_(path, width, height, times_.fps) {
  view_.hovered = -1;
}

bool VideoRecording::work(Viewer& viewer, PictureRenderer& renderer, GlGui& text, float scale, double budget) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration<double>(budget);
  do {
    view_.time = times_.time(done_);
    view_.ghosts = viewer.ghostsAt(view_.time);
    const Annotations annotations =
        collectAnnotations(viewer.index(), viewer.model(), view_, impulseWindow(times_.speed));
    writer_.add(renderer.render(viewer.model(), view_, annotations, width_, height_, text, scale));
    if (++done_ == times_.frames()) {
      writer_.finish();
      return false;
    }
  } while (Clock::now() < until);
  return true;
}

}  // namespace rigor::viewer
