// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>

namespace rigor::cli {

/// Becomes another program of this project with these arguments: one beside this program, or in ../libexec/rigor of an installation.
/// @returns only where it cannot: kFailure, said on `err`.
int runHelper(const char* program, int argc, char** argv, std::ostream& err);

}  // namespace rigor::cli
