// SPDX-License-Identifier: MIT
#pragma once
#include <stb/stb_image.h>

#include <string>

#include "viewer/image.h"

namespace rigor::viewer {

/// A PNG as RGBA; empty if there is none.
inline Image readPng(const std::string& path) {
  Image image;
  int channels = 0;
  if (unsigned char* pixels = stbi_load(path.c_str(), &image.width, &image.height, &channels, 4)) {
    image.rgba.assign(pixels, pixels + 4 * static_cast<std::size_t>(image.width) * image.height);
    stbi_image_free(pixels);
  }
  return image;
}

}  // namespace rigor::viewer
