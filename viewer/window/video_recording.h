// SPDX-License-Identifier: MIT
#pragma once
#include "viewer/video.h"
#include "viewer/viewer.h"
#include "viewer/window/picture_renderer.h"

namespace rigor::viewer {

/// A video that is written while the window goes on: a few frames between two of its own. It shows the view as it was
/// at the start, whatever is looked at meanwhile.
class VideoRecording {
 public:
  /// Of viewer.output, in pixels width x height. @throws ImageError.
  VideoRecording(Viewer& viewer, const std::string& path, int width, int height);

  /// Frames for about `budget` seconds, one at least. @returns whether there are more; false: the file is complete.
  /// @pre the viewer and `renderer` show the record of the start (Viewer::generation()). @throws ImageError,
  /// record::RecordError.
  bool work(Viewer& viewer, PictureRenderer& renderer, GlGui& text, float scale, double budget);
  double progress() const { return static_cast<double>(done_) / static_cast<double>(times_.frames()); }
  int generation() const { return generation_; }
  const std::string& path() const { return path_; }
  /// Where the frames are, if there is no ffmpeg.
  const std::string& note() const { return writer_.note(); }

 private:
  std::string path_;
  VideoTimes times_;
  View view_;
  int width_, height_, generation_;
  long done_ = 0;
  VideoWriter writer_;
};

}  // namespace rigor::viewer
