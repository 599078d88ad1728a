// SPDX-License-Identifier: MIT
#include "formats/late_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace rigor::formats {

LateLibrary::LateLibrary(const char* file, const char* use)
    : file_(file), handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_)
    throw FileError(fmt::format("{} needs the library {}, which cannot be loaded: {}", use, file, dlerror()));
}

void* LateLibrary::symbol(const char* name) const {
  void* found = dlsym(handle_, name);
  if (!found)
    throw FileError(fmt::format("the library {} has no {}: it is of another version than this program", file_, name));
  return found;
}

bool LateLibrary::isLinked(const char* function) const { return dlsym(RTLD_DEFAULT, function) == symbol(function); }

void* LateLibrary::linkedSymbol(const char* name) { return dlsym(RTLD_DEFAULT, name); }

}  // namespace rigor::formats
