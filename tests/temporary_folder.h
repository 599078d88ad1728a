// SPDX-License-Identifier: MIT
#pragma once
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace rigor {

/// A new, empty folder for a test, removed with all that it holds by the process that made it. Nothing else ever had
/// its name: process ids come again, and what a killed test leaves behind must not meet a later one.
class TemporaryFolder {
 public:
  /// @throws std::system_error where none can be made.
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rigor_test_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), "cannot create " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (getpid() == owner_) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  pid_t owner_ = getpid();  // Tests fork.
};

}  // namespace rigor
