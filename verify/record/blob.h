// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace rigor::verify::recorded {

using Bytes = std::vector<unsigned char>;

/// Appends little-endian numbers.
class BlobWriter {
 public:
  explicit BlobWriter(Bytes& bytes) : bytes_(bytes) {}
  void add(double x) { append(&x, sizeof x); }
  void add(std::uint32_t x) { append(&x, sizeof x); }
  void add(const double* x, int count) { append(x, static_cast<std::size_t>(count) * sizeof(double)); }
  /// The upper five bytes of the nearest double that has no others: 28 bits behind the point.
  void addRounded(double x);
  /// Zeros up to the next multiple of 8 bytes.
  void align() { bytes_.resize((bytes_.size() + 7) / 8 * 8); }

 private:
  void append(const void* data, std::size_t size) {
    const auto* from = static_cast<const unsigned char*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  Bytes& bytes_;
};

/// What is wrong with a blob, as the end of the sentence "the blob ...".
struct BlobError {
  std::string what;
};

/// Reads them; throws BlobError where the blob ends early.
class BlobReader {
 public:
  explicit BlobReader(std::span<const unsigned char> bytes) : bytes_(bytes) {}
  std::uint32_t u32() {
    std::uint32_t x;
    take(&x, sizeof x);
    return x;
  }
  double real();  ///< Finite, or BlobError.
  double roundedReal();  ///< As addRounded() wrote it; finite, or BlobError.
  void reals(double* out, int count) {
    for (int i = 0; i < count; ++i) out[i] = real();
  }
  /// Over the zeros up to the next multiple of 8 bytes. @throws BlobError where they are not zeros.
  void align();
  /// A count of entries that take at least `least` bytes each.
  std::uint32_t count(std::size_t least);
  /// @throws BlobError where fewer bytes are left.
  void need(std::size_t bytes) const {
    if (bytes_.size() - at_ < bytes) throw BlobError{"ends early"};
  }
  bool atEnd() const { return at_ == bytes_.size(); }
  void requireEnd() const {
    if (!atEnd()) throw BlobError{"goes on after its last entry"};
  }

 private:
  void take(void* out, std::size_t size) {
    need(size);
    std::memcpy(out, bytes_.data() + at_, size);
    at_ += size;
  }
  std::span<const unsigned char> bytes_;
  std::size_t at_ = 0;
};

}  // namespace rigor::verify::recorded
