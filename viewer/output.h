// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace rigor::viewer {

/// The instants that the frames of a video show.
struct VideoTimes {
  static constexpr long kMostFrames = 1'000'000;

  double from = 0, to = 0;  ///< Of the run [s].
  double fps = 30;          ///< Frames a second of the video.
  double speed = 1;         ///< Shown seconds a second of the video.

  /// From `from` on, up to and including `to`; 0 for what is no range, no speed (NaN included) or above kMostFrames.
  long frames() const;
  double time(long frame) const;  ///< [s]
};

/// Pictures and videos that the window is asked to write: panels ask, the window does it and says how far it is.
struct Output {
  int width = 0, height = 0;  ///< Pixels; 0: as the view.
  bool transparent = false;   ///< Of pictures: nothing but the bodies.
  VideoTimes video;
  bool want_picture = false, want_video = false, cancel_video = false;
  double progress = -1;  ///< Of the video that is being written, 0 to 1; -1: none.
};

/// NAME-0001 with the extension, or with the next number that neither a file in the current folder nor a video's frames
/// have.
std::string freeName(std::string name, const std::string& extension);

}  // namespace rigor::viewer
