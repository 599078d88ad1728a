// SPDX-License-Identifier: MIT
#pragma once
#include "dynamics/articulated_description.h"

namespace rigor::dynamics {

/// "revolute" for kRevolute, and so on: as records and reports name the types of joints.
inline const char* jointTypeName(JointType type) {
  switch (type) {
    case JointType::kFixed: return "fixed";
    case JointType::kRevolute: return "revolute";
    case JointType::kPrismatic: return "prismatic";
    case JointType::kUniversal: return "universal";
    case JointType::kPlanar: return "planar";
    case JointType::kSpherical: return "spherical";
    case JointType::kFloating: return "floating";
  }
  return "unknown";
}

}  // namespace rigor::dynamics
