// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "impact/resolver.h"

namespace rigor::impact {

/// One option of an impact model: all that files, the command line and docs need to know of it.
struct ModelOption {
  enum class Kind {
    kTruth,
    kWhole,
    kNumber,
    kWord,
    kNumberOfEach,
    kOrder
  };  ///< kNumberOfEach: m numbers; kOrder: 0 to m - 1, each once.
  /// Where the option may stand: in impact problems (files, --option), in scenes (`impact:`), or in both.
  enum class Place { kBoth, kProblem, kScene };

  std::string name;     ///< As in files; `plus.theta_max` is theta_max in the map plus.
  Kind kind = Kind::kNumber;
  std::string meaning;  ///< A sentence without its stop.
  std::string unit = {};                                    ///< Empty: none.
  double least = -std::numeric_limits<double>::infinity();  ///< Of numbers.
  double most = std::numeric_limits<double>::infinity();
  bool above_least = false, below_most = false;             ///< Are the limits themselves excluded?
  int multiple = 1;                                         ///< Of whole numbers: 2 for even ones.
  std::vector<std::string> words = {};                      ///< kWord: those allowed.
  OptionValue standard = {};                                ///< Without it; of models with `read`: ImpactOptions' own.
  std::string standard_in_words = {};                       ///< Where the value alone does not say it.
  Place place = Place::kBoth;
  /// Where ImpactOptions keep it. Null: in ImpactOptions::own, by name.
  std::function<void(ImpactOptions&, const OptionValue&)> write = {};
  std::function<OptionValue(const ImpactOptions&)> read = {};

  /// "a number > 0 and < 1"; for m contacts.
  std::string allowed(int contacts) const;
  /// Is this value one of `kind`, within the limits, for m contacts? NaN never is.
  bool allows(const OptionValue& value, int contacts) const;
};

/// The value that `options` have.
[[nodiscard]] OptionValue optionValue(const ModelOption& option, const ImpactOptions& options);
/// Sets it. @throws std::invalid_argument "NAME is VALUE; ALLOWED".
void setOption(const ModelOption& option, const OptionValue& value, int contacts, ImpactOptions& options);
/// A value as one writes it on the command line: `true`, `8`, `0.01`, `1,10,100`. @throws std::invalid_argument as
/// setOption().
[[nodiscard]] OptionValue parseOption(const ModelOption& option, std::string_view text, int contacts);
[[nodiscard]] std::string optionText(const OptionValue& value);

}  // namespace rigor::impact
