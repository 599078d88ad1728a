// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <string>

namespace rigor::cli {

/// Where another program of this project would be: beside this one, or in ../libexec/rigor of an installation.
std::string findHelper(const char* program);

/// Becomes another program of this project with these arguments: one beside this program, or in ../libexec/rigor of an
/// installation.
/// @returns only where it cannot: kFailure, said on `err`.
int runHelper(const char* program, int argc, char** argv, std::ostream& err);

}  // namespace rigor::cli
