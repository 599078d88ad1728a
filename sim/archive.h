// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rigor::sim {

/// Writes values, bit for bit, one after the other; with Unpacker the same list of values reads them back.
/// Machine-independent among little-endian machines.
class Packer {
 public:
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  Packer& operator()(const T& value) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
    return *this;
  }
  template <typename Scalar, int R, int C>
  Packer& operator()(const Eigen::Matrix<Scalar, R, C>& value) {
    static_assert(R > 0 && C > 0);
    for (int i = 0; i < value.size(); ++i) (*this)(value.data()[i]);
    return *this;
  }
  std::vector<unsigned char> take() { return std::move(bytes_); }

 private:
  std::vector<unsigned char> bytes_;
};

/// Reads what Packer wrote. @throws std::invalid_argument where the bytes end early.
class Unpacker {
 public:
  explicit Unpacker(const std::vector<unsigned char>& bytes) : bytes_(bytes) {}
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  Unpacker& operator()(T& value) {
    if (bytes_.size() - at_ < sizeof(T)) throw std::invalid_argument("the stored state is cut short");
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return *this;
  }
  template <typename Scalar, int R, int C>
  Unpacker& operator()(Eigen::Matrix<Scalar, R, C>& value) {
    for (int i = 0; i < value.size(); ++i) (*this)(value.data()[i]);
    return *this;
  }
  bool atEnd() const { return at_ == bytes_.size(); }
  size_t left() const { return bytes_.size() - at_; }

 private:
  const std::vector<unsigned char>& bytes_;
  size_t at_ = 0;
};

}  // namespace rigor::sim
