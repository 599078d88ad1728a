// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "verify/record_file.h"

namespace rigor::verify {

/// A moving body's recorded start: pose and velocity of its centre (before any impact at that time), world.
struct Start {
  bool known = false;
  double p[3], q[4], v[3], w[3];
};

/// Names of the scene's robots; empty where the text cannot be read. Their links are bodies named `robot/link`.
std::set<std::string> robotNames(const std::string& scene_text);

/// Name of the robot that a body is a link of; empty for bodies that are none.
std::string robotOf(const std::string& body, const std::set<std::string>& robots);

/// Holds bodies, shapes and starts of the record against its scene text, which is parsed here anew. Calls `fail(body,
/// reason)` for each difference (body -1: the scene as a whole) and `note` for what cannot be checked.
void checkScene(const std::string& scene_text, const std::vector<Body>& bodies, const std::vector<Start>& starts,
                const std::function<void(int, const std::string&)>& fail,
                const std::function<void(const std::string&)>& note);

}  // namespace rigor::verify
