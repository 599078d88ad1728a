// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace rigor::viewer {

/// Red, green, blue, alpha in [0, 1], as displayed (sRGB), alpha not multiplied in.
struct Color {
  float r = 0, g = 0, b = 0, a = 1;
  Color withAlpha(float alpha) const { return {r, g, b, alpha}; }
  friend bool operator==(const Color&, const Color&) = default;
};

/// t = 0: a, t = 1: b.
Color mix(const Color& a, const Color& b, float t);
/// 0xRRGGBB.
Color rgb(unsigned hex);

/// Colour of the index-th moving body: the eight of Okabe and Ito first, which stay apart for colour-blind people, then
/// lighter and darker ones of the same hues. Fixed bodies are grey.
Color bodyColor(int index, bool fixed);

/// Colours of everything that is not a body; light and dark.
struct Theme {
  Color background_top, background_bottom, ground, grid, grid_strong, edge, text, label_back;
  Color contact, normal, impulse, friction, joint, witness, closest, velocity, angular, trail, selection, axis_x,
      axis_y, axis_z;
  Color accent, lane;  ///< Of panels: what is shown of time and branches, and branches that are not.
  bool dark = false;
};
const Theme& themeOf(bool dark);

}  // namespace rigor::viewer
