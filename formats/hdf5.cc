// SPDX-License-Identifier: MIT
#include "formats/hdf5.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <type_traits>
#include <utility>

#include "formats/late_library.h"

namespace rigor::formats {
namespace {

/// What is used of the library, which is not linked: functions as members of their names. The header's names of types
/// and classes (H5T_NATIVE_DOUBLE) are macros that call it, so their variables are asked for here.
struct Library {
  LateLibrary library{RIGOR_HDF5_LIBRARY, "HDF5"};
#define RIGOR_HDF5(name) \
  std::add_pointer_t<decltype(::name)> name = library.function<decltype(::name)>(RIGOR_LATE_NAME(name))
  RIGOR_HDF5(H5open);
  RIGOR_HDF5(H5Aclose);
  RIGOR_HDF5(H5Acreate2);
  RIGOR_HDF5(H5Awrite);
  RIGOR_HDF5(H5Dclose);
  RIGOR_HDF5(H5Dcreate2);
  RIGOR_HDF5(H5Dget_space);
  RIGOR_HDF5(H5Dopen2);
  RIGOR_HDF5(H5Dread);
  RIGOR_HDF5(H5Dwrite);
  RIGOR_HDF5(H5Eset_auto2);
  RIGOR_HDF5(H5Fclose);
  RIGOR_HDF5(H5Fcreate);
  RIGOR_HDF5(H5Fflush);
  RIGOR_HDF5(H5Fget_file_image);
  RIGOR_HDF5(H5Fopen);
  RIGOR_HDF5(H5Gclose);
  RIGOR_HDF5(H5Gcreate2);
  RIGOR_HDF5(H5Gopen2);
  RIGOR_HDF5(H5Lexists);
  RIGOR_HDF5(H5Lvisit_by_name);
  RIGOR_HDF5(H5Pclose);
  RIGOR_HDF5(H5Pcreate);
  RIGOR_HDF5(H5Pset_create_intermediate_group);
  RIGOR_HDF5(H5Pset_fapl_core);
  RIGOR_HDF5(H5Sclose);
  RIGOR_HDF5(H5Screate);
  RIGOR_HDF5(H5Screate_simple);
  RIGOR_HDF5(H5Sget_simple_extent_dims);
  RIGOR_HDF5(H5Sget_simple_extent_ndims);
  RIGOR_HDF5(H5Tclose);
  RIGOR_HDF5(H5Tcopy);
  RIGOR_HDF5(H5Tset_cset);
  RIGOR_HDF5(H5Tset_size);
#undef RIGOR_HDF5
  hid_t file_access = 0, link_creation = 0, stored_double = 0, native_double = 0, c_string = 0;

