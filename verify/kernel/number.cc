// SPDX-License-Identifier: MIT
#include "verify/kernel/number.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace rigor::verify::kernel {

Number::Number(double number) : negative_(number < 0) {
  std::uint64_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  const int power = static_cast<int>(bits >> 52 & 0x7ff), exponent = std::max(power, 1) - 1075, shift = exponent & 63;
  const mp_limb_t mantissa = (bits & 0xfffffffffffff) | (power > 0 ? mp_limb_t{1} << 52 : 0);
  low_ = exponent >> 6;  // Rounded down.
  few_[0] = mantissa << shift;
  few_[1] = shift > 0 ? mantissa >> (64 - shift) : 0;
  size_ = 2;
  if (few_[0] == 0 || few_[1] == 0) trim();
}

void Number::span(int low, int top) {
  if (size_ == 0) low_ = low;
  const int below = low_ - low, size = top - low;
  if (size > kFew && !many_) many_.emplace(few_, few_ + size_);
  if (many_) many_->resize(std::max<std::size_t>(many_->size(), size));
  mp_limb_t* const x = limbs();
  if (below > 0) std::copy_backward(x, x + size_, x + size_ + below), std::fill_n(x, below, 0);
  std::fill(x + size_ + below, x + size, 0);
  low_ = low, size_ = size;
}

void Number::trim() {
  mp_limb_t* const x = limbs();
  while (size_ > 0 && x[size_ - 1] == 0) --size_;
  int zeros = 0;
  while (zeros < size_ && x[zeros] == 0) ++zeros;
  if (zeros > 0) std::copy(x + zeros, x + size_, x);
  low_ += zeros, size_ -= zeros;
}

void Number::addLimbs(const mp_limb_t* b, int size, int low, bool negative) {
  if (size_ == 0) span(low, low + size), negative_ = negative;
  if (low < low_ || low + size > low_ + size_) span(std::min(low_, low), std::max(low_ + size_, low + size));
  mp_limb_t* const at = limbs() + (low - low_);
  const int above = size_ - (low - low_);
  if (negative_ != negative) {
    if (mpn_sub(at, at, above, b, size) != 0) mpn_neg(limbs(), limbs(), size_), negate();
  } else if (mpn_add(at, at, above, b, size) != 0) {
    span(low_, low_ + size_ + 1);
    limbs()[size_ - 1] = 1;
  }
  if (limbs()[0] == 0 || limbs()[size_ - 1] == 0) trim();
}

Number& Number::add(const Number& b, int sign) {
  if (b.size_ > 0) addLimbs(b.limbs(), b.size_, b.low_, b.negative_ != (sign < 0));
  return *this;
}

Number& Number::addProduct(const Number& a, const Number& b, int sign) {
  if (a.size_ == 0 || b.size_ == 0) return *this;
  const Number &x = a.size_ < b.size_ ? b : a, &y = a.size_ < b.size_ ? a : b;
  const int size = a.size_ + b.size_, low = a.low_ + b.low_;
  const bool own = size_ == 0, negative = (a.negative_ != b.negative_) != (sign < 0);
  if (own) low_ = low, size_ = size, negative_ = negative;  // What is there is overwritten.
  if (own && size > kFew) many_.emplace(size);
  mp_limb_t few[4 * kFew];
  std::vector<mp_limb_t> many(!own && size > 4 * kFew ? size : 0);
  mp_limb_t* const product = own ? limbs() : many.empty() ? few : many.data();
  const bool shorter = mpn_mul(product, x.limbs(), x.size_, y.limbs(), y.size_) == 0;
  if (!own) addLimbs(product, size - shorter, low, negative);
  else if (shorter || product[0] == 0) trim();
  return *this;
}

Number operator*(const Number& a, const Number& b) {
  if (a.isOne() || b.isOne()) return a.isOne() ? b : a;
  return std::move(Number().addProduct(a, b));
}

Number Number::upperRoot() const {
  Number square = *this, root, unit = 1;
  if (size_ == 0) return root;
  const int low = std::min(low_, low_ + size_ - 4) & ~1;
  square.span(low, low_ + size_);
  Number rest = square;
  root.span(low / 2, low / 2 + (square.size_ + 1) / 2);
  const bool more = mpn_sqrtrem(root.limbs(), rest.limbs(), square.limbs(), square.size_) != 0;
  unit.low_ = low / 2;
  if (more) root.add(unit);
  root.trim();
  return root;
}

}  // namespace rigor::verify::kernel
