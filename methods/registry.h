// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "methods/choice.h"
#include "methods/method.h"

namespace rigor::methods {

inline constexpr double kStep = 0.01;  ///< Of a method, without the option [s].

/// One option of a method, a field of a scene's `solver`.
struct MethodOption {
  std::string name, unit;               ///< Unit empty: none.
  std::string meaning;                  ///< A sentence without its stop.
  std::string standard;                 ///< Without it.
  std::vector<std::string> words = {};  ///< Allowed; empty: a number > 0.
};

/// All that the program knows of a published method.
struct MethodInfo {
  std::string name;    ///< `solver: {advance: NAME}`
  std::string what;    ///< One clause.
  std::string source;  ///< The paper.
  std::vector<MethodOption> options;
  bool cubic = false;   ///< Between states: cubics through states and velocities; else straight.
  bool proves = false;  ///< It keeps bodies the floor apart, or fails; else it may overlap them.
  /// Why the scene is not for it; empty if it is.
  std::function<std::string(const sim::Scene&)> refuses = {};
  std::function<std::unique_ptr<Method>(const Choice& choice)> make = {};
};

/// All methods, in the order of docs/published-methods.md.
std::span<const MethodInfo> methods();
/// Null for a name that is none.
const MethodInfo* findMethod(std::string_view name);
/// An option that the method has; null for none of that name.
const MethodOption* findOption(const MethodInfo& method, std::string_view name);

}  // namespace rigor::methods
