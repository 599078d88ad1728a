// SPDX-License-Identifier: MIT
#pragma once
#include "impact/model_option.h"

namespace rigor::impact {

inline void assignOption(bool& to, const OptionValue& value) { to = std::get<bool>(value); }
inline void assignOption(int& to, const OptionValue& value) { to = static_cast<int>(std::get<long>(value)); }
inline void assignOption(double& to, const OptionValue& value) { to = std::get<double>(value); }
inline void assignOption(std::vector<double>& to, const OptionValue& value) {
  to = std::get<std::vector<double>>(value);
}
inline void assignOption(std::vector<int>& to, const OptionValue& value) {
  const auto& list = std::get<std::vector<double>>(value);
  to.assign(list.begin(), list.end());
}
inline OptionValue valueOfOption(bool from) { return from; }
inline OptionValue valueOfOption(int from) { return static_cast<long>(from); }
inline OptionValue valueOfOption(double from) { return from; }
inline OptionValue valueOfOption(const std::vector<double>& from) { return from; }
inline OptionValue valueOfOption(const std::vector<int>& from) { return std::vector<double>(from.begin(), from.end()); }

/// `option`, kept in the member of ImpactOptions that `member` refers to: [](auto& o) -> auto& { return o.tolerance; }.
template <typename Member>
ModelOption keptIn(ModelOption option, Member member) {
  option.write = [member](ImpactOptions& options, const OptionValue& value) { assignOption(member(options), value); };
  option.read = [member](const ImpactOptions& options) { return valueOfOption(member(options)); };
  return option;
}

/// Those that several models read.
[[nodiscard]] ModelOption toleranceOption();
[[nodiscard]] ModelOption coneEdgesOption();
[[nodiscard]] ModelOption captureSpeedOption();

}  // namespace rigor::impact
