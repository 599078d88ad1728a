// SPDX-License-Identifier: MIT
#include "verify/record/blob.h"

#include <cmath>

namespace rigor::verify::recorded {

double BlobReader::real() {
  double x;
  take(&x, sizeof x);
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
