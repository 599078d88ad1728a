// SPDX-License-Identifier: MIT
#include "verify/record/blob.h"

#include <bit>
#include <cmath>

namespace rigor::verify::recorded {
namespace {

constexpr int kDropped = 24;  // bits

}  // namespace

void BlobWriter::addRounded(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  std::uint64_t rounded = (bits + (std::uint64_t{1} << (kDropped - 1))) >> kDropped;
  if (!std::isfinite(std::bit_cast<double>(rounded << kDropped))) rounded = bits >> kDropped;
  append(&rounded, sizeof rounded - kDropped / 8);
}

double BlobReader::real() {
  double x;
  take(&x, sizeof x);
  if (!std::isfinite(x)) throw BlobError{"holds a number that is not finite"};
  return x;
}

double BlobReader::roundedReal() {
  std::uint64_t bits = 0;
  take(&bits, sizeof bits - kDropped / 8);
  const double x = std::bit_cast<double>(bits << kDropped);
  if (!std::isfinite(x)) throw BlobError{"holds a number that is not finite"};
  return x;
}

void BlobReader::align() {
  while (at_ % 8 != 0) {
    unsigned char zero;
    take(&zero, 1);
    if (zero != 0) throw BlobError{"has a gap that is not zero"};
  }
}

std::uint32_t BlobReader::count(std::size_t least) {
  const std::uint32_t n = u32();
  if (n > (bytes_.size() - at_) / least) throw BlobError{"ends early"};
  return n;
}

}  // namespace rigor::verify::recorded
