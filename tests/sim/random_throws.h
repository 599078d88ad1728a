// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <random>
#include <string>

namespace rigor::sim::test {

/// A generator of random numbers and what it gives between two limits.
struct Chance {
  std::mt19937_64 random;
  double uniform(double low, double high) { return std::uniform_real_distribution<>(low, high)(random); }
};

/// Bodies thrown onto a tilted box that stands on the ground, onto a box that moves, and onto each other.
struct ThrownKind {
  const char* name;
  unsigned long most;  ///< Bodies, besides the boxes.
  double box_height;   ///< Where the moving box starts [m];
  double height, apart;  ///< the first of the bodies, and how much higher each next one.
  std::function<std::string(Chance&)> shape;  ///< Of a body, as a scene's text.
};

/// Simulates `count` of them and expects each to end and to be proved.
void proveRandomThrows(const ThrownKind& kind, int count, unsigned long seed);

}  // namespace rigor::sim::test
