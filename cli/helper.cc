// SPDX-License-Identifier: MIT
#include "cli/helper.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "cli/exit_code.h"

namespace rigor::cli {

std::string findHelper(const char* program) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path path = folder / program;
  return (fs::exists(path, error) ? path : folder.parent_path() / "libexec/rigor" / program).string();
}

int runHelper(const char* program, int argc, char** argv, std::ostream& err) {
  const std::string path = findHelper(program);
  std::vector<char*> arguments{const_cast<char*>(program)};
  arguments.insert(arguments.end(), argv, argv + argc);
  arguments.push_back(nullptr);
  execv(path.c_str(), arguments.data());
  err << "rigor: " << path << " cannot be run: " << std::strerror(errno) << '\n';
  return kFailure;
}

}  // namespace rigor::cli
