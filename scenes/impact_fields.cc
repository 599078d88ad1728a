// SPDX-License-Identifier: MIT
#include "scenes/impact_fields.h"

#include <cctype>
#include <string>

#include "impact/coulomb.h"

namespace rigor::scenes {
namespace {

constexpr double kLargestTurn = 1.5;  // Of PLUS's theta_max [rad]: below a right angle.

}  // namespace

double readFriction(const Value& value) {
  const std::string allowed = "a number >= 0, or no-slip";
  if (!value.isScalar()) value.refuse(allowed);
  if (value.text() == "no-slip") return impact::kNoSlip;
  if (const std::string text = value.text(); !text.empty() && std::isalpha(static_cast<unsigned char>(text[0]))) value.refuse(allowed);
  const double mu = value.number();
  if (!(mu >= 0)) value.refuse(allowed);
  return mu;
}

void readImpactOptions(const Value& map, impact::ImpactOptions& options) {
  if (const auto edges = map.find("cone_edges")) {
    options.cone_edges = static_cast<int>(edges->integer(4, 64));
    if (options.cone_edges % 2) edges->refuse("an even number from 4 to 64");
    options.smooth_cone = false;
  }
  if (const auto steps = map.find("max_steps")) options.max_steps = static_cast<int>(steps->integer(1, 1'000'000));
  if (const auto tolerance = map.find("tolerance")) {
    options.tolerance = tolerance->positive("");
    if (!(options.tolerance < 1)) tolerance->refuse("a number > 0 and < 1");
  }
  if (const auto plus = map.find("plus")) {
    plus->fields({"theta_max", "rolling_speed"});
    if (const auto turn = plus->find("theta_max")) {
      options.plus.theta_max = turn->positive("rad");
      if (!(options.plus.theta_max <= kLargestTurn)) turn->refuse("a number > 0 and at most 1.5 [rad]");
    }
    if (const auto speed = plus->find("rolling_speed")) options.plus.rolling_speed = speed->notNegative("m/s");
  }
}

}  // namespace rigor::scenes
