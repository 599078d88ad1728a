// SPDX-License-Identifier: MIT
#pragma once
// Philox is integers alone: without this all intrinsics of the processor are read, half a second of every file.
#define R123_USE_SSE 0
#include <Random123/philox.h>

#include "impact/resolver.h"

namespace rigor::impact {

/// Uniform numbers from Philox 4x64, keyed by a RandomKey: the n-th number depends on the key and n alone.
class RandomStream {
 public:
  explicit RandomStream(RandomKey key) : key_{{key.seed, 0x7269676f72ULL}}, counter_{{0, key.path, 0, 0}} {}

  /// Uniform in (0, 1], a multiple of 2^-53.
  double uniform() {
    if (used_ == 4) {
      block_ = r123::Philox4x64()(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return static_cast<double>((block_[used_++] >> 11) + 1) * 0x1p-53;
  }

 private:
  r123::Philox4x64::key_type key_;
  r123::Philox4x64::ctr_type counter_, block_{};
  int used_ = 4;
};

}  // namespace rigor::impact
