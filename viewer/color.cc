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

namespace {

struct ThemeRow {
  Color Theme::*part;
  unsigned light, dark;
  float light_alpha = 1, dark_alpha = 1;
};
constexpr ThemeRow kTheme[] = {
    {&Theme::background_top, 0xDCE6F2, 0x1A2230},
    {&Theme::background_bottom, 0xFBFCFE, 0x2B3647},
    {&Theme::ground, 0xF2F4F7, 0x323D4D},
    {&Theme::grid, 0xC3CAD4, 0x46536A},
    {&Theme::grid_strong, 0x98A2B0, 0x66758F},
    {&Theme::edge, 0x1B2430, 0x0B0F15},
    {&Theme::text, 0x1B2430, 0xE6EBF2},
    {&Theme::label_back, 0xFFFFFF, 0x10151D, 0.82f, 0.8f},
    {&Theme::contact, 0xC8102E, 0xFF6B6B},
    {&Theme::normal, 0x6A1B9A, 0xDA77F2},
    {&Theme::impulse, 0xD9480F, 0xFFA94D},
    {&Theme::friction, 0x862E9C, 0xE599F7},
    {&Theme::joint, 0x0B7285, 0x3BC9DB},
    {&Theme::witness, 0x1971C2, 0x74C0FC, 0.22f, 0.25f},
    {&Theme::closest, 0x087F5B, 0x63E6BE},
    {&Theme::velocity, 0x1864AB, 0x74C0FC},
    {&Theme::angular, 0x9C36B5, 0xE599F7},
    {&Theme::trail, 0x495057, 0xADB5BD},
    {&Theme::selection, 0xF76707, 0xFFC078},
    {&Theme::axis_x, 0xE03131, 0xE03131},
    {&Theme::axis_y, 0x2F9E44, 0x2F9E44},
    {&Theme::axis_z, 0x1971C2, 0x1971C2},
    {&Theme::accent, 0x1971C2, 0x4DABF7},
    {&Theme::lane, 0x7B8794, 0x8C98A8},
};

Theme makeTheme(bool dark) {
  Theme theme;
  for (const ThemeRow& row : kTheme)
    theme.*row.part = rgb(dark ? row.dark : row.light).withAlpha(dark ? row.dark_alpha : row.light_alpha);
  theme.dark = dark;
  return theme;
}

}  // namespace

const Theme& themeOf(bool dark) {
  static const Theme kLight = makeTheme(false), kDark = makeTheme(true);
  return dark ? kDark : kLight;
}

}  // namespace rigor::viewer
