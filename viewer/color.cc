// SPDX-License-Identifier: MIT
#include "viewer/color.h"

#include <algorithm>

namespace rigor::viewer {

Color mix(const Color& a, const Color& b, float t) {
  const float s = 1 - t;
  return {s * a.r + t * b.r, s * a.g + t * b.g, s * a.b + t * b.b, s * a.a + t * b.a};
}

Color rgb(unsigned hex) {
  return {static_cast<float>(hex >> 16 & 255) / 255, static_cast<float>(hex >> 8 & 255) / 255,
          static_cast<float>(hex & 255) / 255, 1};
}

Color bodyColor(int index, bool fixed) {
  if (fixed) return rgb(0xB9BEC6);
  // Okabe and Ito, "Color Universal Design" (2008), in an order whose neighbours differ in lightness; black left out.
  constexpr unsigned kHues[] = {0xE69F00, 0x0072B2, 0x009E73, 0xCC79A7, 0x56B4E9, 0xD55E00, 0xF0E442};
  constexpr int kCount = 7;
  const Color hue = rgb(kHues[index % kCount]);
  switch (index / kCount % 3) {
    case 1:
      return mix(hue, {1, 1, 1, 1}, 0.45f);
    case 2:
      return mix(hue, {0, 0, 0, 1}, 0.35f);
    default:
      return hue;
  }
}

const Theme& lightTheme() {
  static const Theme theme = [] {
    Theme t;
    t.background_top = rgb(0xDCE6F2);
    t.background_bottom = rgb(0xFBFCFE);
    t.ground = rgb(0xF2F4F7);
    t.grid = rgb(0xC3CAD4);
    t.grid_strong = rgb(0x98A2B0);
    t.edge = rgb(0x1B2430);
    t.text = rgb(0x1B2430);
    t.label_back = rgb(0xFFFFFF).withAlpha(0.82f);
    t.contact = rgb(0xC8102E);
    t.normal = rgb(0x6A1B9A);
    t.impulse = rgb(0xD9480F);
    t.friction = rgb(0x862E9C);
    t.joint = rgb(0x0B7285);
    t.witness = rgb(0x1971C2).withAlpha(0.22f);
    t.closest = rgb(0x087F5B);
    t.velocity = rgb(0x1864AB);
    t.angular = rgb(0x9C36B5);
    t.trail = rgb(0x495057);
    t.selection = rgb(0xF76707);
    t.axis_x = rgb(0xE03131);
    t.axis_y = rgb(0x2F9E44);
    t.axis_z = rgb(0x1971C2);
    return t;
  }();
  return theme;
}

const Theme& darkTheme() {
  static const Theme theme = [] {
    Theme t = lightTheme();
    t.background_top = rgb(0x1A2230);
    t.background_bottom = rgb(0x2B3647);
    t.ground = rgb(0x323D4D);
    t.grid = rgb(0x46536A);
    t.grid_strong = rgb(0x66758F);
    t.edge = rgb(0x0B0F15);
    t.text = rgb(0xE6EBF2);
    t.label_back = rgb(0x10151D).withAlpha(0.8f);
    t.contact = rgb(0xFF6B6B);
    t.normal = rgb(0xDA77F2);
    t.impulse = rgb(0xFFA94D);
    t.friction = rgb(0xE599F7);
    t.joint = rgb(0x3BC9DB);
    t.witness = rgb(0x74C0FC).withAlpha(0.25f);
    t.closest = rgb(0x63E6BE);
    t.velocity = rgb(0x74C0FC);
    t.angular = rgb(0xE599F7);
    t.trail = rgb(0xADB5BD);
    t.selection = rgb(0xFFC078);
    t.dark = true;
    return t;
  }();
  return theme;
}

}  // namespace rigor::viewer
