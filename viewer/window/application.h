// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <memory>

#include "viewer/image.h"
#include "viewer/panels.h"
#include "viewer/viewer.h"

struct GLFWwindow;

namespace rigor::viewer {

/// The window: GLFW's events in, frames out. All that it shows is the Viewer's.
class Application {
 public:
  /// @throws DisplayError where there is no display or no OpenGL 3.3.
  Application(Viewer& viewer, int width, int height);
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  void run(const std::atomic<bool>& stop);  ///< Until the window is closed, or `stop` is set from elsewhere.
  /// Handles the waiting events and draws one frame; `dt` [s] of the shown clock. @returns false once it is closed.
  bool frame(double dt);
  /// Draws a frame and copies the back buffer as it goes to the screen.
  Image captureFrame();
  const PanelState& panels() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor::viewer
