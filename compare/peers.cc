// SPDX-License-Identifier: MIT
#include "compare/peers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace rigor::compare {

std::string outputOf(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]), close(ends[1]);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(ends[0], buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error(program + " failed");
  return text;
}

std::vector<std::string> enginesOf(const std::string& program) {
  std::vector<std::string> names;
  if (program.empty() || access(program.c_str(), X_OK) != 0) return names;
  std::istringstream lines(outputOf(program, {"list"}));
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return names;
}

}  // namespace rigor::compare
