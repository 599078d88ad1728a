// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "dynamics/articulated_description.h"

namespace rigor::dynamics {

/// A joint type as records and robot files call it; null where a format has no word for it.
struct JointTypeNames {
  JointType type;
  const char *record, *urdf, *sdf, *mjcf;
};

/// All names of all types; the first of a type is that of records.
inline constexpr JointTypeNames kJointTypeNames[] = {
    {JointType::kRevolute, "revolute", "revolute", "revolute", "hinge"},
    {JointType::kRevolute, "revolute", "continuous", "continuous", nullptr},
    {JointType::kPrismatic, "prismatic", "prismatic", "prismatic", "slide"},
    {JointType::kPlanar, "planar", "planar", nullptr, nullptr},
    {JointType::kUniversal, "universal", "universal", "universal", nullptr},
    {JointType::kUniversal, "universal", nullptr, "revolute2", nullptr},
    {JointType::kSpherical, "spherical", "spherical", "ball", "ball"},
    {JointType::kFixed, "fixed", "fixed", "fixed", nullptr},
    {JointType::kFloating, "floating", "floating", nullptr, "free"},
};

/// "revolute" for kRevolute, and so on: as records and reports name the types of joints.
inline const char* jointTypeName(JointType type) {
  for (const JointTypeNames& names : kJointTypeNames)
    if (names.type == type) return names.record;
  return "unknown";
}

/// The type that a format, such as &JointTypeNames::urdf, means by a word; none for other words.
inline std::optional<JointType> jointTypeOf(const char* JointTypeNames::*format, std::string_view word) {
  for (const JointTypeNames& names : kJointTypeNames)
    if (names.*format && names.*format == word) return names.type;
  return {};
}

/// The words of a format, for messages: "hinge, slide, ball or free".
inline std::string jointTypeWords(const char* JointTypeNames::*format) {
  std::string text, last;
  for (const JointTypeNames& names : kJointTypeNames) {
    if (!(names.*format)) continue;
    if (!last.empty()) text += (text.empty() ? "" : ", ") + last;
    last = names.*format;
  }
  return text + " or " + last;
}

}  // namespace rigor::dynamics
