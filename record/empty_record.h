// SPDX-License-Identifier: MIT
#pragma once
#include <span>

namespace rigor::record {

/// Small pages leave little of a short record empty, large ones little of a long one: rows do not share what is left of
/// a page.
enum class Pages { kSmall, kLarge };  // 2048 bytes, 16384

/// The bytes of a record of no run: all tables of verify/record/schema.h, what all runs begin with in `meta`. Made
/// while building (record/empty).
std::span<const unsigned char> emptyRecord(Pages pages);

}  // namespace rigor::record
