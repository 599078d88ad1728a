// SPDX-License-Identifier: MIT
#pragma once
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/temporary_folder.h"

namespace rigor::cli {

/// What a program did.
struct ProgramResult {
  int code;  ///< Exit code; minus the signal that ended it.
  std::string out, err;
};

inline std::string readAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A folder of its own for a test, and the built `rigor` run in it.
class ProgramFolder {
 public:
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  /// Runs `rigor arguments...`; with `signal_after` > 0 [s] sends SIGINT (or `signal`) that long after the program
  /// began to catch SIGINT: on a busy machine it may take a while to get there.
  ProgramResult run(const std::vector<std::string>& arguments, double signal_after = 0, int signal = SIGINT) const {
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(folder_.path().c_str()) != 0) _exit(99);
      redirect(".stdout", STDOUT_FILENO);
      redirect(".stderr", STDERR_FILENO);
      std::vector<char*> argv{const_cast<char*>(RIGOR_PROGRAM)};
      for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
      argv.push_back(nullptr);
      execv(RIGOR_PROGRAM, argv.data());
      _exit(98);
    }
    if (signal_after > 0) {
      for (int i = 0; i < 6000 && !catchesInterrupts(child); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::this_thread::sleep_for(std::chrono::duration<double>(signal_after));
      kill(child, signal);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), readAll(folder_ / ".stdout"),
            readAll(folder_ / ".stderr")};
  }

 private:
  /// From the mask of caught signals that the kernel shows.
  static bool catchesInterrupts(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:") && line.find('Z') != std::string::npos) return true;  // It has ended.
      if (line.starts_with("SigCgt:")) return std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1;
    }
    return true;
  }
  static void redirect(const char* name, int to) {
    const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, to) < 0) _exit(97);
  }
  TemporaryFolder folder_;
};

}  // namespace rigor::cli
