// SPDX-License-Identifier: MIT
#include "formats/zip_archive.h"

#include <fmt/format.h>
#include <zip.h>

#include <type_traits>

#include "formats/late_library.h"

namespace rigor::formats {
namespace {

struct ZipLibrary {
  LateLibrary library{RIGOR_ZIP_LIBRARY, "an archive (.npz)"};
#define RIGOR_ZIP(name) \
  std::add_pointer_t<decltype(::name)> name = library.function<decltype(::name)>(RIGOR_LATE_NAME(name))
  RIGOR_ZIP(zip_discard);
  RIGOR_ZIP(zip_fclose);
  RIGOR_ZIP(zip_fopen);
  RIGOR_ZIP(zip_fread);
  RIGOR_ZIP(zip_get_name);
  RIGOR_ZIP(zip_get_num_entries);
  RIGOR_ZIP(zip_name_locate);
  RIGOR_ZIP(zip_open);
  RIGOR_ZIP(zip_stat);
#undef RIGOR_ZIP
};

const ZipLibrary& zipLibrary() {
  static const ZipLibrary library;
  return library;
}

}  // namespace

void ZipArchive::Discard::operator()(zip* archive) const { zipLibrary().zip_discard(archive); }

ZipArchive::ZipArchive(const std::string& path) : path_(path) {
  int error = 0;
  zip_.reset(zipLibrary().zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &error));
  if (!zip_) throw FileError(path + ": this is no zip archive, or it cannot be read");
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> names;
  const zip_int64_t count = zipLibrary().zip_get_num_entries(zip_.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i)
    if (const char* name = zipLibrary().zip_get_name(zip_.get(), static_cast<zip_uint64_t>(i), 0))
      names.emplace_back(name);
  return names;
}

bool ZipArchive::has(const std::string& name) const {
  return zipLibrary().zip_name_locate(zip_.get(), name.c_str(), 0) >= 0;
}

std::uint64_t ZipArchive::size(const std::string& name) const {
  zip_stat_t stat;
  if (zipLibrary().zip_stat(zip_.get(), name.c_str(), 0, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE))
    throw FileError(fmt::format("{}: '{}' is not there", path_, name));
  return stat.size;
}

std::string ZipArchive::read(const std::string& name) const {
  std::string bytes(size(name), '\0');
  zip_file_t* file = zipLibrary().zip_fopen(zip_.get(), name.c_str(), 0);
  const bool good =
      file && zipLibrary().zip_fread(file, bytes.data(), bytes.size()) == static_cast<zip_int64_t>(bytes.size());
  if (file) zipLibrary().zip_fclose(file);
  if (!good) throw FileError(fmt::format("{}: '{}' cannot be read: the archive is damaged", path_, name));
  return bytes;
}

}  // namespace rigor::formats
