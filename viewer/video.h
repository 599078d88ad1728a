// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "viewer/image.h"

namespace rigor::viewer {

/// Frames to a video file by the program `ffmpeg`; where that is not installed, to PNG frames NAME-000001.png, ...
/// beside it. All frames have the size given. Everything that goes wrong throws ImageError.
class VideoWriter {
 public:
  VideoWriter(const std::string& path, int width, int height, double fps);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  void add(const Image& frame);
  void finish();  ///< Waits for ffmpeg and checks that it succeeded.
  /// What the user should know: that PNG frames are written, and where. Empty with ffmpeg.
  const std::string& note() const { return note_; }

 private:
  std::string path_, note_;
  int width_, height_, pipe_ = -1, process_ = -1;
  long frames_ = 0;
};

}  // namespace rigor::viewer
