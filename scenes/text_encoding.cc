// SPDX-License-Identifier: MIT
#include "scenes/text_encoding.h"

#include <cstdint>

namespace rigor::scenes {
namespace {

constexpr char32_t kReplacement = 0xFFFD;  // For half of a surrogate pair.

void appendUtf8(char32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr unsigned kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[more] | (c >> (6 * more)));
  for (int k = more - 1; k >= 0; --k) out += static_cast<char>(0x80 | ((c >> (6 * k)) & 0x3F));
}

/// Bytes of the character that begins at `at`; 0 where none does.
size_t utf8Length(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  const size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (at + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k)
    if ((byte(at + k) & 0xC0) != 0x80) return 0;
  return length;
}

bool isUtf8(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8Length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string fromUtf16(const std::string& bytes, bool little) {
  const auto unit = [&](size_t at) {
    const unsigned a = static_cast<unsigned char>(bytes[at]), b = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<char32_t>(little ? a | b << 8 : a << 8 | b);
  };
  std::string out;
  for (size_t at = 2; at + 1 < bytes.size(); at += 2) {
    char32_t c = unit(at);
    const bool high = c >= 0xD800 && c < 0xDC00, low = c >= 0xDC00 && c < 0xE000;
    if (high && at + 3 < bytes.size() && unit(at + 2) >= 0xDC00 && unit(at + 2) < 0xE000) {
      at += 2;
      c = 0x10000 + ((c - 0xD800) << 10) + (unit(at) - 0xDC00);
    } else if (high || low) {
      c = kReplacement;
    }
    appendUtf8(c, out);
  }
  return out;
}

}  // namespace

std::string asUtf8(const std::string& bytes) {
  if (bytes.starts_with("\xFF\xFE")) return fromUtf16(bytes, true);
  if (bytes.starts_with("\xFE\xFF")) return fromUtf16(bytes, false);
  if (isUtf8(bytes)) return bytes;
  std::string out;
  for (const char c : bytes) appendUtf8(static_cast<unsigned char>(c), out);
  return out;
}

}  // namespace rigor::scenes
