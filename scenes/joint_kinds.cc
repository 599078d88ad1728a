// SPDX-License-Identifier: MIT
#include "scenes/joint_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <stdexcept>

namespace rigor::scenes {
namespace {

JointKind cylindrical() {
  return {
      "cylindrical", "turns about its axis and shifts along it", {}, true, [](const std::map<std::string, double>&) {
        return std::vector<JointAxis>{{.name = "turn"}, {.name = "shift", .shifts = true}};
      }};
}

JointKind screw() {
  const NumberField pitch{.name = "pitch",
                          .meaning = "shift for each turn, negative for a left-hand thread",
                          .unit = "m",
                          .least = -std::numeric_limits<double>::infinity()};
  return {"screw",
          "turns about its axis and shifts along it in proportion",
          {pitch},
          true,
          [](const std::map<std::string, double>& values) {
            constexpr double kTurn = 2 * 3.14159265358979323846;
            return std::vector<JointAxis>{
                {.name = "turn"},
                {.name = "shift", .shifts = true, .follows = "turn", .ratio = values.at("pitch") / kTurn}};
          }};
}

/// A deque: entries stay where they are.
struct JointRegistry {
  std::mutex mutex;
  std::deque<JointKind> kinds{cylindrical(), screw()};
};

JointRegistry& jointRegistry() {
  static JointRegistry only;
  return only;
}

}  // namespace

const JointKind* findJointKind(const std::string& name) {
  JointRegistry& all = jointRegistry();
  const std::lock_guard lock(all.mutex);
  const auto found =
      std::find_if(all.kinds.begin(), all.kinds.end(), [&](const JointKind& kind) { return kind.name == name; });
  return found == all.kinds.end() ? nullptr : &*found;
}

std::vector<std::string> jointKindNames() {
  JointRegistry& all = jointRegistry();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (const JointKind& kind : all.kinds) names.push_back(kind.name);
  return names;
}

void registerJointKind(JointKind kind) {
  const std::string owner = fmt::format("joint type '{}'", kind.name);
  if (!isWord(kind.name)) throw std::invalid_argument(owner + "; allowed: small letters, digits, '_' and '-'");
  checkFields(owner, kind.fields);
  if (!kind.axes) throw std::invalid_argument(owner + " has no function that makes its axes; allowed: one");
  JointRegistry& all = jointRegistry();
  const std::lock_guard lock(all.mutex);
  if (std::any_of(all.kinds.begin(), all.kinds.end(), [&](const JointKind& other) { return other.name == kind.name; }))
    throw std::invalid_argument(owner + " is there already; allowed: another name");
  kind.own = true;
  all.kinds.push_back(std::move(kind));
}

}  // namespace rigor::scenes
