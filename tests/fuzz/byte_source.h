// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace rigor::fuzz {

/// Turns the bytes of a fuzzer into geometry. Most numbers come from a coarse lattice, where coplanar, collinear,
/// parallel and touching sets are common; some are nudged by ulps, some are arbitrary doubles.
class ByteSource {
 public:
  ByteSource(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  bool empty() const { return at_ >= size_; }
  std::uint8_t byte() { return empty() ? 0 : data_[at_++]; }
  int integer(int low, int high) { return low + byte() % (high - low + 1); }

  /// Magnitude 0 or 1e-30 .. 1e30.
  double number() {
    switch (byte() % 8) {
      case 0: {
        std::uint64_t bits = 0;
        for (int i = 0; i < 8; ++i) bits = bits << 8 | byte();
        double x;
        std::memcpy(&x, &bits, sizeof x);
        return std::isfinite(x) && std::abs(x) < 1e30 && std::abs(x) > 1e-30 ? x : 0;
      }
      case 1: {
        double x = lattice();
        for (int steps = byte() % 4; steps > 0; --steps) x = std::nextafter(x, 100.);
        return std::abs(x) > 1e-30 ? x : 0;
      }
      case 2: return lattice() * std::ldexp(1, integer(-20, 20));
      default: return lattice();
    }
  }
  Eigen::Vector3d point() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  std::vector<Eigen::Vector3d> points(int low, int high) {
    std::vector<Eigen::Vector3d> result;
    for (int n = integer(low, high); n > 0; --n) result.push_back(point());
    return result;
  }
  Eigen::Vector4d quaternion() {
    const double w = number(), x = number(), y = number(), z = number();
    Eigen::Vector4d q(w, x, y, z);
    return q.isZero(0) ? Eigen::Vector4d(1, 0, 0, 0) : q;
  }

 private:
  double lattice() { return static_cast<std::int8_t>(byte()) / 16.; }

  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

}  // namespace rigor::fuzz
