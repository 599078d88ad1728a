// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>

namespace rigor::record {

/// The bytes of a record of no run: all tables of verify/record/schema.h, what all runs begin with in `meta`, pages of
/// 2048 bytes. Made while building
/// (record/empty).
extern const std::size_t kEmptyRecordSize;
extern const unsigned char kEmptyRecord[];

}  // namespace rigor::record
