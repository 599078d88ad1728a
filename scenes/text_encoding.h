// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace rigor::scenes {

/// A text file as UTF-8. UTF-16 is known by its byte order mark. What is neither is taken for Latin-1, as old editors
/// write it, whatever its header says: its letters stay letters, and no byte hides the quote or bracket after it.
/// UTF-8 comes back as it is, its mark included. Linear in the size.
std::string asUtf8(const std::string& bytes);

}  // namespace rigor::scenes
