// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

namespace rigor::compare {

/// Runs a program and waits for it. @returns what it printed on stdout. @throws std::runtime_error where it cannot be
/// run or fails.
std::string outputOf(const std::string& program, const std::vector<std::string>& arguments);

/// The engines that a rigor-peers program has; none where it cannot be run.
std::vector<std::string> enginesOf(const std::string& program);

}  // namespace rigor::compare
