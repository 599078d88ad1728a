// SPDX-License-Identifier: MIT
#pragma once

namespace rigor::verify {

/// From here on GMP takes the memory of its integers from lists of free blocks, one for each size and thread. Proofs
/// make and drop short integers by the million: malloc took two fifths of their time. Other libraries (GnuTLS) make GMP
/// wipe whatever it gives back, which costs more than the proofs; that ends, too. Blocks that were taken before may be
/// given back after: all come from malloc.
void keepIntegerMemory();

}  // namespace rigor::verify
