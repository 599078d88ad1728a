// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <optional>
#include <vector>

namespace rigor::verify::kernel {

/// What sums and products of doubles are, exactly: an integer times a power of 2^64. Its digits stand at places that
/// are whole limbs, so that sums shift no bits. A few of them need no memory of their own.
class Number {
 public:
  Number() = default;
  Number(double number);  ///< @pre finite.
  Number& add(const Number& b, int sign = 1);
  Number& addProduct(const Number& a, const Number& b, int sign = 1);
  void negate() { negative_ = !negative_; }
  /// The digits of this one over another from a place on, towards 0. @returns whether they are all. @pre by is not 0.
  bool divide(const Number& by, int place, Number& quotient) const;
  /// The same from a place below the last digit on.
  bool isMultiple(const Number& of, Number& quotient) const {
    return of.isOne() ? quotient = *this, true : divide(of, low_ - of.low_ - 1, quotient);
  }
  /// No smaller than the root, and larger by a share of 2^-60 at most. @pre >= 0.
  Number upperRoot() const;
  double fraction(long& exponent) const;  ///< Nearly this one over 2^exponent, below 1; all of a double.
  bool isOne() const { return size_ == 1 && low_ == 0 && !negative_ && limbs()[0] == 1; }
  friend int sgn(const Number& x) { return x.size_ == 0 ? 0 : x.negative_ ? -1 : 1; }
  friend bool operator==(const Number& a, const Number& b);
  friend Number operator*(const Number& a, const Number& b);

 private:
  static constexpr int kFew = 8;
  mp_limb_t* limbs() { return many_ ? many_->data() : few_; }
  const mp_limb_t* limbs() const { return many_ ? many_->data() : few_; }
  void span(int low, int top);  ///< Also these places.
  void trim();
  void addLimbs(const mp_limb_t* b, int size, int low, bool negative);
  int size_ = 0, low_ = 0;  ///< Neither the first limb nor the last is 0.
  bool negative_ = false;
  mp_limb_t few_[kFew] = {};
  std::optional<std::vector<mp_limb_t>> many_;  ///< Instead.
};
Number operator*(const Number& a, const Number& b);
inline Number operator+(Number a, const Number& b) { return a.add(b); }
inline Number operator-(Number a, const Number& b) { return a.add(b, -1); }

}  // namespace rigor::verify::kernel