  Library() {
    H5open();  // Gives the variables their values.
    file_access = library.variable<hid_t>("H5P_CLS_FILE_ACCESS_ID_g", "H5open");
    link_creation = library.variable<hid_t>("H5P_CLS_LINK_CREATE_ID_g", "H5open");
    stored_double = library.variable<hid_t>("H5T_IEEE_F64LE_g", "H5open");
    native_double = library.variable<hid_t>("H5T_NATIVE_DOUBLE_g", "H5open");
    c_string = library.variable<hid_t>("H5T_C_S1_g", "H5open");
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // Failures are reported by exceptions, not on stderr.
  }
};

const Library& hdf5() {
  static const Library library;
  return library;
}

// The values behind H5F_ACC_...: those macros call the library as well.
constexpr unsigned kReadOnly = 0x0000u, kTruncate = 0x0002u;
constexpr std::size_t kGrowth =
    1 << 20;  ///< Bytes. Files grow in memory: the library crashes where one on the disk cannot.
constexpr hsize_t kMostRows = 1ull << 31;  ///< A damaged size must not ask for all memory.

/// An HDF5 handle that closes itself. A negative handle is a failed call.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// What Hdf5Writer's calls return is held against failure with these two.
struct Writing {
  const std::string& path;
  Handle operator()(hid_t id, herr_t (*close)(hid_t)) const {
    if (id < 0) fail();
    return {id, close};
  }
  void operator()(herr_t code) const {
    if (code < 0) fail();
  }
  [[noreturn]] void fail() const { throw FileError("cannot write " + path + " with HDF5"); }
};

Handle stringType() {
  Handle type(hdf5().H5Tcopy(hdf5().c_string), hdf5().H5Tclose);
  hdf5().H5Tset_size(type, H5T_VARIABLE);
  hdf5().H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

Handle makeGroupsOnTheWay() {
  Handle properties(hdf5().H5Pcreate(hdf5().link_creation), hdf5().H5Pclose);
  hdf5().H5Pset_create_intermediate_group(properties, 1);
  return properties;
}

void writeSet(const std::string& path, hid_t file, const std::string& name, hid_t stored, hid_t given, hid_t space,
              const void* values) {
  const Writing write{path};
  const Handle properties = makeGroupsOnTheWay();
  const Handle set = write(hdf5().H5Dcreate2(file, name.c_str(), stored, space, properties, H5P_DEFAULT, H5P_DEFAULT),
                           hdf5().H5Dclose);
  if (values) write(hdf5().H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
}

void writeAttribute(const std::string& path, hid_t file, const std::string& group, const char* name, hid_t stored,
                    hid_t given, const void* value) {
  const Writing write{path};
  const Handle object = write(hdf5().H5Gopen2(file, group.c_str(), H5P_DEFAULT), hdf5().H5Gclose);
  const Handle space = write(hdf5().H5Screate(H5S_SCALAR), hdf5().H5Sclose);
  const Handle attribute =
      write(hdf5().H5Acreate2(object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT), hdf5().H5Aclose);
  write(hdf5().H5Awrite(attribute, given, value));
}

}  // namespace

Hdf5Writer::Hdf5Writer(const std::string& path) : path_(path), file_(-1) {
  const Writing write{path_};
  const Handle access = write(hdf5().H5Pcreate(hdf5().file_access), hdf5().H5Pclose);
  write(hdf5().H5Pset_fapl_core(access, kGrowth, false));
  file_ = hdf5().H5Fcreate(path.c_str(), kTruncate, H5P_DEFAULT, access);
  if (file_ < 0) write.fail();
}

Hdf5Writer::~Hdf5Writer() {
  if (file_ >= 0) hdf5().H5Fclose(file_);
}

void Hdf5Writer::numbers(const std::string& name, std::span<const double> values, std::size_t columns) {
  const hsize_t size[2] = {values.size() / columns, columns};
  const Handle space = Writing{path_}(hdf5().H5Screate_simple(columns == 1 ? 1 : 2, size, nullptr), hdf5().H5Sclose);
  writeSet(path_, file_, name, hdf5().stored_double, hdf5().native_double, space,
           values.empty() ? nullptr : values.data());
}

void Hdf5Writer::texts(const std::string& name, const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const hsize_t size = texts.size();
  const Handle type = stringType();
  const Handle space = Writing{path_}(hdf5().H5Screate_simple(1, &size, nullptr), hdf5().H5Sclose);
  writeSet(path_, file_, name, type, type, space, texts.empty() ? nullptr : pointers.data());
}

void Hdf5Writer::group(const std::string& name) {
  const Handle properties = makeGroupsOnTheWay();
  Writing{path_}(hdf5().H5Gcreate2(file_, name.c_str(), properties, H5P_DEFAULT, H5P_DEFAULT), hdf5().H5Gclose);
}

void Hdf5Writer::attribute(const std::string& group, const char* name, const std::string& text) {
  const Handle type = stringType();
  const char* pointer = text.c_str();
  writeAttribute(path_, file_, group, name, type, type, &pointer);
}

void Hdf5Writer::attribute(const std::string& group, const char* name, double value) {
  writeAttribute(path_, file_, group, name, hdf5().stored_double, hdf5().native_double, &value);
}

void Hdf5Writer::close() {
  const Writing write{path_};
  write(hdf5().H5Fflush(file_, H5F_SCOPE_GLOBAL));
  const ssize_t size = hdf5().H5Fget_file_image(file_, nullptr, 0);
  if (size < 0) write.fail();
  std::vector<char> bytes(static_cast<std::size_t>(size));
  if (hdf5().H5Fget_file_image(file_, bytes.data(), bytes.size()) != size) write.fail();
  write(hdf5().H5Fclose(std::exchange(file_, -1)));
  std::ofstream out(path_, std::ios::binary);
  out.write(bytes.data(), size).flush();
  if (!out) throw FileError("cannot write " + path_ + ": " + std::strerror(errno));
}

Hdf5Reader::Hdf5Reader(const std::string& path)
    : path_(path), file_(hdf5().H5Fopen(path.c_str(), kReadOnly, H5P_DEFAULT)) {
  if (file_ < 0) throw FileError(path + ": this is no HDF5 file, or it cannot be read");
}

Hdf5Reader::~Hdf5Reader() { hdf5().H5Fclose(file_); }

bool Hdf5Reader::has(const std::string& name) const { return hdf5().H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0; }

std::vector<std::string> Hdf5Reader::below(const std::string& group) const {
  std::vector<std::string> names;
  const auto note = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  hdf5().H5Lvisit_by_name(file_, group.c_str(), H5_INDEX_NAME, H5_ITER_INC, note, &names, H5P_DEFAULT);
  return names;
}

std::vector<double> Hdf5Reader::numbers(const std::string& name, std::size_t columns, std::size_t rows) const {
  const Handle set(hdf5().H5Dopen2(file_, name.c_str(), H5P_DEFAULT), hdf5().H5Dclose);
  if (set < 0) throw FileError(fmt::format("{}: {}: there is no such data set", path_, name));
  const Handle space(hdf5().H5Dget_space(set), hdf5().H5Sclose);
  hsize_t size[2] = {0, 1};
  const int rank = hdf5().H5Sget_simple_extent_ndims(space);
  const bool shaped = rank == (columns == 1 ? 1 : 2) &&
                      hdf5().H5Sget_simple_extent_dims(space, size, nullptr) == rank && size[1] == columns &&
                      (rows == 0 || size[0] == rows);
  if (!shaped || size[0] > kMostRows)
    throw FileError(fmt::format("{}: {}: wrong shape; {} x {} numbers", path_, name,
                                rows == 0 ? "n" : std::to_string(rows), columns));
  std::vector<double> values(size[0] * columns);
  if (!values.empty() && hdf5().H5Dread(set, hdf5().native_double, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw FileError(fmt::format("{}: {}: it cannot be read as numbers", path_, name));
  return values;
}

}  // namespace rigor::formats
