// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "rigor/error.h"

namespace rigor {

namespace scenes {
struct SceneSource;
}

/// An InputError with the place FILE:LINE:COL that a message of a loader begins with, if it does.
InputError inputErrorOf(const std::string& message);

/// Inside a handler: throws what the folders throw for bad input as InputError, what the program's user has interrupted
/// as InterruptedError, everything else as it is. `source` places errors of bodies; null: none.
[[noreturn]] void rethrowForUsers(const scenes::SceneSource* source = nullptr);

/// f(), with the errors of rethrowForUsers().
template <typename F>
auto withUserErrors(F&& f, const scenes::SceneSource* source = nullptr) {
  try {
    return f();
  } catch (...) {
    rethrowForUsers(source);
  }
}

}  // namespace rigor
