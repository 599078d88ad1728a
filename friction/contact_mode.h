// SPDX-License-Identifier: MIT
#pragma once
#include <limits>

namespace rigor::friction {

inline constexpr double kNoSlip = std::numeric_limits<double>::infinity();

/// What friction allows at a contact, whatever the impulses are.
enum class ContactLaw : unsigned char {
  kFrictionless,  ///< mu = 0.
  kCoulomb,       ///< |f_t| <= mu f_n, f_t against w_t where it slips.
  kSliding,       ///< Slides already: f_t = -mu f_n direction, whatever w_t is.
  kSticks,        ///< w_t = 0 wherever f_n > 0.
};

/// What a contact does in a solution. w is its velocity, or its acceleration.
enum class ContactMode : unsigned char {
  kFree,   ///< f = 0, w_n >= 0.
  kStick,  ///< w = 0, |f_t| <= mu f_n.
  kSlip,   ///< w_n = 0, f_t = -mu f_n d with d the slip direction.
};

}  // namespace rigor::friction
