// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "verify/kernel/run.h"

namespace rigor::verify {

using kernel::Body;
using kernel::Part;
using kernel::Vector3;

/// A moving body's recorded start: pose and velocity of its centre (before any impact at that time), world.
struct Start {
  bool known = false;
  double time = 0;
  double p[3], q[4], v[3], w[3];
};

/// The scene text of a record, parsed here anew.
class SceneText {
 public:
  explicit SceneText(const std::string& text);
  ~SceneText();

  /// Name of the robot that a body is a link of (`robot/link`); empty for bodies that are none.
  std::string robotOf(const std::string& body) const;

  /// Holds bodies, shapes and starts of the record against the scene. Calls `fail(body, reason)` for each difference (body
  /// -1: the scene as a whole) and `note` for what cannot be checked.
  void check(const std::vector<Body>& bodies, const std::vector<Start>& starts,
             const std::function<void(int, const std::string&)>& fail,
             const std::function<void(const std::string&)>& note) const;

 private:
  struct Parsed;
  std::unique_ptr<const Parsed> parsed_;
  std::set<std::string> robots_;  // Names; empty where the text cannot be read.
};

}  // namespace rigor::verify
