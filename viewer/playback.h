// SPDX-License-Identifier: MIT
#pragma once

namespace rigor::viewer {

/// The clock of the shown time: play, pause, speed, loop. Plain arithmetic; knows no run.
struct Playback {
  static constexpr double kSlowest = 1e-6, kFastest = 100;

  bool playing = false;
  double speed = 1;  ///< Shown seconds a second.
  bool loop = false;
  double loop_from = 0, loop_to = 0;  ///< Used where from < to; else the whole run.

  /// Time after `dt` seconds of watching, from `time`, in a run that ends at `end` and may still grow. At the end it
  /// stops (growing: waits), or begins again with `loop`.
  double advance(double time, double dt, double end, bool growing);
  void faster() { setSpeed(speed * 2); }
  void slower() { setSpeed(speed / 2); }
  void setSpeed(double value);
};

}  // namespace rigor::viewer
