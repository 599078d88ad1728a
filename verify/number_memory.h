// SPDX-License-Identifier: MIT
#pragma once

namespace rigor::verify {

/// Lets GMP keep the memory of its small numbers for the next ones, a list of each size and thread. Exact proofs make and drop millions of
/// numbers of a few limbs; a third of their time went to malloc. Every block is one of malloc's, so numbers from before and after this
/// call, and from other threads, mix. For the whole process.
void keepNumberMemory();

}  // namespace rigor::verify
