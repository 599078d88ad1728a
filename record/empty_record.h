// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>

namespace rigor::record {

/// The bytes of a record without rows: all tables of verify/record/schema.h, pages of 2048 bytes. Made while building
/// (record/empty).
extern const std::size_t kEmptyRecordSize;
extern const unsigned char kEmptyRecord[];

}  // namespace rigor::record
