// SPDX-License-Identifier: MIT
#include "scenes/xacro.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

extern char** environ;

namespace rigor::scenes {
namespace {

constexpr auto kLongest = std::chrono::seconds(60);
constexpr size_t kMostBytes = 256u << 20;

bool isInstalled(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::stringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((std::filesystem::path(folder.empty() ? "." : folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

bool holdsMacro(const XmlElement& element) {
  if (element.name().starts_with("xacro:")) return true;
  const std::vector<XmlElement> inside = element.children();
  return std::any_of(inside.begin(), inside.end(), holdsMacro);
}

/// Reads from both ends until both are closed. @returns false after kLongest or kMostBytes.
bool drain(std::array<int, 2> ends, std::array<std::string, 2>& texts) {
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  for (;;) {
    std::array<pollfd, 2> waiting{{{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}}};
    if (ends[0] < 0 && ends[1] < 0) return true;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0 || poll(waiting.data(), waiting.size(), static_cast<int>(left)) <= 0) return false;
    for (size_t k = 0; k < 2; ++k) {
      if (!(waiting[k].revents & (POLLIN | POLLHUP | POLLERR))) continue;
      std::array<char, 1 << 14> bytes;
      const ssize_t count = ::read(ends[k], bytes.data(), bytes.size());
      if (count > 0) texts[k].append(bytes.data(), static_cast<size_t>(count));
      else ends[k] = -1;
      if (texts[k].size() > kMostBytes) return false;
    }
  }
}

}  // namespace

bool isXacro(const XmlElement& root, const std::string&) {
  return root.name() == "robot" && holdsMacro(root);
}

std::string expandXacro(const std::string& path) {
  if (!isInstalled("xacro")) {
    throw LoadError(path, {}, "macros of xacro, and the program xacro is not installed",
                    "a URDF file: install xacro, or expand it elsewhere with `xacro FILE > robot.urdf`");
  }
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0) throw LoadError(path, {}, "xacro cannot be started", "a URDF file");
  if (pipe2(err, O_CLOEXEC) != 0) {
    close(out[0]), close(out[1]);
    throw LoadError(path, {}, "xacro cannot be started", "a URDF file");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  std::string program = "xacro",
              argument = std::filesystem::absolute(path).string();  // No path is taken for an option.
  std::array<char*, 3> arguments{program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int started = posix_spawnp(&child, "xacro", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]), close(err[1]);
  std::array<std::string, 2> texts;
  const bool ended = started == 0 && drain({out[0], err[0]}, texts);
  close(out[0]), close(err[0]);
  int status = 0;
  if (started == 0) {
    if (!ended) kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  if (started != 0 || !ended || status != 0) {
    std::string words = texts[1].substr(0, 300);
    std::replace(words.begin(), words.end(), '\n', ' ');
    throw LoadError(path, {}, "xacro failed: " + (words.empty() ? "it did not end" : words),
                    "a file that xacro expands");
  }
  return texts[0];
}

}  // namespace rigor::scenes
