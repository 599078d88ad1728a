// SPDX-License-Identifier: MIT
#include "scenes/child_answer.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace rigor::scenes {
namespace {

constexpr char kDone = 'd', kThrew = 't';  // First byte of an answer.

void limitThisProcess(int most_seconds) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) std::signal(signal, SIG_DFL);
  const rlimit none{0, 0}, seconds{static_cast<rlim_t>(most_seconds), static_cast<rlim_t>(most_seconds) + 1};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_CPU, &seconds);
  std::size_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return;
  const rlim_t most = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + kMostMemory;
  const rlimit memory{most, most};
  setrlimit(RLIMIT_AS, &memory);
}

void writeAll(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(to, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

[[noreturn]] void answer(int to, const std::function<std::string()>& work, int seconds) {
  limitThisProcess(seconds);
  try {
    const std::string done = work();
    writeAll(to, std::string_view(&kDone, 1)), writeAll(to, done);
  } catch (const std::exception& error) {
    writeAll(to, std::string_view(&kThrew, 1)), writeAll(to, error.what());
  }
  _exit(0);
}

}  // namespace

std::string answerOfChild(const std::function<std::string()>& work, int seconds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) close(ends[0]), answer(ends[1], work, seconds);
  close(ends[1]);
  std::string bytes;
  std::array<char, 1 << 16> some;
  while (child > 0 && bytes.size() <= kMostMemory) {
    const ssize_t count = ::read(ends[0], some.data(), some.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    bytes.append(some.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  if (child < 0) throw std::runtime_error("no process for its reader");
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    throw std::runtime_error("its reader came to no end");
  if (WIFSIGNALED(status)) throw std::runtime_error("its reader crashed");
  if (status != 0 || bytes.empty()) throw std::runtime_error("its reader gave no answer");
  const bool threw = bytes[0] == kThrew;
  bytes.erase(0, 1);
  if (threw) throw std::runtime_error(bytes);
  return bytes;
}

}  // namespace rigor::scenes
