// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <functional>
#include <string>

namespace rigor::scenes {

constexpr int kMostSeconds = 10;  ///< Of processor time.
constexpr std::size_t kMostMemory = std::size_t{2} << 30;

/// What `work` returns, done in a process of its own (a fork of this one): a crash, a loop or too much memory there
/// ends that one alone. It may take kMostMemory more than this process, and its answer may be as long.
/// @throws std::runtime_error with what `work` threw, or how its process ended.
std::string answerOfChild(const std::function<std::string()>& work, int seconds = kMostSeconds);

}  // namespace rigor::scenes
