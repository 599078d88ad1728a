// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace rigor::impact {

/// What a contact does in one interval of an impact in PLUS (Uchida, Sherman and Delp, Table 1).
struct ImpactPoint {
  enum class Role : unsigned char {
    kObserving,    ///< No impulse.
    kCompressing,  ///< 0 <= normal velocity at the end, complementary to 0 <= normal impulse.
    kExpanding,    ///< Normal impulse = `expansion`.
  };
  enum class Slip : unsigned char {
    kNone,     ///< No friction, or no normal impulse.
    kRolls,    ///< The slip at the end is zero, |p_t| <= mu p_n.
    kSlides,   ///< p_t = -mu p_n direction, whatever the slip at the end.
    kImpends,  ///< p_t = -mu p_n direction, and direction is that of the slip at the end.
  };
  Role role = Role::kObserving;
  Slip slip = Slip::kNone;
  bool active = false;    ///< Compressing: its normal velocity is driven to zero; else its impulse is zero.
  double expansion = 0;   ///< Scaled as in PlusRows.
  Eigen::Vector2d direction = Eigen::Vector2d::UnitX();  ///< Unit, where kSlides or kImpends.
  double turning = -1;    ///< kImpends: |slip at the end| / (mu p_n) of the last iterate; < 0 unknown.

  bool pushes() const { return role == Role::kExpanding || (role == Role::kCompressing && active); }
};

}  // namespace rigor::impact
