// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/file_error.h"

struct zip;

namespace rigor::formats {

/// A zip archive that is read. The library is loaded by the first of these objects.
class ZipArchive {
 public:
  /// @throws FileError: it cannot be read, is no archive, or damaged.
  explicit ZipArchive(const std::string& path);

  std::vector<std::string> names() const;
  bool has(const std::string& name) const;
  /// Size of an entry as the archive says [bytes]. @throws FileError where it is not there.
  std::uint64_t size(const std::string& name) const;
  /// The content of an entry. @throws FileError, also where its checksum is wrong.
  std::string read(const std::string& name) const;

 private:
  struct Discard {
    void operator()(zip* archive) const;
  };
  std::string path_;
  std::unique_ptr<zip, Discard> zip_;
};

}  // namespace rigor::formats
