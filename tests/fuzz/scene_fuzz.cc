// SPDX-License-Identifier: MIT
// Any bytes as a scene file: the loader accepts them or throws LoadError with a place, and nothing else ever happens.
#include <cstdlib>
#include <string>

#include "scenes/loader.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const rigor::sim::Scene scene = rigor::scenes::parseScene(text, "fuzz.yaml");
    if (scene.bodies.empty() || scene.text != text) std::abort();
    for (const auto& body : scene.bodies) {
      if (!body.fixed && !(body.mass > 0)) std::abort();
    }
  } catch (const rigor::scenes::LoadError& error) {
    if (error.position.line < 1 || error.position.column < 1) std::abort();
  }
  return 0;
}
