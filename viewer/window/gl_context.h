// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <stdexcept>
#include <string>

namespace rigor::viewer {

/// No display, no driver, or too old a one; what() is one sentence for the user, with what to do.
struct DisplayError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An OpenGL 3.3 core context without a window, current from its construction to its end. Needs no display: EGL on a
/// device or in memory (Mesa's software renderer); where that is not to be had, a hidden window of $DISPLAY.
class OffscreenContext {
 public:
  OffscreenContext();  ///< @throws DisplayError.
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;
  const std::string& description() const { return description_; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::string description_;
};

}  // namespace rigor::viewer
