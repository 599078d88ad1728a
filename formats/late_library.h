// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "formats/file_error.h"

namespace rigor::formats {

/// A shared library that is loaded when it is first asked for, and stays loaded: a program that may read or write one
/// format in a hundred runs does not pay for it, some milliseconds each, in the others.
///
/// Make one static object a library inside a function, so that the first call loads it; that is safe among threads.
class LateLibrary {
 public:
  /// @param file  As the dynamic linker takes it: the name that was linked against when this was built
  /// (`libhdf5_serial.so.103`).
  /// @param use   What it is needed for, for the message. @throws FileError: it cannot be loaded, and why.
  LateLibrary(const char* file, const char* use);
  LateLibrary(const LateLibrary&) = delete;
  LateLibrary& operator=(const LateLibrary&) = delete;

  /// A function of the library; F is its type. @throws FileError where it has none of that name.
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(symbol(name));
  }
  /// A variable of the library. Where the program links it as well, its variables live in the program (copy
  /// relocations): any `function` of the library tells. @throws FileError, as above.
  template <class T>
  T& variable(const char* name, const char* function) const {
    return *static_cast<T*>(isLinked(function) ? linkedSymbol(name) : symbol(name));
  }

 private:
  void* symbol(const char* name) const;
  bool isLinked(const char* function) const;
  static void* linkedSymbol(const char* name);
  std::string file_;
  void* handle_;
};

}  // namespace rigor::formats

/// The name of a library's function, after macros that choose a version of it.
#define RIGOR_LATE_NAME(name) RIGOR_LATE_NAME_AS_IT_STANDS(name)
#define RIGOR_LATE_NAME_AS_IT_STANDS(name) #name
