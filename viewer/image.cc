// SPDX-License-Identifier: MIT
#include "viewer/image.h"

#include <stb/stb_image_write.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace rigor::viewer {

void writePng(const Image& image, const std::string& path, bool alpha) {
  const int channels = alpha ? 4 : 3;
  std::vector<std::uint8_t> pixels;
  pixels.reserve(image.rgba.size() / 4 * channels);
  for (std::size_t i = 0; i < image.rgba.size(); i += 4)
    pixels.insert(pixels.end(), image.rgba.begin() + static_cast<std::ptrdiff_t>(i),
                  image.rgba.begin() + static_cast<std::ptrdiff_t>(i) + channels);
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  const auto append = [](void* context, void* data, int size) {
    static_cast<std::ofstream*>(context)->write(static_cast<const char*>(data), size);
  };
  const bool encoded =
      stbi_write_png_to_func(append, &file, image.width, image.height, channels, pixels.data(), channels * image.width);
  file.close();
  if (!encoded || !file)
    throw ImageError("cannot write " + path + ": " + (errno ? std::strerror(errno) : "the picture cannot be encoded"));
}

}  // namespace rigor::viewer
