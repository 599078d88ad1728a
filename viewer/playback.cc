// SPDX-License-Identifier: MIT
#include "viewer/playback.h"

#include <algorithm>
#include <cmath>

namespace rigor::viewer {

double Playback::advance(double time, double dt, double end, bool growing) {
  if (!playing) return time;
  const bool range = loop && loop_from < loop_to;
  const double first = range ? loop_from : 0, last = range ? std::min(loop_to, end) : end;
  if (range && (time < first || time > last)) time = first;
  time += speed * dt;
  if (time < last) return time;
  if (loop && last > first) return first + std::fmod(time - first, last - first);
  if (!growing) playing = false;
  return last;
}

void Playback::setSpeed(double value) {
  if (!(value > 0)) return;  // NaN: the speed stays.
  value = std::clamp(value, kSlowest, kFastest);
  speed = std::abs(value - 1) < 1e-6 ? 1 : value;  // Doubling and halving meet real time again.
}

}  // namespace rigor::viewer
